import { oneLine } from '../text/inert.ts';
import { nearest } from '../text/nearest.ts';
import { inputNames } from './fields.ts';

const branchByNameOrId = 'use `branch_name`, or `branch_id` for an ID';
const byRole = 'use `role`';
const point =
  'use `parent_point` for the point to branch from or reset to, or `base_point` for the point to compare with';

/** The inputs of Neon's own actions that have another name here, and what to use instead. */
export const formerInputs: Readonly<Record<string, string>> = {
  // create-branch-action, before v6
  parent: 'use `parent_branch` or `parent_point`; `command: reset` resets to the parent if none of them is set',
  parent_branch_id: 'use `parent_branch`',
  username: byRole,
  password: 'remove it: the service generates the password, which is in the output `password`',
  schema_only: 'use `branch_type: schema-only`',
  // delete-branch-action, v3, and reset-branch-action, v1
  branch: branchByNameOrId,
  cs_role_name: byRole,
  cs_username: byRole,
  cs_database: 'use `database`',
  cs_prisma: 'use `prisma`',
  cs_ssl: 'use `ssl`',
  // schema-diff-action, v1
  compare_branch: branchByNameOrId,
  'github-token': 'use `github_token`',
  timestamp: point,
  lsn: point,
};

const byName = new Map(Object.entries(formerInputs).map(([name, use]) => [name.replaceAll('-', '_'), use]));

/**
 * The errors for inputs that `action.yml` does not declare; the runner passes those too. Only those are errors that had another
 * name in the actions of the service, or whose name is misspelled: any other variable may have nothing to do with inputs.
 */
export function unknownInputs(env: NodeJS.ProcessEnv): string[] {
  const known = new Set<string>(inputNames);
  return Object.entries(env).flatMap(([variable, value]) => {
    const name = variable.toLowerCase();
    if (!name.startsWith('input_')) return [];
    const input = name.slice('input_'.length);
    if (input === '' || known.has(input) || (value ?? '').trim() === '') return [];
    const advice = byName.get(input.replaceAll('-', '_')) ?? misspelled(input);
    return advice === undefined ? [] : [`${oneLine(input)} is not an input; ${advice}`];
  });
}

/** Names up to this length are so short that two edits make another word of them: `url` is not `ssl`, `mode` is not `role`. */
const shortName = 5;

function misspelled(input: string): string | undefined {
  const near =
    nearest(input, inputNames, 1) ??
    nearest(
      input,
      inputNames.filter((name) => name.length > shortName),
    );
  return near && `did you mean \`${near}\`?`;
}
