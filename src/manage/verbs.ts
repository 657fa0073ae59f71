import { NotFoundError, OperationError, RefusedError } from '../api/errors.ts';
import { hasEnded, unfinishedOperations } from '../api/operations.ts';
import type { Operation } from '../api/types.ts';
import { settle } from '../branch/ready.ts';
import type { Context } from '../context.ts';
import type { Json } from '../http/shape.ts';
import { createObject } from '../objects/create.ts';
import { aKind, type Verb } from '../objects/kinds.ts';
import { listObjects } from '../objects/list.ts';
import { differences, isObject, unwrapped } from '../objects/payload.ts';
import { deleteObject, getObject, type Reply, titleOf, updateObject, type Where } from '../objects/requests.ts';
import type { Result } from '../result.ts';
import { show } from '../text/inert.ts';
import { noteReply, operationsIn } from './exchange.ts';
import { missingOwner } from './explain.ts';
import type { Located } from './locate.ts';

type Options = { context: Context } & Located;

/** What each verb does with an object, or the objects, of a kind. */
export const verbs: Record<Verb, (options: Options) => Promise<Partial<Result>>> = {
  create,
  list,
  get,
  update,
  delete: remove,
};

async function create({ context, where, told }: Options): Promise<Partial<Result>> {
  const { kind } = where;
  const payload = told.payload as Json;
  const { made, lost, reply, refusal } = await createObject({ ...where, payload });
  const one = titled({ where, reply });
  context.progress({ created: made });
  if (!made && context.inputs.if_exists === 'fail') {
    const answered = refusal ? `${refusal.message}. ` : '';
    const error = new RefusedError(
      `${answered}${capital(one)} exists already, and \`if_exists: fail\` asks for a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`,
    );
    error.cause = refusal;
    throw error;
  }
  const response = noteReply(context, reply);
  const fields = made ? [] : differences({ kind, payload, found: reply.body });
  if (fields.length > 0) {
    context.log.warning(
      `${capital(one)} exists with another ${fields.join(' and ')} than was asked for; it is used as it is. \`if_exists: fail\` refuses such ${aKind(kind)}.`,
    );
  }
  // The answer to a look-up does not say what is still under way to make the object.
  const underWay = made && !lost ? operationsIn(context, reply.body) : await inTheMaking(where);
  const finished = await finish(context, underWay, made ? underWay : []);
  return { created: made, response, ...finished, done: `${made ? 'Created' : 'Reused'} ${one}` };
}

/** Operations under way on the branch of an object that was found by a look-up. */
async function inTheMaking({ api, kind, place }: Where): Promise<Operation[]> {
  const { projectId, branchId } = place;
  if (kind.owner !== 'branch' || projectId === undefined || branchId === undefined) return [];
  return unfinishedOperations({ api, projectId, branchId });
}

async function list({ context, where }: Options): Promise<Partial<Result>> {
  const { kind, place } = where;
  const { status, items, missing } = await listObjects(where);
  // A list of a whole project, of which the step names one branch.
  const narrow = kind.owner === 'project' && place.branchId !== undefined;
  const wanted = narrow ? items.filter((item) => isObject(item) && item.branch_id === place.branchId) : items;
  if (missing.length > 0) {
    context.log.warning(`The service could not list all ${kind.many}; without details: ${missing.join(', ')}`);
  }
  const response = noteReply(context, { status, body: wanted });
  return {
    response,
    operationIds: [],
    done: `Listed ${wanted.length} ${wanted.length === 1 ? kind.one : kind.many}`,
  };
}

async function get({ context, where, id }: Options): Promise<Partial<Result>> {
  const { kind } = where;
  const first = await getObject({ ...where, id });
  const response = noteReply(context, first);
  const isOperation = kind.segment === 'operations';
  const [operation] = isOperation ? operationsIn(context, { operations: [unwrapped(kind, first.body)] }) : [];
  const waits = operation !== undefined && context.inputs.wait && !hasEnded(operation);
  if (!waits) return { response, operationIds: [], done: `Read ${titled({ where, reply: first, id })}` };
  let failure: OperationError | undefined;
  const operations = await settle(context, [operation]).catch((error: unknown) => {
    if (!(error instanceof OperationError)) throw error;
    failure = error;
    return [];
  });
  // However it has ended, the answer is the operation as it is now.
  const last = noteReply(context, await getObject({ ...where, id }));
  if (failure) throw failure;
  const done = `Waited for operation ${operation.action} (${operation.id})`;
  return { operations, operationIds: [], response: last, done };
}

async function update({ context, where, id, told }: Options): Promise<Partial<Result>> {
  const reply = await updateObject({ ...where, id, payload: told.payload as Json });
  const response = noteReply(context, reply);
  const started = operationsIn(context, reply.body);
  return { response, ...(await finish(context, started)), done: `Updated ${titled({ where, reply, id })}` };
}

async function remove({ context, where, id, told }: Options): Promise<Partial<Result>> {
  const { kind } = where;
  const { deleted, reply, unknown } = await deleteObject({ ...where, id, payload: told.payload as Json | undefined });
  const response = noteReply(context, reply);
  context.progress({ deleted });
  if (unknown && !deleted) {
    // Gone is what was asked for; a project that was never there is not.
    const owner = await missingOwner(where);
    if (owner && !(owner instanceof NotFoundError)) throw owner;
    if (owner) context.log.warning(`${owner.message}, and so nothing of it to delete`);
    if (!kind.published) {
      context.log.warning(
        `${told.method} ${told.path} answered ${reply.status}. Where the path is not this one, which is only a convention, \`method\` and \`path\` say another`,
      );
    }
  }
  const one = `${titleOf(kind, id)}${onBranch(where)}`;
  try {
    const finished = await finish(context, operationsIn(context, reply.body));
    return { deleted, response, ...finished, done: deleted ? `Deleted ${one}` : `${capital(one)} was gone already` };
  } catch (error) {
    // Some deployments forget a branch's operations along with the branch.
    if (!(error instanceof OperationError && error.unknown && deleted && kind.segment === 'branches')) throw error;
    context.log.info(`${error.message}; as it is once the branch is gone`);
    return { deleted, response, done: `Deleted ${one}` };
  }
}

/** Waits for what is under way; as a rule, all of it is what the request has started. */
export async function finish(context: Context, underWay: Operation[], started = underWay) {
  const operationIds = started.map((one) => one.id);
  context.progress({ operationIds });
  const operations = context.inputs.wait ? await settle(context, underWay) : [];
  return { operationIds, operations };
}

/** An object in a sentence, by the name and ID that the answer gives it, and the branch that it belongs to. */
function titled(options: { where: Where; reply: Reply; id?: string | undefined }): string {
  const { where, reply, id } = options;
  const { kind } = where;
  const object = unwrapped(kind, reply.body) ?? {};
  const text = (value: unknown) => (['string', 'number'].includes(typeof value) ? String(value) : '');
  const [name, itsId] = [text(object.name), text(object.id)];
  const named = name === '' ? '' : show(name);
  // What has its name for an ID may have a number besides, which nobody asks for.
  const numbered = itsId === '' || (name !== '' && kind.key === 'name') ? '' : name === '' ? itsId : `(${itsId})`;
  const known = [kind.one, named, numbered].filter(Boolean).join(' ');
  return `${name === '' && itsId === '' ? titleOf(kind, id) : known}${onBranch(where)}`;
}

/** Where something is that belongs to a branch. */
function onBranch({ kind, place, branch }: Where): string {
  if (kind.owner !== 'branch') return '';
  return ` on branch ${branch ? `${show(branch.branch.name)} (${branch.branch.id})` : place.branchId}`;
}

function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}
