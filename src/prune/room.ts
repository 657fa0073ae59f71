import { count, listSome } from '../text/format.ts';
import { isFailure, nameAndNote, prune, type Step } from './prune.ts';

/**
 * `on_limit: prune`: deletes stale branches by the rules of `prune` with its defaults, but never the parent of the new branch. Returns how many
 * are gone, and if none is, why, as a clause. Throws a `GitHubError` if the pull requests could not be read.
 */
export async function pruneForRoom(
  step: Step,
  { parentId }: { parentId: string | undefined },
): Promise<{ freed: number; why: string }> {
  const outcomes = await prune(step, { settings: { exclude: [] }, spare: parentId });
  const freed = outcomes.filter(({ outcome }) => outcome === 'deleted' || outcome === 'gone').length;
  const failed = outcomes.filter(isFailure);
  if (failed.length > 0) {
    step.log.warning(
      `Could not prune ${count(failed.length, 'branch')}: ${listSome(failed.map(nameAndNote), 5, '; ')}`,
    );
  }
  const stale = outcomes.filter(({ reason }) => reason !== undefined);
  const why = failed.length > 0 ? 'the stale branches could not be deleted' : 'the stale branches must be kept';
  return { freed, why: stale.length === 0 ? 'no branch is stale' : why };
}
