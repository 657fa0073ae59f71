import { type Action, type Facts, noFacts } from '../step/action.ts';
import { common, flag, type InputsOf, optional, project, token } from '../step/inputs.ts';
import { InvalidValue } from '../step/invalid.ts';
import { duration, globs } from '../step/values.ts';
import { count, listSome } from '../text/format.ts';
import { nameAndNote, type Outcome, prune as pruneProject } from './prune.ts';
import { report } from './report.ts';

const inputs = {
  ...common,
  project_id: project,
  github_token: token,
  closed_for: optional(duration),
  older_than: optional(duration),
  unused_for: optional(duration),
  branch_pattern: optional(globs),
  exclude_pattern: optional(globs),
  repositories: optional(repositories),
  dry_run: flag(false),
};

export interface PruneFacts extends Facts {
  outcomes: Outcome[];
  /** The service's clock, in milliseconds since the epoch. */
  date: number;
}

export const prune: Action<InputsOf<typeof inputs>, PruneFacts> = {
  title: 'prune',
  inputs,
  check: () => [],
  empty: () => ({ ...noFacts(), outcomes: [], date: Number.NaN }),
  async run(step) {
    const { closed_for: closedFor, older_than: olderThan, unused_for: unusedFor, ...others } = step.inputs;
    const { branch_pattern: patterns = [], exclude_pattern: exclude = [], dry_run: dryRun } = others;
    const outcomes = await pruneProject(step, {
      settings: { closedFor, olderThan, unusedFor, patterns, exclude },
      repositories: others.repositories,
      dryRun,
      record: step.record,
    });
    const failed = outcomes.filter(({ outcome }) => outcome === 'failed');
    if (failed.length > 0) throw new Error(failureOf(failed, outcomes));
    step.record({ done: sentenceFor(outcomes) });
  },
  outputs({ outcomes, skipped }) {
    const pruned = outcomes
      .filter(({ outcome }) => outcome === 'deleted' || outcome === 'planned')
      .map(({ branch: { id, name }, reason }) => ({ id, name, reason }));
    return { pruned: skipped ? undefined : JSON.stringify(pruned), skipped: String(skipped) };
  },
  report,
};

/** Repositories (`owner/name`), separated by commas or white space. */
function repositories(raw: string): string[] {
  const all = raw.split(/[\s,]+/).filter((one) => one !== '');
  if (all.length > 0 && all.every((one) => /^[\w.-]+\/[\w.-]+$/.test(one))) return [...new Set(all)];
  throw new InvalidValue('repositories such as octo/web, or a list of them, without quotes or list dashes');
}

function sentenceFor(outcomes: Outcome[]): string {
  const number = (outcome: Outcome['outcome']) => outcomes.filter((one) => one.outcome === outcome).length;
  const all = count(outcomes.length, 'branch');
  if (number('planned') > 0) return `Would delete ${number('planned')} of ${all} (dry run)`;
  return number('deleted') > 0 ? `Deleted ${number('deleted')} of ${all}` : `Checked ${all}; deleted none`;
}

function failureOf(failed: Outcome[], outcomes: Outcome[]): string {
  const stale = outcomes.filter(({ outcome }) => outcome !== 'kept');
  const list = listSome(
    failed.map((one) => `- ${nameAndNote(one)}`),
    20,
    '\n',
  );
  return `Could not delete ${failed.length} of ${count(stale.length, 'stale branch')}:\n${list}\nRun the step again, or delete them manually.`;
}
