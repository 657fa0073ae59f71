import { resendAfterLookup } from '../http/lost-response.ts';
import { changeWindow, type PropagationWindow } from '../http/propagation-window.ts';
import { show } from '../text/inert.ts';
import { responseAbout } from './branch-response.ts';
import { getBranch } from './branches.ts';
import { branchPath, type Project } from './project.ts';
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
  const window = changeWindow(options.window, api.clock);
  const { value } = await resendAfterLookup<{ branch: Branch; operations: Operation[] }>({
    api,
    send: () =>
      api.request({
        goal:
          expiresAt === null
            ? `remove the expiry of branch ${show(branch.name)}`
            : `set the expiry of branch ${show(branch.name)} to ${expiresAt}`,
        method: 'PATCH',
        path: branchPath({ projectId, branchId: branch.id }),
        body: { branch: { expires_at: expiresAt } },
        window,
        beforeAttempt,
        read: responseAbout(branch, 'set the expiry of'),
      }),
    lookUp: async () => {
      const { branch: now } = await getBranch({ api, projectId, branchId: branch.id, window: options.window });
      return timeOf(now.expires_at) === timeOf(expiresAt) ? { branch: now, operations: [] } : undefined;
    },
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
  const { value } = await resendAfterLookup<{ branch: Branch; operations: Operation[] }>({
    api,
    send: () =>
      api.request({
        goal: `protect branch ${show(branch.name)}`,
        method: 'PATCH',
        path: branchPath({ projectId, branchId: branch.id }),
        body: { branch: { protected: true } },
        window: changeWindow(options.window, api.clock),
        beforeAttempt,
        read: responseAbout(branch, 'protect'),
      }),
    lookUp: async () => {
      const { branch: now } = await getBranch({ api, projectId, branchId: branch.id, window: options.window });
      return now.protected ? { branch: now, operations: [] } : undefined;
    },
  });
  return value;
}
