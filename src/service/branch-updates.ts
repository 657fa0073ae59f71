import { show } from '../text/inert.ts';
import { responseAbout } from './branch-response.ts';
import { getBranch } from './branches.ts';
import { branchPath, type Changeable } from './project.ts';
import type { Branch, Operation } from './types.ts';

interface Changed {
  branch: Branch;
  operations: Operation[];
}

/** Sets the time at which the service deletes a branch, or with null removes it. */
export async function setExpiry(seen: Changeable, expiresAt: string | null): Promise<Changed> {
  const { branch } = seen;
  const { value } = await seen.change<Changed>({
    doing: 'given an expiry',
    goal:
      expiresAt === null
        ? `remove the expiry of branch ${show(branch.name)}`
        : `set the expiry of branch ${show(branch.name)} to ${expiresAt}`,
    method: 'PATCH',
    path: branchPath({ ...seen, branchId: branch.id }),
    body: { branch: { expires_at: expiresAt } },
    read: responseAbout(branch, 'set the expiry of'),
    async happened() {
      const { branch: now } = await getBranch({ ...seen, branchId: branch.id });
      return timeOf(now.expires_at) === timeOf(expiresAt) ? { branch: now, operations: [] } : undefined;
    },
  });
  return value;
}

function timeOf(at: string | null | undefined): number | undefined {
  return at ? Date.parse(at) : undefined;
}

/** Protects a branch. */
export async function protectBranch(seen: Changeable): Promise<Changed> {
  const { branch } = seen;
  const { value } = await seen.change<Changed>({
    doing: 'changed',
    goal: `protect branch ${show(branch.name)}`,
    method: 'PATCH',
    path: branchPath({ ...seen, branchId: branch.id }),
    body: { branch: { protected: true } },
    read: responseAbout(branch, 'protect'),
    async happened() {
      const { branch: now } = await getBranch({ ...seen, branchId: branch.id });
      return now.protected ? { branch: now, operations: [] } : undefined;
    },
  });
  return value;
}
