import { isDeepStrictEqual } from 'node:util';
import { StoppedError, UncertainError } from '../../src/http/errors.ts';
import { wanted } from './account.ts';
import { keyOf, wrapOf } from './manage-account.ts';
import type { Step } from './manage-steps.ts';
import type { Ending } from './play.ts';
import { type Exchange, jsonOf } from './service.ts';

interface Course {
  step: Step;
  ending: Ending;
  line: { said: Exchange[] };
}

type Json = Record<string, unknown>;

const fieldOf = (value: unknown, name: string | undefined): unknown =>
  name === undefined ? value : (value as Json | null | undefined)?.[name];
const statusOf = ({ sent }: Exchange) => ('error' in sent ? 0 : sent.status);
const isSuccess = (one: Exchange) => statusOf(one) >= 200 && statusOf(one) <= 299;
const codeOf = ({ sent }: Exchange) => ('error' in sent ? String((sent.error as NodeJS.ErrnoException).code) : '');
/** With one of these, nothing has left the runner. */
const notSent = ['ECONNREFUSED', 'ENOTFOUND', 'DEPTH_ZERO_SELF_SIGNED_CERT'];
/** Whether the service may have acted on a change, as far as its answer tells. */
const mayHaveActed = (one: Exchange) =>
  'error' in one.sent
    ? !notSent.includes(codeOf(one))
    : isSuccess(one) || statusOf(one) === 408 || (statusOf(one) >= 500 && statusOf(one) !== 503);

/** What was exchanged for the request itself: not for a look beside it, nor for waiting after it. */
function exchangesOf({ ending, line }: Course): Exchange[] {
  const { method, path } = ending.told.request ?? {};
  const route = path?.split('?', 1)[0];
  return line.said.filter(({ asked }) => asked.method === method && asked.path === route);
}

/** A change is sent to one place; and after an answer with which it may have been made, again only after a look. */
export function checkRepeats(course: Course): void {
  const { line } = course;
  const own = new Set(exchangesOf(course));
  const changes = line.said.filter(({ asked }) => asked.method !== 'GET');
  const elsewhere = changes.find((one) => !own.has(one));
  if (elsewhere)
    throw new Error(`has sent ${elsewhere.asked.method} ${elsewhere.asked.path}, and told another request`);
  let lost: number | undefined;
  for (const [index, one] of line.said.entries()) {
    const { method } = one.asked;
    if (method === 'GET' || method === 'DELETE') continue;
    if (lost !== undefined && !hasLooked(course, line.said.slice(lost + 1, index)))
      throw new Error(`has sent ${method} ${one.asked.path} twice`);
    lost = mayHaveActed(one) ? index : undefined;
  }
}

/** Where nobody can tell whether a change was made, the step fails, and says so. */
export function checkDoubt(course: Course): void {
  const { error } = course.ending;
  const last = exchangesOf(course).at(-1);
  if (!last || ['GET', 'DELETE'].includes(last.asked.method) || isSuccess(last) || !mayHaveActed(last)) return;
  if (canBeLookedUp(course) || error instanceof StoppedError) return;
  if (!(error instanceof UncertainError)) throw new Error(`says nothing of a doubt: ${String(error)}`);
}

/** Whether it is a create of an object that is found again by what only one can have: its name, or its ID. */
function canBeLookedUp({ step: { verb, segment, inputs } }: Course): boolean {
  if (verb !== 'create' || !['projects', 'branches', 'databases', 'roles'].includes(segment)) return false;
  const body = JSON.parse(inputs.body ?? '{}') as Json;
  const given = segment === 'branches' ? inputs.branch_name : inputs.resource_id;
  return (given ?? body[segment === 'projects' ? 'id' : 'name']) !== undefined;
}

/** Whether a look has shown that there is no object of the name that was to be made. */
function hasLooked(course: Course, between: Exchange[]): boolean {
  if (!canBeLookedUp(course)) return false;
  const path = pathOf(course.ending);
  return between.some((one) => {
    if (one.asked.path.startsWith(`${path}/`) && statusOf(one) === 404) return true;
    if (one.asked.path !== path || !one.asked.query.has('search')) return false;
    const branches = fieldOf(jsonOf(one.sent), 'branches');
    return Array.isArray(branches) && branches.every((branch) => fieldOf(branch, 'name') !== wanted.name);
  });
}

/** The response is what was answered: whole, with its status, and about the object that was asked for. */
export function checkResponse(course: Course): void {
  const { step, ending, line } = course;
  const { response } = ending.told;
  const own = exchangesOf(course);
  const { verb, segment } = step;
  if (!response) {
    if (ending.error === undefined && own.some(isSuccess)) throw new Error('keeps the answer to itself');
    return;
  }
  const body: unknown = JSON.parse(response.body);
  const answered = verb === 'create' ? line.said.filter(({ asked }) => asked.path.startsWith(pathOf(ending))) : own;
  const matching = answered.filter((one) => statusOf(one) === response.status);
  const equal = matching.filter((one) => isDeepStrictEqual(jsonOf(one.sent) ?? null, body));
  const fail = (what: string): never => {
    throw new Error(`${what}: ${response.status} ${response.body}`);
  };
  if (matching.length === 0) fail('has a status that nobody has answered');
  if (response.status >= 300 && !isRefusal(body)) fail('makes more of a refusal than there was');
  if (verb === 'list' && response.status < 300 && !isDeepStrictEqual(body, listed(course, own)))
    fail('has not listed all');
  if (verb === 'list' || response.status >= 300) return;
  if (equal.length === 0) fail('has a body that nobody has answered');
  if (ending.error !== undefined || verb === undefined) return;
  if (verb !== 'create' && !equal.includes(own.findLast(isSuccess) as Exchange))
    fail('has an answer that was not the last');
  // The service says publicly what its answers about these look like.
  if (!['projects', 'branches', 'endpoints', 'databases', 'roles', 'operations'].includes(segment)) return;
  const byName = segment === 'databases' || segment === 'roles';
  const key = fieldOf(fieldOf(body, wrapOf(segment)), byName ? 'name' : 'id') ?? undefined;
  if (
    ['get', 'delete'].includes(verb) &&
    step.inputs.resource_id &&
    key !== undefined &&
    String(key) !== keyOf(segment)
  )
    fail('is about another object');
}

const pathOf = ({ told }: Ending) => told.request?.path.split('?', 1)[0] ?? '';

function isRefusal(body: unknown): boolean {
  if (body === null) return true;
  const fields = Object.entries(body as Json);
  return fields.every(([name, value]) => ['request_id', 'code', 'message'].includes(name) && typeof value === 'string');
}

/** The objects of all pages that can be read. */
function listed({ step }: Course, pages: Exchange[]): unknown[] {
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
  const isNarrow =
    ['endpoints', 'operations'].includes(segment) && (inputs.branch_id ?? inputs.branch_name) !== undefined;
  if (!isNarrow) return items;
  return items.filter((item) => fieldOf(item, 'branch_id') === keyOf('branches'));
}

/** What is told to be made or deleted is known to be. */
export function checkFlags(course: Course): void {
  const { step, ending } = course;
  const { created, deleted } = ending.told;
  const own = exchangesOf(course);
  const last = own.at(-1);
  const method = last?.asked.method;
  if (created && !(method === 'POST' && own.some(mayHaveActed)))
    throw new Error('says that it has made what it has not');
  if (deleted && !(method === 'DELETE' && own.some(mayHaveActed)))
    throw new Error('says that it has deleted what it has not');
  if (ending.error !== undefined || !last) return;
  const status = statusOf(last);
  if (step.verb === 'create' && !created) {
    if (step.inputs.if_exists === 'fail') throw new Error('uses what is there, where it was to fail');
    if (!own.some((one) => statusOf(one) === 409 || mayHaveActed(one))) throw new Error('uses what nobody has told of');
  }
  if (method === 'DELETE' && !deleted && ![204, 404, 410].includes(status))
    throw new Error('does not say that it has deleted');
}
