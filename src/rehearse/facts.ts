import type { Level, RuleName } from '../schema/rules.ts';
import type { Facts } from '../step/action.ts';
import { oneLine } from '../text/inert.ts';
import type { ownRules } from './inputs.ts';
import type { Observed } from './observe.ts';
import type { Probe } from './probe.ts';

/** A finding of the schema review, or one that only a rehearsal has. */
export interface Finding {
  rule: RuleName | keyof typeof ownRules;
  level: Level;
  /** Text from outside, as is the detail. */
  object: string;
  detail: string;
}

/** What a rehearsal has found so far. Statements in it have no literals. */
export interface RehearseFacts extends Facts {
  /** The name of the copy. */
  branch?: string;
  database?: string;
  gates: { maxLockMs: number | undefined; failOn: Level[] };
  observed?: Observed;
  findings: Finding[];
  /** Those that `ignore_rules` accepts. */
  ignored: Finding[];
  /** Why the review could not see everything. */
  incomplete?: string | undefined;
  probe?: Probe;
  /** Exit code of `then`. */
  afterwards?: number;
}

/** Characters of a statement. */
const statementLength = 300;

/** Comments, quoted names, and literals, of which the server may have cut off the last one. */
const tokens =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|("[^"]*"?)|\be'(?:[^'\\]|\\[\s\S]|'')*'?|'[^']*'?|\$(\w*)\$[\s\S]*?(?:\$\2\$|$)/gi;

/** A statement without the values in it: rows never reach a report. */
export function withoutLiterals(sql: string): string {
  const shown = sql.replace(tokens, (token, name?: string) => name ?? (/^[-/]/.test(token) ? ' ' : "'…'"));
  return oneLine(shown.replace(/\s+/g, ' '), statementLength);
}
