import { isChange } from '../http/request.ts';
import type { Inputs } from '../inputs/fields.ts';
import { echo, type InvalidInput, missing } from '../inputs/invalid.ts';
import type { RunEvent } from '../runner/event.ts';
import { listOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { hasDots, isSegment } from '../text/url.ts';

const placeholders = ['project_id', 'branch_id', 'resource_id'] as const;

/** Inputs that a path contains as `{name}`. */
export function placeholdersOf(path: string): string[] {
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
