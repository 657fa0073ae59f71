import type { Finding, RuleName } from './rules.ts';

/** A finding of a check, with what tells whether it is the same as another. */
export interface Found extends Omit<Finding, 'detail'> {
  detail?: string;
  table?: string;
  /** What the same part of another partition is called, too. */
  part?: string;
}

/** Findings about one object: those of the rules that hold. */
export function findingsOf(
  about: Omit<Found, 'rule' | 'detail'>,
  checks: [rule: RuleName, holds: boolean, detail?: string][],
): Found[] {
  return checks.flatMap(([rule, holds, detail = '']) => (holds ? [{ rule, detail, ...about }] : []));
}

/** The parts of a detail that there are. */
export function detailOf(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join('; ');
}

export interface Kept<T> {
  name: string;
  was: T;
  is: T;
}

export function kept<T>(before: Map<string, T>, after: Map<string, T>): Kept<T>[] {
  return [...before].flatMap(([name, was]) => {
    const is = after.get(name);
    return is === undefined ? [] : [{ name, was, is }];
  });
}

/** The parts of one side that say what none of the other side says, whatever they are called. */
export function changedParts<T extends { definition: string }>(
  own: Map<string, T>,
  others: Iterable<T>,
): [name: string, part: T][] {
  const known = new Set([...others].map(({ definition }) => definition));
  return [...own].filter(([, { definition }]) => !known.has(definition));
}

/** The names in the first collection that the second does not have. */
export function missing(from: Iterable<string>, to: { has(name: string): boolean }): string[] {
  return [...from].filter((name) => !to.has(name));
}

/** Things by each of their keys. */
export function byKey<T>(things: Iterable<T>, keysOf: (thing: T) => Iterable<string>): Map<string, T[]> {
  const pairs = [...things].flatMap((thing) => [...new Set(keysOf(thing))].map((key) => ({ key, thing })));
  const groups = [...Map.groupBy(pairs, ({ key }) => key)];
  return new Map(groups.map(([key, group]) => [key, group.map(({ thing }) => thing)]));
}
