import { branch as readBranch } from '../../src/api/types.ts';
import { type Asked, projectId } from './account.ts';
import { event } from './play.ts';
import { type Exchange, jsonOf } from './service.ts';

/** A branch as a list has it. */
export interface ListedBranch {
  id: string;
  name: string;
  guarded: boolean;
  parent: string | undefined;
  created: number;
  /** The repository and the pull request in its metadata. */
  repository: string;
  pullRequest: string;
}

export const isDelete = ({ method }: Asked) => method === 'DELETE';
export const isList = ({ method, path }: Asked) => method === 'GET' && path === `/projects/${projectId}/branches`;

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
  try {
    return branches.map((one) => {
      const { id, name } = readBranch(one, 'branch');
      return {
        id,
        name,
        guarded: ['default', 'primary', 'protected'].some((field) => within(one, field) === true),
        parent: textIn(one, 'parent_id') || undefined,
        created: Date.parse(textIn(one, 'created_at')),
        repository: textIn(page, 'annotations', id, 'value', 'github-commit-repo'),
        pullRequest: textIn(page, 'annotations', id, 'value', 'github-pr-number'),
      };
    });
  } catch {
    return undefined;
  }
}

/** What a run knew when it sent its first deletion. */
export interface Known {
  /** Once for each time that a branch was listed. */
  listed: ListedBranch[];
  /** The service's clock, in milliseconds since the epoch. */
  now: number;
  closed(pullRequest: string): boolean;
  /** Every git branch that GitHub listed; undefined if the end of the list or the default branch is missing. */
  gitBranches: Set<string> | undefined;
}

export function knownFrom(exchanges: Exchange[], started: number): Known {
  const end = exchanges.findIndex(({ asked }) => isDelete(asked));
  const before = end < 0 ? exchanges : exchanges.slice(0, end);
  const lists = before.filter((one) => isList(one.asked) && branchesIn(one));
  const dates = lists.map(({ sent }) => ('headers' in sent ? Date.parse(sent.headers.date ?? '') : Number.NaN));
  const repositories = before
    .filter(({ to }) => to === 'GitHub')
    .map(({ sent }) => within(jsonOf(sent), 'data', 'repository'))
    .filter((one) => typeof one === 'object' && one !== null);
  const refs = repositories.map((one) => within(one, 'refs')).filter(Boolean);
  const complete = refs.length > 0 && within(refs.at(-1), 'pageInfo', 'hasNextPage') === false;
  const named = new Set(refs.flatMap((one) => within(one, 'nodes')).map((node) => textIn(node, 'name')));
  const defaultBranch = textIn(repositories.at(-1), 'defaultBranchRef', 'name');
  return {
    listed: lists.flatMap((one) => branchesIn(one) ?? []),
    now: dates.findLast((date) => !Number.isNaN(date)) ?? started,
    closed(pullRequest) {
      const states = repositories.map((one) => within(one, `p${pullRequest}`)).filter(Boolean);
      return ['CLOSED', 'MERGED'].includes(textIn(states.at(-1), 'state'));
    },
    gitBranches: complete && defaultBranch !== '' && named.has(defaultBranch) ? named : undefined,
  };
}

/** Why a branch may be deleted by the documented rules; undefined if it must be kept. */
export function reasonFor(
  id: string,
  known: Known,
  rules: { olderThanMs?: number; prefix?: string },
): 'pull request' | 'age' | 'git branch' | undefined {
  const entries = known.listed.filter((one) => one.id === id);
  const last = entries.at(-1);
  // One entry that says so is enough.
  if (!last || entries.some(({ guarded }) => guarded)) return undefined;
  if (last.repository !== '') {
    if (last.repository.toLowerCase() !== event.repository.toLowerCase()) return undefined;
    if (/^[1-9]\d{0,8}$/.test(last.pullRequest) && known.closed(last.pullRequest)) return 'pull request';
    const { olderThanMs } = rules;
    return olderThanMs !== undefined && known.now - last.created > olderThanMs ? 'age' : undefined;
  }
  if (rules.prefix === undefined || !last.name.startsWith(rules.prefix)) return undefined;
  const mentioned = [...last.name.matchAll(/(?<=^|[^a-z0-9])pr-(\d+)(?=([^a-z0-9]?))(?![a-z0-9])/gi)];
  if (!mentioned.every(([, number = '']) => known.closed(number))) return undefined;
  if (mentioned.some(([, , next]) => next === '' || next === '-')) return 'pull request';
  const rest = last.name.slice(rules.prefix.length);
  return rest !== '' && known.gitBranches && !known.gitBranches.has(rest) ? 'git branch' : undefined;
}
