import { maskUris } from '../secrets/fields.ts';
import { type Glob, parseGlob } from '../text/glob.ts';

/** A value that an input does not take; says what it does take, as a noun: «a span such as 90m, 12h or 14d». */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** What was given, where the value itself must not be shown or says too little. */
  readonly got: string | undefined;

  constructor(takes: string, got?: string) {
    super(takes);
    this.got = got;
  }
}

const spanUnits = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A span of time in milliseconds: a whole number and a unit, `90m`. */
export function span(raw: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(raw);
  const ms = match ? Number(match[1]) * spanUnits[match[2] as keyof typeof spanUnits] : 0;
  // Longer spans would leave the range of dates.
  if (ms <= 0 || ms > 100 * 365 * spanUnits.d) {
    throw new Fault('a span above zero with one of the units s, m, h and d: 90m, 12h or 14d');
  }
  return ms;
}

/** The longest a step runs, in milliseconds: GitHub ends every job after six hours, self-hosted ones after five days. */
const longestStep = 5 * spanUnits.d;

export function timeout(raw: string): number {
  const ms = span(raw);
  if (ms > longestStep) throw new Fault('a span of five days at most, such as 10m');
  return ms;
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** An RFC 3339 time, in milliseconds since the epoch. */
export function time(raw: string): number {
  const match = rfc3339.exec(raw);
  const [, year = '', month = '', day = ''] = match ?? [];
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const valid = match && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
  if (!valid) throw new Fault('a time as RFC 3339 has it: 2026-12-31T18:00:00Z');
  return Date.parse(raw);
}

/** A point in a branch's history, which goes to the service with the precision it was given. */
export function timestamp(raw: string): string {
  time(raw);
  return raw;
}

/** RFC 3339 with whole seconds, as the service takes an expiry. */
export function toSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function lsn(raw: string): string {
  if (!/^[0-9a-f]{1,8}\/[0-9a-f]{1,8}$/i.test(raw)) throw new Fault('a log sequence number such as 0/1DE2850');
  return raw;
}

export function choice<const T extends string>(...values: T[]): (raw: string) => T {
  return (raw) => {
    const found = values.find((value) => value === raw);
    if (found === undefined) throw new Fault(`one of ${values.join(', ')}`);
    return found;
  };
}

/** Seconds without activity after which a compute endpoint is suspended: -1 never, 0 the service's default. */
export function suspendTimeout(raw: string): number {
  const seconds = /^-?\d{1,7}$/.test(raw) ? Number(raw) : Number.NaN;
  if (!(seconds >= -1 && seconds <= 604_800)) {
    throw new Fault('whole seconds from 0 to 604800, where 0 is the default of the service, or -1 for never');
  }
  return seconds;
}

/** Compute units. */
export function computeUnits(raw: string): number {
  const units = /^\d{1,4}(\.\d{1,3})?$/.test(raw) ? Number(raw) : 0;
  if (units <= 0) throw new Fault('a number of compute units above zero, such as 0.25 or 2');
  return units;
}

export function text(raw: string): string {
  return raw;
}

/** A key or token: something that can stand in a header. */
export function credential(raw: string): string {
  if (!/^[\x21-\x7e]+$/.test(raw)) {
    const why = /[\r\n]/.test(raw)
      ? 'a text with a line break in it'
      : 'a text with a space or a character beyond ASCII in it';
    throw new Fault('the key alone, on one line, without quotes and spaces', `${why} (not shown)`);
  }
  return raw;
}

const idForm = /^[a-z0-9-]{1,60}$/;

export function projectId(raw: string): string {
  const takes = "the project's ID, such as shiny-wind-028834, from its settings";
  if (isConnectionString(raw)) throw new Fault(takes, 'a connection string (not shown)');
  if (/^br-/.test(raw)) throw new Fault(takes, `${raw}, a branch ID`);
  if (/^ep-/.test(raw)) throw new Fault(takes, `${raw}, a compute endpoint ID`);
  if (!idForm.test(raw)) throw new Fault(takes);
  return raw;
}

export function branchId(raw: string): string {
  const takes = "a branch's ID, such as br-wispy-meadow-118737; a name goes into branch_name";
  if (isConnectionString(raw)) throw new Fault(takes, 'a connection string (not shown)');
  if (!idForm.test(raw)) throw new Fault(takes);
  return raw;
}

/** A branch's name, whatever characters it has. */
export function branchName(raw: string): string {
  if (Array.from(raw).length > 256) throw new Fault('1 to 256 characters', `${Array.from(raw).length} characters`);
  return raw;
}

/** A glob over names. */
export function glob(raw: string): Glob {
  try {
    return parseGlob(raw);
  } catch (error) {
    throw new Fault(`a glob over names, such as preview/*; this one has ${(error as Error).message}`);
  }
}

export function isConnectionString(raw: string): boolean {
  let secret = false;
  maskUris(raw, () => {
    secret = true;
  });
  return secret || /^\s*postgres(ql)?:\/\//i.test(raw);
}

const defaultPath = '/api/v2';
/** `host[:port]`, with or without a path; a user name before it is looked at later. */
const bareHost = /^([^/?#]*@)?(\[[^\]]+\]|[^/:?#@[\]]+)(:\d+)?([/?#].*)?$/;

/**
 * The base URL of the service from a full base URL, an origin or `host[:port]`, without a slash at the end. Plain `http` is
 * taken on loopback only; a loopback host without a scheme is taken to speak it.
 */
export function apiHost(raw: string): string {
  const takes = 'https://host, https://host/api/v2 or host[:port]; http:// on loopback only';
  const bare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(raw);
  // A slash or a scheme at the start of what should be a host would make a host of the word after it.
  if (/[\s\\]/.test(raw) || (bare && !bareHost.test(raw))) throw new Fault(takes);
  const origin = bare ? `http://${raw}` : raw;
  if (!URL.canParse(origin)) throw new Fault(takes);
  const secure = bare && !isLoopback(new URL(origin).hostname);
  const url = new URL(secure ? `https://${raw}` : origin);
  if (url.username || url.password) throw new Fault(takes, 'a URL with a user name or password (not shown)');
  if (url.search || url.hash || !url.hostname) throw new Fault(takes);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Fault(takes);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new Fault('https, because the key would travel in the clear; http:// on loopback only');
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? defaultPath : path}`;
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    /^127(\.\d{1,3}){3}$/.test(hostname) ||
    hostname === '[::1]'
  );
}

export function json(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch (error) {
    throw new Fault('JSON', `what is no JSON (${(error as Error).message.replace(/[",].*$/s, '').trim()})`);
  }
}

export function jsonObject(raw: string): Record<string, unknown> {
  const value = json(raw);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault('a JSON object: {"name": "app"}', 'other JSON');
  return value as Record<string, unknown>;
}

export function maskingRules(raw: string): unknown[] {
  const value = json(raw);
  const isRule = (rule: unknown) => typeof rule === 'object' && rule !== null && !Array.isArray(rule);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRule)) {
    throw new Fault(
      'a JSON array of masking rules, each an object',
      Array.isArray(value) && value.length === 0 ? 'no rule' : 'other JSON',
    );
  }
  return value;
}

/** IDs as a JSON array, or as a list with commas or line breaks. */
export function ids(raw: string): string[] {
  const takes = 'a JSON array of operation IDs, or IDs with commas or line breaks between them';
  const value: unknown = raw.trimStart().startsWith('[')
    ? json(raw)
    : raw.split(/[\s,]+/).filter((part) => part !== '');
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' && /^[\w-]{1,64}$/.test(one)))
    throw new Fault(takes);
  return [...new Set(value as string[])];
}
