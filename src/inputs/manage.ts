import { aKind, isSegment, type Kind, kindOf, kinds } from '../objects/kinds.ts';
import { isObject, unwrapped } from '../objects/payload.ts';
import { branchNameOf, type RunEvent } from '../runner/event.ts';
import { show } from '../text/inert.ts';
import type { Inputs } from './fields.ts';
import { isConnectionString } from './parse.ts';
import { describe, givenName, namesBranch, type Plan, planOf, verbOf } from './plan.ts';

type Given = Partial<Inputs>;

/** Faults of the inputs of `manage`, one line each. An input that is not in `inputs` at all is faulty, which is said already. */
export function checkManage(options: { inputs: Given; event: RunEvent }): string[] {
  const { inputs } = options;
  const faults: string[] = [];
  if (inputs.if_exists === 'reset') {
    faults.push('if_exists: got reset, takes reuse or fail with `command: manage`; `command: reset` resets a branch');
  }
  const isEmpty = (name: keyof Inputs) => name in inputs && inputs[name] === undefined;
  const byKind = !isEmpty('resource') || !isEmpty('verb');
  const byPath = !isEmpty('method') || !isEmpty('path');
  if (byKind && byPath) {
    faults.push('resource / verb and method / path: got some of both, takes one of the two pairs');
  } else if (byKind) {
    faults.push(...checkKind(options));
  } else if (byPath) {
    if (isEmpty('method')) faults.push('method: is empty, takes GET, POST, PUT, PATCH or DELETE with `path`');
    if (isEmpty('path')) faults.push('path: is empty, takes a path below the base URL with `method`');
    faults.push(...checkPath(options));
  } else {
    faults.push(
      'resource and verb: are empty, as are method and path; `command: manage` takes `resource: role` and `verb: create`, say',
    );
  }
  return faults;
}

const verbsOf = (kind: Kind) => listOf(kind.verbs);

function listOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}

function checkKind(options: { inputs: Given; event: RunEvent }): string[] {
  const { inputs, event } = options;
  if (inputs.resource === undefined) {
    return [`resource: is empty, takes a kind of object with \`verb\`: ${listOf(kinds.map((kind) => kind.one))}`];
  }
  const kind = kindOf(inputs.resource);
  if (!kind) {
    return [
      `resource: got ${show(inputs.resource)}, takes a kind of object: ${listOf(kinds.map((one) => one.one))}, or the first part of its path; there are \`method\` and \`path\` for the rest`,
    ];
  }
  if (inputs.verb === undefined) {
    return 'verb' in inputs ? [`verb: is empty, takes one of those that ${aKind(kind)} has: ${verbsOf(kind)}`] : [];
  }
  const verb = verbOf(kind, inputs);
  const plan = planOf(inputs);
  if (!plan) return [`verb: got ${verb}, but ${aKind(kind)} has ${verbsOf(kind)} only`];
  return [...checkOwners({ plan, inputs, event }), ...checkId(plan, inputs), ...checkBody(plan, inputs)];
}

function checkOwners(options: { plan: Plan; inputs: Given; event: RunEvent }): string[] {
  const { plan, inputs, event } = options;
  const faults: string[] = [];
  const owner = plan.kind.owner === 'branch' ? 'a branch of a project' : 'a project';
  if (plan.kind.owner !== 'account' && 'project_id' in inputs && inputs.project_id === undefined) {
    faults.push(`project_id: is empty, but ${aKind(plan.kind)} belongs to ${owner}; takes the project's ID`);
  }
  if (plan.branch === 'needed' && lacksBranch(inputs, event)) {
    faults.push(
      `branch_id and branch_name: are empty, and event ${show(event.name)} names no branch, but ${aKind(plan.kind)} belongs to one; takes one of the two`,
    );
  }
  return faults;
}

function lacksBranch(inputs: Given, event: RunEvent): boolean {
  const known = !('branch_id' in inputs && 'branch_name' in inputs) || namesBranch(inputs);
  return !known && branchNameOf(event) === undefined;
}

/** IDs by kind, where their form is known: something else, a name or a key, would only lead to a 404. */
const idForms: Record<string, { form: RegExp; takes: string }> = {
  projects: { form: /^[a-z0-9-]{1,60}$/, takes: "the project's ID, such as shiny-wind-028834" },
  branches: {
    form: /^[a-z0-9-]{1,60}$/,
    takes: "the branch's ID, such as br-wispy-meadow-118737; a name goes into branch_name",
  },
  endpoints: { form: /^[a-z0-9-]{1,60}$/, takes: "the compute endpoint's ID, such as ep-silent-smoke-806639" },
  operations: { form: /^[\w-]{1,64}$/, takes: "the operation's ID, as the output operation_ids has it" },
  api_keys: { form: /^[\w-]{1,40}$/, takes: "the key's ID, such as 165432, and never the key itself" },
};

function checkId(plan: Plan, inputs: Given): string[] {
  const { kind, verb } = plan;
  const id = inputs.resource_id;
  if (id === undefined) {
    const unneeded = verb === 'create' || verb === 'list' || kind.fixedPath !== undefined;
    if (unneeded || plan.id !== undefined || plan.idFromBranch || !('resource_id' in inputs)) return [];
    const other = { projects: ', or project_id', branches: ', or branch_id or branch_name' }[kind.segment] ?? '';
    return [`resource_id: is empty, takes the ${kind.key} of the ${kind.one}${other}`];
  }
  if (isConnectionString(id)) return ['resource_id: got a connection string (not shown), takes an ID or a name'];
  if (verb === 'list') return [`resource_id: got ${show(id)}, but ${describe(plan)} takes none; \`get\` reads one`];
  if (verb === 'create' && kind.natural !== kind.key) {
    return [`resource_id: got ${show(id)}, but the service chooses the ID of a new ${kind.one}`];
  }
  if (kind.segment === 'users' && id !== 'me') {
    return [`resource_id: got ${show(id)}, takes nothing, or me: the service shows only the user whose key it is`];
  }
  const known = idForms[kind.segment];
  if (known && !known.form.test(id)) {
    const got = kind.segment === 'api_keys' ? 'something else (not shown)' : show(id);
    return [`resource_id: got ${got}, takes ${known.takes}`];
  }
  return isSegment(id) ? [] : [`resource_id: got ${show(id)}, takes the ${kind.key} of the ${kind.one}`];
}

/** What a payload may look like, by kind. */
const examples: Record<string, string> = {
  api_keys: '{"key_name": "ci"}',
  endpoints: '{"type": "read_only"}',
  databases: '{"name": "app", "owner_name": "app"}',
};

function checkBody(plan: Plan, inputs: Given): string[] {
  const { kind, verb } = plan;
  if (!('body' in inputs)) return [];
  const { body } = inputs;
  const example = examples[kind.segment] ?? '{"name": "app"}';
  const sendsNone = verb === 'get' || verb === 'list' || (verb === 'delete' && !kind.keyInQuery);
  if (sendsNone) return body === undefined ? [] : [`body: got a payload, but ${describe(plan)} sends none`];
  if (body !== undefined && !isObject(body)) return [`body: got other JSON, takes a JSON object: ${example}`];
  if (verb === 'delete') return [];
  const optional = verb === 'create' && (kind.segment === 'projects' || kind.segment === 'branches');
  const name = verb === 'create' ? givenName(kind, inputs) : undefined;
  if (body === undefined) {
    if (optional || (name !== undefined && kind.segment !== 'databases')) return [];
    return [`body: is empty, but ${describe(plan)} needs a payload: ${example}`];
  }
  const object = unwrapped(kind, body) ?? {};
  const faults: string[] = [];
  const inBody = kind.natural && object[kind.natural];
  if (name !== undefined && typeof inBody === 'string' && inBody !== name) {
    const input = inputs.resource_id === undefined ? 'branch_name' : 'resource_id';
    faults.push(`body and ${input}: got the names ${show(inBody)} and ${show(name)}, takes one`);
  }
  if (verb === 'create' && kind.natural === 'name' && kind.key === 'name' && name === undefined) {
    const isName = typeof inBody === 'string' && isSegment(inBody);
    if (!isName) faults.push(`body: has no name for the new ${kind.one}, takes ${example}`);
  }
  const ofBranch = kind.segment === 'endpoints' && verb === 'create' ? object.branch_id : undefined;
  if (ofBranch !== undefined && inputs.branch_id !== undefined && ofBranch !== inputs.branch_id) {
    faults.push(`body and branch_id: got the branches ${show(String(ofBranch))} and ${inputs.branch_id}, takes one`);
  }
  return faults;
}

const placeholders = ['project_id', 'branch_id', 'resource_id'] as const;

/** Inputs that a path refers to as `{name}`. */
export function placeholdersOf(path: string): string[] {
  return [...new Set([...path.matchAll(/\{([a-z_]+)\}/gi)].map(([, name = '']) => name))];
}

function checkPath(options: { inputs: Given; event: RunEvent }): string[] {
  const { inputs, event } = options;
  const faults: string[] = [];
  if (inputs.method === 'GET' && inputs.body !== undefined) {
    faults.push('body: got a payload, but `method: GET` sends none');
  }
  if (inputs.path === undefined) return faults;
  const used = placeholdersOf(inputs.path);
  const strange = used.filter((name) => !(placeholders as readonly string[]).includes(name));
  if (strange.length > 0) {
    faults.push(`path: has {${strange.join('}, {')}}, takes {${placeholders.join('}, {')}} for those inputs`);
  }
  for (const name of ['project_id', 'resource_id'] as const) {
    if (used.includes(name) && name in inputs && inputs[name] === undefined) {
      faults.push(`${name}: is empty, but path has {${name}}`);
    }
  }
  if (used.includes('branch_id') && 'project_id' in inputs && inputs.project_id === undefined && !inputs.branch_id) {
    faults.push('project_id: is empty, but path has {branch_id}, which is looked up in the project');
  }
  if (used.includes('branch_id') && lacksBranch(inputs, event)) {
    faults.push(
      `branch_id and branch_name: are empty, and event ${show(event.name)} names none, but path has {branch_id}`,
    );
  }
  if (inputs.resource_id !== undefined && !used.includes('resource_id')) {
    faults.push('resource_id: got an ID, but path has no {resource_id}');
  } else if (inputs.resource_id !== undefined && !isSegment(inputs.resource_id)) {
    faults.push(`resource_id: got ${show(inputs.resource_id)}, takes one part of the path`);
  }
  return faults;
}
