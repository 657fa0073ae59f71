import { randomUUID } from 'node:crypto';
import type { FoundBranch } from '../api/branches.ts';
import { createIdKey } from '../api/create.ts';
import { findTarget, requireTarget, targetName } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { namesBranch, type Plan, payloadFor } from '../inputs/plan.ts';
import { methods } from '../objects/kinds.ts';
import type { Collection } from '../objects/requests.ts';
import { collectionRoute, type Owners, objectRoute, type Route } from '../objects/routes.ts';
import { metadataOf } from '../runner/metadata.ts';
import { show } from '../text/inert.ts';
import type { RequestDescription } from './exchange.ts';

export interface Target {
  collection: Collection;
  /** The object's ID, or its name if it has no ID; undefined for a collection. */
  id: string | undefined;
  request: RequestDescription;
}

/**
 * Where the request of a plan goes. A branch of which only the name is known is looked up; undefined if it does not exist and
 * something is to be deleted.
 */
export async function locate(context: Context, plan: Plan): Promise<Target | undefined> {
  const { api, inputs } = context;
  const find = plan.verb === 'delete' ? findTarget : requireTarget;
  let branch: FoundBranch | undefined;
  let branchId = usesBranch(context, plan) && inputs.branch_name === undefined ? inputs.branch_id : undefined;
  if (plan.idFromBranch || (branchId === undefined && usesBranch(context, plan))) {
    branch = await find(context);
    if (!branch) return undefined;
    branchId = branch.branch.id;
  }
  const id = plan.idFromBranch ? branchId : plan.id;
  const owners = { projectId: inputs.project_id, branchId: plan.idFromBranch ? undefined : branchId };
  const collection: Collection = { api, kind: plan.kind, owners, ...(branch ? { branch } : {}) };
  return { collection, id, request: requestOf({ context, plan, owners, id }) };
}

/** The request as far as the inputs alone tell: a branch that would have to be looked up is `{branch_id}`. */
export function requestFromInputs(context: Context, plan: Plan): RequestDescription & { note?: string } {
  const { inputs } = context;
  const isUnknown = plan.idFromBranch || (usesBranch(context, plan) && inputs.branch_id === undefined);
  const request = requestOf({
    context,
    plan,
    owners: { projectId: inputs.project_id, branchId: isUnknown ? placeholder : inputs.branch_id },
    id: plan.idFromBranch ? placeholder : plan.id,
  });
  const path = request.path.replaceAll(encodeURIComponent(placeholder), placeholder);
  return { ...request, path, ...(isUnknown ? { note: placeholderNote(context) } : {}) };
}

const placeholder = '{branch_id}';

/** What `{branch_id}` in a dry run means. */
export function placeholderNote(context: Context): string {
  return `${placeholder} is the ID of branch ${show(targetName(context))}, which is looked up first`;
}

function usesBranch(context: Context, plan: Plan): boolean {
  return plan.branch === 'required' || (plan.branch === 'optional' && namesBranch(context.inputs));
}

function requestOf(options: {
  context: Context;
  plan: Plan;
  owners: Owners;
  id: string | undefined;
}): RequestDescription {
  const { context, plan, owners, id } = options;
  const { kind, verb } = plan;
  const isAboutOne = verb === 'get' || verb === 'update' || verb === 'delete';
  const route = isAboutOne ? objectRoute(kind, owners, id) : collectionRoute(kind, owners);
  const metadata = { ...metadataOf(context.event), [createIdKey]: randomUUID() };
  const payload = payloadFor({ plan, inputs: context.inputs, branchId: owners.branchId, metadata });
  return { method: methods[verb], path: withQuery(route), ...(payload === undefined ? {} : { payload }) };
}

function withQuery({ path, query }: Route): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}
