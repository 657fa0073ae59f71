import { type Found, requireTarget } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { isNotFoundOrGone } from '../http/errors.ts';
import type { Method, RequestSpec } from '../http/request.ts';
import { isIdempotent, uncertainIfLost } from '../http/retry.ts';
import type { Action } from '../result.ts';
import { isSecretName } from '../secrets/fields.ts';
import { decode } from '../text/url.ts';
import { placeholdersOf } from './check-raw-request.ts';
import { dryRun, operationsIn, recordFailure, recordRequest, recordResponse, sendAndRecord } from './exchange.ts';
import { kindOfPath } from './kinds.ts';
import { placeholderNote } from './plan.ts';
import type { Response } from './requests.ts';
import { explained, waitForStarted } from './verbs.ts';

/** Sends the request that `method` and `path` describe. */
export async function sendRawRequest(context: Context): Promise<void> {
  const { inputs } = context;
  const { method, path: template, body } = inputs;
  if (method === undefined || template === undefined) throw new Error('The inputs method and path are empty');
  maskQuery(context, template);
  if (inputs.dry_run) {
    const isUnknown = placeholdersOf(template).includes('branch_id') && !inputs.branch_id;
    return dryRun(context, {
      method,
      path: fill(context, template, inputs.branch_id),
      payload: body,
      note: isUnknown ? placeholderNote(context) : undefined,
    });
  }
  const branch = await branchFor(context, template);
  const path = fill(context, template, branch?.branch.id ?? inputs.branch_id);
  const [route = ''] = path.split('?', 1);
  recordRequest(context, { method, path });
  const response = await sendAndRecord(context, {
    send: () => send(context, { method, path, route }),
    explain: (error) =>
      error.status === 404 ? explained(error, `Check \`path\`, which is relative to ${inputs.api_host}.`) : error,
  });
  if (!response) {
    const done = `${method} ${route} took effect, but its response was lost`;
    return context.progress({ action: 'deleted', deleted: true, operationIds: [], done });
  }
  recordResponse(context, response);
  const action = actionOf(method, route, response);
  context.progress({ action, created: action === 'created', deleted: action === 'deleted' });
  await waitForStarted(context, method === 'GET' ? [] : operationsIn(context, response.value));
  context.progress({ done: `${method} ${route} returned ${response.status}` });
}

type RawResponse = Response & { mayHaveActed: boolean };

/** The response, or undefined for a DELETE that took effect before its response was lost: the next attempt is a 404 or 410. */
async function send(
  context: Context,
  request: Pick<RequestSpec<unknown>, 'method' | 'path'> & { route: string },
): Promise<RawResponse | undefined> {
  const { api, inputs } = context;
  const { route, ...rest } = request;
  const { method } = rest;
  const recover = isIdempotent(method)
    ? undefined
    : uncertainIfLost(
        'check whether the request took effect, for example with `method: GET` and the path of the object or list that the request changes',
      );
  try {
    const { value } = await api.request<RawResponse>({
      ...{ goal: `complete ${method} ${route}`, ...rest, body: inputs.body, recover },
      read: (value, status, mayHaveActed) => ({ value, status, mayHaveActed }),
    });
    return value;
  } catch (error) {
    if (!(method === 'DELETE' && isNotFoundOrGone(error) && error.mayHaveActed)) throw error;
    recordFailure(context, error);
    return undefined;
  }
}

function actionOf(method: Method, route: string, response: RawResponse): Action {
  if (method === 'GET') return 'read';
  if (method === 'POST' && response.status === 201) return 'created';
  if (method !== 'DELETE') return 'managed';
  const wasGone = response.status === 204 && kindOfPath(route)?.goneIs204 === true && !response.mayHaveActed;
  return wasGone ? 'already-gone' : 'deleted';
}

/** Masks tokens in a query, both as they are written, because the path is shown like that, and decoded. */
function maskQuery(context: Context, path: string): void {
  const query = path.split('?').slice(1).join('?');
  for (const part of query.split('&')) {
    const [[name = '', value = ''] = []] = new URLSearchParams(part);
    const equals = part.indexOf('=');
    if (equals < 0 || !isSecretName(name)) continue;
    const written = part.slice(equals + 1);
    // A `+` may stand for a space or for itself.
    for (const form of [written, decode(written), value]) context.mask(form);
  }
}

/** The branch that `{branch_id}` stands for, if its ID must be looked up by its name. */
async function branchFor(context: Context, template: string): Promise<Found | undefined> {
  const { inputs } = context;
  const isKnown = inputs.branch_id !== undefined && inputs.branch_name === undefined;
  if (isKnown || !placeholdersOf(template).includes('branch_id')) return undefined;
  return requireTarget(context);
}

/** The path with its placeholders replaced; that of an unknown branch stays. */
function fill(context: Context, template: string, branchId: string | undefined): string {
  const { project_id, resource_id } = context.inputs;
  const values: Record<string, string | undefined> = { project_id, resource_id, branch_id: branchId };
  return template.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
}
