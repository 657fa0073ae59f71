import { getBranch, noSuchBranch, projectName } from '../api/branches.ts';
import { NotFoundError } from '../api/errors.ts';
import { ApiError } from '../http/errors.ts';
import { collectionRoute, type Verb } from '../objects/kinds.ts';
import { titleOf, type Where } from '../objects/requests.ts';

/** What to say of a refusal, where more can be said than the service did: which part of the path is not there, and what to do. */
export async function explainRefusal(options: {
  where: Where;
  verb: Verb;
  id: string | undefined;
  error: ApiError;
}): Promise<Error> {
  const { where, verb, id, error } = options;
  const { kind, place } = where;
  const { status } = error;
  if (!kind.published && (status === 404 || status === 405)) {
    const why = kind.known ? `The paths of ${kind.many} are not published` : `The kind ${kind.one} is not in the table`;
    return explained(
      error,
      `${why}, so that this went by convention to ${collectionRoute(kind, place).path}. Where that is not it, \`method\` and \`path\` send any request.`,
    );
  }
  if (status === 409 && verb === 'create' && kind.natural === undefined) {
    return explained(
      error,
      `\`if_exists: reuse\` cannot find the one that is there, because ${kind.many} have no names that are unique; \`verb: list\` shows them.`,
    );
  }
  if (status !== 404) return error;
  const owner = await missingOwner(where);
  if (owner) return owner;
  if (verb === 'create') return explained(error, `${owners(where)} there, but something that \`body\` names is not.`);
  if (verb === 'list' || !kind.verbs.includes('list')) return error;
  return explained(
    error,
    `There is no ${titleOf(kind, id)}, or the key may not see it; \`verb: list\` shows what there is.`,
  );
}

function explained(error: ApiError, what: string): NotFoundError {
  const explained = new NotFoundError(`${error.message}. ${what}`);
  explained.cause = error;
  return explained;
}

function owners({ kind }: Where): string {
  if (kind.owner === 'account') return 'The path is';
  return kind.owner === 'project' ? 'The project is' : 'The project and the branch are';
}

/** The fault of a project or branch that an object should belong to and that is not there; undefined where both are. */
export async function missingOwner(where: Where): Promise<Error | undefined> {
  const { api, kind, place, branch } = where;
  const { projectId, branchId } = place;
  if (kind.owner === 'account' || projectId === undefined) return undefined;
  try {
    await projectName({ api, projectId });
    if (branchId === undefined) return undefined;
    await getBranch({ api, projectId, branchId: branch?.branch.id ?? branchId });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    if (error.request.path.includes('/branches/')) return noSuchBranch(`with the ID ${branchId}`);
    return error;
  }
}
