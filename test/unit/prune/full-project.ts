import type { Context } from '../../../src/context.ts';
import { ApiError } from '../../../src/http/errors.ts';
import { createWithRoom } from '../../../src/prune/room.ts';
import type { CreateAttempt, Creation } from '../../../src/service/create.ts';
import type { Reply, Sent } from '../../support/mock-api.ts';
import { type GitHubScript, pruneContext } from './prune-context.ts';

export const noRoom = 'BRANCHES_LIMIT_EXCEEDED';
export const noRootRoom = 'ROOT_BRANCHES_LIMIT_EXCEEDED';
export const created = { outcome: 'created' } as Creation;

export function refusal(code: string, status = 422): ApiError {
  return new ApiError({
    request: { goal: 'create branch "new"', method: 'POST', path: '/branches' },
    failure: { kind: 'status', what: `${status} ${code}`, status, code, mayHaveActed: false },
    attempts: 1,
    mayHaveActed: false,
  });
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
  refusals: Error[];
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
    if (method === 'GET') {
      const other = path.includes('search=') ? undefined : onList?.(mock.stop);
      if (other) return other;
      const listed = [...left.values()];
      const annotations = Object.fromEntries(
        listed.flatMap(({ id, metadata }) =>
          metadata ? [[id, { value: { 'github-commit-repo': 'octo-org/octo-repo', ...metadata } }]] : [],
        ),
      );
      const fields = { created_at: '2025-01-01T00:00:00Z' };
      return { body: { branches: listed.map((one) => ({ name: one.id, ...fields, ...one })), annotations } };
    }
    const id = /branches\/([\w-]+)/.exec(path)?.[1] ?? '';
    const failure = onDelete?.(id);
    if (failure) return failure;
    left.delete(id);
    const operations = [{ id: 'op-1', action: 'delete_timeline', status: 'running' }];
    return { body: { branch: { id, name: id }, operations } };
  };
  const mock = pruneContext(reply, timeoutMs, gitHub);
  const errors = [...refusals];
  let attempts = 0;
  const attempt = {
    branch: { name: 'new', parentId },
    send: async () => {
      attempts++;
      const error = errors.shift();
      if (error) throw error;
      return created;
    },
  } as unknown as CreateAttempt;
  const context: Context = { ...mock.context, inputs: { ...mock.context.inputs, older_than: 1, ...inputs } };
  return {
    ...mock,
    left: () => [...left.keys()],
    attempts: () => attempts,
    run: () => createWithRoom(context, attempt),
    message: () =>
      createWithRoom(context, attempt).then(
        () => undefined,
        (error: Error) => error.message,
      ),
  };
}
