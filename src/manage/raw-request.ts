import type { Sighting } from '../branch/sighting.ts';
import { requireTarget } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { uncertainIfLost } from '../http/recover.ts';
import { type ApiResponse, isChange, isIdempotent, type Method, type RequestSpec } from '../http/request.ts';
import type { Inputs } from '../inputs/fields.ts';
import { echo, type InvalidInput, missing } from '../inputs/invalid.ts';
import type { Action, Result } from '../result.ts';
import type { RunEvent } from '../runner/event.ts';
import { decode, isSecretName } from '../secrets/fields.ts';
import { RefusedError } from '../service/errors.ts';
import { listOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { hasDots, isSegment } from '../text/url.ts';
import { dryRun, operationsIn, recordFailure, recordRequest, recordResponse, sendAndRecord } from './exchange.ts';
import { kindOfPath } from './kinds.ts';
import { placeholderNote, unchanged } from './locate.ts';
import { waitForStarted } from './verbs.ts';

const placeholders = ['project_id', 'branch_id', 'resource_id'] as const;

/** Inputs that a path contains as `{name}`. */
function placeholdersOf(path: string): string[] {
  return [...new Set([...path.matchAll(/\{([a-z_]+)\}/gi)].map(([, name = '']) => name))];
}

/** Whether a raw request deletes the branch that `{branch_id}` stands for. */
export function deletesBranch({ method, path = '' }: Partial<Inputs>): boolean {
  return method === 'DELETE' && /\{branch_id\}$/i.test(path.split(/[?#]/, 1)[0] ?? '');
}

/** What is invalid in the inputs of a raw request. `lacking`: the event, if neither it nor an input names a branch. */
export function checkRawRequest(inputs: Partial<Inputs>, lacking: RunEvent | undefined): InvalidInput[] {
  const { method, path, body, project_id, branch_id, resource_id } = inputs;
  const errors: InvalidInput[] = [];
  if (method === 'GET' && body !== undefined) {
    errors.push({ input: 'body', message: 'body must be empty with `method: GET`' });
  }
  if (path === undefined) return errors;
  const [route = ''] = path.split('?', 1);
  // An expression that came out empty would turn the path of an object into that of what it belongs to.
  if (method !== undefined && isChange(method) && /\/(\/|$)/.test(route)) {
    errors.push({
      input: 'path',
      message: `path: ${echo(route)} has an empty segment; check the expressions in it, or remove the slash`,
    });
  }
  const used = placeholdersOf(path);
  const unknown = used.filter((name) => !(placeholders as readonly string[]).includes(name));
  if (unknown.length > 0) {
    const shown = listOf(
      unknown.map((name) => `{${name}}`),
      'and',
    );
    const message = `path: ${shown} ${unknown.length > 1 ? 'are' : 'is'} invalid; expected {project_id}, {branch_id} or {resource_id}`;
    errors.push({ input: 'path', message });
  }
  for (const name of ['project_id', 'resource_id'] as const) {
    if (used.includes(name) && name in inputs && inputs[name] === undefined) {
      errors.push(missing(name, `\`path\` contains {${name}}`));
    }
  }
  if (used.includes('branch_id') && 'project_id' in inputs && project_id === undefined && !branch_id) {
    errors.push(missing('project_id', '`path` contains {branch_id}, which is looked up in the project'));
  }
  if (used.includes('branch_id') && lacking) {
    const why = `\`path\` contains {branch_id}, and event ${show(lacking.name)} names no branch`;
    errors.push({ input: '', message: `branch_id or branch_name is required: ${why}` });
  }
  if (resource_id !== undefined && !used.includes('resource_id')) {
    errors.push({ input: 'resource_id', message: 'resource_id must be empty if `path` has no {resource_id}' });
  } else if (resource_id !== undefined && (!isSegment(resource_id) || hasDots(filled(path, resource_id)))) {
    const message = `resource_id: ${echo(resource_id)} is invalid; expected a single path segment`;
    errors.push({ input: 'resource_id', message });
  }
  return errors;
}

/** The path with the ID in it, which may form a `..` together with its surroundings. */
function filled(path: string, resourceId: string): string {
  const [route = ''] = path.split('?', 1);
  return route.replaceAll('{resource_id}', () => encodeURIComponent(resourceId));
}

/** Sends the request that `method` and `path` describe. */
export async function sendRawRequest(context: Context): Promise<Partial<Result>> {
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
  const beforeAttempt = branch && isChange(method) ? unchanged(branch, method) : undefined;
  const [route = ''] = path.split('?', 1);
  recordRequest(context, { method, path });
  const response = await sendAndRecord(context, {
    send: () => send(context, { method, path, route, beforeAttempt }),
    explain: (error) => (error.status === 404 ? explainNotFound(context, error) : error),
  });
  if (!response) {
    const done = `${method} ${route} took effect; its response was lost`;
    return { action: 'deleted', deleted: true, operationIds: [], done };
  }
  const recorded = recordResponse(context, response);
  const action = actionOf(method, route, response);
  const effect = { action, created: action === 'created', deleted: action === 'deleted' };
  context.progress(effect);
  const waited = await waitForStarted(context, method === 'GET' ? [] : operationsIn(context, response.value));
  return { ...effect, response: recorded, ...waited, done: `${method} ${route} returned ${response.status}` };
}

/** The response, or undefined for a DELETE that took effect before its response was lost: the next attempt is a 404. */
async function send(
  context: Context,
  request: Pick<RequestSpec<unknown>, 'method' | 'path' | 'beforeAttempt'> & { route: string },
): Promise<ApiResponse<unknown> | undefined> {
  const { api, inputs } = context;
  const { route, ...rest } = request;
  const { method } = rest;
  const recover = isIdempotent(method) ? undefined : uncertainIfLost('check with `method: GET`');
  try {
    return await api.request({
      ...{ goal: `complete ${method} ${route}`, ...rest, body: inputs.body, recover },
      read: (body) => body,
    });
  } catch (error) {
    const isGone = method === 'DELETE' && error instanceof ApiError && error.status === 404 && error.mayHaveActed;
    if (!isGone) throw error;
    recordFailure(context, error);
    return undefined;
  }
}

function actionOf(method: Method, route: string, response: ApiResponse<unknown>): Action {
  if (method === 'GET') return 'read';
  if (method === 'POST' && response.status === 201) return 'created';
  if (method !== 'DELETE') return 'managed';
  const wasGone = response.status === 204 && kindOfPath(route)?.goneIs204 === true && !response.mayHaveActedBefore;
  return wasGone ? 'already-gone' : 'deleted';
}

function explainNotFound(context: Context, error: ApiError): Error {
  const base = context.inputs.api_host;
  const explained = new RefusedError(`${error.message}. Check \`path\`, which is relative to ${base}.`);
  explained.cause = error;
  return explained;
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
async function branchFor(context: Context, template: string): Promise<Sighting | undefined> {
  const { inputs } = context;
  const isKnown = inputs.branch_id !== undefined && inputs.branch_name === undefined;
  return isKnown || !placeholdersOf(template).includes('branch_id') ? undefined : requireTarget(context);
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
