declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): value is { rawJSON: string };
  }
}

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** The fewest digits of a number that JavaScript may not hold exactly. */
const manyDigits = /[\d.]{16}/;

/** Parses JSON. A number that JavaScript cannot hold exactly stays as written, and `JSON.stringify` writes it the same way. */
export function parseJson(text: string): unknown {
  // A reviver makes parsing several times slower, and few texts have such a number.
  return manyDigits.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
}

function keepExact(_: string, value: unknown, { source = '' }: { source?: string }): unknown {
  const isExact = typeof value !== 'number' || !manyDigits.test(source) || String(value) === source;
  return isExact ? value : JSON.rawJSON(source);
}

/** The text of a number, including one that stayed as written; undefined for anything else. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}
