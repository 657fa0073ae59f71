import type { Fault } from '../faults.ts';

/** A request as received. The response fields are filled in once it is sent. */
export interface RecordedRequest {
  method: string;
  /** Below the base URL, without the query, percent-encoded: `/projects/…/branches`. */
  path: string;
  query: Record<string, string>;
  /** Parsed if it is JSON, otherwise the text; undefined if there is none. */
  body: unknown;
  /** The value of `authorization` is replaced. */
  headers: Record<string, string>;
  requestId: string;
  /** Milliseconds since the epoch, by the real clock. */
  at: number;
  /** The HTTP status that was sent; 0 if none was. */
  status: number;
  responseBody: unknown;
  /** The scripted fault that the request met. */
  fault: Fault | undefined;
  /** The path of its route in the published description; undefined for an unknown path. */
  template: string | undefined;
}
