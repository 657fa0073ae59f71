import { ApiError } from '../http/errors.ts';
import type { Kind, Verb } from '../objects/kind.ts';
import type { Collection } from '../objects/requests.ts';
import { collectionRoute } from '../objects/routes.ts';
import { getBranch, noSuchBranch } from '../service/branches.ts';
import { NotFoundError } from '../service/errors.ts';
import { projectName } from '../service/project.ts';
import { show } from '../text/inert.ts';

/** Adds to an error response what the service did not say: which part of the path does not exist, and what to do. */
export async function explainFailure(options: { collection: Collection; verb: Verb; error: ApiError }): Promise<Error> {
  const { collection, verb, error } = options;
  const { kind } = collection;
  const { status } = error;
  if (!kind.published && (status === 404 || status === 405)) {
    return explained(error, explainPath(collection));
  }
  if (status === 409 && verb === 'create' && kind.uniqueField === undefined) {
    const why = `because ${kind.many} have no unique name`;
    return explained(error, `\`if_exists: reuse\` can't find the existing one, ${why}; \`verb: list\` shows them.`);
  }
  if (status !== 404) return error;
  const missing = await findMissingOwner(collection);
  if (missing) return missing.error;
  if (verb === 'create') return explained(error, `${ownersExist(kind)}, but something that \`body\` names does not.`);
  if (verb === 'list' || !kind.verbs.includes('list')) return error;
  return explained(
    error,
    `It does not exist, or the key has no access to it; \`verb: list\` shows the ${kind.many} that exist.`,
  );
}

/** What may be wrong with the path of a kind that the service does not document. */
export function explainPath({ kind, owners }: Collection): string {
  const why = kind.known ? `The API does not document the path of ${kind.many}` : `Unknown kind ${show(kind.one)}`;
  const { path } = collectionRoute(kind, owners);
  return `${why}; this request used ${path}. If that is wrong, use \`method\` and \`path\`.`;
}

function explained(error: ApiError, explanation: string): NotFoundError {
  const explained = new NotFoundError(`${error.message}. ${explanation}`);
  explained.cause = error;
  return explained;
}

function ownersExist(kind: Kind): string {
  return { account: 'The path exists', project: 'The project exists', branch: 'The project and the branch exist' }[
    kind.owner
  ];
}

/** A project or branch that does not exist although an object should belong to it, or undefined. */
export async function findMissingOwner(
  collection: Collection,
): Promise<{ owner: 'project' | 'branch'; error: Error } | undefined> {
  const { api, kind, owners } = collection;
  const { projectId, branchId } = owners;
  if (kind.owner === 'account' || projectId === undefined) return undefined;
  const noProject = await notFound(() => projectName({ api, projectId }));
  if (noProject) return { owner: 'project', error: noProject };
  if (branchId === undefined) return undefined;
  const noBranch = await notFound(() => getBranch({ api, projectId, branchId }));
  return noBranch && { owner: 'branch', error: noSuchBranch(`with the ID ${branchId}`) };
}

/** The 404 of a request, or undefined if it succeeds. Throws any other failure. */
async function notFound(request: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await request();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return error;
    throw error;
  }
}
