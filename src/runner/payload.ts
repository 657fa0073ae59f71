export type Json = Record<string, unknown>;

/** What an event's parts are read from. */
export interface EventSource {
  /** `pull_request`, `push`, … */
  name: string;
  payload: Json;
  /** `owner/name`. */
  repository: string;
}

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** Names of repositories are case-insensitive. */
export function isSame(fullName: unknown, repository: string): boolean {
  return text(fullName).toLowerCase() === repository.toLowerCase();
}
