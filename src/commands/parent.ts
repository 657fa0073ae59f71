import { findBranch, noSuchBranch } from '../api/branches.ts';
import { show } from '../api/text.ts';
import { type Context, projectOf } from '../context.ts';

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
