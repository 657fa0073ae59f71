import { data, Evaluator, Lexer, Parser } from '@actions/expressions';

/** The result of the job so far, or of the jobs that it needs. A skipped one is neither `success()` nor `failure()`. */
export type Status = 'success' | 'failure' | 'cancelled' | 'skipped';

export interface Scope {
  /** `github`, `needs`, `steps`, … as plain values */
  contexts: Record<string, unknown>;
  status: Status;
}

/** Evaluates GitHub's expressions with GitHub's own evaluator. */
export function evaluate(expression: string, { contexts, status }: Scope): data.ExpressionData {
  const functions = [
    statusFunction('success', status === 'success'),
    statusFunction('failure', status === 'failure'),
    statusFunction('always', true),
    statusFunction('cancelled', status === 'cancelled'),
    // The workspace is empty, so no file matches.
    { name: 'hashFiles', minArgs: 1, maxArgs: 255, call: () => new data.StringData('') },
  ];
  const tokens = new Lexer(expression).lex().tokens;
  const tree = new Parser(tokens, Object.keys(contexts), functions).parse();
  // Converting all of them, with the payload of the event, takes far longer than the rest.
  const named = Object.entries(contexts).filter(([name]) => expression.toLowerCase().includes(name));
  const values = JSON.parse(JSON.stringify(Object.fromEntries(named)), data.reviver) as data.Dictionary;
  return new Evaluator(tree, values, new Map(functions.map((one) => [one.name.toLowerCase(), one]))).evaluate();
}

function statusFunction(name: string, answer: boolean) {
  return { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(answer) };
}

/** A text with `${{ … }}` in it. */
export function interpolate(text: unknown, scope: Scope): string {
  return String(text ?? '').replaceAll(/\$\{\{(.*?)\}\}/gs, (_, inner: string) =>
    evaluate(inner, scope).coerceString(),
  );
}

/** The value of a JSON value in which any text may be an expression, such as a matrix. */
export function resolve(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') {
    const [, whole] = /^\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*$/s.exec(value) ?? [];
    if (whole === undefined) return interpolate(value, scope);
    return JSON.parse(JSON.stringify(evaluate(whole, scope), data.replacer));
  }
  if (Array.isArray(value)) return value.map((one) => resolve(one, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one, scope)]));
}

/** Each value of a mapping such as `with:` or `env:`. */
export function interpolateAll(texts: Record<string, unknown> | undefined, scope: Scope): Record<string, string> {
  return Object.fromEntries(Object.entries(texts ?? {}).map(([name, text]) => [name, interpolate(text, scope)]));
}

/** An `if:`: an expression with or without `${{ }}`. Without a status function, it also requires success. */
export function holds(condition: unknown, scope: Scope): boolean {
  const text = String(condition ?? '');
  const expression = /^\s*\$\{\{(.*)\}\}\s*$/s.exec(text)?.[1] ?? text;
  const named = /\b(success|failure|always|cancelled)\s*\(/.test(expression);
  const whole = named ? expression : expression.trim() === '' ? 'success()' : `success() && (${expression})`;
  return !['', 'false', '0', 'NaN'].includes(evaluate(whole, scope).coerceString());
}
