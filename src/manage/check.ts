import { branchNameOf, type RunEvent } from '../step/event.ts';
import { type Given, isEmpty, namesBranch } from '../step/inputs.ts';
import { echo, missing } from '../step/invalid.ts';
import { listOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { isObject } from '../text/json.ts';
import { isSegment } from '../text/url.ts';
import type { ManageInputs } from './inputs.ts';
import { kindOf, kinds, verbsOf } from './kinds.ts';
import { neededInputs, type Plan, planOf, usesBranch } from './request.ts';

export function check({ inputs, event }: { inputs: Given<ManageInputs>; event: RunEvent }): string[] {
  const byKind = !isEmpty(inputs, 'resource') || !isEmpty(inputs, 'verb');
  const byPath = !isEmpty(inputs, 'method') || !isEmpty(inputs, 'path');
  if (byKind && byPath) return ['`resource` and `verb` are mutually exclusive with `method` and `path`'];
  const plan = planOf(inputs);
  if (!plan) return byPath ? checkRaw(inputs) : checkKind(inputs);
  return [...checkNeeded(plan, inputs, event), ...checkId(plan, inputs), ...checkBody(plan, inputs)];
}

function checkRaw(inputs: Given<ManageInputs>): string[] {
  const names = (['method', 'path'] as const).filter((name) => isEmpty(inputs, name));
  return names.map((name) => missing(name, 'a raw request needs `method` and `path`'));
}

/** Why inputs that name no raw request name nothing else either. An input that is invalid itself has an error of its own. */
function checkKind(inputs: Given<ManageInputs>): string[] {
  const { resource, verb } = inputs;
  const known = listOf(
    kinds.map(({ name }) => name),
    'or',
  );
  const raw = 'for anything else, set `method` and `path`';
  if (isEmpty(inputs, 'resource')) return [missing('resource', `set it to ${known}; ${raw}`)];
  if (resource === undefined) return [];
  const kind = kindOf(resource);
  if (!kind) return [`resource: ${echo(resource)} is invalid; expected ${known}; ${raw}`];
  const supported = listOf(verbsOf(kind), 'or');
  if (verb !== undefined) return [`verb: "${verb}" is invalid for ${kind.many}; expected ${supported}`];
  return isEmpty(inputs, 'verb') ? [missing('verb', `set it to ${supported}`)] : [];
}

/** The inputs that the path needs. The event may name the branch that something belongs to, but not the object itself. */
function checkNeeded(plan: Plan, inputs: Given<ManageInputs>, event: RunEvent): string[] {
  const needed = neededInputs(plan.path);
  if (usesBranch(plan, inputs)) {
    needed.add('branch_id');
    if (isEmpty(inputs, 'branch_id')) needed.add('project_id');
  }
  const isSet = (name: string, isAlone: boolean) => {
    if (name !== 'branch_id') return !isEmpty(inputs, name as keyof ManageInputs);
    return namesBranch(inputs) || (isAlone && branchNameOf(event) !== undefined);
  };
  const where = `${plan.method} ${plan.path}`;
  return [...needed].flatMap((group) => {
    const names = group.split('|');
    if (names.some((name) => isSet(name, names.length === 1))) return [];
    const inOne = names.flatMap((name) => (name === 'branch_id' ? ['branch_id', 'branch_name'] : [name]));
    const noEvent = group === 'branch_id' ? `, and event ${show(event.name)} names no branch` : '';
    return [missing(listOf(inOne, 'or'), `the request is ${where}${noEvent}`)];
  });
}

function checkId({ path, about }: Plan, { resource_id }: Given<ManageInputs>): string[] {
  if (resource_id === undefined) return [];
  const isUsed = !about || path.includes('{resource_id') || (about.verb === 'create' && about.kind.named);
  if (!isUsed) return [`resource_id must be empty to ${about.verb} ${about.kind.many}`];
  // An empty segment, or dots, would lead to another object.
  return isSegment(resource_id) ? [] : [`resource_id: ${echo(resource_id)} is invalid; expected an ID or a name`];
}

function checkBody({ method, about }: Plan, { body }: Given<ManageInputs>): string[] {
  if (body === undefined) return [];
  if (method === 'GET') return ['body must be empty for a GET request'];
  return about && !isObject(body) ? ['body is invalid; expected a JSON object such as {"name": "app"}'] : [];
}
