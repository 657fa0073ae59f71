import { connectionDetails, findConnection } from '../branch/connection-details.ts';
import { refuseUnmasked } from '../branch/masking.ts';
import { requireTarget } from '../branch/target.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import type { Result } from '../result.ts';
import { nameAndId } from '../service/branches.ts';
import { listChoices } from '../service/connection.ts';
import { listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { NotFoundError } from '../service/errors.ts';
import { branchWindow } from '../service/propagation-window.ts';

/** Reads an existing branch and its connection details; changes nothing. */
export const get: Command = { oneBranch: true, connects: true, run };

async function run(context: Context): Promise<Partial<Result>> {
  const { api } = context;
  const { branch, date } = await requireTarget(context);
  const window = branchWindow({ branch, clock: api.clock, date });
  context.progress({ branch });
  const project = projectOf(context);
  const checkMasking = () => refuseUnmasked({ context, branch, window });
  const [endpoints, names] = await Promise.all([
    listEndpoints({ ...project, branch, window }),
    listChoices({ ...project, branch, window }),
    window ? undefined : checkMasking(),
  ]);
  const endpoint = readWriteEndpoint(endpoints, branch);
  if (!endpoint) {
    throw new NotFoundError(
      `Branch ${nameAndId(branch)} has no read-write compute endpoint, so it has no host. \`command: create\` with the same name adds one.`,
    );
  }
  // A 404 of a new branch's anonymization status is only believed once other reads have found the branch.
  const [found] = await Promise.all([
    findConnection({ context, branch, endpoint, window, names }),
    window ? checkMasking() : undefined,
  ]);
  return {
    action: 'read',
    branch,
    ...(await connectionDetails({ context, branch, endpoint, window, found })),
    done: `Read branch ${nameAndId(branch)}`,
  };
}
