import { GitHubError } from '../github/errors.ts';
import type { ApiError } from '../http/errors.ts';
import { count } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { Step } from './facts.ts';

/** `on_limit: prune`: deletes stale branches by the rules of `prune`, but never the new branch's parent. Throws the create's error if that frees no slot. */
export async function makeRoom(
  step: Step,
  { name, parentId, error }: { name: string; parentId?: string | undefined; error: ApiError },
): Promise<void> {
  const { log } = step;
  log.info(`The project has no room for branch ${show(name)}; pruning (\`on_limit: prune\`)`);
  const { pruneForRoom } = await import('../prune/room.ts');
  const { freed, why } = await pruneForRoom(step, { parentId }).catch((failed: unknown) => {
    throw failed instanceof GitHubError ? error.because(`pruning failed: ${failed.message}`) : failed;
  });
  if (freed === 0) throw error.because(`pruning freed no slot: ${why}`);
  log.info(`Pruned ${count(freed, 'branch')}; creating branch ${show(name)} again`);
}
