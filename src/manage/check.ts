import { type Given, type Inputs, isEmpty, namesBranch } from '../inputs/fields.ts';
import { branchNameOf, type RunEvent } from '../step/event.ts';
import { echo, isConnectionString, missing } from '../step/invalid.ts';
import { listOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { isObject } from '../text/json.ts';
import { isSegment } from '../text/url.ts';
import { checkRawRequest } from './check-raw-request.ts';
import { aKind, type Kind, kindOf, kinds, nearestKind } from './kinds.ts';
import { describe, givenName, idInputFor, type ManagePlan, planOf, verbOf } from './plan.ts';
import { unwrapped } from './routes.ts';

/** What is invalid in the inputs of `manage`. */
export function checkManage(options: { inputs: Given; event: RunEvent }): string[] {
  const { inputs, event } = options;
  const errors: string[] = [];
  if (inputs.if_exists === 'reset' || inputs.if_exists === 'recreate') {
    const expected = `expected reuse or fail (\`command: create\` accepts ${inputs.if_exists} for branches)`;
    errors.push(`if_exists: "${inputs.if_exists}" is invalid with \`command: manage\`; ${expected}`);
  }
  const byKind = !isEmpty(inputs, 'resource') || !isEmpty(inputs, 'verb');
  const byPath = !isEmpty(inputs, 'method') || !isEmpty(inputs, 'path');
  const lacking = namesBranch(inputs) || branchNameOf(event) !== undefined ? undefined : event;
  if (byKind && byPath) {
    errors.push('`resource` and `verb` are mutually exclusive with `method` and `path`');
  } else if (byKind) {
    errors.push(...checkKind(inputs, lacking));
  } else if (byPath) {
    if (isEmpty(inputs, 'method')) errors.push(missing('method', 'set it to GET, POST, PUT, PATCH or DELETE'));
    if (isEmpty(inputs, 'path'))
      errors.push(missing('path', 'set it to a path relative to the base URL, such as /projects'));
    errors.push(...checkRawRequest(inputs, lacking));
  } else {
    const example = '`resource: role` and `verb: create`';
    errors.push(`either resource and verb (such as ${example}) or method and path are required`);
  }
  return errors;
}

/** `lacking`: the event, if neither it nor an input names a branch. */
function checkKind(inputs: Given, lacking: RunEvent | undefined): string[] {
  const names = kinds.map((kind) => kind.one);
  if (inputs.resource === undefined) {
    return [missing('resource', `set it to a kind of object: ${listOf(names, 'or')}`)];
  }
  const kind = kindOf(inputs.resource);
  if (!kind) {
    const expected = `expected a kind of object (${names.join(', ')}) or, for another account-level kind, the first segment of its path in the API, such as webhooks for /webhooks`;
    const rest = 'for any other request, use `method` and `path`';
    return [`resource: ${echo(inputs.resource)} is invalid; ${expected}; ${rest}`];
  }
  const meant = kind.known ? undefined : nearestKind(inputs.resource);
  if (meant) {
    const unknown = `resource: unknown kind ${echo(inputs.resource)}; did you mean ${show(meant.one)}?`;
    return [`${unknown} If not, use \`method\` and \`path\``];
  }
  if (inputs.verb === undefined) {
    return isEmpty(inputs, 'verb') ? [missing('verb', `${kind.many} support ${listOf(kind.verbs, 'and')}`)] : [];
  }
  const plan = planOf(inputs);
  if (!plan) {
    const expected = `for ${kind.many}; expected ${listOf(kind.verbs, 'or')}`;
    return [`verb: "${verbOf(kind, inputs)}" is invalid ${expected}`];
  }
  return [
    ...checkOwners(plan, inputs, lacking),
    ...checkId(plan, inputs),
    ...checkRestore(plan, inputs),
    ...checkBody(plan, inputs),
  ];
}

function checkOwners({ kind, branch }: ManagePlan, inputs: Given, lacking: RunEvent | undefined): string[] {
  const errors: string[] = [];
  const owner = kind.owner === 'branch' ? 'a branch in a project' : 'a project';
  if (kind.owner !== 'account' && isEmpty(inputs, 'project_id')) {
    errors.push(missing('project_id', `${aKind(kind)} belongs to ${owner}`));
  }
  if (branch === 'required' && lacking) {
    const event = `event ${show(lacking.name)} names none`;
    errors.push(missing('branch_id or branch_name', `${aKind(kind)} belongs to a branch, and ${event}`));
  }
  return errors;
}

function checkId(plan: ManagePlan, inputs: Given): string[] {
  const { kind, verb } = plan;
  const id = inputs.resource_id;
  if (id === undefined) {
    const mayBeInBody = verb === 'delete' && kind.bodyFor.includes(verb);
    const needsOne = kind.inPath.includes(verb) || (mayBeInBody && inputs.body === undefined);
    if (!needsOne || plan.id !== undefined || plan.idFromBranch || !isEmpty(inputs, 'resource_id')) return [];
    const others = [idInputFor(kind, verb), kind.nameInput].filter((name) => name !== undefined);
    const instead = others.length > 0 ? ` (or set ${listOf(others, 'or')})` : '';
    const what = kind.inPath.includes('create')
      ? kind.idHint
      : `the ${kind.key === 'id' ? 'ID' : 'name'} of the ${kind.one}`;
    return [missing('resource_id', `set it to ${what}${instead}`)];
  }
  if (isConnectionString(id)) {
    return ['resource_id: a connection URI (not shown) is invalid; expected an ID or a name'];
  }
  const mustBeEmpty = `resource_id must be empty to ${describe(plan)}`;
  if (verb === 'list') {
    const hint = kind.verbs.includes('get') ? `; \`verb: get\` reads one ${kind.one}` : '';
    return [`${mustBeEmpty}${hint}`];
  }
  if (kind.noId) return [`${mustBeEmpty}: ${kind.noId}`];
  if (verb === 'create' && kind.uniqueField !== kind.key && !kind.inPath.includes(verb)) {
    return [`${mustBeEmpty}: the service chooses the ID`];
  }
  if (isSegment(id) && (kind.idForm?.test(id) ?? true)) return [];
  return [`resource_id: ${(kind.showId ?? echo)(id)} is invalid; expected ${kind.idHint}`];
}

/** A restore must name the branch that it replaces, once. */
function checkRestore({ verb }: ManagePlan, inputs: Given): string[] {
  if (verb !== 'restore') return [];
  const { target_branch_id, finalize_restore } = isObject(inputs.body) ? inputs.body : {};
  if (target_branch_id !== undefined && namesBranch(inputs)) {
    const why = 'each names the branch that the snapshot is restored to';
    return [`target_branch_id in body can't be combined with branch_id or branch_name: ${why}`];
  }
  if (finalize_restore !== true || target_branch_id !== undefined || namesBranch(inputs)) return [];
  const why = 'otherwise the restore would replace the branch that the snapshot was taken from';
  return [`branch_id or branch_name is required with finalize_restore in body: ${why}`];
}

/** What is invalid in the payload of an object. */
function checkBody(plan: ManagePlan, inputs: Partial<Inputs>): string[] {
  const { kind, verb } = plan;
  if (!('body' in inputs)) return [];
  const { body } = inputs;
  if (!kind.bodyFor.includes(verb)) return body === undefined ? [] : [`body must be empty to ${describe(plan)}`];
  if (body !== undefined && !isObject(body)) {
    return [`body is invalid; expected a JSON object such as ${kind.examplePayload}`];
  }
  const problem = body && kind.checkBody?.(unwrapped(kind, body) ?? {}, { verb, doing: describe(plan) });
  if (problem) return [problem];
  if (verb !== 'create' && verb !== 'update') return [];
  if (body === undefined) {
    return verb === 'create' && canCreateWithoutBody(kind, inputs)
      ? []
      : [missing('body', `set it to the payload to ${describe(plan)}, such as ${kind.examplePayload}`)];
  }
  return verb === 'create' ? checkNewObject(kind, inputs, unwrapped(kind, body) ?? {}) : [];
}

function canCreateWithoutBody(kind: Kind, inputs: Partial<Inputs>): boolean {
  return kind.createNeeds === 'nothing' || (kind.createNeeds === 'name' && givenName(kind, inputs) !== undefined);
}

function checkNewObject(kind: Kind, inputs: Partial<Inputs>, object: Record<string, unknown>): string[] {
  const errors: string[] = [];
  const name = givenName(kind, inputs);
  const inBody = kind.uniqueField && object[kind.uniqueField];
  if (name !== undefined && typeof inBody === 'string' && inBody !== name) {
    const input = inputs.resource_id === undefined ? kind.nameInput : 'resource_id';
    errors.push(`body and ${input} give different names: ${echo(inBody)} and ${echo(name)}`);
  }
  const needsName = kind.uniqueField === 'name' && kind.key === 'name' && name === undefined;
  if (needsName && !(typeof inBody === 'string' && isSegment(inBody))) {
    errors.push(`body must contain the name of the new ${kind.one}, such as ${kind.examplePayload}`);
  }
  const { branch_id } = object;
  if (kind.createdOnBranch && branch_id !== undefined && inputs.branch_name !== undefined) {
    errors.push('branch_id in body and the input branch_name are mutually exclusive: both name a branch');
  }
  const hasOther = branch_id !== undefined && inputs.branch_id !== undefined && branch_id !== inputs.branch_id;
  if (kind.createdOnBranch && hasOther) {
    const both = `${echo(String(branch_id))} and ${echo(inputs.branch_id ?? '')}`;
    errors.push(`body and branch_id refer to different branches: ${both}`);
  }
  return errors;
}
