import { findConnection, readAhead, recordConnection } from '../branch/connection-details.ts';
import { refuseUnmasked } from '../branch/masking.ts';
import { requireTarget } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { nameAndId } from '../service/branches.ts';
import { listChoices } from '../service/connection.ts';
import { howToAddEndpoint, listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';

/** Reads an existing branch and its connection details; changes nothing. */
export async function run(context: Context): Promise<void> {
  const seen = await requireTarget(context, 'use');
  const { branch, window } = seen;
  context.progress({ branch });
  const ahead = window ? undefined : readAhead(context, seen);
  const [endpoints, names] = await Promise.all([
    listEndpoints(seen),
    ahead?.names ?? listChoices(seen),
    window ? undefined : refuseUnmasked(seen),
  ]);
  const endpoint = readWriteEndpoint(endpoints, branch);
  if (!endpoint) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} has no read-write compute endpoint, so it has no host. ${howToAddEndpoint(branch)}`,
    );
  }
  // A 404 of a new branch's anonymization status is only believed once other reads have found the branch.
  const [found] = await Promise.all([
    findConnection(context, seen, { endpoint, names, likely: ahead?.likely }),
    window ? refuseUnmasked(seen) : undefined,
  ]);
  await recordConnection(context, seen, { endpoint, found });
  context.progress({ action: 'read', done: `Read branch ${nameAndId(branch)}` });
}
