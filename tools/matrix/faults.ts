import type { FaultAction } from '../service/index.ts';

/** One thing that can go wrong with a request. */
export interface FaultKind {
  /** Its name in the table of outcomes. */
  name: string;
  /** What the service does instead of responding normally. */
  action: (place: Place) => FaultAction;
  /** Whether the request still takes effect. */
  acts: boolean;
  /** What the error must match if the step fails because of it. */
  says: RegExp;
  /** `timeout` of a step with one such fault; a request may take a quarter of it. Default: 20s. */
  timeout?: string;
}

export interface Place {
  /** The origin of another server, which must never get a request from the action. */
  elsewhere: string;
}

const kind = (name: string, action: FaultAction, says = new RegExp(name.slice(0, 3))): FaultKind => ({
  name,
  action: () => action,
  acts: 'acted' in action && action.acted === true,
  says,
});
const page = (status: number): FaultAction => ({ html: status });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

export const faultKinds: FaultKind[] = [
  kind('401', { status: 401 }),
  kind('403', { status: 403 }),
  kind(
    '404',
    { status: 404 },
    /404|not known|no longer known|was not found|deleted in the meantime|has no branch|is not anonymized/,
  ),
  kind('409', { status: 409 }, /409|is taken/),
  kind('412', { status: 412 }),
  kind('422', { status: 422 }),
  kind('423', { status: 423 }),
  kind('429 in 1 s', { status: 429, headers: { 'retry-after': '1' } }),
  // A getter, because the date depends on when the response is sent.
  {
    ...kind('429 at a date', { status: 429 }),
    action: () => ({
      status: 429,
      get headers() {
        return { 'retry-after': inSeconds(2) };
      },
    }),
  },
  kind('429', { status: 429 }),
  kind('500', { status: 500 }),
  kind('502 page', page(502)),
  kind('503', { status: 503 }),
  kind('504', { status: 504, text: 'upstream request timeout' }),
  kind('524', { status: 524, text: 'error code: 524' }),
  kind('500 acted', { status: 500, acted: true }),
  kind('504 acted', { status: 504, text: 'upstream request timeout', acted: true }),
  { ...kind('close before', { close: 'before' }), says: /no response|Timed out/ },
  { ...kind('close after', { close: 'after' }), acts: true, says: /no response|Timed out/ },
  { ...kind('close midway', { close: 'midway' }), acts: true, says: /no response|Timed out/ },
  {
    ...kind('silence before', { hang: 'before' }),
    says: /no complete response|no response|Timed out/,
    timeout: '10s',
  },
  {
    ...kind('silence after', { hang: 'after' }),
    acts: true,
    says: /no complete response|no response|Timed out/,
    timeout: '10s',
  },
  { ...kind('byte by byte', { drip: 0 }), acts: true },
  {
    ...kind('byte a second', { drip: 1_000 }),
    acts: true,
    says: /no complete response|no response|Timed out/,
    timeout: '10s',
  },
  { ...kind('cut off', { truncate: 'half' }), acts: true, says: /unexpected body/ },
  {
    ...kind('another shape', { transform: (body) => [body, 'of another shape'] }),
    acts: true,
    says: /unexpected body/,
  },
  { ...kind('empty', { empty: true }), acts: true, says: /unexpected body/ },
  {
    ...kind('302 elsewhere', { redirect: '' }),
    action: ({ elsewhere }) => ({ redirect: `${elsewhere}/api/v2/caught`, status: 302 }),
    says: /a redirect to/,
  },
  {
    ...kind('307 elsewhere', { redirect: '' }),
    action: ({ elsewhere }) => ({ redirect: `${elsewhere}/api/v2/caught`, status: 307 }),
    says: /a redirect to/,
  },
  { ...kind('refused', { refuse: 400 }), says: /no response|Timed out/ },
];
