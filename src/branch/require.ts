import { type Context, projectOf } from '../context.ts';
import { type AnonymizedStatus, anonymizedStatus, failureOf } from '../service/anonymize.ts';
import { getBranch, listBranches, mayHaveOtherRows, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';
import type { Sighting } from './sighting.ts';
import { mayReset } from './target.ts';

/**
 * `require`: refuses every branch that may hold real rows, before any of its details are output. Only the service's own record of a
 * branch counts, not its metadata, which anyone may write. With `waits`, a branch whose rows are still being masked passes: the step
 * waits for that, and checks again.
 */
export async function checkRequired(
  context: Context,
  seen: Sighting,
  options: { waits?: boolean } = {},
): Promise<void> {
  const { branch } = seen;
  const { inputs } = context;
  const { require: required } = inputs;
  if (required === 'any') return;
  const name = `Branch ${nameAndId(branch)}`;
  // `create` only replaces an existing branch with `if_exists: recreate`.
  const exists = context.command === 'create' && !seen.created;
  if (required === 'schema-only') {
    const why = branch.init_source === 'schema-only' ? 'was reset or restored' : 'is not a schema-only branch';
    if (branch.init_source === 'schema-only' && !mayHaveOtherRows(branch)) return;
    const next = exists
      ? 'To replace it, set `branch_type: schema-only` and `if_exists: recreate`.'
      : 'Create a branch with `branch_type: schema-only`.';
    throw new RefusedError(
      `${name} ${why}. The branch may hold real rows, so \`require: schema-only\` rejects it. ${next}`,
    );
  }
  const status = await statusIfAny(seen);
  if (status !== undefined && status.state !== 'anonymized') {
    if (options.waits) return;
    throw notYetMasked({ branch, status, so: '`require: masked` rejects it', to: 'To wait until' });
  }
  const why = await whyNotMasked(seen, status);
  if (why === undefined) return;
  const source = 'an anonymized branch that was never reset or restored';
  const next = !exists
    ? `Create a branch with \`masking_rules\`, or with \`parent_branch\` set to ${source}.`
    : inputs.masking_rules === undefined
      ? `To replace it, set \`if_exists: recreate\`, and either set \`masking_rules\` or set \`parent_branch\` to ${source}.`
      : 'To replace it, set `if_exists: recreate`.';
  throw new RefusedError(`${name} ${why}. The branch may hold real rows, so \`require: masked\` rejects it. ${next}`);
}

/** The error for a branch whose rows are still being masked, or whose masking failed: `so` is what follows from it, as a clause. */
export function notYetMasked(options: {
  branch: Branch;
  status: AnonymizedStatus;
  so: string;
  /** What its user may want once the rows are masked: the start of a sentence. */
  to: string;
}): RefusedError {
  const { branch, status, so, to } = options;
  const state = `(state ${show(status.state)}${status.message === undefined ? '' : `: ${show(status.message)}`})`;
  return new RefusedError(
    failureOf({ branch, status })
      ? `Masking branch ${nameAndId(branch)} failed ${state}, so ${so}. Fix \`masking_rules\` in the step that creates the branch, and set \`if_exists: recreate\` there to replace it; or restart masking in the service's console.`
      : `Branch ${nameAndId(branch)} is being anonymized ${state}, so ${so}. ${to} its rows are masked, use \`command: wait\` with \`branch_id: ${branch.id}\` and no operations (\`operation_ids: '[]'\`).`,
  );
}

/**
 * Why rows of a branch may not be masked, as a clause; undefined if all are: it is anonymized itself, or its rows come from a parent that
 * already was.
 */
async function whyNotMasked(seen: Sighting, status: AnonymizedStatus | undefined): Promise<string | undefined> {
  const { branch, api, projectId } = seen;
  const readAgain = async () => (await getBranch({ ...seen, branchId: branch.id })).branch;
  if (status !== undefined) return whyUnmasked(await readAgain(), status);
  if (branch.parent_id === undefined || branch.init_source === 'schema-only') return notAnonymized;
  const { branch: parent } = await getBranch({ ...seen, branchId: branch.parent_id });
  const ofParent = await anonymizedStatus({ api, projectId, branch: parent });
  if (ofParent?.changedAt === undefined) return notAnonymized;
  const whyParent = whyUnmasked(parent, ofParent);
  if (whyParent !== undefined) return `is not anonymized, and its parent ${nameAndId(parent)} ${whyParent}`;
  // The history of the parent before that has its rows as they were. A reset moves the point in it, and a snapshot has rows of its own.
  const now = await readAgain();
  const isCopied = now.parent_id === parent.id && !mayHaveOtherRows({ ...now, last_reset_at: undefined });
  const isAsCreated = now.parent_lsn === undefined && now.last_reset_at === undefined;
  const from = now.parent_timestamp ?? (isAsCreated ? now.created_at : '');
  return isCopied && Date.parse(from) >= Date.parse(ofParent.changedAt)
    ? undefined
    : `${notAnonymized}, and may have its parent's rows as they were before masking`;
}

const notAnonymized = 'is not anonymized';

/** Why rows of a branch with this status may not be masked, as a clause; undefined if all are. */
function whyUnmasked(branch: Branch, status: AnonymizedStatus | undefined): string | undefined {
  if (status?.state !== 'anonymized') return notAnonymized;
  return mayHaveOtherRows(branch, status.startedAt)
    ? 'was reset or restored, perhaps after its rows were masked'
    : undefined;
}

/** The status if there probably is none: a 404 is not retried, however new the branch, unless its metadata says that there is one. */
export function statusIfAny(seen: Sighting): Promise<AnonymizedStatus | undefined> {
  return anonymizedStatus({ ...seen, window: seen.shortWindow });
}

/**
 * Why a create or a reset must not be sent because of `require`, as sentences; undefined if it may. `sourceId` is the ID of the branch whose
 * rows are copied, or only its schema; undefined for the project's default branch. A reset reads neither `branch_type` nor
 * `masking_rules`, so they neither allow it nor are its way out.
 */
export async function whyNotCopy(
  context: Context,
  {
    sourceId,
    ...copy
  }: { sourceId: string | undefined } & ({ doing: 'create'; schemaOnly: boolean } | { doing: 'reset' }),
): Promise<string | undefined> {
  const { inputs } = context;
  const resets = copy.doing === 'reset';
  // Inputs that make an acceptable branch can't be combined with a reset of the one that exists.
  const isReset = mayReset(context);
  if (inputs.require === 'any') return undefined;
  if (inputs.require === 'schema-only') {
    if (!resets && copy.schemaOnly) return undefined;
    if (context.command === 'reset')
      return 'A reset would copy rows into the branch, and `require: schema-only` rejects a branch with rows. Nothing was changed. Create a branch with `command: create` and `branch_type: schema-only`.';
    const instead = isReset ? ' and `if_exists: recreate`' : '';
    return `\`require: schema-only\` rejects a branch with rows. Nothing was changed. Set \`branch_type: schema-only\`${instead}.`;
  }
  if (!resets && inputs.masking_rules !== undefined) return undefined;
  const point = inputs.parent_timestamp === undefined ? 'parent_lsn' : 'parent_timestamp';
  if (inputs[point] !== undefined) {
    return `\`require: masked\` rejects a point in the parent's history, because the parent's rows may not have been masked yet at that point. Nothing was changed. Remove \`${point}\`.`;
  }
  const project = projectOf(context);
  const goal = "look up the project's default branch";
  const source =
    sourceId === undefined
      ? (await listBranches({ ...project, goal })).find((branch) => branch.default)
      : (await getBranch({ ...project, branchId: sourceId })).branch;
  const why = source ? whyUnmasked(source, await anonymizedStatus({ ...project, branch: source })) : notAnonymized;
  if (why === undefined) return undefined;
  const what = `${resets ? 'a reset to' : 'the rows of'} ${source ? `branch ${nameAndId(source)}` : 'the default branch'}`;
  const advice = isReset ? 'Set' : 'Set `masking_rules`, or set';
  return `\`require: masked\` rejects ${what}, because that branch ${why}. Nothing was changed. ${advice} \`parent_branch\` to an anonymized branch that was never reset or restored.`;
}
