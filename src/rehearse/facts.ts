import type { Level } from '../schema/rules.ts';
import type { Facts } from '../step/action.ts';
import type { Rule } from './inputs.ts';
import type { Ending, Observed } from './observe.ts';
import type { Probed } from './probe.ts';

/** A finding of the schema review, or one that only a rehearsal has. */
export interface Finding {
  rule: Rule;
  level: Level;
  /** Text from outside, as is the detail. */
  object: string;
  detail: string;
}

/** What a rehearsal has found so far. */
export interface RehearseFacts extends Facts, Probed {
  /** The name of the copy. */
  branch?: string;
  database?: string;
  maxLockMs?: number | undefined;
  failOn: Level[];
  observed?: Observed;
  findings: Finding[];
  /** Those that `ignore_rules` accepts. */
  ignored: Finding[];
  /** Why the review could not see everything. */
  incomplete?: string | undefined;
  /** How `then` ended. */
  afterwards?: Ending;
}
