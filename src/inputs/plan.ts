import type { Json } from '../http/shape.ts';
import { aKind, type Kind, kindOf, type Verb } from '../objects/kinds.ts';
import { isObject, payloadOf, unwrapped } from '../objects/payload.ts';
import type { Inputs } from './fields.ts';

/** What `manage` does with an object, as far as the inputs alone tell. */
export interface Plan {
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
export function planOf(inputs: Partial<Inputs>): Plan | undefined {
  const kind = inputs.resource === undefined ? undefined : kindOf(inputs.resource);
  const verb = kind && verbOf(kind, inputs);
  if (!kind || !verb || !kind.verbs.includes(verb)) return undefined;
  const isAboutOne = verb === 'get' || verb === 'update' || verb === 'delete';
  const id = isAboutOne ? idOf(kind, inputs) : undefined;
  return {
    kind,
    verb,
    id,
    idFromBranch: isAboutOne && id === undefined && nameOf(kind, inputs) !== undefined,
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

export function namesBranch(inputs: Partial<Inputs>): boolean {
  return inputs.branch_id !== undefined || inputs.branch_name !== undefined;
}

function idOf(kind: Kind, inputs: Partial<Inputs>): string | undefined {
  if (inputs.resource_id !== undefined) return inputs.resource_id;
  // If a name is given too, the branch is read first, so that its ID and name can be compared.
  return kind.idInput === undefined || nameOf(kind, inputs) !== undefined ? undefined : inputs[kind.idInput];
}

/** The name that an input of the kind's own gives. */
function nameOf(kind: Kind, inputs: Partial<Inputs>): string | undefined {
  return kind.nameInput && inputs[kind.nameInput];
}

function branchUse(options: { kind: Kind; verb: Verb; inputs: Partial<Inputs> }): Plan['branch'] {
  const { kind, verb, inputs } = options;
  if (kind.owner === 'branch') return 'required';
  if (verb === 'list' && kind.listedByBranch) return 'optional';
  const lacksBranch = verb === 'create' && unwrapped(kind, inputs.body)?.branch_id === undefined;
  return kind.createdOnBranch && lacksBranch ? 'required' : 'unused';
}

/** The most keys of metadata that the service keeps on a branch. */
const mostMetadata = 50;

/** The payload of a create, an update or a delete; undefined if none is sent. `metadata` is recorded on a new branch. */
export function payloadFor(options: {
  plan: Plan;
  inputs: Partial<Inputs>;
  branchId: string | undefined;
  metadata: Record<string, string>;
}): Json | undefined {
  const { plan, inputs, branchId, metadata } = options;
  const { kind, verb } = plan;
  const body = isObject(inputs.body) ? inputs.body : undefined;
  if (verb === 'delete' && body) return payloadOf({ kind, body });
  if (verb !== 'create' && verb !== 'update') return undefined;
  const name = verb === 'create' ? givenName(kind, inputs) : undefined;
  const setsBranch = plan.branch === 'required' && kind.owner === 'project' && branchId !== undefined;
  const payload = payloadOf({
    kind,
    body: body ?? {},
    defaults: {
      ...(name === undefined || !kind.uniqueField ? {} : { [kind.uniqueField]: name }),
      ...(setsBranch ? { branch_id: branchId } : {}),
    },
  });
  return kind.addsMetadata && verb === 'create' ? withMetadata(payload, metadata) : payload;
}

/** With the metadata of every branch that the action creates, so that `prune` knows whose it is. Keys of the body take precedence. */
function withMetadata(payload: Json, metadata: Record<string, string>): Json {
  const own = payload.annotation_value ?? {};
  // Anything but an object is for the service to reject.
  if (!isObject(own)) return payload;
  const added = Object.entries(metadata).filter(([key]) => !(key in own));
  const room = Math.max(0, mostMetadata - Object.keys(own).length);
  if (added.length === 0) return payload;
  return { ...payload, annotation_value: { ...Object.fromEntries(added.slice(0, room)), ...own } };
}

/** The name for a new object, if another input than `body` gives it. */
export function givenName(kind: Kind, inputs: Partial<Inputs>): string | undefined {
  return kind.uniqueField === undefined ? undefined : (inputs.resource_id ?? nameOf(kind, inputs));
}

/** `update a role`, for messages. */
export function describe({ kind, verb }: Pick<Plan, 'kind' | 'verb'>): string {
  return `${verb} ${verb === 'list' ? kind.many : aKind(kind)}`;
}
