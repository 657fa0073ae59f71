import type { FaultAction } from '../service/index.ts';

/**
 * What a fault says about the request: `refused`: it failed for good. `later`: it certainly had no effect, and may be sent again. `lost`: it
 * may have had one. `unreadable`: it has succeeded, but its response can't be read. `slow`: nothing is wrong.
 */
export type Meaning = 'refused' | 'later' | 'lost' | 'unreadable' | 'slow';

/** One thing that can go wrong with a request. */
export interface FaultKind {
  name: string;
  meaning: Meaning;
  /** What the service does instead of responding normally. */
  action: (place: Place) => FaultAction;
  /** Whether the request still takes effect. */
  acts: boolean;
  /** What the error must match if the step fails because of it. */
  says: RegExp;
  /** Whether the request ends only once its attempt has timed out. */
  hangs: boolean;
}

export interface Place {
  /** The origin of another server, which must never get a request from the action. */
  elsewhere: string;
}

function kind(
  meaning: Meaning,
  name: string,
  action: FaultAction | ((place: Place) => FaultAction),
  over: Partial<FaultKind> = {},
): FaultKind {
  return {
    ...{ name, meaning },
    action: typeof action === 'function' ? action : () => action,
    acts: meaning === 'unreadable' || meaning === 'slow',
    says: meaning === 'unreadable' ? /unexpected body/ : new RegExp(`${name.slice(0, 3)}|Timed out`),
    hangs: false,
    ...over,
  };
}

const noResponse = { says: /no response|no complete response|Timed out/ };
const redirect = (status: 302 | 307) =>
  kind('refused', `${status}`, ({ elsewhere }) => ({ redirect: `${elsewhere}/api/v2/caught`, status }), {
    says: /a redirect to/,
  });
const proxy = 'upstream request timeout';

export const faultKinds: FaultKind[] = [
  ...[401, 403, 412, 422].map((status) => kind('refused', `${status}`, { status })),
  redirect(302),
  redirect(307),
  kind('later', '423', { status: 423 }),
  kind('later', '429', { status: 429 }),
  kind('later', '429 in 1 s', { status: 429, headers: { 'retry-after': '1' } }),
  kind('later', '429 at a date', () => ({
    status: 429,
    // A getter, because the date depends on when the response is sent.
    get headers() {
      return { 'retry-after': new Date(Date.now() + 2_000).toUTCString() };
    },
  })),
  kind('later', '503', { status: 503 }),
  kind('lost', '500', { status: 500 }),
  kind('lost', '502 page', { html: 502 }),
  kind('lost', '504', { status: 504, text: proxy }),
  kind('lost', '524', { status: 524, text: 'error code: 524' }),
  kind('lost', '500 acted', { status: 500, acted: true }, { acts: true }),
  kind('lost', '504 acted', { status: 504, text: proxy, acted: true }, { acts: true }),
  kind('lost', 'refused', { refuse: 40 }, noResponse),
  kind('lost', 'close before', { close: 'before' }, noResponse),
  kind('lost', 'close after', { close: 'after' }, { ...noResponse, acts: true }),
  kind('lost', 'close midway', { close: 'midway' }, { ...noResponse, acts: true }),
  kind('lost', 'silence before', { hang: 'before' }, { ...noResponse, hangs: true }),
  kind('lost', 'silence after', { hang: 'after' }, { ...noResponse, hangs: true, acts: true }),
  kind('unreadable', 'cut off', { truncate: 'half' }),
  kind('unreadable', 'another shape', { transform: (body) => [body, 'of another shape'] }),
  kind('unreadable', 'empty', { empty: true }),
  kind('slow', 'piece by piece', { drip: 0 }),
];

/** Whether the fault strikes only the first time, or every time. */
export type Mode = 'once' | 'always';

/**
 * What a request does about a response that never came: send it again, send it again until its object is gone, look for its effect first, or
 * give up.
 */
export type Policy = 'again' | 'until gone' | 'look up' | 'give up';

/** Whether the step must succeed, and how often it must send the request; `many`: at least twice, until the step times out. */
export function expected(policy: Policy, fault: FaultKind, mode: Mode): { ok: boolean; sent: number | 'many' } {
  const { meaning, acts } = fault;
  if (meaning === 'slow') return { ok: true, sent: 1 };
  if (meaning === 'refused') return { ok: false, sent: 1 };
  const again = { ok: mode === 'once', sent: mode === 'once' ? 2 : ('many' as const) };
  if (meaning === 'later') return again;
  if (policy === 'give up') return { ok: false, sent: 1 };
  if (policy === 'look up') return acts ? { ok: true, sent: 1 } : again;
  if (meaning !== 'unreadable' || mode === 'once') return again;
  return policy === 'until gone' ? { ok: true, sent: 2 } : { ok: false, sent: 3 };
}

/**
 * What is wrong with how often a request was sent. After a silence, attempts are so short that on a busy machine another one may time out, too: then
 * more is right as well.
 */
export function wrongCount(fault: FaultKind, sent: number, wanted: number | 'many'): string[] {
  const least = wanted === 'many' ? 2 : wanted;
  const isRight = sent >= least && (sent === least || wanted === 'many' || fault.hangs);
  return isRight ? [] : [`it was sent ${sent} times, not ${wanted}`];
}
