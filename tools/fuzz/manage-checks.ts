import { isDeepStrictEqual } from 'node:util';
import { StoppedError, UncertainError } from '../../src/http/errors.ts';
import { wanted } from './account.ts';
import { isUnsent } from './changes.ts';
import { keyOf, wrapOf } from './manage-account.ts';
import type { Step } from './manage-steps.ts';
import type { Ending } from './play.ts';
import { type Exchange, jsonOf } from './service.ts';

interface Course {
  step: Step;
  ending: Ending;
  line: { exchanges: Exchange[] };
}

type Json = Record<string, unknown>;

const fieldOf = (value: unknown, name: string | undefined): unknown =>
  name === undefined ? value : (value as Json | null | undefined)?.[name];
const statusOf = ({ sent }: Exchange) => ('error' in sent ? 0 : sent.status);
const isSuccess = (one: Exchange) => statusOf(one) >= 200 && statusOf(one) <= 299;
/** Whether the service may have acted on a change, according to its response. */
const mayHaveActed = (one: Exchange) =>
  'error' in one.sent
    ? !isUnsent(one.sent)
    : isSuccess(one) || statusOf(one) === 408 || (statusOf(one) >= 500 && statusOf(one) !== 503);

/** The exchanges of the request itself, without lookups and polls. */
function exchangesOf({ ending, line }: Course): Exchange[] {
  const { method, path } = ending.reported.request ?? {};
  const route = path?.split('?', 1)[0];
  return line.exchanges.filter(({ request }) => request.method === method && request.path === route);
}

/** All changes go to one path. After a response that leaves it open whether the change was made, it is resent only after a lookup. */
export function checkRepeats(course: Course): void {
  const { line } = course;
  const own = new Set(exchangesOf(course));
  const changes = line.exchanges.filter(({ request }) => request.method !== 'GET');
  const elsewhere = changes.find((one) => !own.has(one));
  if (elsewhere)
    throw new Error(`sent ${elsewhere.request.method} ${elsewhere.request.path}, but reported another request`);
  let lost: number | undefined;
  for (const [index, one] of line.exchanges.entries()) {
    const { method } = one.request;
    if (method === 'GET' || method === 'DELETE') continue;
    if (lost !== undefined && !hasLookedUp(course, line.exchanges.slice(lost + 1, index)))
      throw new Error(`sent ${method} ${one.request.path} twice`);
    lost = mayHaveActed(one) ? index : undefined;
  }
}

/** If it is uncertain whether a change was made, the step fails and says so. */
export function checkUncertainty(course: Course): void {
  const { error } = course.ending;
  const last = exchangesOf(course).at(-1);
  if (!last || ['GET', 'DELETE'].includes(last.request.method) || isSuccess(last) || !mayHaveActed(last)) return;
  if (canBeLookedUp(course) || error instanceof StoppedError) return;
  if (!(error instanceof UncertainError)) throw new Error(`hides that the outcome is unknown: ${String(error)}`);
}

/** Whether it is a create of an object that can be looked up: by a unique name or ID, or because a branch has at most one. */
function canBeLookedUp({ step: { verb, segment, inputs } }: Course): boolean {
  if (verb !== 'create') return false;
  const body = JSON.parse(inputs.body ?? '{}') as Json;
  if (segment === 'endpoints') return body.type === 'read_write';
  if (segment === 'auth' || segment === 'data-api') return true;
  if (!['projects', 'branches', 'databases', 'roles'].includes(segment)) return false;
  const given = segment === 'branches' ? inputs.branch_name : inputs.resource_id;
  return (given ?? body[segment === 'projects' ? 'id' : 'name']) !== undefined;
}

/** Whether a lookup has shown that no object of that name exists. */
function hasLookedUp(course: Course, between: Exchange[]): boolean {
  if (!canBeLookedUp(course)) return false;
  const path = pathOf(course.ending);
  return between.some((one) => {
    if (`${one.request.path}/`.startsWith(`${path}/`) && statusOf(one) === 404) return true;
    const endpoints = fieldOf(jsonOf(one.sent), 'endpoints');
    if (one.request.method === 'GET' && one.request.path === path && Array.isArray(endpoints)) return true;
    if (one.request.path !== path || !one.request.query.has('search')) return false;
    const branches = fieldOf(jsonOf(one.sent), 'branches');
    return Array.isArray(branches) && branches.every((branch) => fieldOf(branch, 'name') !== wanted.name);
  });
}

/** The reported response is one that the service returned: complete, with its status, and about the right object. */
export function checkResponse(course: Course): void {
  const { step, ending, line } = course;
  const { response } = ending.reported;
  const own = exchangesOf(course);
  const { verb, segment } = step;
  if (!response) {
    if (ending.error === undefined && own.some(isSuccess)) throw new Error('did not report the response');
    return;
  }
  const body: unknown = JSON.parse(response.body);
  const path = pathOf(ending);
  // Before a change is sent again, its object and its branch are looked at; what the service says then may be the reason why the step fails.
  const isCheck = ({ request }: Exchange) =>
    response.status >= 300 &&
    request.method === 'GET' &&
    (request.path === path || (/\/branches\/[^/]+$/.test(request.path) && path.startsWith(`${request.path}/`)));
  const candidates = line.exchanges.filter(
    (one) => own.includes(one) || isCheck(one) || (verb === 'create' && one.request.path.startsWith(path)),
  );
  const matching = candidates.filter((one) => statusOf(one) === response.status);
  const equal = matching.filter((one) => isDeepStrictEqual(jsonOf(one.sent) ?? null, body));
  const fail = (what: string): never => {
    throw new Error(`${what}: ${response.status} ${response.body}`);
  };
  if (matching.length === 0) fail('reported a status that the service never returned');
  if (response.status >= 300 && !isErrorBody(body)) fail('reported more than the error response had');
  if (verb === 'list' && response.status < 300 && !isDeepStrictEqual(body, listed(course, own)))
    fail('did not list all objects');
  if (verb === 'list' || response.status >= 300) return;
  if (equal.length === 0) fail('reported a body that the service never returned');
  if (ending.error !== undefined || verb === undefined) return;
  if (verb !== 'create' && !equal.includes(own.findLast(isSuccess) as Exchange))
    fail('reported a response other than the last');
  // Only these have published responses.
  if (!['projects', 'branches', 'endpoints', 'databases', 'roles', 'operations'].includes(segment)) return;
  const byName = segment === 'databases' || segment === 'roles';
  const key = fieldOf(fieldOf(body, wrapOf(segment)), byName ? 'name' : 'id') ?? undefined;
  if (
    ['get', 'delete'].includes(verb) &&
    step.inputs.resource_id &&
    key !== undefined &&
    String(key) !== keyOf(segment)
  )
    fail('reported another object');
}

const pathOf = ({ reported }: Ending) => reported.request?.path.split('?', 1)[0] ?? '';

function isErrorBody(body: unknown): boolean {
  if (body === null) return true;
  const fields = Object.entries(body as Json);
  return fields.every(([name, value]) => ['request_id', 'code', 'message'].includes(name) && typeof value === 'string');
}

/** The objects of all readable pages. */
function listed({ step, line }: Course, pages: Exchange[]): unknown[] {
  const { segment, inputs } = step;
  const isPublished = ['projects', 'branches', 'endpoints', 'databases', 'roles', 'operations', 'api_keys'].includes(
    segment,
  );
  const items = pages.flatMap(({ sent }) => {
    const body = jsonOf(sent);
    if (Array.isArray(body)) return body as unknown[];
    const named = fieldOf(body, segment);
    if (Array.isArray(named)) return named as unknown[];
    const lists = isPublished ? [] : Object.values((body ?? {}) as Json).filter(Array.isArray);
    return lists.length === 1 ? (lists[0] as unknown[]) : [];
  });
  const isLimited =
    ['endpoints', 'operations'].includes(segment) && (inputs.branch_id ?? inputs.branch_name) !== undefined;
  if (!isLimited) return items;
  // A changed response may have given the branch another ID.
  const read = line.exchanges.flatMap(({ request }) => /\/branches\/([^/]+)$/.exec(request.path)?.[1] ?? []).at(-1);
  return items.filter((item) => fieldOf(item, 'branch_id') === (read ?? keyOf('branches')));
}

/** `created` and `deleted` are only reported if the responses show it, and agree with the action. */
export function checkFlags(course: Course): void {
  const { step, ending } = course;
  const { action, created, deleted } = ending.reported;
  if ((action === 'created') !== Boolean(created) || (action === 'deleted') !== Boolean(deleted))
    throw new Error(`reported the action ${action} with created: ${created} and deleted: ${deleted}`);
  const own = exchangesOf(course);
  const last = own.at(-1);
  const method = last?.request.method;
  if (created && !(method === 'POST' && own.some(mayHaveActed)))
    throw new Error('reported a create that did not happen');
  if (deleted && !(method === 'DELETE' && own.some(mayHaveActed)))
    throw new Error('reported a delete that did not happen');
  if (ending.error !== undefined || !last) return;
  const status = statusOf(last);
  if (step.verb === 'create' && !created) {
    if (step.inputs.if_exists === 'fail') throw new Error('reused an object despite `if_exists: fail`');
    if (!own.some((one) => statusOf(one) === 409 || mayHaveActed(one)))
      throw new Error('reused an object without a sign that it exists');
  }
  if (method === 'DELETE' && !deleted && ![204, 404, 410].includes(status)) throw new Error('did not report a delete');
}
