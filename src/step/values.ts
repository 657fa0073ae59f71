import { type Level, levels, type RuleName, ruleNames } from '../schema/rules.ts';
import { effect, place } from '../service/anonymize.ts';
import type { Point } from '../service/schema.ts';
import { messageOf } from '../text/format.ts';
import { type Glob, parseGlob } from '../text/glob.ts';
import { show } from '../text/inert.ts';
import { isObject, type Json } from '../text/json.ts';
import { isLoopback } from '../text/url.ts';
import { echo, InvalidValue } from './invalid.ts';

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Durations in milliseconds: a whole number and one of the units, `90m`. */
const durationIn = (units: string, examples: string, mostDays?: number) => {
  const form = new RegExp(`^(\\d{1,9})(${units})$`);
  const limit = mostDays === undefined ? '' : `, at most ${mostDays}d`;
  // Added to the current time, a longer one could be beyond the range of dates.
  const most = (mostDays ?? 36_500) * unitMs.d;
  return (raw: string): number => {
    const [, number, unit] = form.exec(raw) ?? [];
    const ms = Number(number) * unitMs[unit as keyof typeof unitMs];
    if (ms > 0 && ms <= most) return ms;
    throw new InvalidValue(`a duration such as ${examples}${limit}`);
  };
};

/** The longest time until expiry that the service accepts. */
const longestExpiryDays = 30;
export const longestExpiryMs = longestExpiryDays * unitMs.d;

export const duration = durationIn('[smhd]', '90m, 12h or 14d');
export const shortDuration = durationIn('ms|[smhd]', '500ms, 2s or 5m');
export const timeToExpiry = durationIn('[smhd]', '90m, 12h or 14d', longestExpiryDays);
/** A step can't run for longer: GitHub ends a job after six hours, on a self-hosted runner after five days. */
export const timeout = durationIn('[smhd]', '90s, 10m or 2h', 5);

const timeForm = 'an RFC 3339 time such as 2026-12-31T18:00:00Z';

/** An RFC 3339 time, in milliseconds since the epoch. */
export function time(raw: string, expected = timeForm): number {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(raw) ? Date.parse(raw) : Number.NaN;
  if (Number.isNaN(ms)) throw new InvalidValue(expected);
  return ms;
}

/** RFC 3339 with whole seconds, the form that the service expects for an expiry. */
export function toSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

const pointForms = `${timeForm}, or a log sequence number such as 0/1DE2850`;

/** A point in a branch's history. A time stays text, because the service reads more digits than milliseconds have. */
export function point(raw: string, expected = pointForms): Point {
  if (/^[0-9a-f]{1,8}\/[0-9a-f]{1,8}$/i.test(raw)) return { lsn: raw.toUpperCase() };
  time(raw, expected);
  return { timestamp: raw };
}

/** `fork`, `head`, or a point in the history of the base. */
export function basePoint(raw: string): 'fork' | 'head' | Point {
  return raw === 'fork' || raw === 'head' ? raw : point(raw, `fork, head, ${pointForms}`);
}

export function choice<const T extends string>(...values: T[]): (raw: string) => T {
  return (raw) => {
    const found = values.find((value) => value === raw);
    if (found === undefined) throw new InvalidValue(`one of ${values.join(', ')}`);
    return found;
  };
}

/** Seconds without activity after which a compute endpoint is suspended: -1 is never, 0 the service's default. */
export function suspendTimeout(raw: string): number {
  const seconds = /^-?\d{1,7}$/.test(raw) ? Number(raw) : Number.NaN;
  if (!(seconds >= -1 && seconds <= 604_800)) {
    throw new InvalidValue("a whole number of seconds up to 604800, 0 for the service's default, or -1 for never");
  }
  return seconds;
}

export function computeUnits(raw: string): number {
  const units = /^\d{1,4}(\.\d{1,3})?$/.test(raw) ? Number(raw) : 0;
  if (units <= 0) throw new InvalidValue('a positive number of compute units such as 0.25 or 2');
  return units;
}

export function text(raw: string): string {
  return raw;
}

/** An API key or a token. It must fit into a header. */
export function credential(raw: string): string {
  if (/^[\x21-\x7e]+$/.test(raw) && !/^["'`]/.test(raw)) return raw;
  throw new InvalidValue('the key or token alone, without spaces, line breaks or quotes', 'a value (not shown)');
}

/** The name or ID of a branch. A name may have any characters except line breaks: those are two values, joined by mistake. */
export function branchNameOrId(raw: string): string {
  if (!/[\n\v\f\r\u0085\u2028\u2029]/.test(raw) && Array.from(raw).length <= 256) return raw;
  throw new InvalidValue('a name of at most 256 characters on one line');
}

/** A branch's name. One that is an ID would name a branch that does not exist, or create it. */
export function branchName(raw: string): string {
  if (/^br-[a-z]+-[a-z]+-[a-z\d]{4,}$/.test(raw)) {
    throw new InvalidValue("a branch's name; for an ID, set branch_id", `${show(raw)} (a branch ID)`);
  }
  return branchNameOrId(raw);
}

function glob(raw: string): Glob {
  // Kept by YAML's block scalars: such a pattern would match nothing, and protect nothing.
  if (/^(['"]).*\1$|^-(\s|$)/.test(raw))
    throw new InvalidValue('globs such as staging-*, without quotes or list dashes');
  try {
    return parseGlob(raw);
  } catch (error) {
    throw new InvalidValue(`a glob such as preview/* (${(error as Error).message})`);
  }
}

/** Globs in Unicode form NFC, separated by commas or line breaks; a backslash makes a comma part of a glob. */
export function globs(raw: string): Glob[] {
  const items = raw.match(/(?:\\.|[^,\r\n])+/g)?.map((item) => item.trim()) ?? [];
  const all = items.filter((item) => item !== '').map((item) => glob(item.normalize('NFC')));
  // `${{ vars.A }},${{ vars.B }}` with both empty: probably not meant to exclude nothing.
  if (all.length === 0) throw new InvalidValue('a glob such as staging-*, or a list of globs');
  return all;
}

export function json(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch (error) {
    // The parser's message may quote the text itself.
    const [where = ''] = /position \d+/.exec(messageOf(error)) ?? [];
    throw new InvalidValue(`valid JSON${where && ` (the error is at ${where})`}`, 'the value (not shown)');
  }
}

/** No rule, or one that names no column or does nothing, would leave rows unmasked. */
export function maskingRules(raw: string): unknown[] {
  const value = json(raw);
  // The service treats an empty text like none.
  const has = (rule: Json) => (name: string) => typeof rule[name] === 'string' && rule[name] !== '';
  const isRule = (rule: unknown) => isObject(rule) && place.every(has(rule)) && effect.some(has(rule));
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRule)) {
    const fields = `${place.join(', ')}, and ${effect.join(' or ')}`;
    throw new InvalidValue(`a JSON array of masking rules, each with ${fields}`, 'the value (not shown)');
  }
  return value;
}

const idForm = /^[a-z0-9-]{1,60}$/;

export function projectId(raw: string): string {
  if (idForm.test(raw) && !/^(br|ep)-/.test(raw)) return raw;
  throw new InvalidValue("the project's ID from its settings, such as shiny-wind-028834");
}

export function branchId(raw: string): string {
  if (idForm.test(raw)) return raw;
  throw new InvalidValue('a branch ID such as br-wispy-meadow-118737; for a name, set branch_name');
}

const defaultPath = '/api/v2';

/**
 * The service's base URL, without a trailing slash, from a base URL, an origin or `host[:port]`. Plain `http` is accepted on
 * loopback only, where it is also the default.
 */
export function apiHost(raw: string): string {
  const isBare = !/^https?:|:\/\//i.test(raw);
  const whole = isBare ? `https://${raw}` : raw;
  // A URL parser skips blanks, backslashes and further slashes in front of the host.
  if (!/^https?:\/\/[^\s\\/:@?#][^\s\\@?#]*$/i.test(whole) || !URL.canParse(whole)) {
    // A query may hold a key; what precedes an `@`, a password.
    const shown = /[@?#]/.test(raw) ? 'a URL with more than a host and a path (not shown)' : undefined;
    throw new InvalidValue('https://host, https://host/api/v2 or host[:port]', shown);
  }
  const isLocal = isLoopback(new URL(whole).hostname);
  const url = new URL(isBare && isLocal ? `http://${raw}` : whole);
  if (url.protocol === 'http:' && !isLocal) {
    throw new InvalidValue('https://; http:// would send the key unencrypted and is accepted only for loopback hosts');
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path || defaultPath}`;
}

const gates = ['destructive', 'exposing', 'breaking', 'locking', 'any'] as const;

/** The levels whose findings fail the step, from a list; `any` stands for all of them, `never` for none. */
export function failOn(raw: string): Level[] {
  const words = itemsOf(raw);
  if (words.length === 1 && words[0] === 'never') return [];
  const unknown = words.find((word) => gates.every((gate) => gate !== word));
  if (unknown !== undefined || words.length === 0) {
    throw new InvalidValue(`\`never\` alone, or a list of ${gates.join(', ')}`, echo(unknown ?? raw));
  }
  return words.includes('any') ? [...levels] : levels.filter((level) => words.includes(level));
}

/** A rule whose findings are accepted; with `object`, only those about that object. */
interface IgnoredRule<T> {
  rule: T;
  object?: string;
}

/** Reads rules of these names, each alone or with one object: `add-index, drop-column:public.users.legacy`. */
export const ignoreRulesOf =
  <T extends string>(names: readonly T[]) =>
  (raw: string): IgnoredRule<T>[] =>
    itemsOf(raw).map((item) => {
      const [, name = '', object] = /^([^:]*?)(?:\s*:\s*(.+))?$/s.exec(item) ?? [];
      const rule = names.find((one) => one === name);
      if (rule === undefined) {
        throw new InvalidValue(`a list of \`rule\` or \`rule:object\`; the rules are ${names.join(', ')}`, echo(item));
      }
      return object === undefined ? { rule } : { rule, object };
    });

export const ignoreRules = ignoreRulesOf<RuleName>(ruleNames);

const sizeUnits = { kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** A size in bytes, with Postgres' units and what they mean to it: `10MB`, `1.5 GB`. */
export function size(raw: string): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?) ?(kB|MB|GB|TB)$/.exec(raw) ?? [];
  const bytes = Number(number) * sizeUnits[unit as keyof typeof sizeUnits];
  if (!(bytes > 0)) throw new InvalidValue('a size such as 500kB, 10MB, 1.5GB or 1TB');
  return bytes;
}

/** The name of an object may have separators within double quotes, `"a,b"`, and within parentheses, `f(integer, text)`. */
const item = /(?:"[^"]*"|\((?:"[^"]*"|[^()"])*\)|[^,\r\n])+/g;

/** A list separated by commas or line breaks. */
function itemsOf(raw: string): string[] {
  return (raw.match(item) ?? []).map((one) => one.trim()).filter((one) => one !== '');
}
