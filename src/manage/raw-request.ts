import { NotFoundError } from '../api/errors.ts';
import { requireTarget } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { placeholdersOf } from '../inputs/manage.ts';
import { kinds } from '../objects/kinds.ts';
import { onceOnly } from '../objects/requests.ts';
import type { Result } from '../result.ts';
import { decode, isSecretName } from '../secrets/fields.ts';
import { failureOf, noteRefusal, noteReply, noteRequest, operationsIn, rehearse, routeOf } from './exchange.ts';
import { noteOn } from './locate.ts';
import { finish } from './verbs.ts';

/** Sends whatever request `method` and `path` say. */
export async function sendRequest(context: Context): Promise<Partial<Result>> {
  const { inputs, api } = context;
  const { method, path: template, body } = inputs;
  if (method === undefined || template === undefined) throw new Error('The inputs method and path are empty');
  maskQuery(context, template);
  const payload = body === undefined ? {} : { payload: body };
  if (inputs.dry_run) {
    const note = placeholdersOf(template).includes('branch_id') && !inputs.branch_id ? { note: noteOn(context) } : {};
    return rehearse(context, { method, path: fill(context, template, inputs.branch_id), ...payload, ...note });
  }
  const path = fill(context, template, await branchIdFor(context, template));
  noteRequest(context, { method, path });
  const route = routeOf(path);
  const send = () =>
    api.request({
      goal: 'make the request',
      method,
      path,
      ...(body === undefined ? {} : { body }),
      read: (answer) => answer,
    });
  try {
    const repeatable = method === 'GET' || method === 'DELETE';
    const answer = await (repeatable ? send() : onceOnly('look with `method: GET`', send));
    const response = noteReply(context, { status: answer.status, body: answer.value });
    const created = method === 'POST' && answer.status === 201;
    const wasGone = answer.status === 204 && answersGoneWith204(route) && !answer.mayHaveActedBefore;
    const deleted = method === 'DELETE' && !wasGone;
    context.progress({ created, deleted });
    const started = method === 'GET' ? [] : operationsIn(context, answer.value);
    const finished = await finish(context, started);
    return { created, deleted, response, ...finished, done: `${method} ${route} answered ${answer.status}` };
  } catch (error) {
    const failure = failureOf(error, { method, path });
    if (failure) noteRefusal(context, failure);
    if (failure?.status !== 404) throw error;
    if (method === 'DELETE' && failure.mayHaveActed) {
      return { deleted: true, operationIds: [], done: `${method} ${route} has deleted it; its answer was lost` };
    }
    const explained = new NotFoundError(`${failure.message}. Is the path right? It stands below ${inputs.api_host}.`);
    explained.cause = failure;
    throw explained;
  }
}

/** A token in a query is as secret as one in a header: as it is written, for that is what is told, and as it is meant. */
function maskQuery(context: Context, path: string): void {
  const query = path.split('?').slice(1).join('?');
  for (const part of query.split('&')) {
    const [[name = '', meant = ''] = []] = new URLSearchParams(part);
    const equals = part.indexOf('=');
    if (equals < 0 || !isSecretName(name)) continue;
    const written = part.slice(equals + 1);
    // Whoever is asked may take a `+` for a blank or for itself.
    for (const form of [written, decode(written), meant]) context.mask(form);
  }
}

async function branchIdFor(context: Context, template: string): Promise<string | undefined> {
  const { inputs } = context;
  if (!placeholdersOf(template).includes('branch_id')) return undefined;
  if (inputs.branch_id !== undefined && inputs.branch_name === undefined) return inputs.branch_id;
  return (await requireTarget(context)).branch.id;
}

/** The path with the inputs that it refers to; a branch that is not known yet stays as it is. */
function fill(context: Context, template: string, branchId: string | undefined): string {
  const { project_id, resource_id } = context.inputs;
  const values: Record<string, string | undefined> = { project_id, resource_id, branch_id: branchId };
  return template.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
}

/** Whether a path is that of one object of a kind for which the service says «already gone» with 204. */
function answersGoneWith204(route: string): boolean {
  const parts = route.split('/');
  return kinds.some((kind) => kind.goneIs204 === true && kind.segment === parts.at(-2));
}
