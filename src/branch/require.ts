import { type Context, projectOf } from '../context.ts';
import { anonymizedStatus } from '../service/anonymize.ts';
import { getBranch, listBranches, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { changeWindow, type PropagationWindow } from '../service/propagation-window.ts';
import type { Branch } from '../service/types.ts';

interface Seen {
  readonly branch: Branch;
  readonly window: PropagationWindow | undefined;
}

/**
 * `require`: refuses every branch that may hold real rows, before any of its details are output. Only the service's own record of a
 * branch counts, not its metadata, which anyone may write. With `waits`, a branch whose rows are still being masked passes: the step
 * waits for that, and checks again.
 */
export async function checkRequired(context: Context, seen: Seen, options: { waits?: boolean } = {}): Promise<void> {
  const { branch } = seen;
  const { require: required } = context.inputs;
  if (required === 'any') return;
  const name = `Branch ${nameAndId(branch)}`;
  if (required === 'schema-only') {
    // A reset copies the rows of another branch.
    if (branch.init_source === 'schema-only' && branch.last_reset_at === undefined) return;
    throw new RefusedError(
      `${name} is not a schema-only branch, and \`require: schema-only\` refuses any other, because it may hold real rows. Create one with \`branch_type: schema-only\`.`,
    );
  }
  if (await isMasked(context, seen, options)) return;
  throw new RefusedError(
    `${name} is not anonymized, and \`require: masked\` refuses any other branch, because it may hold real rows. Create one with \`masking_rules\`, or from a parent that is anonymized.`,
  );
}

/** Whether all rows of a branch are masked: it is anonymized itself, or its rows come from a parent that already was. */
async function isMasked(context: Context, { branch, window }: Seen, { waits = false }): Promise<boolean> {
  const project = projectOf(context);
  const status = await anonymizedStatus({ ...project, branch, window: changeWindow(window, context.api.clock) });
  if (status !== undefined) return waits || status.state === 'anonymized';
  if (branch.parent_id === undefined || branch.init_source === 'schema-only') return false;
  const { branch: parent } = await getBranch({ ...project, branchId: branch.parent_id, window });
  const ofParent = await anonymizedStatus({ ...project, branch: parent });
  if (ofParent?.state !== 'anonymized' || ofParent.changedAt === undefined) return false;
  // The history of the parent before that has its rows as they were. A reset moves the point in it.
  const { branch: now } = await getBranch({ ...project, branchId: branch.id, window });
  const from = now.parent_timestamp ?? (now.parent_lsn === undefined ? now.created_at : '');
  return Date.parse(from) >= Date.parse(ofParent.changedAt);
}

/** Where the rows of a branch would come from. */
interface RowSource {
  /** The ID of the branch that has them; undefined for the project's default branch. */
  sourceId: string | undefined;
  /** Whether only the schema is copied. */
  schemaOnly: boolean;
}

/** Why a create or a reset must not be sent because of `require`, as a sentence; undefined if it may. */
export async function whyNotCopy(context: Context, { sourceId, schemaOnly }: RowSource): Promise<string | undefined> {
  const { inputs } = context;
  if (inputs.require === 'any') return undefined;
  if (inputs.require === 'schema-only') {
    return schemaOnly
      ? undefined
      : '`require: schema-only` refuses any branch with rows. Set `branch_type: schema-only`.';
  }
  if (inputs.masking_rules !== undefined) return undefined;
  if (inputs.parent_timestamp !== undefined || inputs.parent_lsn !== undefined) {
    return '`require: masked` refuses a point in the history of the parent, whose rows may not have been masked then. Remove `parent_timestamp` and `parent_lsn`.';
  }
  const project = projectOf(context);
  const source =
    sourceId === undefined
      ? await defaultBranch(context)
      : await getBranch({ ...project, branchId: sourceId }).then((found) => found.branch);
  const status = source && (await anonymizedStatus({ ...project, branch: source }));
  if (status?.state === 'anonymized') return undefined;
  const what = source ? `branch ${nameAndId(source)}` : 'the default branch';
  return `\`require: masked\` refuses the rows of ${what}, which is not anonymized. Set \`masking_rules\`, or set \`parent_branch\` to a branch that is anonymized.`;
}

async function defaultBranch(context: Context): Promise<Branch | undefined> {
  const goal = "look up the project's default branch";
  return (await listBranches({ ...projectOf(context), goal })).find((branch) => branch.default);
}
