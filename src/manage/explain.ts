import { ApiError } from '../http/errors.ts';
import { getBranch, noSuchBranch } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { projectName } from '../service/project.ts';
import { show } from '../text/inert.ts';
import type { Kind, Verb } from './kind.ts';
import { type Collection, objectName, type Response } from './requests.ts';
import { collectionRoute, unwrapped } from './routes.ts';

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

function explained(error: ApiError, explanation: string): RefusedError {
  const explained = new RefusedError(`${error.message}. ${explanation}`);
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

/** An object with the name and ID from the response, and the branch that it belongs to. */
export function describeObject(options: { collection: Collection; response: Response; id?: string }): string {
  const { collection, response, id } = options;
  const { kind } = collection;
  const object = unwrapped(kind, response.value) ?? {};
  const text = (value: unknown) => (['string', 'number'].includes(typeof value) ? String(value) : '');
  const [name, objectId] = [text(object.name), text(object.id)];
  if (name === '' && objectId === '') return `${objectName(kind, id)}${onBranch(collection)}`;
  if (name === '') return `${kind.one} ${objectId}${onBranch(collection)}`;
  // A database has a number too, which no request uses.
  const number = objectId === '' || kind.key === 'name' ? '' : ` (${objectId})`;
  return `${kind.one} ${show(name)}${number}${onBranch(collection)}`;
}

/** The branch that an object belongs to, as a phrase; empty if it belongs to none. */
export function onBranch({ kind, owners, branch }: Collection): string {
  if (kind.owner !== 'branch') return '';
  return ` on branch ${branch ? `${show(branch.branch.name)} (${branch.branch.id})` : owners.branchId}`;
}

export function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}
