import { randomUUID } from 'node:crypto';
import { metadataOf } from '../branch/metadata.ts';
import { type Found, findTarget, requireTarget, targetName } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { type Inputs, namesBranch } from '../inputs/fields.ts';
import { createIdKey } from '../service/create.ts';
import { show } from '../text/inert.ts';
import { isObject, type Json } from '../text/json.ts';
import type { RequestDescription } from './exchange.ts';
import { aKind, type Kind, kindOf, type Owners, type Verb } from './kinds.ts';
import type { Collection } from './requests.ts';
import { payloadOf, requestOf, unwrapped } from './routes.ts';

/** What `manage` does with an object, as far as the inputs alone tell. */
export interface ManagePlan {
  kind: Kind;
  verb: Verb;
  /** The object's ID, or its name if it has no ID. */
  id: string | undefined;
  /** Whether the object is a branch whose ID must be looked up by its name. */
  idFromBranch: boolean;
  /** Whether the branch that the object belongs to must be known; `optional`: only if an input names it. */
  branch: 'required' | 'optional' | 'unused';
}

/** The plan, or undefined if the inputs name no valid kind or verb, or a verb that the kind does not have. */
export function planOf(inputs: Partial<Inputs>): ManagePlan | undefined {
  const kind = inputs.resource === undefined ? undefined : kindOf(inputs.resource);
  const verb = kind && verbOf(kind, inputs);
  if (!kind || !verb || !kind.verbs.includes(verb)) return undefined;
  const isAboutExisting = verb !== 'create' && verb !== 'list';
  const named = nameOf(kind, inputs) !== undefined;
  const input = idInputFor(kind, verb);
  // If a name is given too, the branch is read first, so that its ID and name can be compared.
  const given = inputs.resource_id ?? (input === undefined || named ? undefined : inputs[input]);
  const id = isAboutExisting || kind.inPath.includes(verb) ? given : undefined;
  return {
    kind,
    verb,
    id,
    idFromBranch: isAboutExisting && id === undefined && named,
    branch: branchUse({ kind, verb, inputs }),
  };
}

/** `query` means `get` with an ID and `list` without, or the only one of the two that the kind has. */
export function verbOf(kind: Kind, inputs: Partial<Inputs>): Verb | undefined {
  if (inputs.verb !== 'query') return inputs.verb;
  const namesOne = inputs.resource_id !== undefined || (kind.nameInput !== undefined && namesBranch(inputs));
  const [likely, other] = namesOne ? (['get', 'list'] as const) : (['list', 'get'] as const);
  return !kind.verbs.includes(likely) && kind.verbs.includes(other) ? other : likely;
}

/**
 * The input that holds the object's ID if `resource_id` is empty. Every step has a `project_id`, so that alone does not say that the
 * project itself is to be deleted: `resource_id` may be an expression that came out empty.
 */
export function idInputFor({ idInput }: Kind, verb: Verb): Kind['idInput'] {
  return idInput === 'project_id' && verb === 'delete' ? undefined : idInput;
}

/** The name that an input of the kind's own gives. */
function nameOf(kind: Kind, inputs: Partial<Inputs>): string | undefined {
  return kind.nameInput && inputs[kind.nameInput];
}

function branchUse(options: { kind: Kind; verb: Verb; inputs: Partial<Inputs> }): ManagePlan['branch'] {
  const { kind, verb, inputs } = options;
  if (kind.owner === 'branch') return 'required';
  if (verb === 'restore' || (kind.listedByBranch && verb !== 'create' && verb !== 'get')) return 'optional';
  const lacksBranch = verb === 'create' && unwrapped(kind, inputs.body)?.branch_id === undefined;
  return kind.createdOnBranch && lacksBranch ? 'required' : 'unused';
}

/** The body to send, unless its kind changes it; undefined for none. `metadata` is recorded on a new branch. */
export function payloadFor(options: {
  plan: ManagePlan;
  inputs: Partial<Inputs>;
  branchId: string | undefined;
  metadata: Record<string, string>;
}): Json | undefined {
  const { plan, inputs, branchId, metadata } = options;
  const { kind, verb } = plan;
  if (!kind.bodyFor.includes(verb)) return undefined;
  const body = isObject(inputs.body) ? inputs.body : undefined;
  if (verb === 'restore') return branchId === undefined ? { ...body } : { target_branch_id: branchId, ...body };
  if (verb !== 'create' && verb !== 'update') return body && payloadOf({ kind, body });
  const name = verb === 'create' ? givenName(kind, inputs) : undefined;
  const setsBranch = plan.branch === 'required' && kind.createdOnBranch && branchId !== undefined;
  const payload = payloadOf({
    kind,
    body: body ?? {},
    defaults: {
      ...(name === undefined || !kind.uniqueField ? {} : { [kind.uniqueField]: name }),
      ...(setsBranch ? { branch_id: branchId } : {}),
    },
  });
  return verb === 'create' && kind.withMetadata ? kind.withMetadata(payload, metadata) : payload;
}

/** The name for a new object, if another input than `body` gives it. */
export function givenName(kind: Kind, inputs: Partial<Inputs>): string | undefined {
  return kind.uniqueField === undefined ? undefined : (inputs.resource_id ?? nameOf(kind, inputs));
}

/** `update a role`, for messages. */
export function describe({ kind, verb }: Pick<ManagePlan, 'kind' | 'verb'>): string {
  return `${verb} ${verb === 'list' ? kind.many : aKind(kind)}`;
}

export interface Target {
  collection: Collection;
  /** The object's ID, or its name if it has no ID; undefined for all objects of a kind. */
  id: string | undefined;
  payload: Json | undefined;
  request: RequestDescription;
}

/**
 * Where the request of a plan goes. A branch of which only the name is known is looked up; undefined if it does not exist and
 * something is to be deleted.
 */
export async function locate(context: Context, plan: ManagePlan): Promise<Target | undefined> {
  const { api, inputs } = context;
  // Without the branch that the object may belong to, nobody knows whether the object is gone.
  const find = plan.verb === 'delete' && plan.branch !== 'optional' ? findTarget : requireTarget;
  let branch: Found | undefined;
  let branchId = usesBranch(context, plan) && inputs.branch_name === undefined ? inputs.branch_id : undefined;
  if (plan.idFromBranch || (branchId === undefined && usesBranch(context, plan))) {
    branch = await find(context);
    if (!branch) return undefined;
    branchId = branch.branch.id;
  }
  const { owners, ...target } = resolve(context, plan, branchId);
  return { ...target, collection: { api, kind: plan.kind, owners, branch } };
}

/** The request as far as the inputs alone tell: a branch that would have to be looked up is `{branch_id}`. */
export function requestFromInputs(context: Context, plan: ManagePlan): RequestDescription & { note?: string } {
  const { branch_id } = context.inputs;
  const isUnknown = plan.idFromBranch || (usesBranch(context, plan) && branch_id === undefined);
  const { request } = resolve(context, plan, isUnknown ? placeholder : branch_id);
  const path = request.path.replaceAll(encodeURIComponent(placeholder), placeholder);
  return { ...request, path, note: isUnknown ? placeholderNote(context) : undefined };
}

/** The request of a plan, and what it is about. `branchId`: the branch that it uses, or is about. */
function resolve(
  { inputs, event }: Context,
  plan: ManagePlan,
  branchId: string | undefined,
): Omit<Target, 'collection'> & { owners: Owners } {
  const id = plan.idFromBranch ? branchId : plan.id;
  const owners = { projectId: inputs.project_id, branchId: plan.idFromBranch ? undefined : branchId };
  const metadata = { ...metadataOf(event), [createIdKey]: randomUUID() };
  const payload = payloadFor({ plan, inputs, branchId: owners.branchId, metadata });
  const { method, path, query, body } = requestOf({ ...plan, owners, id, payload });
  const text = new URLSearchParams(query).toString();
  return { owners, id, payload, request: { method, path: text === '' ? path : `${path}?${text}`, payload: body } };
}

const placeholder = '{branch_id}';

/** What `{branch_id}` in a dry run means. */
export function placeholderNote(context: Context): string {
  return `${placeholder} stands for the ID of branch ${show(targetName(context))}, which a dry run doesn't look up`;
}

function usesBranch(context: Context, plan: ManagePlan): boolean {
  return plan.branch === 'required' || (plan.branch === 'optional' && namesBranch(context.inputs));
}
