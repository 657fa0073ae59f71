import { whenFull } from '../../../src/commands/on-limit.ts';
import type { Context } from '../../../src/context.ts';
import type { Reply, Sent } from '../../support/mock-api.ts';
import type { GitHubScript } from '../../support/mock-github.ts';
import { deletable, pruneContext } from '../prune/prune-context.ts';

export const noRoom = 'BRANCHES_LIMIT_EXCEEDED';
export const noRootRoom = 'ROOT_BRANCHES_LIMIT_EXCEEDED';
export const created = 'created';

export function refusal(code: string, status = 422): Reply {
  return { status, body: { code, message: '' } };
}

/** A branch of the project; it is stale if it has `metadata`. */
interface Existing {
  id: string;
  parent_id?: string;
  metadata?: Record<string, string>;
}

export const main: Existing = { id: 'main' };
/** Branches of this repository, older than `older_than`. */
export const old = (id: string, parent?: string): Existing => ({
  id,
  ...(parent === undefined ? {} : { parent_id: parent }),
  metadata: {},
});

/** A project with these branches, in which a create fails with these errors before it succeeds. */
export function fullProject(options: {
  branches: Existing[];
  refusals: Reply[];
  inputs?: Partial<Context['inputs']>;
  parentId?: string;
  timeoutMs?: number;
  /** Called when all branches are listed; may end the step or give another response. */
  onList?: (stop: () => void) => Reply | undefined;
  gitHub?: GitHubScript;
  /** The response to a delete; by default it succeeds. */
  onDelete?: (id: string) => Reply | undefined;
}) {
  const { branches, refusals, inputs, parentId, timeoutMs, gitHub, onList, onDelete } = options;
  const left = new Map(branches.map((one) => [one.id, one]));
  const reply = ({ method, path }: Sent): Reply => {
    if (path.includes('/operations'))
      return { body: { operations: [{ id: 'op-1', action: 'delete_timeline', status: 'finished' }] } };
    const one = left.get(/branches\/([\w-]+)$/.exec(path)?.[1] ?? '');
    if (method === 'GET' && one) {
      const { metadata = {} } = one;
      const annotation = { value: { 'github-commit-repo': 'octo-org/octo-repo', ...metadata } };
      return { body: { branch: { name: one.id, ...deletable, ...one }, annotation } };
    }
    if (method === 'GET') {
      const other = path.includes('search=') ? undefined : onList?.(mock.stop);
      if (other) return other;
      const listed = [...left.values()];
      const annotations = Object.fromEntries(
        listed.flatMap(({ id, metadata }) =>
          metadata ? [[id, { value: { 'github-commit-repo': 'octo-org/octo-repo', ...metadata } }]] : [],
        ),
      );
      return { body: { branches: listed.map((one) => ({ name: one.id, ...deletable, ...one })), annotations } };
    }
    if (method === 'POST') {
      attempts++;
      return replies.shift() ?? { status: 201, body: {} };
    }
    const id = /branches\/([\w-]+)/.exec(path)?.[1] ?? '';
    const failure = onDelete?.(id);
    if (failure) return failure;
    left.delete(id);
    const operations = [{ id: 'op-1', action: 'delete_timeline', status: 'running' }];
    return { body: { branch: { id, name: id }, operations } };
  };
  const mock = pruneContext(reply, timeoutMs, gitHub);
  const replies = [...refusals];
  let attempts = 0;
  const context: Context = { ...mock.context, inputs: { ...mock.context.inputs, older_than: 1, ...inputs } };
  const run = async () => {
    const branch = { name: 'new', parentId };
    const response = await context.api.request({
      ...{ goal: 'create branch "new"', method: 'POST', path: '/branches', body: {} },
      recover: whenFull(context, branch),
      read: () => created,
    });
    return response.value;
  };
  return {
    ...mock,
    /** The requests other than the create. */
    sent: () => mock.sent.filter(({ method }) => method !== 'POST'),
    left: () => [...left.keys()],
    attempts: () => attempts,
    run,
    message: () =>
      run().then(
        () => undefined,
        (error: Error) => error.message,
      ),
  };
}
