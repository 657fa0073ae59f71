import type { FoundBranch } from '../api/branches.ts';
import { findTarget, requireTarget, targetName } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { namesBranch, type Plan, payloadFor } from '../inputs/plan.ts';
import { collectionRoute, methods, objectRoute, type Route } from '../objects/kinds.ts';
import type { Where } from '../objects/requests.ts';
import { annotationsOf } from '../runner/metadata.ts';
import { show } from '../text/inert.ts';
import type { Told } from './exchange.ts';

export interface Located {
  where: Where;
  /** The object's ID, or its name where it has no ID; undefined for a collection. */
  id: string | undefined;
  /** What is sent. */
  told: Told;
}

/**
 * Where a plan's request goes; a branch that is known by its name alone is looked up. Undefined where something is to be
 * deleted of a branch that is not there.
 */
export async function locate(context: Context, plan: Plan): Promise<Located | undefined> {
  const { api, inputs } = context;
  const find = plan.verb === 'delete' ? findTarget : requireTarget;
  let branch: FoundBranch | undefined;
  let branchId = wantsBranch(context, plan) && inputs.branch_name === undefined ? inputs.branch_id : undefined;
  if (plan.idFromBranch || (branchId === undefined && wantsBranch(context, plan))) {
    branch = await find(context);
    if (!branch) return undefined;
    branchId = branch.branch.id;
  }
  const id = plan.idFromBranch ? branchId : plan.id;
  const place = { projectId: inputs.project_id, branchId: plan.idFromBranch ? undefined : branchId };
  const where: Where = { api, kind: plan.kind, place, ...(branch ? { branch } : {}) };
  return { where, id, told: requestOf({ context, plan, place, id }) };
}

/** The request as far as the inputs alone tell it: a branch that is known by its name alone stands there as `{branch_id}`. */
export function outline(context: Context, plan: Plan): Told & { note?: string } {
  const { inputs } = context;
  const asked = plan.idFromBranch || wantsBranch(context, plan);
  const unknown = asked && (inputs.branch_id === undefined || plan.idFromBranch);
  const branchId = unknown ? placeholder : inputs.branch_id;
  const told = requestOf({
    context,
    plan,
    place: { projectId: inputs.project_id, branchId },
    id: plan.idFromBranch ? placeholder : plan.id,
  });
  const path = told.path.replaceAll(encodeURIComponent(placeholder), placeholder);
  return { ...told, path, ...(unknown ? { note: noteOn(context) } : {}) };
}

const placeholder = '{branch_id}';

/** What `{branch_id}` stands for. */
export function noteOn(context: Context): string {
  return `${placeholder} is the ID of branch ${show(targetName(context))}, which is looked up first`;
}

function wantsBranch(context: Context, plan: Plan): boolean {
  return plan.branch === 'needed' || (plan.branch === 'asked' && namesBranch(context.inputs));
}

function requestOf(options: { context: Context; plan: Plan; place: Where['place']; id: string | undefined }): Told {
  const { context, plan, place, id } = options;
  const { kind, verb } = plan;
  const one = verb === 'get' || verb === 'update' || verb === 'delete';
  const route = one ? objectRoute(kind, place, id) : collectionRoute(kind, place);
  const annotations = annotationsOf(context.event);
  const payload = payloadFor({ plan, inputs: context.inputs, branchId: place.branchId, annotations });
  return { method: methods[verb], path: withQuery(route), ...(payload === undefined ? {} : { payload }) };
}

function withQuery({ path, query }: Route): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}
