import { unlessNotFound } from '../http/errors.ts';
import {
  anonymizedStatus,
  columnsMaskedDifferently,
  failureOf,
  type MaskedColumn,
  maskedKey,
  maskingRulesOf,
  waitUntilAnonymized,
} from '../service/anonymize.ts';
import { mayHaveOtherRows, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { About } from '../service/project.ts';
import type { Branch } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { Json } from '../text/json.ts';
import type { BranchStep } from './step.ts';

/** Columns that a warning names one by one. */
const mostNamed = 10;

/** `isDone`: no row of the branch is still to be masked. `columns`: those that its rules cover, if it is anonymized. */
export interface Masking {
  isDone: boolean;
  columns?: MaskedColumn[];
}

/**
 * Whether no row of the branch is still to be masked, so that its connection details may be returned; with `wait` it waits until that is so. If
 * `masking_rules` are given, a branch that was never anonymized is refused: a step that asks for masked data must not get real data.
 */
export async function checkMasking(
  step: BranchStep,
  about: About,
  { wait, created = false }: { wait: boolean; created?: boolean },
): Promise<Masking> {
  const { inputs, log } = step;
  const { branch } = about;
  const wanted = inputs.masking_rules !== undefined;
  if (!wanted && inputs.require !== 'masked' && branch.metadata[maskedKey] === undefined) return { isDone: true };
  const withheld = 'so its connection details are withheld. To replace it, set `if_exists: recreate`.';
  let status = await anonymizedStatus(about);
  if (status === undefined) {
    if (!wanted) return { isDone: true };
    throw new RefusedError(`Branch ${nameAndId(branch)} is not anonymized, but \`masking_rules\` is set, ${withheld}`);
  }
  const rules = created ? wantedRules(inputs) : ((await unlessNotFound(maskingRulesOf(about))) ?? []);
  if (wanted && !created) warnOfOtherRules(step, branch, rules);
  if (wait) {
    status = await waitUntilAnonymized(about, {
      status,
      onChange: (now) => log.info(`Masking branch ${show(branch.name)}: ${now.message ?? now.state}`),
    });
  }
  const failure = failureOf(branch, status);
  if (failure) throw failure;
  if (status.state !== 'anonymized') {
    log.info(
      `Branch ${nameAndId(branch)} is not masked yet (state ${show(status.state)}), so its connection details are withheld. \`command: get\` with \`branch_id: ${branch.id}\` waits until it is.`,
    );
    return { isDone: false };
  }
  if (wanted && mayHaveOtherRows(branch, status.startedAt)) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} was reset or restored, perhaps after its rows were masked, and \`masking_rules\` is set, ${withheld}`,
    );
  }
  return { isDone: true, columns: columnsOf(rules) };
}

function wantedRules(inputs: BranchStep['inputs']): Json[] {
  return (inputs.masking_rules ?? []) as Json[];
}

/** An existing branch keeps the rules that it was created with; if they are not the requested ones, a warning says so. */
function warnOfOtherRules({ inputs, log }: BranchStep, branch: Branch, existing: Json[]): void {
  const columns = columnsMaskedDifferently({ wanted: wantedRules(inputs), existing });
  if (columns.length === 0) return;
  log.warning(
    `Branch ${show(branch.name)} already exists with masking rules other than the requested ones; these columns are masked differently or not at all: ${listSome(columns, mostNamed)}. Using it as is. To replace it, set \`if_exists: recreate\`.`,
  );
}

function columnsOf(rules: Json[]): MaskedColumn[] {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return rules.map((rule) => ({
    database: text(rule.database_name),
    schema: text(rule.schema_name),
    table: text(rule.table_name),
    column: text(rule.column_name),
  }));
}
