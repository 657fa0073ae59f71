import { type Finding, type Level, levelOf, levels } from '../schema/rules.ts';
import type { Branch } from '../service/types.ts';
import { type Facts, noFacts } from '../step/action.ts';

export interface DatabaseDiff {
  database: string;
  /** Whether only the branch has it, or only the base; then it is not compared. */
  isNew: boolean;
  isGone: boolean;
  /** A unified diff from the base to the branch, without passwords; empty if the schemas are the same. */
  text: string;
  /** What the review found, most serious level first, and what it found that an input says to ignore. */
  findings: Finding[];
  ignored: Finding[];
  /** Whether the base was read as it is now, because its history no longer reaches back to the fork point: then nothing fails the step. */
  isForkLost?: boolean;
  /** Why the review could not see everything, as a clause. */
  incomplete?: string;
}

export interface DiffFacts extends Facts {
  branch?: Branch;
  base?: Pick<Branch, 'id' | 'name'>;
  /** The time or LSN in the base's history that an input names. */
  basePoint?: string | undefined;
  /** Whether all databases are compared, and not the one that was chosen. */
  all: boolean;
  databases: DatabaseDiff[];
  /** The levels whose findings fail the step. */
  failOn: Level[];
}

export function emptyFacts(): DiffFacts {
  return { ...noFacts(), all: false, databases: [], failOn: [] };
}

/** Whether a database has changed. One that only one side has counts as changed. */
export function isChanged({ isNew, isGone, text }: DatabaseDiff): boolean {
  return isNew || isGone || text !== '';
}

export type LocatedFinding = Finding & { level: Level; database: string };

/** The findings in some databases as the output has them, most serious level first. */
export function findingsOf(databases: DatabaseDiff[]): LocatedFinding[] {
  return databases
    .flatMap(({ database, findings }) =>
      findings.map(({ rule, object, detail }) => ({ rule, level: levelOf({ rule }), database, object, detail })),
    )
    .sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
}
