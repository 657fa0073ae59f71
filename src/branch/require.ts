import { type AnonymizedStatus, anonymizedStatus } from '../service/anonymize.ts';
import { getBranch, listBranches, mayHaveOtherRows, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { About } from '../service/project.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { type BranchStep, projectOf } from './step.ts';

const notAnonymized = 'is not anonymized';

/**
 * `require`: throws unless a branch is masked, or has the schema only, before any of its details are output. Only the service's own record of
 * a branch counts, not its metadata, which anyone may write.
 */
export async function checkRequired({ inputs }: BranchStep, about: About): Promise<void> {
  if (inputs.require === 'any') return;
  const masked = inputs.require === 'masked';
  const why = masked ? await whyNotMasked(about) : whyNotSchemaOnly(about.branch);
  if (why === undefined) return;
  const how = masked
    ? '`masking_rules`, or with `parent_branch` set to an anonymized branch that was never reset or restored'
    : '`branch_type: schema-only`';
  throw new RefusedError(
    `Branch ${nameAndId(about.branch)} ${why}, so it may hold real rows and \`require: ${inputs.require}\` rejects it. Create one with ${how}; \`if_exists: recreate\` replaces this one.`,
  );
}

/** Why a branch may have rows, as a clause; undefined if it has none. */
export function whyNotSchemaOnly(branch: Branch): string | undefined {
  if (branch.init_source !== 'schema-only') return 'is not a schema-only branch';
  return mayHaveOtherRows(branch) ? 'was reset or restored' : undefined;
}

/**
 * Why rows of a branch may not be masked, as a clause; undefined if all are: it is anonymized itself, or its rows come from a parent that
 * already was.
 */
async function whyNotMasked(about: About): Promise<string | undefined> {
  const { branch, api, projectId } = about;
  const status = await anonymizedStatus(about);
  if (status !== undefined) return whyUnmasked(branch, status);
  if (branch.parent_id === undefined || branch.init_source === 'schema-only') return notAnonymized;
  const { branch: parent } = await getBranch({ api, projectId, branchId: branch.parent_id });
  const ofParent = await anonymizedStatus({ api, projectId, branch: parent });
  if (ofParent?.changedAt === undefined) return notAnonymized;
  const whyParent = whyUnmasked(parent, ofParent);
  if (whyParent !== undefined) return `is not anonymized, and its parent ${nameAndId(parent)} ${whyParent}`;
  // The parent's history before that has its rows as they were. A reset moves the point in it; a snapshot has rows of its own.
  const isCopied = !mayHaveOtherRows({ ...branch, last_reset_at: undefined });
  const isAsCreated = branch.parent_lsn === undefined && branch.last_reset_at === undefined;
  const from = branch.parent_timestamp ?? (isAsCreated ? branch.created_at : '');
  return isCopied && Date.parse(from) >= Date.parse(ofParent.changedAt)
    ? undefined
    : `${notAnonymized}, and may have its parent's rows as they were before masking`;
}

function whyUnmasked(branch: Branch, status: AnonymizedStatus | undefined): string | undefined {
  if (status === undefined) return notAnonymized;
  if (status.state !== 'anonymized') return `${notAnonymized} (state ${show(status.state)})`;
  return mayHaveOtherRows(branch, status.startedAt)
    ? 'was reset or restored, perhaps after its rows were masked'
    : undefined;
}

/**
 * The same before a branch is created or reset: throws if the rows to copy are not what is required. `sourceId` is the ID of the branch that they
 * come from; undefined for the project's default branch.
 */
export async function checkSource(
  step: BranchStep,
  {
    sourceId,
    doing,
    schemaOnly = false,
  }: { sourceId: string | undefined; doing: 'create' | 'reset'; schemaOnly?: boolean },
): Promise<void> {
  const { inputs } = step;
  const resets = doing === 'reset';
  const refuse = (why: string, next: string) => {
    throw new RefusedError(`\`require: ${inputs.require}\` rejects ${why}. Nothing was changed. ${next}`);
  };
  if (inputs.require === 'any' || (schemaOnly && inputs.require === 'schema-only')) return;
  if (inputs.require === 'schema-only')
    return refuse(
      resets ? 'a reset, which copies rows into the branch' : 'a branch with rows',
      'Set `branch_type: schema-only`, which only `create` without a reset uses.',
    );
  if (!resets && inputs.masking_rules !== undefined) return;
  if (inputs.parent_point !== undefined)
    return refuse(
      "a point in the parent's history, when the parent's rows may not have been masked yet",
      'Remove `parent_point`.',
    );
  const project = projectOf(step);
  const source =
    sourceId === undefined
      ? (await listBranches({ ...project, goal: "look up the project's default branch" })).branches.find(
          (one) => one.default,
        )
      : (await getBranch({ ...project, branchId: sourceId })).branch;
  const why = source ? whyUnmasked(source, await anonymizedStatus({ ...project, branch: source })) : notAnonymized;
  if (why === undefined) return;
  return refuse(
    `the rows of ${source ? `branch ${nameAndId(source)}` : 'the default branch'}, because that branch ${why}`,
    `Set ${resets ? '' : '`masking_rules`, or set '}\`parent_branch\` to an anonymized branch that was never reset or restored.`,
  );
}
