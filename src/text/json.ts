export type Json = Record<string, unknown>;

/** Text from elsewhere can't be used as it is, and would be the same at the next attempt; the message says what is wrong, as a clause. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
