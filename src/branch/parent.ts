import { findBranch, noSuchBranch } from '../api/branches.ts';
import { type Context, projectOf } from '../context.ts';
import { show } from '../text/inert.ts';

/** The ID of the parent that is asked for; undefined where none is, which needs no look-up. */
export async function findParent(context: Context): Promise<string | undefined> {
  const wanted = context.inputs.parent_branch;
  if (wanted === undefined) return undefined;
  const parent = await findBranch({ ...projectOf(context), nameOrId: wanted });
  if (parent) return parent.id;
  throw noSuchBranch(
    `with the name or ID ${show(wanted)}`,
    ', so that it cannot be the `parent_branch`. Nothing was changed.',
  );
}
