import { GitHubError } from '../github/errors.ts';
import type { ApiError } from '../http/errors.ts';
import { RefusedError } from '../service/errors.ts';
import { show } from '../text/inert.ts';
import type { Step } from './facts.ts';

/** `on_limit: prune`: prunes by its rules, but keeps the new branch's parent. */
export async function makeRoom(
  step: Step,
  { name, parentId, error }: { name: string; parentId?: string | undefined; error: ApiError },
): Promise<void> {
  const { log } = step;
  log.info(`The project has no room for branch ${show(name)}; pruning (\`on_limit: prune\`)`);
  const { prune } = await import('../prune/prune.ts');
  await prune(step, { settings: { patterns: [], exclude: [] }, spare: parentId }).catch((failed: unknown) => {
    throw failed instanceof GitHubError || failed instanceof RefusedError
      ? error.because(`pruning failed: ${failed.message}`)
      : failed;
  });
  step.api.deadline.signal.throwIfAborted();
}
