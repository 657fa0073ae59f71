import { randomUUID } from 'node:crypto';
import { metadataOf } from '../branch/metadata.ts';
import { checkOwner } from '../branch/owner.ts';
import { waitForOperations } from '../branch/ready.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError, isNotFoundOrGone, UncertainError } from '../http/errors.ts';
import { isChange } from '../http/request.ts';
import { optionalObject, ShapeError } from '../http/shape.ts';
import type { Action } from '../result.ts';
import { hidePasswords } from '../secrets/passwords.ts';
import { findBranchByName, noSuchBranch } from '../service/branches.ts';
import { createIdKey } from '../service/create.ts';
import { OperationError, operationName } from '../service/errors.ts';
import { hasEnded } from '../service/operations.ts';
import { type Operation, operation as readOperation, operations as readOperations } from '../service/types.ts';
import { branchNameOf } from '../step/event.ts';
import { asSentence, capital, listOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { isObject, numberText } from '../text/json.ts';
import type { Kind, Verb } from './kinds.ts';
import { givenFields, objectIn, type Plan, planOf, type Request, requestOf, usesBranch } from './request.ts';
import { explained, findExisting, listAll, named, type Outgoing, type Response, send } from './send.ts';

/** Creates, updates, deletes, gets or lists any object, or sends a raw request. */
export async function run(context: Context): Promise<void> {
  const { api, inputs } = context;
  const plan = planOf(inputs);
  if (!plan) throw new Error('The inputs name no request');

  let branchId = inputs.branch_id;
  const isUnknown = branchId === undefined && usesBranch(plan, inputs);
  if (isUnknown && !inputs.dry_run) {
    branchId = await findBranch(context, plan);
    if (branchId === undefined) return nothingToDelete(context, `Branch ${show(branchName(context))}`);
  }
  const metadata = { ...metadataOf(context.event), [createIdKey]: randomUUID() };
  const request = requestOf({ plan, inputs, branchId, metadata });
  if (inputs.dry_run) return dryRun(context, request, isUnknown);

  const { method, path } = request;
  context.log.info(`Sending ${method} ${path}`);
  context.progress({ request: { method, path } });
  const outgoing = { api, plan, request, inputs, branchId };
  const { verb } = plan.about ?? {};
  const reuses = verb === 'create' && inputs.if_exists === 'reuse';
  const existing = reuses ? await findExisting(outgoing) : undefined;
  if (existing) return reuse(context, outgoing, existing);
  let response: Response;
  try {
    response = await (verb === 'list' ? listAll(outgoing) : send(outgoing));
  } catch (error) {
    recordFailure(context, error);
    if (method === 'DELETE' && isNotFoundOrGone(error) && (plan.about || error.mayHaveActed)) {
      response = { status: error.status, body: undefined, mayHaveActed: error.mayHaveActed };
    } else {
      // Another run may have created it since.
      const isTaken = reuses && error instanceof ApiError && error.status === 409;
      const other = isTaken ? await findExisting(outgoing) : undefined;
      if (!other) throw explained(error, plan, inputs);
      return reuse(context, outgoing, other);
    }
  }
  await finish(context, outgoing, response);
}

function branchName(context: Context): string {
  const name = context.inputs.branch_name ?? branchNameOf(context.event);
  if (name === undefined) throw new Error('Neither the inputs nor the event name a branch');
  return name;
}

/** The ID of the branch that the inputs or the event name; undefined if it does not exist and something is to be deleted. */
async function findBranch(context: Context, { method }: Plan): Promise<string | undefined> {
  const name = branchName(context);
  const found = await findBranchByName({ ...projectOf(context), name });
  if (found) checkOwner(context, found.branch);
  else if (method !== 'DELETE') throw noSuchBranch(show(name), '. Check `branch_name`, or create the branch first.');
  return found?.branch.id;
}

/** Says what would be sent, and sends nothing. */
function dryRun(context: Context, { method, path, body }: Request, isUnknown: boolean): void {
  const note = isUnknown
    ? `{branch_id} stands for the ID of branch ${show(branchName(context))}, which a dry run doesn't look up`
    : undefined;
  context.log.info(`Dry run: would send ${method} ${path}${note ? ` (${note})` : ''}`);
  if (body !== undefined) context.log.info(`Payload: ${JSON.stringify(body)}`);
  context.progress({
    request: { method, path, payload: JSON.stringify(body, null, 2), note },
    operationIds: [],
    done: `Would send ${method} ${path} (dry run)`,
  });
}

/** Records a response for the outputs, whatever happens after it. An empty body is not JSON, but `null` is. */
function record(context: Context, { status, body }: Pick<Response, 'status' | 'body'>): void {
  context.progress({ response: { status, body: JSON.stringify(body ?? null) } });
}

function recordFailure(context: Context, error: unknown): void {
  const { failure } = (error instanceof UncertainError ? error.cause : error) as Partial<ApiError>;
  if (failure?.kind !== 'status') return;
  const { status = 0, code = '', message = '', requestId: request_id = '' } = failure;
  // An error may quote a connection URI with its password.
  record(context, { status, body: { request_id, code, message: hidePasswords(message) } });
}

function nothingToDelete(context: Context, what: string): void {
  const done = `${what} does not exist; nothing to delete`;
  context.progress({ action: 'already-gone', operationIds: [], done });
}

/** Reports an existing object in place of a new one, and which fields the new one would have had different values for. */
function reuse(context: Context, { plan, inputs }: Outgoing, existing: Response): void {
  const { about } = plan;
  if (!about) return;
  record(context, existing);
  const found = objectIn(about.kind, existing.body) ?? {};
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  const different = Object.entries(givenFields(about.kind, inputs))
    .filter(([name, value]) => isPlain(value) && isPlain(found[name]) && value !== found[name])
    .map(([name]) => name);
  const what = describe(about.kind, existing.body, inputs.resource_id);
  if (different.length > 0) {
    const values = `different values for ${listOf(different, 'and')}`;
    context.log.warning(
      `${capital(what)} already exists with ${values}. Using it as is; to fail instead, set \`if_exists: fail\`.`,
    );
  }
  context.progress({ action: 'reused', operationIds: [], done: `Reused ${what}` });
}

/** `role "app"`: by the name or ID in a response, or else in the inputs. */
function describe(kind: Kind, body: unknown, id: string | undefined): string {
  const object = objectIn(kind, body) ?? {};
  const label = [object.name, object.id].find((one) => typeof one === 'string' || numberText(one) !== undefined);
  return named(kind, label === undefined ? id : (numberText(label) ?? String(label)));
}

/** Records what the response says, and waits for the operations that the request has started. */
async function finish(context: Context, sent: Outgoing, response: Response): Promise<void> {
  const { plan, request, inputs } = sent;
  const { kind, verb } = plan.about ?? {};
  record(context, response);
  if (kind?.name === 'operation' && verb === 'get') return waitForOne(context, sent, response);
  const action = actionOf(sent, response);
  const started = isChange(request.method) ? operationsIn(context, response.body) : [];
  context.progress({
    ...{ action, created: action === 'created', deleted: action === 'deleted' },
    operationIds: started.map(({ id }) => id),
  });
  if (inputs.wait) await waitForOperations(context, started);
  context.progress({ done: doneBy(sent, response, action) });
}

/** What a 204 says of these, is that they were gone already; a DELETE that does something returns 200. */
const goneIs204 = /\/(branches|endpoints|databases|roles)\/[^/?]+$/;

function actionOf({ plan, request }: Outgoing, { status, mayHaveActed }: Response): Action {
  const { kind, verb } = plan.about ?? {};
  if (request.method === 'GET') return 'read';
  if (request.method === 'DELETE') {
    const wasGone = status === 404 || status === 410 || (status === 204 && goneIs204.test(request.path));
    return wasGone && !mayHaveActed ? 'already-gone' : 'deleted';
  }
  return verb === 'create' || (!kind && request.method === 'POST' && status === 201) ? 'created' : 'managed';
}

function doneBy({ plan, request, inputs, branchId }: Outgoing, { status, body }: Response, action: Action): string {
  const { about } = plan;
  if (!about) return `${request.method} ${request.path.split('?')[0]} returned ${status}`;
  const { kind, verb } = about;
  if (Array.isArray(body)) return `Listed ${body.length} ${body.length === 1 ? kind.name : kind.many}`;
  const on = plan.path.includes('/{branch_id}') ? ` on branch ${branchId}` : '';
  const id = inputs.resource_id ?? (kind.name === 'branch' ? branchId : undefined);
  const what = `${describe(kind, body, id)}${on}`;
  return action === 'already-gone' ? `${capital(what)} does not exist; nothing to delete` : `${past[verb]} ${what}`;
}

const past: Record<Verb, string> = {
  create: 'Created',
  update: 'Updated',
  delete: 'Deleted',
  get: 'Read',
  list: 'Listed',
  query: 'Read',
  restore: 'Restored',
};

/** The operations in a response, which may be anything after a raw request. */
function operationsIn(context: Context, body: unknown): Operation[] {
  try {
    return isObject(body) ? readOperations(body.operations, 'operations') : [];
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    context.log.warning(
      `Could not read the operations in the response: ${asSentence(error.message)} The step doesn't wait.`,
    );
    return [];
  }
}

/** With `wait: true`, waits until the operation that was read has ended; the response is then its final state, even if it failed. */
async function waitForOne(context: Context, sent: Outgoing, response: Response): Promise<void> {
  const operation = readOperation(optionalObject(response.body).operation, 'operation');
  const what = `operation ${operationName(operation)}`;
  context.progress({ action: 'read', operationIds: [], done: `Read ${what}` });
  if (!sent.inputs.wait || hasEnded(operation)) return;
  let failure: OperationError | undefined;
  try {
    await waitForOperations(context, [operation]);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    failure = error;
  }
  record(context, await send(sent));
  if (failure) throw failure;
  context.progress({ action: 'waited', done: `Waited for ${what}` });
}
