import { branch as readBranch } from '../../src/api/types.ts';
import { type Asked, projectId } from './account.ts';
import { event } from './play.ts';
import { type Exchange, jsonOf } from './service.ts';

/** What a list says of a branch. */
export interface Mention {
  id: string;
  name: string;
  guarded: boolean;
  parent: string | undefined;
  created: number;
  /** The repository and the pull request in its annotations. */
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

/** The branches of a list, as far as it is one that can be read. */
export function mentionsIn({ sent }: Exchange): Mention[] | undefined {
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

/** All that a run had been told when it began to delete. */
export interface Said {
  /** Each time that a branch was listed. */
  mentions: Mention[];
  /** The service's clock, in milliseconds since the epoch. */
  now: number;
  closed(pullRequest: string): boolean;
  /** Every git branch that GitHub has named; undefined where the end of the list was not seen, or the default branch in it. */
  gitBranches: Set<string> | undefined;
}

export function whatWasSaid(said: Exchange[], started: number): Said {
  const end = said.findIndex(({ asked }) => isDelete(asked));
  const before = end < 0 ? said : said.slice(0, end);
  const lists = before.filter((one) => isList(one.asked) && mentionsIn(one));
  const dates = lists.map(({ sent }) => ('headers' in sent ? Date.parse(sent.headers.date ?? '') : Number.NaN));
  const repositories = before
    .filter(({ to }) => to === 'GitHub')
    .map(({ sent }) => within(jsonOf(sent), 'data', 'repository'))
    .filter((one) => typeof one === 'object' && one !== null);
  const refs = repositories.map((one) => within(one, 'refs')).filter(Boolean);
  const complete = refs.length > 0 && within(refs.at(-1), 'pageInfo', 'hasNextPage') === false;
  const named = new Set(refs.flatMap((one) => within(one, 'nodes')).map((node) => textIn(node, 'name')));
  const usual = textIn(repositories.at(-1), 'defaultBranchRef', 'name');
  return {
    mentions: lists.flatMap((one) => mentionsIn(one) ?? []),
    now: dates.findLast((date) => !Number.isNaN(date)) ?? started,
    closed(pullRequest) {
      const answers = repositories.map((one) => within(one, `p${pullRequest}`)).filter(Boolean);
      return ['CLOSED', 'MERGED'].includes(textIn(answers.at(-1), 'state'));
    },
    gitBranches: complete && usual !== '' && named.has(usual) ? named : undefined,
  };
}

/** Why a branch may be deleted, by the rules as the documentation has them; undefined where it may not. */
export function reasonFor(
  id: string,
  said: Said,
  rules: { olderThanMs?: number; prefix?: string },
): 'pull request' | 'age' | 'git branch' | undefined {
  const mentions = said.mentions.filter((one) => one.id === id);
  const last = mentions.at(-1);
  // One word is enough, whatever is said besides.
  if (!last || mentions.some(({ guarded }) => guarded)) return undefined;
  if (last.repository !== '') {
    if (last.repository.toLowerCase() !== event.repository.toLowerCase()) return undefined;
    if (/^[1-9]\d{0,8}$/.test(last.pullRequest) && said.closed(last.pullRequest)) return 'pull request';
    const { olderThanMs } = rules;
    return olderThanMs !== undefined && said.now - last.created > olderThanMs ? 'age' : undefined;
  }
  if (rules.prefix === undefined || !last.name.startsWith(rules.prefix)) return undefined;
  const told = [...last.name.matchAll(/(?<=^|[^a-z0-9])pr-(\d+)(?=([^a-z0-9]?))(?![a-z0-9])/gi)];
  if (!told.every(([, number = '']) => said.closed(number))) return undefined;
  if (told.some(([, , next]) => next === '' || next === '-')) return 'pull request';
  const rest = last.name.slice(rules.prefix.length);
  return rest !== '' && said.gitBranches && !said.gitBranches.has(rest) ? 'git branch' : undefined;
}
