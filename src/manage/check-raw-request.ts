import { isChange } from '../http/request.ts';
import { type Inputs, isEmpty } from '../inputs/fields.ts';
import type { RunEvent } from '../step/event.ts';
import { echo, missing } from '../step/invalid.ts';
import { listOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { hasDots, isSegment } from '../text/url.ts';

const placeholders = ['project_id', 'branch_id', 'resource_id'];

/** Inputs that a path contains as `{name}`. */
export function placeholdersOf(path: string): string[] {
  return [...new Set([...path.matchAll(/\{([a-z_]+)\}/gi)].map(([, name = '']) => name))];
}

/** Whether a raw request deletes the branch that `{branch_id}` stands for. */
export function deletesBranch({ method, path = '' }: Partial<Inputs>): boolean {
  return method === 'DELETE' && /\{branch_id\}$/i.test(path.split(/[?#]/, 1)[0] ?? '');
}

/** What is invalid in the inputs of a raw request. `lacking`: the event, if neither it nor an input names a branch. */
export function checkRawRequest(inputs: Partial<Inputs>, lacking: RunEvent | undefined): string[] {
  const { method, path, body, branch_id, resource_id } = inputs;
  const errors: string[] = [];
  if (method === 'GET' && body !== undefined) errors.push('body must be empty with `method: GET`');
  if (path === undefined) return errors;
  const [route = ''] = path.split('?', 1);
  // An expression that came out empty would turn the path of an object into that of what it belongs to.
  if (method !== undefined && isChange(method) && /\/(\/|$)/.test(route)) {
    errors.push(`path: ${echo(route)} has an empty segment; check the expressions in it, or remove the slash`);
  }
  const used = placeholdersOf(path);
  const unknown = used.flatMap((name) => (placeholders.includes(name) ? [] : [`{${name}}`]));
  if (unknown.length > 0) {
    const are = `${listOf(unknown, 'and')} ${unknown.length > 1 ? 'are' : 'is'}`;
    errors.push(`path: ${are} invalid; expected {project_id}, {branch_id} or {resource_id}`);
  }
  for (const name of ['project_id', 'resource_id'] as const) {
    if (used.includes(name) && isEmpty(inputs, name)) errors.push(missing(name, `\`path\` contains {${name}}`));
  }
  if (used.includes('branch_id') && isEmpty(inputs, 'project_id') && !branch_id) {
    errors.push(missing('project_id', '`path` contains {branch_id}, which is looked up in the project'));
  }
  if (used.includes('branch_id') && lacking) {
    const why = `\`path\` contains {branch_id}, and event ${show(lacking.name)} names no branch`;
    errors.push(missing('branch_id or branch_name', why));
  }
  if (resource_id !== undefined && !used.includes('resource_id')) {
    errors.push('resource_id must be empty if `path` has no {resource_id}');
  } else if (resource_id !== undefined) {
    // It may form a `..` together with its surroundings.
    const isDangerous = () => hasDots(route.replaceAll('{resource_id}', () => encodeURIComponent(resource_id)));
    if (!isSegment(resource_id) || isDangerous()) {
      errors.push(`resource_id: ${echo(resource_id)} is invalid; expected a single path segment`);
    }
  }
  return errors;
}
