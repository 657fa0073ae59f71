import { branch as readBranch } from '../../src/service/types.ts';
import { isObject } from '../../src/text/json.ts';
import { type HttpRequest, projectId } from './account.ts';
import { event } from './play.ts';
import { type Exchange, jsonOf } from './service.ts';

/** A branch in a list. */
export interface ListedBranch {
  id: string;
  name: string;
  guarded: boolean;
  /** Whether it does not say whether it is. */
  unknown: boolean;
  parent: string | undefined;
  created: number;
  /** The repository and the pull request in its metadata. */
  repository: string;
  pullRequest: string;
  ref: string;
  run: string;
  createId: string;
  reset: number;
}

export const isDelete = ({ method }: HttpRequest) => method === 'DELETE';
export const isList = ({ method, path }: HttpRequest) => method === 'GET' && path === `/projects/${projectId}/branches`;

type Json = Record<string, unknown>;
const within = (value: unknown, ...names: string[]): unknown =>
  names.reduce((at: unknown, name) => (at as Json | null | undefined)?.[name], value);
const textIn = (value: unknown, ...names: string[]): string => {
  const found = within(value, ...names);
  return typeof found === 'string' ? found : '';
};

/** The branches of a list, or undefined if the action can't read it. */
export function branchesIn({ sent }: Exchange): ListedBranch[] | undefined {
  const page = jsonOf(sent);
  const branches = within(page, 'branches');
  const next = within(page, 'pagination', 'next') ?? '';
  if (!Array.isArray(branches) || typeof next !== 'string') return undefined;
  /** A value that is not text counts as its JSON. */
  const metadata = (id: string, key: string) => {
    const value = within(page, 'annotations', id, 'value', key) ?? '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  try {
    return branches.map((one) => {
      const { id, name } = readBranch(one, 'branch');
      return {
        id,
        name,
        guarded: ['default', 'primary', 'protected'].some((field) => within(one, field) === true),
        unknown: [['default', 'primary'], ['protected']].some((fields) =>
          fields.every((field) => typeof within(one, field) !== 'boolean'),
        ),
        parent: textIn(one, 'parent_id') || undefined,
        created: Date.parse(textIn(one, 'created_at')),
        repository: metadata(id, 'github-commit-repo'),
        pullRequest: metadata(id, 'github-pr-number'),
        ref: metadata(id, 'github-commit-ref'),
        run: metadata(id, 'github-run-id'),
        createId: metadata(id, 'database-branch-create-id'),
        reset: textIn(one, 'last_reset_at') === '' ? 0 : Date.parse(textIn(one, 'last_reset_at')),
      };
    });
  } catch {
    return undefined;
  }
}

/** What a run knew at some time. */
export interface Known {
  /** Once for each time that a branch was listed before the first deletion. */
  listed: ListedBranch[];
  /** Whether every list came with metadata. */
  hasMetadata: boolean;
  /** The service's clock, in milliseconds since the epoch. */
  now: number;
  /** Whether the service's clock ever differed from the runner's by more than an hour. */
  skewed: boolean;
  /** Whether GitHub responded in the last 15 s that the pull request is closed; with `closedBy`, since then. */
  closed(pullRequest: string, closedBy?: number): boolean;
  /** Whether GitHub responded in the last 15 s that no open pull request has this head ref. */
  headIsFree(ref: string): boolean;
  /** What GitHub responded about a workflow run: whether this attempt of it has ended. */
  runHasEnded(run: string, attempt: number): boolean | undefined;
  /** Every git branch that GitHub listed; undefined if the end of the list or the default branch is missing. */
  gitBranches: Set<string> | undefined;
  /** When the compute of a branch was last active; undefined if it has none. */
  lastActive(id: string): number | undefined;
}

const longestAgeMs = 15_000;
const hour = 3_600_000;

/** What is known from these exchanges to a request that is sent at `at`; default: at any time. */
export function knownFrom(exchanges: Exchange[], started: number, at?: number): Known {
  const end = exchanges.findIndex(({ request }) => isDelete(request));
  const before = end < 0 ? exchanges : exchanges.slice(0, end);
  const lists = before.filter((one) => isList(one.request) && branchesIn(one));
  const dates = lists.map(({ sent }) => ('headers' in sent ? Date.parse(sent.headers.date ?? '') : Number.NaN));
  const isNew = (one: Exchange) => at === undefined || at - one.at <= longestAgeMs + 10;
  const readings = exchanges
    .filter(({ to }) => to === 'GitHub')
    .map((one) => ({ one, repository: within(jsonOf(one.sent), 'data', 'repository') as Json }))
    .filter(({ repository }) => typeof repository === 'object' && repository !== null);
  const refs = readings.map(({ repository }) => within(repository, 'refs')).filter(Boolean);
  const complete = refs.length > 0 && within(refs.at(-1), 'pageInfo', 'hasNextPage') === false;
  const named = new Set(refs.flatMap((one) => within(one, 'nodes')).map((node) => textIn(node, 'name')));
  const withRefs = readings.findLast(({ repository }) => within(repository, 'refs'));
  const defaultBranch = textIn(withRefs?.repository, 'defaultBranchRef', 'name');
  const endpoints = before
    .filter(({ request }) => request.method === 'GET' && request.path.endsWith('/endpoints'))
    .map(({ sent }) => within(jsonOf(sent), 'endpoints'))
    .findLast(Array.isArray) as unknown[] | undefined;
  return {
    listed: lists.flatMap((one) => branchesIn(one) ?? []),
    hasMetadata: lists.every(({ sent }) => isObject(within(jsonOf(sent), 'annotations'))),
    now: dates.findLast((date) => !Number.isNaN(date)) ?? started,
    skewed: lists.some((one, index) => Math.abs((dates[index] ?? 0) - one.at) > hour + 10),
    closed(pullRequest, closedBy) {
      const last = readings.findLast(({ repository }) => within(repository, `p${pullRequest}`));
      if (!last || !isNew(last.one)) return false;
      const state = within(last.repository, `p${pullRequest}`);
      const closedAt = Date.parse(textIn(state, 'closedAt'));
      return ['CLOSED', 'MERGED'].includes(textIn(state, 'state')) && (closedBy === undefined || closedAt <= closedBy);
    },
    headIsFree(ref) {
      const last = readings.findLast(({ one }) => headOf(one, ref));
      if (!last || !isNew(last.one)) return false;
      const nodes = within(last.repository, headOf(last.one, ref) ?? '', 'nodes');
      return Array.isArray(nodes) && nodes.length === 0;
    },
    runHasEnded(run, attempt) {
      const about = (one: Exchange) => one.to === 'GitHub' && one.request.path.endsWith(`/actions/runs/${run}`);
      const read = exchanges.filter(about).map(({ sent }) => (isReadable(sent) ? jsonOf(sent) : {}));
      const last = read.findLast(
        (one) => String(within(one, 'id')) === run && typeof within(one, 'status') === 'string',
      );
      const latest = within(last, 'run_attempt');
      if (last === undefined) return undefined;
      return textIn(last, 'status') === 'completed' || (typeof latest === 'number' && latest > attempt);
    },
    gitBranches: complete && defaultBranch !== '' && named.has(defaultBranch) ? named : undefined,
    lastActive(id) {
      const own = endpoints?.filter((one) => within(one, 'branch_id') === id) ?? [];
      return own.length === 0 ? undefined : Math.max(...own.map((one) => Date.parse(textIn(one, 'last_active'))));
    },
  };
}

/** Whether GitHub's client reads a response as JSON. */
function isReadable(sent: Exchange['sent']): boolean {
  return 'status' in sent && sent.status >= 200 && sent.status < 300 && /json/.test(sent.headers['content-type'] ?? '');
}

/** The name of the field with the open pull requests of a head ref. */
function headOf({ request }: Exchange, ref: string): string | undefined {
  const { variables = {} } = JSON.parse(request.body || '{}') as { variables?: Record<string, unknown> };
  return Object.keys(variables).find((name) => /^h\d/.test(name) && variables[name] === ref);
}

/** Durations are milliseconds. */
export interface PruneRules {
  olderThan?: number | undefined;
  closedFor?: number | undefined;
  unusedFor?: number | undefined;
  prefix?: string | undefined;
  excluded?: RegExp | undefined;
}

/** Why a branch may be deleted by the documented rules; undefined if it must be kept. */
export function reasonFor(
  id: string,
  known: Known,
  rules: PruneRules,
): 'pull request' | 'age' | 'git branch' | 'rehearsal' | undefined {
  const entries = known.listed.filter((one) => one.id === id);
  const last = entries.at(-1);
  // One such entry is enough.
  if (!last || last.unknown || entries.some(({ guarded }) => guarded) || rules.excluded?.test(last.name))
    return undefined;
  const { olderThan, closedFor, unusedFor } = rules;
  if (known.skewed && (olderThan ?? closedFor ?? unusedFor) !== undefined) return undefined;
  const unusedSince = known.lastActive(id) ?? Math.max(last.created, last.reset);
  if (unusedFor !== undefined && !(Math.max(0, known.now - unusedSince) >= unusedFor)) return undefined;
  const closedBy = closedFor === undefined ? undefined : known.now - closedFor;
  const mentioned = [...last.name.matchAll(/(?<=^|[^a-z0-9])pr-(\d+)(?=([^a-z0-9]?))(?![a-z0-9])/gi)];
  const areClosed = (by?: number) => mentioned.every(([, number = '']) => known.closed(number, by));
  if (last.repository !== '') {
    if (last.repository.toLowerCase() !== event.repository.toLowerCase()) return undefined;
    const [, run = '', attempt = '', start = ''] = /^rehearsal\/(\d+)-(\d+)-([\da-f]{8})$/.exec(last.name) ?? [];
    if (run !== '' && last.run === run && last.createId.startsWith(start)) {
      const ended = known.runHasEnded(run, Number(attempt));
      if (ended !== undefined) return ended ? 'rehearsal' : undefined;
      const age = known.skewed ? Number.NaN : known.now - last.created;
      return age > 5 * 24 * hour ? 'rehearsal' : olderThan !== undefined && age > olderThan ? 'age' : undefined;
    }
    if (last.ref !== '' && !known.headIsFree(last.ref)) return undefined;
    if (last.pullRequest !== '') {
      if (!/^[1-9]\d{0,8}$/.test(last.pullRequest) || !known.closed(last.pullRequest)) return undefined;
      if (known.closed(last.pullRequest, closedBy)) return 'pull request';
    } else if (!areClosed()) return undefined;
    return olderThan !== undefined && known.now - last.created > olderThan ? 'age' : undefined;
  }
  if (rules.prefix === undefined || !last.name.startsWith(rules.prefix)) return undefined;
  const hasMetadata = [last.pullRequest, last.ref, last.run, last.createId].some((value) => value !== '');
  if (!known.hasMetadata || hasMetadata || /(^|\/)tags\//i.test(last.name)) return undefined;
  const numbers = [...last.name.replace(/-(?=\d*[a-f])[\da-f]{8}$/, '').matchAll(/\d+/g)];
  if (!numbers.every(([number]) => /^[1-9]\d{0,8}$/.test(number) && known.closed(number, closedBy))) return undefined;
  const rest = last.name.slice(rules.prefix.length);
  if (rest === '' || !known.gitBranches || known.gitBranches.has(rest) || !known.headIsFree(rest)) return undefined;
  return mentioned.some(([, , next]) => next === '' || next === '-') ? 'pull request' : 'git branch';
}
