import { dirname, normalize } from 'node:path';
import { repositoryOf } from '../docs/repository.ts';
import { type ActionName, actionNames, folderOf } from './action.ts';

/** `owner/name` of this repository, from `package.json`. */
export const REPOSITORY = repositoryOf(dirname(dirname(import.meta.dirname)));

/** An action in the `uses:` of a workflow: `OWNER/REPO/diff@v1`. */
export function usesOf(name: ActionName): string {
  return `${folderOf(name, REPOSITORY)}@v1`;
}

/** The root action in the `uses:` of a workflow. */
export const OURS = usesOf('lifecycle');

/** The action that a `uses:` means: `OWNER/REPO/diff` of any version or server, `./diff`. `repositories` are the names of the repository. */
export function actionOf(uses = '', repositories = [REPOSITORY, '.']): ActionName | undefined {
  // Gitea and Forgejo also take a URL.
  const [path = ''] = uses.replace(/^https:\/\/[^/]+\//, '').split('@');
  const folder = normalize(`${path}/.`);
  return actionNames.find((name) => repositories.some((one) => folder === normalize(`${folderOf(name, one)}/.`)));
}
