import type { Client } from '../http/client.ts';
import { type ApiError, unlessNotFound } from '../http/errors.ts';
import { readPages } from '../http/pages.ts';
import { isChange, isIdempotent } from '../http/request.ts';
import { optionalObject } from '../http/shape.ts';
import { RefusedError } from '../service/errors.ts';
import { type Operation, operations as readOperations } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { isObject, ShapeError } from '../text/json.ts';
import type { ManageInputs } from './inputs.ts';
import type { Kind } from './kinds.ts';
import { nameOf, type Plan, planFor, type Request, requestOf } from './request.ts';

export interface Response {
  status: number;
  /** The service's clock, in milliseconds since the epoch. */
  date?: number | undefined;
  /** Undefined if it is empty. */
  body: unknown;
  /** Whether an attempt before the one that got the response may have taken effect. */
  mayHaveActed: boolean;
  /** What a change has started. */
  operations: Operation[];
  /** Whether it has an object that existed, and nothing was created. */
  isReused?: boolean;
}

export interface Outgoing {
  api: Client;
  plan: Plan;
  request: Request;
  inputs: ManageInputs;
  /** The branch in its path, or to which a list is limited. */
  branchId: string | undefined;
}

/**
 * Sends the request. A POST or PATCH whose response is lost is not sent again, because it could take effect twice: then the error says so.
 */
export async function send({ api, plan, request, inputs }: Outgoing): Promise<Response> {
  const { value, date } = await api.request<Response>({
    ...request,
    goal: goalOf(plan, inputs),
    read: (body, status, mayHaveActed) => {
      const started = isChange(request.method) ? optionalObject(body).operations : undefined;
      return { body, status, mayHaveActed, operations: readOperations(started, 'operations') };
    },
  });
  return { ...value, date };
}

function goalOf({ method, path, about }: Plan, inputs: ManageInputs): string {
  if (!about) return `complete ${method} ${path.split('?')[0]}`;
  const { kind, verb } = about;
  if (verb === 'list') return `list the ${kind.many}`;
  return `${verb} ${named(kind, verb === 'create' ? nameOf(kind, inputs) : inputs.resource_id)}`;
}

/** `role "app"`, `the user`. */
export function named({ name: kind }: Kind, name: string | undefined): string {
  return name === undefined ? `the ${kind}` : `${kind} ${show(name)}`;
}

export async function listAll({
  api,
  plan,
  request,
  inputs,
  branchId,
}: Outgoing): Promise<Response & { body: unknown[] }> {
  const [key = ''] = /[^/?]+(?=\?|$)/.exec(plan.path) ?? [];
  let status = 0;
  const items = await readPages(async (cursor) => {
    const page = await api.request({
      ...{ ...request, goal: goalOf(plan, inputs), query: { cursor } },
      read: (body) => {
        const found: unknown = Array.isArray(body) ? body : optionalObject(body)[key];
        if (Array.isArray(found)) return { items: found as unknown[], next: nextOf(body) };
        throw new ShapeError(`${key} is not a list`);
      },
    });
    status = page.status;
    return page.value;
  });
  const field = branchId && plan.about?.kind.branchField?.list;
  const body = field ? items.filter((item) => isObject(item) && item[field] === branchId) : items;
  return { status, body, mayHaveActed: false, operations: [] };
}

/** The service has two names for the cursor of the next page. */
function nextOf(body: unknown): string | undefined {
  const { next, cursor } = optionalObject(optionalObject(body).pagination);
  return [next, cursor].find((one): one is string => typeof one === 'string' && one !== '');
}

/**
 * What a create with `if_exists: reuse` would create and what exists already: the object of that name, or the only one of its branch. Undefined
 * if there is none, or no way to find it.
 */
export async function findExisting({ plan: { about }, ...sent }: Outgoing): Promise<Response | undefined> {
  if (about?.verb !== 'create' || sent.inputs.if_exists !== 'reuse') return undefined;
  const { kind } = about;
  const name = nameOf(kind, sent.inputs);
  if (kind.reuse === undefined || (kind.named && name === undefined)) return undefined;
  const plan = planFor(kind, kind.reuse);
  const inputs = { ...sent.inputs, resource_id: name, body: undefined };
  const look = { ...sent, plan, inputs, request: requestOf({ ...sent, plan, inputs, metadata: {} }) };
  if (kind.reuse === 'get') {
    const response = await unlessNotFound(send(look));
    return response && { ...response, isReused: true };
  }
  const { body, ...rest } = await listAll(look);
  const found = body.find((one) => isObject(one) && one.name === name);
  if (found === undefined) return undefined;
  return { ...rest, isReused: true, body: kind.wrap === undefined ? found : { [kind.wrap]: found } };
}

/** The same error with what to do about it. */
export function explained(error: ApiError, plan: Plan, inputs: ManageInputs): Error {
  const advice = adviceOn(error, plan, inputs);
  return advice === undefined ? error : new RefusedError(`${error.message}. ${advice}`, { cause: error });
}

function adviceOn(error: ApiError, { about, method, path }: Plan, inputs: ManageInputs): string | undefined {
  const { kind, verb } = about ?? {};
  if (error.failure.mayHaveActed && !isIdempotent(method)) {
    const check = kind ? `\`verb: ${kind.verbs.get ? 'get' : 'list'}\`` : '`method: GET`';
    return `The request may have taken effect, so it was not retried. Before you run the step again, check with ${check}.`;
  }
  if (error.status === 409 && verb === 'create') {
    return `Delete what exists, or change what is to be created${kind?.reuse ? ', or set `if_exists: reuse`' : ''}.`;
  }
  if (error.status !== 404 && error.status !== 405) return undefined;
  return kind
    ? `Check the inputs that the request is made of: ${method} ${path}.`
    : `Check \`path\`, which is relative to ${inputs.api_host}.`;
}
