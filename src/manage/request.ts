import type { Method } from '../http/request.ts';
import { isObject, type Json } from '../text/json.ts';
import type { ManageInputs } from './inputs.ts';
import { type Kind, kindOf, type Verb } from './kinds.ts';

/** What the inputs ask for: something about objects of a kind, or a raw request. */
export interface Plan {
  method: Method;
  /** Below the base URL, with placeholders. */
  path: string;
  about?: { kind: Kind; verb: Verb };
}

/** The plan, or undefined if the inputs name no kind, or no verb that it has, and no raw request. */
export function planOf({ resource, verb, method, path }: Partial<ManageInputs>): Plan | undefined {
  if (method !== undefined && path !== undefined) return { method, path };
  const kind = resource === undefined ? undefined : kindOf(resource);
  return kind && verb && kind.verbs[verb] ? planFor(kind, verb) : undefined;
}

export function planFor(kind: Kind, verb: Verb): Plan {
  const [method, path] = (kind.verbs[verb] ?? '').split(' ') as [Method, string];
  return { method, path, about: { kind, verb } };
}

/** Whether a branch has to be known: for the path, for the payload, or because an input limits a list to it. */
export function usesBranch({ path, about }: Plan, inputs: Partial<ManageInputs>): boolean {
  const isNamed = inputs.branch_id !== undefined || inputs.branch_name !== undefined;
  // The object itself is a branch: only an input says which one.
  if (path.includes('|branch_id}')) return inputs.resource_id === undefined && isNamed;
  if (path.includes('{branch_id}')) return true;
  if (about === undefined || about.kind.branchField?.[about.verb] === undefined) return false;
  return isNamed || (about.verb === 'create' && partsOf(about.kind, inputs.body).object.branch_id === undefined);
}

/** The object in a body that may or may not be wrapped, and what is outside the wrapper. */
function partsOf({ wrap = '', outside = [] }: Kind, body: unknown): { object: Json; rest: Json } {
  const given = isObject(body) ? body : {};
  const inner = given[wrap];
  const isRest = (key: string) => (isObject(inner) ? key !== wrap : outside.includes(key));
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => isRest(key)));
  const object = Object.fromEntries(Object.entries(given).filter(([key]) => !isRest(key)));
  return { object: isObject(inner) ? inner : object, rest };
}

export function nameOf(kind: Kind, inputs: Partial<ManageInputs>): string | undefined {
  const { name } = partsOf(kind, inputs.body).object;
  if (typeof name === 'string') return name;
  return inputs.resource_id ?? (kind.name === 'branch' ? inputs.branch_name : undefined);
}

export interface Request {
  method: Method;
  /** Encoded, with its query. */
  path: string;
  body: unknown;
}

/** What is sent. The ID of a branch that is not known stays a placeholder. `metadata` is for a new branch. */
export function requestOf(options: {
  plan: Plan;
  inputs: Partial<ManageInputs>;
  branchId: string | undefined;
  metadata: Json;
}): Request {
  const { plan, inputs, branchId, metadata } = options;
  const { method, about } = plan;
  const values = { project_id: inputs.project_id, branch_id: branchId, resource_id: inputs.resource_id };
  if (!about) return { method, path: fill(plan.path, values), body: inputs.body };
  const { kind, verb } = about;
  const [route = '', template = ''] = plan.path.split('?');
  const path = fill(route, values);
  const { object: given, rest } = partsOf(kind, inputs.body);
  // Unless the body says otherwise: the name of a new object, and the branch that it belongs to.
  const name = verb === 'create' && kind.named ? nameOf(kind, inputs) : undefined;
  const field = kind.branchField?.[verb];
  const object = { ...(name && { name }), ...(field && branchId && { [field]: branchId }), ...given };
  if (template === '{body}') {
    const fields = Object.entries(object).map(([key, value]): [string, string] => [key, String(value)]);
    return { method, path: `${path}?${new URLSearchParams(fields)}`, body: undefined };
  }
  const query = fill(template, values);
  const whole = query === '' || query.includes('{') ? path : `${path}?${query}`;
  if (inputs.body === undefined && verb !== 'create' && verb !== 'update' && verb !== 'restore') {
    return { method, path: whole, body: undefined };
  }
  if (kind.wrap === undefined || kind.plain || verb === 'restore') return { method, path: whole, body: object };
  if (kind.name === 'branch' && verb === 'create') {
    const { annotation_value: own = {} } = rest;
    if (isObject(own)) rest.annotation_value = { ...metadata, ...own };
  }
  return { method, path: whole, body: { [kind.wrap]: object, ...rest } };
}

const placeholder = /\{([a-z_]+)(?:\|([a-z_]+))?\}/g;

const inputNames = ['project_id', 'branch_id', 'resource_id'];

/** The inputs that a path needs; `resource_id|branch_id` if one of the two is enough. What its query has may be missing. */
export function neededInputs(path: string): Set<string> {
  const [route = ''] = path.split('?');
  const names = [...route.matchAll(placeholder)].map(([whole]) => whole.slice(1, -1));
  return new Set(names.filter((name) => name.split('|').every((one) => inputNames.includes(one))));
}

/** A path with the values of its placeholders, encoded. One without a value stays, by its last name. */
function fill(path: string, values: Record<string, string | undefined>): string {
  return path.replace(placeholder, (_, first: string, second: string = first) => {
    const value = values[first] ?? values[second];
    return value === undefined ? `{${second}}` : encodeURIComponent(value);
  });
}

/** The one object in a response, which may be wrapped; undefined if there is none. */
export function objectIn({ wrap }: Kind, body: unknown): Json | undefined {
  const inner = isObject(body) && wrap !== undefined ? body[wrap] : body;
  return isObject(inner) ? inner : undefined;
}
