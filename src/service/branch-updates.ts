import { lookUpEffect } from '../http/recover.ts';
import { show } from '../text/inert.ts';
import { responseAbout } from './branch-response.ts';
import { getBranch } from './branches.ts';
import { branchPath, type Project } from './project.ts';
import { changeWindow, type PropagationWindow } from './propagation-window.ts';
import type { Branch, Operation } from './types.ts';

/** Sets the time at which the service deletes a branch, or with null removes it. */
export async function setExpiry(
  options: Project & {
    branch: Branch;
    expiresAt: string | null;
    window?: PropagationWindow | undefined;
    /** Called before each attempt; if it throws, nothing more is sent. */
    beforeAttempt?: (() => Promise<void>) | undefined;
  },
): Promise<{ branch: Branch; operations: Operation[] }> {
  const { api, projectId, branch, expiresAt, beforeAttempt } = options;
  const { value } = await api.request<{ branch: Branch; operations: Operation[] }>({
    goal:
      expiresAt === null
        ? `remove the expiry of branch ${show(branch.name)}`
        : `set the expiry of branch ${show(branch.name)} to ${expiresAt}`,
    method: 'PATCH',
    path: branchPath({ projectId, branchId: branch.id }),
    body: { branch: { expires_at: expiresAt } },
    window: changeWindow(options.window, api.clock),
    beforeAttempt,
    recover: lookUpEffect(async () => {
      const { branch: now } = await getBranch({ api, projectId, branchId: branch.id, window: options.window });
      return timeOf(now.expires_at) === timeOf(expiresAt) ? { branch: now, operations: [] } : undefined;
    }),
    read: responseAbout(branch, 'set the expiry of'),
  });
  return value;
}

function timeOf(at: string | null | undefined): number | undefined {
  return at ? Date.parse(at) : undefined;
}

/** Protects a branch. */
export async function protectBranch(
  options: Project & {
    branch: Branch;
    window?: PropagationWindow | undefined;
    /** Called before each attempt; if it throws, nothing more is sent. */
    beforeAttempt?: (() => Promise<void>) | undefined;
  },
): Promise<{ branch: Branch; operations: Operation[] }> {
  const { api, projectId, branch, beforeAttempt } = options;
  const { value } = await api.request<{ branch: Branch; operations: Operation[] }>({
    goal: `protect branch ${show(branch.name)}`,
    method: 'PATCH',
    path: branchPath({ projectId, branchId: branch.id }),
    body: { branch: { protected: true } },
    window: changeWindow(options.window, api.clock),
    beforeAttempt,
    recover: lookUpEffect(async () => {
      const { branch: now } = await getBranch({ api, projectId, branchId: branch.id, window: options.window });
      return now.protected ? { branch: now, operations: [] } : undefined;
    }),
    read: responseAbout(branch, 'protect'),
  });
  return value;
}
