import type { Json } from '../http/shape.ts';
import { aKind, type Kind, kindOf, type Verb } from '../objects/kinds.ts';
import { isObject, payloadOf, unwrapped } from '../objects/payload.ts';
import type { Inputs } from './fields.ts';

/** What `manage` is asked to do with an object, as far as the inputs alone tell. */
export interface Plan {
  kind: Kind;
  verb: Verb;
  /** The object's ID, or its name where it has no ID. */
  id: string | undefined;
  /** Whether the object is a branch that is known by its name alone. */
  idFromBranch: boolean;
  /** Whether the branch that the object belongs to has to be known; `asked`: only where an input names it. */
  branch: 'needed' | 'asked' | 'unused';
}

/** The plan, or undefined where the inputs name no kind or verb that there is, or a verb that the kind does not have. */
export function planOf(inputs: Partial<Inputs>): Plan | undefined {
  const kind = inputs.resource === undefined ? undefined : kindOf(inputs.resource);
  const verb = kind && verbOf(kind, inputs);
  if (!kind || !verb || !kind.verbs.includes(verb)) return undefined;
  const aboutOne = verb === 'get' || verb === 'update' || verb === 'delete';
  const id = aboutOne ? ownId(kind, inputs) : undefined;
  return {
    kind,
    verb,
    id,
    idFromBranch: aboutOne && id === undefined && kind.segment === 'branches' && inputs.branch_name !== undefined,
    branch: branchUse({ kind, verb, inputs }),
  };
}

/** `query` is `get` with an ID and `list` without, or the one of the two that the kind has. */
export function verbOf(kind: Kind, inputs: Partial<Inputs>): Verb | undefined {
  if (inputs.verb !== 'query') return inputs.verb;
  const named = inputs.resource_id !== undefined || (kind.segment === 'branches' && namesBranch(inputs));
  const [likely, other] = named ? (['get', 'list'] as const) : (['list', 'get'] as const);
  return !kind.verbs.includes(likely) && kind.verbs.includes(other) ? other : likely;
}

export function namesBranch(inputs: Partial<Inputs>): boolean {
  return inputs.branch_id !== undefined || inputs.branch_name !== undefined;
}

/** A project and a branch have inputs of their own for their IDs. */
function ownId(kind: Kind, inputs: Partial<Inputs>): string | undefined {
  if (inputs.resource_id !== undefined) return inputs.resource_id;
  if (kind.segment === 'projects') return inputs.project_id;
  // With both given, the branch is read first, so that its name can be held against the other.
  if (kind.segment === 'branches' && inputs.branch_name === undefined) return inputs.branch_id;
  return undefined;
}

function branchUse(options: { kind: Kind; verb: Verb; inputs: Partial<Inputs> }): Plan['branch'] {
  const { kind, verb, inputs } = options;
  if (kind.owner === 'branch') return 'needed';
  if (kind.owner !== 'project' || kind.segment === 'branches') return 'unused';
  if (verb === 'list') return 'asked';
  if (kind.segment !== 'endpoints' || verb !== 'create') return 'unused';
  return unwrapped(kind, inputs.body)?.branch_id === undefined ? 'needed' : 'unused';
}

/** The most annotations that the service keeps of a branch. */
const mostAnnotations = 50;

/** What is sent for a create or an update; undefined where nothing is. `annotations` are what is noted on a new branch. */
export function payloadFor(options: {
  plan: Plan;
  inputs: Partial<Inputs>;
  branchId: string | undefined;
  annotations: Record<string, string>;
}): Json | undefined {
  const { plan, inputs, branchId, annotations } = options;
  const { kind, verb } = plan;
  const body = isObject(inputs.body) ? inputs.body : undefined;
  if (verb === 'delete' && body) return payloadOf({ kind, body });
  if (verb !== 'create' && verb !== 'update') return undefined;
  const name = verb === 'create' ? givenName(kind, inputs) : undefined;
  const payload = payloadOf({
    kind,
    body: body ?? {},
    fill: {
      ...(name === undefined || !kind.natural ? {} : { [kind.natural]: name }),
      ...(plan.branch === 'needed' && kind.owner === 'project' && branchId !== undefined
        ? { branch_id: branchId }
        : {}),
    },
  });
  return kind.segment === 'branches' && verb === 'create' ? withAnnotations(payload, annotations) : payload;
}

/** With what is noted on every branch that the action makes, so that `prune` knows whose it is; what the body notes itself stays. */
function withAnnotations(payload: Json, annotations: Record<string, string>): Json {
  const own = payload.annotation_value ?? {};
  // Something else is for the service to refuse.
  if (!isObject(own)) return payload;
  const more = Object.entries(annotations).filter(([key]) => !(key in own));
  const room = Math.max(0, mostAnnotations - Object.keys(own).length);
  if (more.length === 0) return payload;
  return { ...payload, annotation_value: { ...Object.fromEntries(more.slice(0, room)), ...own } };
}

/** The name for a new object that another input than `body` gives. */
export function givenName(kind: Kind, inputs: Partial<Inputs>): string | undefined {
  if (kind.natural === undefined) return undefined;
  return inputs.resource_id ?? (kind.segment === 'branches' ? inputs.branch_name : undefined);
}

/** `update of a role`, for messages. */
export function describe(plan: Pick<Plan, 'kind' | 'verb'>): string {
  return plan.verb === 'list' ? `\`list\` of ${plan.kind.many}` : `\`${plan.verb}\` of ${aKind(plan.kind)}`;
}
