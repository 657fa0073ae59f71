import { type Context, projectOf } from '../context.ts';
import { findBranch, noSuchBranch } from '../service/branches.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';

/** The branch that `parent_branch` names; undefined, without a request, if the input is not set. */
export async function findParent(context: Context): Promise<Branch | undefined> {
  const wanted = context.inputs.parent_branch;
  if (wanted === undefined) return undefined;
  const parent = await findBranch({ ...projectOf(context), nameOrId: wanted });
  if (!parent) throw noSuchBranch(`with the name or ID ${show(wanted)} (\`parent_branch\`)`, '. Nothing was changed.');
  context.progress({ knownParent: { id: parent.id, name: parent.name } });
  return parent;
}
