import { unlessNotFound } from '../http/errors.ts';
import {
  type AnonymizedStatus,
  anonymizedStatus,
  columnOf,
  columnsMaskedDifferently,
  failureOf,
  maskedKey,
  maskingRulesOf,
  waitUntilAnonymized,
} from '../service/anonymize.ts';
import { getBranch, listBranches, mayHaveOtherRows, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { About } from '../service/project.ts';
import type { Branch } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { Json } from '../text/json.ts';
import { type BranchStep, projectOf } from './step.ts';

const mostNamed = 10;

/** `isDone`: no row of the branch is still to be masked. `columns`: those that its rules cover, if it is anonymized. */
export interface Masking {
  isDone: boolean;
  columns?: string[] | undefined;
}

/**
 * Throws unless the rows of a branch are what `masking_rules`, `branch_type` and `require` ask for, before any of its details are output. Only the
 * service's own record of a branch counts, not its metadata, which anyone may write. With `wait`, it waits until all rows are masked.
 * `copied`: this step has just copied the rows, from what `checkSource` has accepted.
 */
export async function checkRows(
  step: BranchStep,
  about: About,
  { wait, copied = false }: { wait: boolean; copied?: boolean },
): Promise<Masking> {
  const { inputs, log } = step;
  const { branch } = about;
  const wanted = inputs.masking_rules as Json[] | undefined;
  const mustBeMasked = wanted !== undefined || (inputs.require === 'masked' && !copied);
  const mayBeMasked = mustBeMasked || branch.metadata[maskedKey] !== undefined;
  let status = mayBeMasked ? await anonymizedStatus(about) : undefined;
  let columns: string[] | undefined;
  if (status) {
    const rules = copied ? (wanted ?? []) : ((await unlessNotFound(maskingRulesOf(about))) ?? []);
    columns = rules.map(columnOf);
    if (wanted) warnOfOtherRules(step, branch, { wanted, existing: rules });
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
  }
  // With rules of its own, a copy of a masked branch is not enough.
  const isEnough = () => (wanted ? maskedAt(branch, status) !== undefined : isMasked(about, status));
  if (mustBeMasked && !(await isEnough())) {
    throw refusal(branch, {
      why: 'is not anonymized, or was reset or restored since',
      by: wanted ? '`masking_rules`' : '`require: masked`',
      how: '`masking_rules`, or with `parent_branch` set to an anonymized branch that was never reset or restored',
    });
  }
  // The response to a create may not say it.
  const isAsked = inputs.branch_type === 'schema-only' && !(copied && branch.init_source === undefined);
  const mustBeEmpty = inputs.require === 'schema-only' || isAsked;
  if (mustBeEmpty && !isSchemaOnly(branch)) {
    throw refusal(branch, {
      why: 'is not a schema-only branch, or was reset or restored since',
      by: inputs.require === 'schema-only' ? '`require: schema-only`' : '`branch_type: schema-only`',
      how: '`branch_type: schema-only`',
    });
  }
  return { isDone: true, columns };
}

function refusal(branch: Branch, { why, by, how }: { why: string; by: string; how: string }): RefusedError {
  return new RefusedError(
    `Branch ${nameAndId(branch)} ${why}, so it may hold real rows and ${by} rejects it. Create one with ${how}; \`if_exists: recreate\` replaces this one.`,
  );
}

/** Whether a branch was created without rows, and no others were copied into it since. */
function isSchemaOnly(branch: Branch): boolean {
  return branch.init_source === 'schema-only' && !mayHaveOtherRows(branch);
}

/** Whether all rows of a branch are masked: it is anonymized itself, or its rows come from a parent that already was. */
async function isMasked(about: About, status: AnonymizedStatus | undefined): Promise<boolean> {
  const { branch } = about;
  if (maskedAt(branch, status) !== undefined) return true;
  if (branch.parent_id === undefined || branch.init_source === 'schema-only') return false;
  const { branch: parent } = await getBranch({ ...about, branch: { id: branch.parent_id } });
  const of = await anonymizedStatus({ ...about, branch: parent });
  const since = maskedAt(parent, of) ?? '';
  // The parent's history before that has its rows as they were. A reset moves the point in it; a snapshot has rows of its own.
  const isCopied = !mayHaveOtherRows({ ...branch, last_reset_at: undefined });
  const { parent_lsn, last_reset_at, created_at, parent_timestamp } = branch;
  const isAsCreated = parent_lsn === undefined && last_reset_at === undefined;
  // The point is the parent's last change, which is its masking if nobody has written to it since.
  const from = parent_timestamp ? Date.parse(parent_timestamp) >= Date.parse(of?.startedAt ?? since) : isAsCreated;
  return isCopied && from && Date.parse(last_reset_at ?? created_at ?? '') >= Date.parse(since);
}

/** When all rows of a branch were masked, as an RFC 3339 time, or empty if that is unknown; undefined if some may not be. */
function maskedAt(branch: Branch, status: AnonymizedStatus | undefined): string | undefined {
  if (status?.state !== 'anonymized' || mayHaveOtherRows(branch, status.startedAt)) return undefined;
  return status.changedAt ?? '';
}

/**
 * `require` before a branch is created or reset: throws if the rows to copy are not what is required. `sourceId` is the ID of the branch that they
 * come from; undefined for the project's default branch. `masks`, `schemaOnly`: how they will be changed on the way.
 */
export async function checkSource(
  step: BranchStep,
  sourceId: string | undefined,
  { masks = false, schemaOnly = false }: { masks?: boolean; schemaOnly?: boolean },
): Promise<void> {
  const { require, parent_point } = step.inputs;
  if (require === 'any' || (require === 'masked' ? masks : schemaOnly)) return;
  // At a point in its history, the rows of the source may not have been masked yet.
  if (require === 'masked' && parent_point === undefined) {
    const project = projectOf(step);
    const branch =
      sourceId === undefined
        ? (await listBranches({ ...project, goal: "look up the project's default branch" })).branches.find(
            (one) => one.default,
          )
        : (await getBranch({ ...project, branch: { id: sourceId } })).branch;
    if (branch && maskedAt(branch, await anonymizedStatus({ ...project, branch })) !== undefined) return;
  }
  throw new RefusedError(
    require === 'masked'
      ? '`require: masked` rejects a copy of rows that may not be masked. Nothing was changed. Set `masking_rules`, or `parent_branch` to an anonymized branch that was never reset or restored, without `parent_point`.'
      : '`require: schema-only` rejects a copy with rows. Nothing was changed. Set `branch_type: schema-only`, which only `create` without a reset uses.',
  );
}

/** An existing branch keeps the rules that it was created with; if they are not the requested ones, a warning says so. */
function warnOfOtherRules({ log }: BranchStep, branch: Branch, rules: { wanted: Json[]; existing: Json[] }): void {
  const columns = columnsMaskedDifferently(rules);
  if (columns.length === 0) return;
  log.warning(
    `Branch ${show(branch.name)} already exists with other masking rules; these columns are masked differently or not at all: ${listSome(columns, mostNamed)}. Using it as is. To replace it, set \`if_exists: recreate\`.`,
  );
}
