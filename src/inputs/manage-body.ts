import type { Kind } from '../objects/kind.ts';
import { isObject, unwrapped } from '../objects/payload.ts';
import { isSegment } from '../objects/routes.ts';
import { listOf } from '../text/list.ts';
import type { Inputs } from './fields.ts';
import { combination, type InvalidInput, missing } from './invalid.ts';
import { echo } from './key.ts';
import { describe, givenName, type Plan } from './plan.ts';

/** What is invalid in the payload of an object. */
export function checkBody(plan: Plan, inputs: Partial<Inputs>): InvalidInput[] {
  const { kind, verb } = plan;
  if (!('body' in inputs)) return [];
  const { body } = inputs;
  const expected = `expected a JSON object such as ${kind.examplePayload}`;
  const error = (message: string) => [{ input: 'body', message }];
  const sendsNone = verb === 'get' || verb === 'list' || (verb === 'delete' && !kind.idInQuery);
  if (kind.organizationField !== undefined && isObject(body) && kind.organizationField in body) {
    const id = body[kind.organizationField];
    const invalid = `${kind.organizationField} in body is invalid; expected the ID of an organization, such as org-quiet-harbor-12345678`;
    if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id)) return error(invalid);
    if (sendsNone && Object.keys(body).length === 1) return [];
  }
  if (sendsNone) return body === undefined ? [] : error(`body must be empty to ${describe(plan)}`);
  if (body !== undefined && !isObject(body)) return error(`body is invalid; ${expected}`);
  if (verb === 'delete' || verb === 'restore') return [];
  if (body === undefined) {
    return verb === 'create' && canCreateWithoutBody(kind, inputs)
      ? []
      : [missing('body', `the payload to ${describe(plan)}, such as ${kind.examplePayload}`)];
  }
  return verb === 'create' ? checkNewObject(kind, inputs, unwrapped(kind, body) ?? {}) : [];
}

function canCreateWithoutBody(kind: Kind, inputs: Partial<Inputs>): boolean {
  return kind.createNeeds === 'nothing' || (kind.createNeeds === 'name' && givenName(kind, inputs) !== undefined);
}

function checkNewObject(kind: Kind, inputs: Partial<Inputs>, object: Record<string, unknown>): InvalidInput[] {
  const errors: InvalidInput[] = [];
  const name = givenName(kind, inputs);
  const inBody = kind.uniqueField && object[kind.uniqueField];
  if (name !== undefined && typeof inBody === 'string' && inBody !== name) {
    const input = inputs.resource_id === undefined ? kind.nameInput : 'resource_id';
    errors.push(combination(`body and ${input} give different names: ${echo(inBody)} and ${echo(name)}`));
  }
  const needsName = kind.uniqueField === 'name' && kind.key === 'name' && name === undefined;
  if (needsName && !(typeof inBody === 'string' && isSegment(inBody))) {
    const message = `body must contain the name of the new ${kind.one}, such as ${kind.examplePayload}`;
    errors.push({ input: 'body', message });
  }
  const allowed = kind.createdBelowBranch?.query;
  const others = Object.keys(object).filter((field) => allowed?.includes(field) === false);
  if (allowed && others.length > 0) {
    const expected = `${kind.many} are created with ${listOf(allowed, 'and')} only`;
    errors.push({ input: 'body', message: `body: ${others.map(echo).join(', ')} is invalid; ${expected}` });
  }
  const { branch_id } = object;
  if (kind.createdOnBranch && branch_id !== undefined && inputs.branch_name !== undefined) {
    errors.push(combination('branch_id in body, and branch_name, are mutually exclusive: each names a branch'));
  }
  const hasOther = branch_id !== undefined && inputs.branch_id !== undefined && branch_id !== inputs.branch_id;
  if (kind.createdOnBranch && hasOther) {
    const both = `${echo(String(branch_id))} and ${echo(inputs.branch_id ?? '')}`;
    errors.push(combination(`body and branch_id refer to different branches: ${both}`));
  }
  return errors;
}
