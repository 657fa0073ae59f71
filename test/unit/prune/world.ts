import { type Outcome, prune, type Step, type Wanted } from '../../../src/prune/prune.ts';
import { parseEvent } from '../../../src/step/event.ts';
import { ErrorResponse } from '../../../tools/github/response.ts';
import { respondToRest } from '../../../tools/github/rest.ts';
import { Shapes } from '../../../tools/github/shapes.ts';
import { type Pull, RepositoryState } from '../../../tools/github/state.ts';
import { schedule } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { mockApi, type Reply, type Sent, scriptedFetch } from '../../support/mock-api.ts';

export const repository = 'octo-org/octo-repo';
export const day = 86_400_000;
const longAgo = '2026-02-01T00:00:00Z';
const permissions = { contents: 'read', issues: 'none', pullRequests: 'read' } as const;

/** A service and a GitHub in memory. Each request takes `latencyMs` by a clock that only they and sleeping move. */
export function world({ latencyMs = 50, timeoutMs = 3_600_000 } = {}) {
  const account = new Account();
  /** `DELETE br-1`, `GET /branches`, `GitHub /octo-org/octo-repo/pulls`, in order. */
  const calls: string[] = [];
  let before: (call: string) => Reply | undefined = () => undefined;
  const mock = mockApi(
    (sent) => {
      const call = Account.route(sent).startsWith('DELETE') ? `DELETE ${idIn(sent)}` : Account.route(sent);
      return pass(call) ?? account.respond(sent);
    },
    { timeoutMs },
  );
  const { clock } = mock;
  account.now = clock.now;
  const states = [new RepositoryState(repository, { now: clock.now })];
  const pass = (call: string) => {
    clock.pass(latencyMs);
    calls.push(call);
    return before(call);
  };
  const gitHub = scriptedFetch(({ method, path, origin }) => {
    const { pathname, searchParams: query } = new URL(path, origin);
    const at = decodeURIComponent(pathname);
    const instead = pass(`GitHub ${at.replace('/repos', '')}`);
    const headers = { date: new Date(clock.now()).toUTCString() };
    if (instead) return { ...instead, headers: { ...headers, ...instead.headers } };
    const state = states.find(({ fullName }) => `${at}/`.toLowerCase().startsWith(`/repos/${fullName}/`.toLowerCase()));
    if (!state) return { status: 404, headers, body: { message: 'Not Found' } };
    const shapes = new Shapes(origin, state);
    try {
      const reply = respondToRest(
        { method, path: at, query, body: undefined, base: origin },
        { state, shapes, permissions },
      );
      return { ...reply, headers: { ...headers, ...reply.headers } };
    } catch (error) {
      if (error instanceof ErrorResponse) return { ...error.response, headers };
      throw error;
    }
  });
  const lines: string[] = [];
  const warnings: string[] = [];
  const note = (line: string) => void lines.push(line);
  const event = schedule();
  const step: Step = {
    inputs: { project_id: 'p', github_token: 'ghs_x', timeout: timeoutMs },
    event: parseEvent({
      env: {
        ...event.env,
        GITHUB_EVENT_NAME: event.name,
        GITHUB_REPOSITORY: repository,
        GITHUB_REPOSITORY_ID: String(states[0]?.id),
      },
      payload: {},
    }),
    api: mock.api,
    connectGitHub: async () => gitHub,
    log: {
      ...{ info: note, debug: () => {}, notice: note },
      group: (_, all) => void lines.push(...all),
      warning: (line) => void warnings.push(line),
    },
    started: () => {},
  };
  return {
    ...{ account, clock, calls, lines, warnings, step },
    gitHub: states[0] as RepositoryState,
    addRepository(name: string) {
      const state = new RepositoryState(name, { now: clock.now, id: 100 + states.length });
      states.push(state);
      return state;
    },
    /** Called before each request; may change something, or return another response. */
    before(hook: typeof before) {
      before = hook;
    },
    /** A branch as the action makes it for a pull request, which is closed unless `pull` says otherwise. */
    add(number: number, { pull = {}, ...fields }: { pull?: Partial<Pull> | 'none' } & Partial<Fields> = {}) {
      const { name = `preview/pr-${number}`, metadata = {}, ...more } = fields;
      if (pull !== 'none')
        states[0]?.addPull({
          number,
          state: 'closed',
          updatedAt: longAgo,
          ...(pull.state !== 'open' && { closedAt: longAgo }),
          ...pull,
        });
      const own = { 'github-commit-repo': repository, 'github-pr-number': String(number), ...metadata };
      return account.add({ name, ...more }, { endpoint: false, metadata: own });
    },
    /** A branch without metadata. */
    addUnnamed: (name: string) => account.add({ name }, { endpoint: false, metadata: {} }),
    async prune(wanted: Partial<Wanted['settings']> & Omit<Wanted, 'settings'> = {}) {
      const { repositories, dryRun, spare, record, ...settings } = wanted;
      const outcomes = await prune(step, {
        settings: { patterns: [], exclude: [], ...settings },
        ...{ repositories, dryRun, spare, record },
      });
      return summary(outcomes);
    },
    left: () => account.branches.map(({ name }) => name).filter((name) => name !== 'main'),
  };
}

interface Fields {
  name: string;
  parent_id: string;
  created_at: string;
  metadata: Record<string, string>;
  [field: string]: unknown;
}

function summary(outcomes: Outcome[]) {
  const named = (wanted: Outcome['outcome'], why: 'reason' | 'note') =>
    Object.fromEntries(
      outcomes.filter(({ outcome }) => outcome === wanted).map((one) => [one.branch.name, String(one[why])]),
    );
  const { main: _, ...kept } = named('kept', 'note');
  return {
    ...{ kept, deleted: named('deleted', 'reason'), planned: named('planned', 'reason') },
    failed: named('failed', 'note'),
  };
}

function idIn({ path }: Sent): string {
  return /\/branches\/([^/?]+)/.exec(path)?.[1] ?? '';
}
