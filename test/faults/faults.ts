import type { FaultAction } from '../service/index.ts';

/** One thing that can go wrong with a request. */
export interface FaultKind {
  /** As it stands in the table of outcomes. */
  name: string;
  /** What the service is told to do. */
  action: (place: Place) => FaultAction;
  /** Whether the request takes effect all the same. */
  acts: boolean;
  /** What the error of a step that fails by it has to say. */
  says: RegExp;
  /** The `timeout` of a step that meets it once; a request may take a quarter of it. Default: 20s. */
  timeout?: string;
}

export interface Place {
  /** The origin of a server that is not the service, and must never hear from the action. */
  elsewhere: string;
}

const answer = (name: string, action: FaultAction, says = new RegExp(name.slice(0, 3))): FaultKind => ({
  name,
  action: () => action,
  acts: 'acted' in action && action.acted === true,
  says,
});
const page = (status: number): FaultAction => ({ html: status });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

export const faultKinds: FaultKind[] = [
  answer('401', { status: 401 }),
  answer('403', { status: 403 }),
  answer('404', { status: 404 }, /404|not known|deleted in the meantime|has no branch|is not anonymized/),
  answer('409', { status: 409 }, /409|is taken/),
  answer('412', { status: 412 }),
  answer('422', { status: 422 }),
  answer('423', { status: 423 }),
  answer('429 in 1 s', { status: 429, headers: { 'retry-after': '1' } }),
  // A getter, for the date is to be one when the answer goes out.
  {
    ...answer('429 at a date', { status: 429 }),
    action: () => ({
      status: 429,
      get headers() {
        return { 'retry-after': inSeconds(2) };
      },
    }),
  },
  answer('429', { status: 429 }),
  answer('500', { status: 500 }),
  answer('502 page', page(502)),
  answer('503', { status: 503 }),
  answer('504', { status: 504, text: 'upstream request timeout' }),
  answer('524', { status: 524, text: 'error code: 524' }),
  answer('500 acted', { status: 500, acted: true }),
  answer('504 acted', { status: 504, text: 'upstream request timeout', acted: true }),
  { ...answer('close before', { close: 'before' }), says: /no response|Timed out/ },
  { ...answer('close after', { close: 'after' }), acts: true, says: /no response|Timed out/ },
  { ...answer('close midway', { close: 'midway' }), acts: true, says: /no response|Timed out/ },
  {
    ...answer('silence before', { hang: 'before' }),
    says: /no complete response|no response|Timed out/,
    timeout: '10s',
  },
  {
    ...answer('silence after', { hang: 'after' }),
    acts: true,
    says: /no complete response|no response|Timed out/,
    timeout: '10s',
  },
  { ...answer('byte by byte', { drip: 0 }), acts: true },
  {
    ...answer('byte a second', { drip: 1_000 }),
    acts: true,
    says: /no complete response|no response|Timed out/,
    timeout: '10s',
  },
  { ...answer('cut off', { truncate: 'half' }), acts: true, says: /unexpected body/ },
  {
    ...answer('another shape', { transform: (body) => [body, 'of another shape'] }),
    acts: true,
    says: /unexpected body/,
  },
  { ...answer('empty', { empty: true }), acts: true, says: /unexpected body/ },
  {
    ...answer('302 elsewhere', { redirect: '' }),
    action: ({ elsewhere }) => ({ redirect: `${elsewhere}/api/v2/caught`, status: 302 }),
    says: /another origin/,
  },
  {
    ...answer('307 elsewhere', { redirect: '' }),
    action: ({ elsewhere }) => ({ redirect: `${elsewhere}/api/v2/caught`, status: 307 }),
    says: /another origin/,
  },
  { ...answer('refused', { refuse: 400 }), says: /no response|Timed out/ },
];
