import { randomUUID } from 'node:crypto';
import { createIdKey, metadataOf } from '../branch/metadata.ts';
import { findTarget, requireTarget, targetName } from '../branch/target.ts';
import { ApiError, isNotFound } from '../http/errors.ts';
import { optionalObject } from '../http/shape.ts';
import { hidePasswords } from '../secrets/passwords.ts';
import { hasEnded, operationName, pollOperations } from '../service/operations.ts';
import { operation as readOperation } from '../service/types.ts';
import { type Action, noFacts, type Step } from '../step/action.ts';
import { inFileIfLarge } from '../step/outputs.ts';
import { show } from '../text/inert.ts';
import { check } from './check.ts';
import { type ManageInputs, table } from './inputs.ts';
import { describe, doneBy, type ManageFacts, report } from './report.ts';
import { planOf, type Request, requestOf, usesBranch } from './request.ts';
import { explained, findExisting, listAll, type Outgoing, type Response, send } from './send.ts';

type ManageStep = Step<ManageInputs, ManageFacts>;

export const manage: Action<ManageInputs, ManageFacts> = {
  title: 'manage',
  inputs: table,
  check,
  empty: () => ({ ...noFacts(), created: false, deleted: false }),
  run,
  outputs({ skipped, created, deleted, operationIds, response }) {
    // An empty body is not JSON, but `null` is.
    const body = response && JSON.stringify(response.body ?? null);
    const large = body === undefined ? undefined : inFileIfLarge(body, 'response.json');
    return {
      ...{ skipped: String(skipped), created: String(created), deleted: String(deleted) },
      operation_ids: operationIds && JSON.stringify(operationIds),
      response: large?.value,
      response_path: large?.path,
      status: response && String(response.status),
    };
  },
  report,
};

/** Finds the branch, sends the request unless what it would create exists, and waits for the operations that it starts. */
async function run(step: ManageStep): Promise<void> {
  const { api, inputs } = step;
  const plan = planOf(inputs);
  if (!plan) throw new Error('The inputs name no request');
  const metadata = { ...metadataOf(step.event), [createIdKey]: randomUUID() };
  const isUnknown = inputs.branch_id === undefined && usesBranch(plan, inputs);
  if (inputs.dry_run) {
    return dryRun(step, requestOf({ plan, inputs, branchId: inputs.branch_id, metadata }), isUnknown);
  }
  const find = plan.method === 'DELETE' ? findTarget : requireTarget;
  const branchId = isUnknown ? (await find(step))?.branch.id : inputs.branch_id;
  if (isUnknown && branchId === undefined) {
    const done = `Branch ${show(targetName(step))} does not exist; nothing to delete`;
    return step.record({ operationIds: [], done });
  }
  const request = requestOf({ plan, inputs, branchId, metadata });
  step.log.info(`Sending ${request.method} ${request.path}`);
  step.record({ request });
  const outgoing = { api, plan, request, inputs, branchId };
  const response = await sendOrReuse(step, outgoing);
  step.record({ response });
  if (response.isReused) {
    const what = plan.about && describe(plan.about.kind, response.body, inputs.resource_id);
    step.record({ operationIds: [], done: `Reused ${what}` });
  } else if (plan.about?.kind.name === 'operation' && plan.about.verb === 'get') {
    await waitForOne(step, outgoing, response);
  } else await finish(step, outgoing, response);
}

/** The response to the request. What exists is reused instead of created, and what is gone counts as deleted. */
async function sendOrReuse(step: ManageStep, outgoing: Outgoing): Promise<Response> {
  const { plan, inputs } = outgoing;
  const existing = await findExisting(outgoing);
  if (existing) return existing;
  try {
    return await (plan.about?.verb === 'list' ? listAll(outgoing) : send(outgoing));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    recordFailure(step, error);
    const { status = 0, mayHaveActed } = error;
    // Another run may have created it since.
    const sinceCreated = status === 409 ? await findExisting(outgoing) : undefined;
    if (sinceCreated) return sinceCreated;
    const isGone = plan.method === 'DELETE' && isNotFound(error) && (plan.about || mayHaveActed);
    if (!isGone) throw explained(error, plan, inputs);
    return { status, body: undefined, mayHaveActed, operations: [] };
  }
}

function dryRun(step: ManageStep, request: Request, isUnknown: boolean): void {
  const { method, path, body } = request;
  // A dry run doesn't look it up.
  const branch = isUnknown ? `, where {branch_id} is the ID of branch ${show(targetName(step))}` : '';
  step.log.info(`Dry run: would send ${method} ${path}${branch}`);
  if (body !== undefined) step.log.info(`Payload: ${JSON.stringify(body)}`);
  step.record({ request, operationIds: [], done: `Would send ${method} ${path} (dry run)${branch}` });
}

function recordFailure(step: ManageStep, { failure }: ApiError): void {
  if (failure.kind !== 'status') return;
  const { status = 0, code = '', message = '', requestId: request_id = '' } = failure;
  // An error may quote a connection URI with its password.
  step.record({ response: { status, body: { request_id, code, message: hidePasswords(message) } } });
}

/** A 204 says of these that they were gone already; a DELETE that does something returns 200. */
const goneIs204 = /\/(branches|endpoints|databases|roles)\/[^/?]+$/;

/** Records what the response says, and waits for the operations that the request has started. */
async function finish(step: ManageStep, sent: Outgoing, response: Response): Promise<void> {
  const { plan, request, inputs } = sent;
  const { method, path } = request;
  const { status, operations, mayHaveActed } = response;
  const wasGone = !mayHaveActed && (status === 404 || status === 410 || (status === 204 && goneIs204.test(path)));
  const created = plan.about ? plan.about.verb === 'create' : method === 'POST' && status === 201;
  step.record({ created, deleted: method === 'DELETE' && !wasGone, operationIds: operations.map(({ id }) => id) });
  const { project_id: projectId } = inputs;
  const areDeletions = method === 'DELETE';
  if (inputs.wait) await pollOperations({ api: step.api, projectId, operations, areDeletions });
  step.record({ done: doneBy(sent, response, { wasGone: method === 'DELETE' && wasGone }) });
}

/** With `wait: true`, waits until the operation that was read has ended; the response is then its final state, even if it failed. */
async function waitForOne(step: ManageStep, sent: Outgoing, response: Response): Promise<void> {
  const operation = readOperation(optionalObject(response.body).operation, 'operation');
  const what = `operation ${operationName(operation)}`;
  step.record({ operationIds: [], done: `Read ${what}` });
  if (!sent.inputs.wait || hasEnded(operation, response.date)) return;
  const failed: Error[] = [];
  const { project_id: projectId } = sent.inputs;
  await pollOperations({
    api: step.api,
    projectId,
    operations: [operation],
    onFailed: (_, error) => failed.push(error),
  });
  step.record({ response: await send(sent) });
  for (const error of failed) throw error;
  step.record({ done: `Waited for ${what}` });
}
