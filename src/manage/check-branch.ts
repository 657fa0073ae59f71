import { ApiError } from '../http/errors.ts';
import { unwrapped } from '../objects/payload.ts';
import { type Collection, getObject, objectName } from '../objects/requests.ts';
import { RefusedError } from '../service/errors.ts';
import { capital } from './describe.ts';

/** Refuses to change an object of a project that belongs to another branch than the one that an input names. */
export async function checkBranch(collection: Collection, id: string | undefined): Promise<void> {
  const { kind, owners } = collection;
  if (kind.owner !== 'project' || owners.branchId === undefined) return;
  const read = getObject({ ...collection, owners: { projectId: owners.projectId }, id });
  const found = await read.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
  const branchId = unwrapped(kind, found?.value)?.branch_id;
  if (branchId === undefined || branchId === owners.branchId) return;
  const other = `branch ${String(branchId)}, not to branch ${owners.branchId}`;
  throw new RefusedError(`${capital(objectName(kind, id))} belongs to ${other}. Nothing was changed.`);
}
