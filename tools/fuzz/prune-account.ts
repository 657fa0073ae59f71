import fc from 'fast-check';
import { type Good, type HttpRequest, projectId } from './account.ts';
import type { Strange } from './changes.ts';
import { event } from './play.ts';

/** A branch of the service. */
interface ServiceBranch {
  id: string;
  name: string;
  parent: string | undefined;
  default: boolean;
  protected: boolean;
  /** `protected`: someone protects it right before its deletion. `free`: someone removes the protection after it was listed. */
  turns: 'protected' | 'free' | undefined;
  /** The repository that its metadata names. */
  repository: string | undefined;
  pullRequest: string | undefined;
  /** The git ref in its metadata. */
  ref: string | undefined;
  /** The workflow run in its metadata, if it is the branch of a rehearsal. */
  run: string | undefined;
  created: string;
  /** Last activity of its compute; undefined if it has none. */
  lastActive: string | undefined;
}

/** A project with the branches that a prune finds. */
export interface Project {
  branches: ServiceBranch[];
  /** Branches per page of the list. */
  perPage: number;
  /** Whether the last branch of a page is also the first one of the next. */
  overlap: boolean;
  /** Whether pull request 7 is reopened after the first deletion is sent. */
  reopens: boolean;
}

const elsewhere = 'another/repo';
const names = [
  ...['preview/pr-7', 'preview/pr-8', 'preview/pr-9-login', 'preview/pr-7-pr-8', 'preview/pr-10', 'preview/pr-7/api'],
  ...['rehearsal/11-1-0a1b2c3d', 'rehearsal/12-1-0a1b2c3d', 'rehearsal/13-1-0a1b2c3d', 'rehearsal/11-1-x'],
  ...['preview/feature/here', 'preview/feature/gone', 'preview/main', 'staging', 'pr-7', 'feature/gone', 'gone'],
];

const made = fc.record({
  name: fc.constantFrom(...names),
  parent: fc.nat(8),
  guard: fc.constantFrom(...['', '', '', '', '', '', 'default', 'protected', 'soon', 'once']),
  repository: fc.constantFrom(...[event.repository, event.repository, event.repository.toUpperCase(), elsewhere, '']),
  pullRequest: fc.constantFrom('7', '7', '8', '9', '10', '07', ''),
  ref: fc.constantFrom('', '', 'feature/free', 'contested'),
  isRehearsal: fc.boolean(),
  created: fc.constantFrom('2026-03-04T05:06:00Z', '2026-03-01T05:06:07Z', '2025-11-04T05:06:07Z'),
  lastActive: fc.constantFrom('', '2026-03-04T05:00:00Z', '2025-11-04T05:06:07Z', 'never'),
});

/** A default branch, which would be stale otherwise, and up to eight others of all kinds. */
export const anyProject: fc.Arbitrary<Project> = fc
  .record({
    all: fc.uniqueArray(made, { selector: ({ name }) => name, minLength: 1, maxLength: 8 }),
    perPage: fc.constantFrom(2, 5, 1_000),
    overlap: fc.boolean(),
    reopens: fc.boolean(),
  })
  .map(({ all, ...list }) => {
    const [metadata, created] = [{ repository: event.repository, pullRequest: '7' }, '2025-11-04T05:06:07Z'];
    const main: ServiceBranch = {
      ...metadata,
      created,
      id: idOf(0),
      name: 'main',
      parent: undefined,
      default: true,
      protected: false,
      turns: undefined,
      ref: undefined,
      run: undefined,
      lastActive: undefined,
    };
    const others = all.map(
      ({ guard, parent, repository, pullRequest, ref, isRehearsal, lastActive, ...more }, index) => ({
        ...more,
        id: idOf(index + 1),
        parent: idOf(parent % (index + 1)),
        default: guard === 'default',
        protected: guard === 'protected' || guard === 'once',
        turns: turns[guard],
        repository: repository || undefined,
        pullRequest: pullRequest || undefined,
        ref: ref || undefined,
        run: isRehearsal ? /^rehearsal\/(\d+)/.exec(more.name)?.[1] : undefined,
        lastActive: lastActive || undefined,
      }),
    );
    return { branches: [main, ...others], ...list };
  });

const turns: Record<string, ServiceBranch['turns']> = { soon: 'protected', once: 'free' };
const idOf = (index: number) => `br-number-${index}`;

export const strange: Strange = {
  values: [
    ...[...names, 'main', idOf(0), idOf(1), idOf(2), idOf(3), projectId, event.repository, elsewhere],
    ...['7', '8', '9', 'OPEN', 'CLOSED', 'MERGED', 'running', 'finished', 'failed', 'error', 'cancelled', 'c1'],
    ...['2025-11-04T05:06:07Z', 'never', '../../x', '', ' ', '0', 'a\nb'],
    ...[null, true, false, 0, -1, 7, 1e308, [], {}, [null], [[]], { state: 'CLOSED' }, { p8: { state: 'CLOSED' } }],
    ...[{ nodes: [], pageInfo: { hasNextPage: false } }, [{ type: 'FORBIDDEN', message: 'no' }], { id: idOf(1) }],
    ...[[{ message: 'rate limit' }], { [idOf(1)]: { value: { 'github-commit-repo': event.repository } } }],
  ],
  swaps: [
    ['"protected":false', '"protected":true'],
    ['"protected":true', '"protected":false'],
    ['"default":false', '"primary":true,"default":false'],
    ['"OPEN"', '"CLOSED"'],
    ['"CLOSED"', '"OPEN"'],
    [event.repository, elsewhere],
    [elsewhere, event.repository],
    [idOf(1), idOf(2)],
    [idOf(2), idOf(0)],
    ['"hasNextPage":false', '"hasNextPage":true'],
    ['"hasNextPage":true', '"hasNextPage":false'],
    ['"completed"', '"in_progress"'],
    ['"in_progress"', '"completed"'],
    ['"run_attempt":1', '"run_attempt":2'],
    ['"finished"', '"running"'],
    ['"finished"', '"failed"'],
    ['"next":', '"before":'],
    ['"sort_by":"created_at"', '"sort_by":"created_at","next":"c1"'],
  ],
  routes: ['graphql', 'graphql', 'runs', 'branches', 'endpoints', 'operations', 'DELETE', 'GET'],
};

function branch(made: ServiceBranch) {
  return {
    id: made.id,
    project_id: projectId,
    ...(made.parent === undefined ? {} : { parent_id: made.parent }),
    name: made.name,
    current_state: 'ready',
    default: made.default,
    protected: made.protected,
    created_at: made.created,
  };
}

function annotation({ repository, pullRequest, ref, run }: ServiceBranch) {
  const value = {
    ...(repository === undefined ? {} : { 'github-commit-repo': repository }),
    ...(pullRequest === undefined ? {} : { 'github-pr-number': pullRequest }),
    ...(ref === undefined ? {} : { 'github-commit-ref': ref }),
    ...(run === undefined ? {} : { 'github-run-id': run, 'database-branch-create-id': '0a1b2c3d-4f7e' }),
  };
  return { object: { type: 'console/branch' }, value };
}

const operation = (branchId: string, status: string) => ({
  id: `op-of-${branchId}`,
  project_id: projectId,
  branch_id: branchId,
  action: 'delete_timeline',
  status,
  failures_count: 0,
  total_duration_ms: 5,
});

/** The service's correct responses. A deletion removes the branch. */
export function serviceOf({ branches, perPage, overlap }: Project): (request: HttpRequest) => Good {
  const existing = new Map(branches.map((one) => [one.id, { ...one }]));
  const ended: unknown[] = [];
  return ({ method, path, query }) => {
    const route = path.replace(`/projects/${projectId}`, '');
    const ok = (body: unknown): Good => ({ status: 200, body });
    if (method === 'GET' && route === '/branches') {
      const start = Number(query.get('cursor')?.slice(1) ?? 0);
      const page = [...existing.values()].slice(start, start + perPage);
      const end = start + perPage;
      const next = end < existing.size ? { next: `c${overlap ? end - 1 : end}` } : {};
      const annotations = Object.fromEntries(page.map((one) => [one.id, annotation(one)]));
      const listed = page.map(branch);
      for (const one of page) if (one.turns === 'free') one.protected = false;
      return ok({ branches: listed, annotations, pagination: { sort_by: 'created_at', ...next } });
    }
    if (method === 'GET' && route === '/endpoints') {
      const active = [...existing.values()].filter(({ lastActive }) => lastActive !== undefined);
      return ok({ endpoints: active.map(({ id, lastActive }) => ({ branch_id: id, last_active: lastActive })) });
    }
    if (method === 'GET' && route === '/operations') return ok({ operations: ended, pagination: {} });
    const one = existing.get(/^\/branches\/([\w-]+)$/.exec(route)?.[1] ?? '');
    if (method === 'GET' && one) return ok({ branch: branch(one), annotation: annotation(one) });
    if (method !== 'DELETE' || !one) return { status: 404, body: { code: '', message: 'not found' } };
    one.protected ||= one.turns === 'protected';
    if (one.protected) return { status: 422, body: { code: '', message: 'branch is protected' } };
    if ([...existing.values()].some(({ parent }) => parent === one.id)) {
      return { status: 422, body: { code: '', message: 'branch has children' } };
    }
    existing.delete(one.id);
    ended.push(operation(one.id, 'finished'));
    return ok({ branch: branch(one), operations: [operation(one.id, 'running')] });
  };
}

interface PullRequest {
  state: 'OPEN' | 'CLOSED' | 'MERGED';
  closedAt: string | null;
}
/** The status of workflow runs; others are unknown. */
const runs: Record<string, string> = { 11: 'completed', 12: 'in_progress' };
const isOpen: PullRequest = { state: 'OPEN', closedAt: null };
const pages = [
  { names: ['main', 'develop'], next: 'g1' },
  { names: ['feature/here'], next: null },
];
/** The head refs of open pull requests. */
const heads: Record<string, number> = { contested: 8 };

/** GitHub's correct responses: three pull requests, two workflow runs, and git branches on two pages. */
export function gitHubOf(hasDeleted: () => boolean): (request: HttpRequest) => Good {
  return ({ path, body }) => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const [, run = ''] = /\/actions\/runs\/(\d+)$/.exec(path) ?? [];
    if (runs[run]) return { status: 200, body: { id: Number(run), status: runs[run], run_attempt: 1 }, headers };
    if (path !== '/graphql') return { status: 404, body: { message: 'Not Found' }, headers };
    const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, string | null> };
    if (query.includes('refs(')) {
      const { names, next } = pages[variables.after === 'g1' ? 1 : 0] ?? { names: [], next: null };
      const pageInfo = { hasNextPage: next !== null, endCursor: next };
      const refs = { nodes: names.map((name) => ({ name })), pageInfo };
      return { status: 200, body: { data: { repository: { defaultBranchRef: { name: 'main' }, refs } } }, headers };
    }
    const pullRequests: Record<string, PullRequest> = {
      7: hasDeleted() ? isOpen : { state: 'CLOSED', closedAt: '2026-03-04T04:00:00Z' },
      8: isOpen,
      9: { state: 'MERGED', closedAt: '2025-12-01T00:00:00Z' },
    };
    const requested = [...query.matchAll(/pullRequest\(number: (\d+)\)/g)].map(([, number = '']) => number);
    const repository: Record<string, unknown> = {};
    for (const number of requested) repository[`p${number}`] = pullRequests[number] ?? null;
    for (const [name, value] of Object.entries(variables)) {
      const head = heads[value ?? ''];
      if (/^h\d/.test(name)) repository[name] = { nodes: head === undefined ? [] : [{ number: head }] };
      const ref = value?.replace('refs/heads/', '') ?? '';
      if (/^g\d/.test(name)) repository[name] = pages.some(({ names }) => names.includes(ref)) ? { name: ref } : null;
    }
    const errors = requested
      .filter((number) => pullRequests[number] === undefined)
      .map((number) => ({ type: 'NOT_FOUND', path: ['repository', `p${number}`], message: 'Could not resolve' }));
    return { status: 200, body: { data: { repository }, ...(errors.length > 0 ? { errors } : {}) }, headers };
  };
}
