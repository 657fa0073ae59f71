import { type Level, levels, type RuleName, ruleNames } from '../schema/rules.ts';
import { nearest } from '../text/nearest.ts';
import { echo, InvalidValue } from './invalid.ts';

/** A rule whose findings are accepted; with `object`, only those about that object. */
export interface IgnoredRule {
  rule: RuleName;
  object?: string;
}

const gates = ['destructive', 'exposing', 'breaking', 'locking', 'any'] as const;

/** The levels whose findings fail the step, from a list; `any` stands for all of them, `never` for none. */
export function failOn(raw: string): Level[] {
  const words = itemsOf(raw);
  if (words.length === 1 && words[0] === 'never') return [];
  const unknown = words.find((word) => gates.every((gate) => gate !== word));
  if (unknown !== undefined || words.length === 0) {
    const near = unknown === undefined || unknown === 'never' ? undefined : nearest(unknown, [...gates, 'never']);
    throw new InvalidValue(`a list of ${gates.join(', ')}, or just never${didYouMean(near)}`, echo(unknown ?? raw));
  }
  return words.includes('any') ? [...levels] : levels.filter((level) => words.includes(level));
}

/** Rules, each alone or with one object: `add-index, drop-column:public.users.legacy`. */
export function ignoreRules(raw: string): IgnoredRule[] {
  return itemsOf(raw).map((item) => {
    const [, name = '', object] = /^([^:]*?)(?:\s*:\s*(.+))?$/s.exec(item) ?? [];
    const rule = ruleNames.find((one) => one === name);
    if (rule === undefined) {
      const near = nearest(name, ruleNames);
      const help = near === undefined ? `; the rules are ${ruleNames.join(', ')}` : didYouMean(near);
      throw new InvalidValue(`a list of \`rule\` or \`rule:object\`${help}`, echo(item));
    }
    return object === undefined ? { rule } : { rule, object };
  });
}

const sizeUnits = { kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** A size in bytes, with Postgres' units and what they mean to it: `10MB`, `1.5 GB`. */
export function size(raw: string): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?) ?(kB|MB|GB|TB)$/.exec(raw) ?? [];
  const bytes = Number(number) * sizeUnits[unit as keyof typeof sizeUnits];
  if (!(bytes > 0)) throw new InvalidValue('a size such as 500kB, 10MB, 1.5GB or 1TB');
  return bytes;
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** The name of an object may have separators within double quotes, `"a,b"`, and within parentheses, `f(integer, text)`. */
const item = /(?:"[^"]*"|\((?:"[^"]*"|[^()"])*\)|[^,\r\n])+/g;

/** A list separated by commas or line breaks. */
function itemsOf(raw: string): string[] {
  return (raw.match(item) ?? []).map((one) => one.trim()).filter((one) => one !== '');
}
