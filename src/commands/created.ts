import { recordConnection } from '../branch/connection-details.ts';
import { maskedOrDiscarded } from '../branch/masking.ts';
import { goneError, makeUsable, waitForOperations } from '../branch/ready.ts';
import { type Sighting, sight } from '../branch/sighting.ts';
import { readParentName } from '../comment.ts';
import type { Context } from '../context.ts';
import type { BranchResponse } from '../service/branch-changes.ts';
import { type FoundBranch, nameAndId } from '../service/branches.ts';
import { listChoices, type Names } from '../service/connection.ts';
import { readWriteEndpoint } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';
import type { ConnectionDetails, Endpoint } from '../service/types.ts';
import { count } from '../text/format.ts';

/** A branch that this step has created, ready to be used. */
export interface CreatedBranch {
  seen: Sighting;
  endpoint: Endpoint;
  /** Whether no row still has to be masked. */
  masked: boolean;
  /** The parts of its connection that are in the create's response. */
  names?: Names;
  connectionUris?: ConnectionDetails[];
}

/** Reports a branch that this step has created, and records its connection details unless rows still have to be masked. */
export async function recordCreated(context: Context, { seen, masked, ...known }: CreatedBranch): Promise<void> {
  if (masked) await recordConnection(context, seen, known);
  context.progress({ done: `Created branch ${nameAndId(seen.branch)}` });
}

interface Finish<T> {
  createId: string;
  wait: boolean;
  use: (created: CreatedBranch) => Promise<T>;
}

/** Finishes a create that got a response: waits for its operations, and uses the parts of the connection in the response. */
export async function finishCreate<T>(
  context: Context,
  response: BranchResponse,
  options: Finish<T> & { readAt: number },
): Promise<T> {
  const { wait, use, readAt } = options;
  const { branch, databases, roles, connectionUris } = response;
  const endpoint = readWriteEndpoint(response.endpoints, branch);
  const found = { branch, date: undefined, readAt };
  if (!endpoint) return adopt(context, found, options);
  context.log.info(`Created branch ${nameAndId(branch)}; started ${count(response.operations.length, 'operation')}`);
  if (wait) {
    // Asked of the service, for the comment, while the branch becomes ready.
    if (context.inputs.comment && context.event.pullRequest) readParentName(context);
    await waitForOperations(context, response.operations);
  }
  const seen = sight(context, found, { created: true });
  const masked = await maskedOrDiscarded(context, seen, { wait });
  // A response without names is incomplete.
  const names = databases.length > 0 && roles.length > 0 ? { databases, roles } : undefined;
  return use({ seen, endpoint, masked, names, connectionUris });
}

/** Finishes a create whose response was lost or lacked the endpoint: the branch is made ready like any other. */
export async function adopt<T>(context: Context, found: FoundBranch, options: Finish<T>): Promise<T> {
  const { createId, wait, use } = options;
  const { id, name } = found.branch;
  if (found.branch.default) {
    throw new RefusedError(
      `Branch ${nameAndId(found.branch)}, which this step created, has become the project's default branch in the meantime, and \`create\` never returns the default branch. To use it, set \`command: get\`. To create another branch, set \`branch_name\` to another name.`,
    );
  }
  const seen = sight(context, found, { created: true });
  context.progress({ branch: found.branch, created: true });
  context.saveForPostStep({ name, createId, create: 'responded', id });
  context.log.info(`Created branch ${nameAndId(found.branch)}`);
  try {
    const { seen: now, endpoint } = await makeUsable(context, seen, { wait });
    context.progress({ action: 'created', branch: now.branch });
    const [masked, names] = await Promise.all([maskedOrDiscarded(context, now, { wait }), listChoices(now)]);
    return await use({ seen: now, endpoint, masked, names });
  } catch (error) {
    throw (await goneError(seen, error)) ?? error;
  }
}
