import { randomUUID } from 'node:crypto';
import type { Sighting } from '../branch/sighting.ts';
import { findTarget, requireTarget, targetName } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { type BeforeAttempt, isChange, type Method } from '../http/request.ts';
import type { Json } from '../http/shape.ts';
import { namesBranch } from '../inputs/fields.ts';
import { metadataOf } from '../runner/metadata.ts';
import { createIdKey } from '../service/create.ts';
import { show } from '../text/inert.ts';
import type { RequestDescription } from './exchange.ts';
import type { Owners, Route } from './kind.ts';
import { methods } from './kind.ts';
import { type ManagePlan, payloadFor } from './plan.ts';
import type { Collection } from './requests.ts';
import { collectionRoute, creationRoute, objectRoute, restoreRoute } from './routes.ts';

export interface Target {
  collection: Collection;
  /** The object's ID, or its name if it has no ID; undefined for a collection. */
  id: string | undefined;
  /** What a create, an update, a delete or a restore sends. */
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
  let branch: Sighting | undefined;
  let branchId = usesBranch(context, plan) && inputs.branch_name === undefined ? inputs.branch_id : undefined;
  if (plan.idFromBranch || (branchId === undefined && usesBranch(context, plan))) {
    branch = await find(context);
    if (!branch) return undefined;
    branchId = branch.branch.id;
  }
  const id = plan.idFromBranch ? branchId : plan.id;
  const { kind, organizationId } = plan;
  const owners = { projectId: inputs.project_id, branchId: plan.idFromBranch ? undefined : branchId, organizationId };
  const method = methods[plan.verb];
  const beforeAttempt = branch && isChange(method) ? unchanged(branch, method) : undefined;
  const collection: Collection = { api, kind, owners, branch, beforeAttempt };
  const payload = payloadOf({ context, plan, owners });
  return { collection, id, payload, request: requestOf({ plan, owners, id, payload }) };
}

/** A branch that was found by its name must still have it when something is sent to it. */
export function unchanged(seen: Sighting, method: Method): BeforeAttempt {
  return (mayHaveActed) => seen.check(method === 'DELETE' ? 'deleted' : 'changed', mayHaveActed);
}

/** The request as far as the inputs alone tell: a branch that would have to be looked up is `{branch_id}`. */
export function requestFromInputs(context: Context, plan: ManagePlan): RequestDescription & { note?: string } {
  const { inputs } = context;
  const isUnknown = plan.idFromBranch || (usesBranch(context, plan) && inputs.branch_id === undefined);
  const branchId = isUnknown ? placeholder : inputs.branch_id;
  const owners = { projectId: inputs.project_id, branchId, organizationId: plan.organizationId };
  const id = plan.idFromBranch ? placeholder : plan.id;
  const request = requestOf({ plan, owners, id, payload: payloadOf({ context, plan, owners }) });
  const path = request.path.replaceAll(encodeURIComponent(placeholder), placeholder);
  return { ...request, path, note: isUnknown ? placeholderNote(context) : undefined };
}

const placeholder = '{branch_id}';

/** What `{branch_id}` in a dry run means. */
export function placeholderNote(context: Context): string {
  return `${placeholder} is the ID of branch ${show(targetName(context))}, which is looked up first`;
}

function usesBranch(context: Context, plan: ManagePlan): boolean {
  return plan.branch === 'required' || (plan.branch === 'optional' && namesBranch(context.inputs));
}

function payloadOf(options: { context: Context; plan: ManagePlan; owners: Owners }): Json | undefined {
  const { context, plan, owners } = options;
  const metadata = { ...metadataOf(context.event), [createIdKey]: randomUUID() };
  return payloadFor({ plan, inputs: context.inputs, branchId: owners.branchId, metadata });
}

function requestOf(options: {
  plan: ManagePlan;
  owners: Owners;
  id: string | undefined;
  payload: Json | undefined;
}): RequestDescription {
  const { body, ...route } = routeOf(options);
  return { method: methods[options.plan.verb], path: withQuery(route), payload: body };
}

function routeOf(options: Parameters<typeof requestOf>[0]): Route & { body?: Json } {
  const { plan, owners, id, payload } = options;
  const { kind, verb } = plan;
  if (verb === 'create') return creationRoute({ kind, owners, id, payload: payload ?? {} });
  if (verb === 'list') return collectionRoute(kind, owners);
  const route = verb === 'restore' ? restoreRoute(kind, owners, id) : objectRoute(kind, owners, id);
  return { ...route, body: payload };
}

function withQuery({ path, query }: Route): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}
