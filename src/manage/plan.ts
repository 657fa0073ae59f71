import { isObject, type Json } from '../http/shape.ts';
import { type Inputs, namesBranch } from '../inputs/fields.ts';
import { aKind, type Kind, type Verb } from './kind.ts';
import { kindOf } from './kinds.ts';
import { payloadOf, unwrapped } from './routes.ts';

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
  /** The organization whose keys the request is about. */
  organizationId: string | undefined;
}

/** The plan, or undefined if the inputs name no valid kind or verb, or a verb that the kind does not have. */
export function planOf(inputs: Partial<Inputs>): ManagePlan | undefined {
  const kind = inputs.resource === undefined ? undefined : kindOf(inputs.resource);
  const verb = kind && verbOf(kind, inputs);
  if (!kind || !verb || !kind.verbs.includes(verb)) return undefined;
  const isAboutOne = isAboutOneObject(verb);
  const id = isAboutOne || kind.createdByName ? idOf({ kind, verb, inputs }) : undefined;
  const organizationId = kind.organizationField && unwrapped(kind, inputs.body)?.[kind.organizationField];
  return {
    kind,
    verb,
    id,
    idFromBranch: isAboutOne && id === undefined && nameOf(kind, inputs) !== undefined,
    branch: branchUse({ kind, verb, inputs }),
    organizationId: typeof organizationId === 'string' ? organizationId : undefined,
  };
}

/** Whether the path of the request names the object. */
export function isAboutOneObject(verb: Verb): boolean {
  return verb !== 'create' && verb !== 'list';
}

/** `query` means `get` with an ID and `list` without, or the only one of the two that the kind has. */
export function verbOf(kind: Kind, inputs: Partial<Inputs>): Verb | undefined {
  if (inputs.verb !== 'query') return inputs.verb;
  const namesOne = inputs.resource_id !== undefined || (kind.nameInput !== undefined && namesBranch(inputs));
  const [likely, other] = namesOne ? (['get', 'list'] as const) : (['list', 'get'] as const);
  return !kind.verbs.includes(likely) && kind.verbs.includes(other) ? other : likely;
}

function idOf(options: { kind: Kind; verb: Verb; inputs: Partial<Inputs> }): string | undefined {
  const { kind, verb, inputs } = options;
  if (inputs.resource_id !== undefined) return inputs.resource_id;
  const input = idInputFor(kind, verb);
  // If a name is given too, the branch is read first, so that its ID and name can be compared.
  return input === undefined || nameOf(kind, inputs) !== undefined ? undefined : inputs[input];
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
  if (verb === 'create' && kind.createdBelowBranch) return 'required';
  const lacksBranch = verb === 'create' && unwrapped(kind, inputs.body)?.branch_id === undefined;
  return kind.createdOnBranch && lacksBranch ? 'required' : 'unused';
}

/** The payload of a create, an update or a delete; undefined if none is sent. `metadata` is recorded on a new branch. */
export function payloadFor(options: {
  plan: ManagePlan;
  inputs: Partial<Inputs>;
  branchId: string | undefined;
  metadata: Record<string, string>;
}): Json | undefined {
  const { plan, inputs, branchId, metadata } = options;
  const { kind, verb } = plan;
  const body = isObject(inputs.body) ? withoutField(inputs.body, kind.organizationField) : undefined;
  if (verb === 'restore') return branchId === undefined ? { ...body } : { target_branch_id: branchId, ...body };
  if (verb === 'delete' && body && kind.idInBody) return payloadOf({ kind, body });
  if (verb !== 'create' && verb !== 'update') return undefined;
  const name = verb === 'create' ? givenName(kind, inputs) : undefined;
  const setsBranch = plan.branch === 'required' && kind.createdOnBranch && branchId !== undefined;
  // A key of an organization can do anything in all its projects, unless it is limited to one.
  const limitsToProject = plan.organizationId !== undefined && inputs.project_id !== undefined;
  const payload = payloadOf({
    kind,
    body: body ?? {},
    defaults: {
      ...(name === undefined || !kind.uniqueField ? {} : { [kind.uniqueField]: name }),
      ...(setsBranch ? { branch_id: branchId } : {}),
      ...(limitsToProject ? { project_id: inputs.project_id } : {}),
    },
  });
  return verb === 'create' && kind.withMetadata ? kind.withMetadata(payload, metadata) : payload;
}

function withoutField(body: Json, field: string | undefined): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}

/** The name for a new object, if another input than `body` gives it. */
export function givenName(kind: Kind, inputs: Partial<Inputs>): string | undefined {
  return kind.uniqueField === undefined ? undefined : (inputs.resource_id ?? nameOf(kind, inputs));
}

/** `update a role`, for messages. */
export function describe({ kind, verb }: Pick<ManagePlan, 'kind' | 'verb'>): string {
  return `${verb} ${verb === 'list' ? kind.many : aKind(kind)}`;
}
