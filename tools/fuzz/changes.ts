import fc from 'fast-check';
import type { Good, HttpRequest } from './account.ts';

/** A response as sent, or the network error instead. */
export type Sent = { status: number; headers: Record<string, string>; text: string } | { error: Error };

/** How a correct response is changed. */
type Kind =
  | { kind: 'drop'; pick: number }
  | { kind: 'replace'; pick: number; value: unknown }
  | { kind: 'twice'; pick: number }
  | { kind: 'json'; value: unknown; status: number }
  /** With another body, or the correct one if undefined. */
  | { kind: 'status'; status: number; body: unknown }
  | { kind: 'text'; text: string }
  | { kind: 'swap'; from: string; to: string }
  | { kind: 'cut'; at: number }
  | { kind: 'headers'; headers: Record<string, string> }
  | { kind: 'lost'; code: string };

/** A change, and the responses that it applies to: `times` of them after the first `from`, on one route or any. */
export interface Change {
  change: Kind;
  from: number;
  times: number;
  only: string | undefined;
}

/** What responses may be changed to. */
export interface Strange {
  /** Replacements for any one value. */
  values: unknown[];
  /** Replaced throughout a response, so that it remains consistent. */
  swaps: [from: string, to: string][];
  /** Methods and parts of paths that a change may be limited to. */
  routes: string[];
  /** Possible error messages. */
  messages?: string[];
}

const pick = fc.nat(60);
const status = fc.oneof(
  fc.constantFrom(200, 201, 202, 204, 304, 307, 400, 401, 403, 404, 409, 410, 412, 422, 423, 429, 500, 502, 503, 524),
  fc.integer({ min: 200, max: 599 }),
);

const headers = fc.dictionary(
  fc.constantFrom('retry-after', 'date', 'location', 'content-type'),
  fc.oneof(fc.constantFrom('0', '1', '1e9', 'Thu, 01 Jan 1970 00:00:00 GMT', '/x', '-5'), fc.string()),
);
const texts = fc.constantFrom('', '<html><title>Blocked</title>', '{', 'null', '\ufeff{}', '"');
/** Failures of connecting: nothing was sent. */
const unsent = ['ECONNREFUSED', 'ENOTFOUND', 'DEPTH_ZERO_SELF_SIGNED_CERT'];
const codes = fc.constantFrom('ECONNRESET', 'ETIMEDOUT', ...unsent);

/** Whether there was no connection, so that nothing was sent. */
export const isUnsent = (sent: Sent) =>
  'error' in sent && unsent.includes(String((sent.error as NodeJS.ErrnoException).code));

function kinds({ values, swaps, messages = [] }: Strange): fc.Arbitrary<Kind> {
  const value = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, fc.jsonValue());
  const message = messages.length > 0 ? fc.oneof(fc.string(), fc.constantFrom(...messages)) : fc.string();
  const errorBody = fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.record({ code: fc.string(), message }));
  const of = <K extends Kind['kind']>(kind: K) => ({ kind: fc.constant(kind) });
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ ...of('drop'), pick }) },
    { weight: 8, arbitrary: fc.record({ ...of('replace'), pick, value }) },
    { weight: 1, arbitrary: fc.record({ ...of('twice'), pick }) },
    { weight: 3, arbitrary: fc.record({ ...of('json'), value: fc.jsonValue(), status }) },
    { weight: 3, arbitrary: fc.constantFrom(...swaps).map(([from, to]) => ({ kind: 'swap' as const, from, to })) },
    { weight: 3, arbitrary: fc.record({ ...of('status'), status, body: errorBody }) },
    { weight: 1, arbitrary: fc.record({ ...of('text'), text: texts }) },
    { weight: 1, arbitrary: fc.record({ ...of('cut'), at: fc.nat(80) }) },
    { weight: 1, arbitrary: fc.record({ ...of('headers'), headers }) },
    { weight: 1, arbitrary: fc.record({ ...of('lost'), code: codes }) },
  );
}

/** One to four changes. */
export function changesTo(strange: Strange): fc.Arbitrary<Change[]> {
  return fc.array(
    fc.record({
      change: kinds(strange),
      from: fc.nat(8),
      times: fc.constantFrom(1, 1, 2, 5, Number.MAX_SAFE_INTEGER),
      only: fc.option(fc.constantFrom(...strange.routes), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 4 },
  );
}

/** Applies all changes to a response. Each change counts the requests on its own route. */
export function changer(all: Change[]): (request: HttpRequest, good: Good) => Sent {
  const seen = all.map(() => 0);
  return ({ method, path }, good) => {
    let sent: Sent = untouched(good);
    let { body } = good;
    for (const [index, { change, from, times, only }] of all.entries()) {
      if (only !== undefined && only !== method && !path.includes(`/${only}`)) continue;
      const nth = seen[index] ?? 0;
      seen[index] = nth + 1;
      if (nth < from || nth >= from + times || 'error' in sent) continue;
      if (change.kind === 'drop' || change.kind === 'replace' || change.kind === 'twice') {
        body = changed(body, change);
        sent = { ...sent, text: JSON.stringify(body) ?? '' };
      } else sent = altered(sent, change);
    }
    return sent;
  };
}

/** A correct response as sent. */
export function untouched({ status, body, headers = {} }: Good): Exclude<Sent, { error: Error }> {
  return { status, headers, text: JSON.stringify(body) ?? '' };
}

function altered(
  sent: Exclude<Sent, { error: Error }>,
  change: Exclude<Kind, { kind: 'drop' | 'replace' | 'twice' }>,
): Sent {
  switch (change.kind) {
    case 'json':
      return { ...sent, status: change.status, text: JSON.stringify(change.value) };
    case 'status':
      return { ...sent, status: change.status, text: JSON.stringify(change.body) ?? sent.text };
    case 'text':
      return { ...sent, text: change.text };
    case 'swap':
      return { ...sent, text: sent.text.replaceAll(change.from, change.to) };
    case 'cut':
      return { ...sent, text: sent.text.slice(0, change.at) };
    case 'headers':
      return { ...sent, headers: change.headers };
    case 'lost':
      return { error: Object.assign(new Error('lost'), { code: change.code }) };
  }
}

type Node = Record<string | number, unknown>;

/** A copy in which one value, at any depth, is missing, replaced or duplicated. */
function changed(body: unknown, change: Extract<Kind, { kind: 'drop' | 'replace' | 'twice' }>): unknown {
  const copy = structuredClone(body);
  const places: [Node, string | number][] = [];
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const key of keys) {
      places.push([value as Node, key]);
      visit((value as Node)[key]);
    }
  };
  visit(copy);
  const [holder, key] = places[change.pick % Math.max(1, places.length)] ?? [];
  if (holder === undefined || key === undefined) return copy;
  if (change.kind === 'replace') holder[key] = change.value;
  else if (!Array.isArray(holder)) delete holder[key];
  else if (change.kind === 'twice') holder.push(structuredClone(holder[Number(key)]));
  else holder.splice(Number(key), 1);
  return copy;
}
