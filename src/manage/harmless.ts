import { isObject } from '../http/shape.ts';
import { stars, withStars } from '../secrets/matcher.ts';
import { isSecretName, wordsOf } from '../secrets/names.ts';
import { secretPlacesIn } from '../secrets/uris.ts';

/** Names of fields, of any kind of object, that hold a name, an ID, a choice or a time. */
const harmlessText =
  /(^|_)(names?|ids?|type|kind|label|slug|status|mode|level|provider|provisioner|runtime|environment|operation|frequency|source|region|function|method|scopes?|roles?|weekdays|lsn|timestamp|time|at|tags|schemas)$/;
/** Names of fields that hold a size, a limit, a version or a duration. */
const harmlessNumber =
  /(^|_)(ids?|port|size|count|limit|quota|version|seconds|bytes|cents|cu|hour|day|month|rows|lifetime|in|min|max|number)$/;
/** A shorter number gives nothing away. */
const longNumber = 4;
const apiKey = /\bnapi_\w+/g;

/**
 * A payload to show: its shape, and only values that are harmless by the name of their field; `***` for all others. `isPublic` says
 * which further fields are.
 */
export function harmlessOnly(payload: unknown, isPublic: (name: string) => boolean = () => false): unknown {
  return copy(payload, '', isPublic);
}

function copy(value: unknown, name: string, isPublic: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => copy(entry, name, isPublic));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copy(entry, key, isPublic)]));
  }
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  if (isSecretName(name)) return stars;
  const words = wordsOf(name);
  if (typeof value === 'number') {
    return harmlessNumber.test(words) || String(value).length < longNumber ? value : stars;
  }
  if (value === '' || !(harmlessText.test(words) || isPublic(name))) return value === '' ? value : stars;
  return withStars(value, secretPlacesIn(value)).replace(apiKey, stars);
}
