import fc from 'fast-check';
import type { PullRequest } from '../../src/github/pulls.ts';
import type { Project } from '../../src/prune/project.ts';
import { gitBranchesInUse, type Repository } from '../../src/prune/repository.ts';
import { candidateOf, judge, type Settings } from '../../src/prune/rules.ts';
import type { Branch } from '../../src/service/types.ts';
import { type Glob, parseGlob } from '../../src/text/glob.ts';
import { hostileText } from './texts.ts';

const now = Date.parse('2026-03-04T05:06:07Z');
const hour = 3_600_000;
const ours = 'octo-org/octo-repo';
const refs = ['main', 'login', 'fix-9', 'feature/x'];
const pattern = parseGlob('preview/*');
const exclude = parseGlob('preview/keep*');

const time = fc.constantFrom(
  '',
  'soon',
  ...[1, 30, 200, 900].map((hours) => new Date(now - hours * hour).toISOString()),
);
const pull = fc.record({
  number: fc.integer({ min: 1, max: 9 }),
  open: fc.boolean(),
  closedAt: fc.constantFrom(now - hour, now - 100 * hour, Number.NaN),
  headRef: fc.constantFrom('', ...refs),
});
const metadata = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      'github-commit-repo': fc.constantFrom(ours, ours, 'Octo-Org/Octo-Repo', 'octo-org/other', ''),
      'github-pr-number': fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 10 }).map(String) },
        fc.constantFrom('', '0', '7x'),
      ),
      'github-commit-ref': fc.constantFrom('', 'refs/heads/login', ...refs),
    },
    { requiredKeys: [] },
  ),
);
const name = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', 'preview/', 'preview/keep-', 'staging/', 'preview/tags/'),
      fc.constantFrom('', 'pr-', 'PR', 'v1.'),
      fc.oneof(fc.integer({ min: 1, max: 10 }).map(String), fc.constantFrom(...refs)),
    )
    .map((parts) => parts.join('')),
  hostileText,
);
/** False, but for one case in ten. */
const rarely = <T>(...others: T[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constantFrom<T>(...others) });
const anyBranch = fc.record({
  name,
  metadata: metadata as fc.Arbitrary<Record<string, string>>,
  default: rarely(true, undefined),
  protected: rarely(true, undefined),
  created_at: time,
  last_reset_at: fc.option(time, { nil: undefined }),
});
const anySettings = fc.record(
  {
    closedFor: fc.constant(10 * hour),
    olderThan: fc.constant(100 * hour),
    unusedFor: fc.constant(10 * hour),
    patterns: fc.constant([pattern] as Glob[]),
  },
  { requiredKeys: [] },
);

/**
 * Whatever branches, pull requests and git branches there are: no branch is stale that the contract keeps, and one whose pull request is closed and
 * which nothing holds is.
 */
export const pruneProperty = fc.property(
  anyBranch,
  anySettings,
  fc.uniqueArray(pull, { selector: ({ number }) => number, minLength: 4 }),
  fc.subarray(refs),
  rarely(true),
  (given, chosen, pulls, existing, isUnreadable) => {
    const branch: Branch = { id: 'br-1', current_state: 'ready', ...given };
    const settings: Settings = { patterns: [], ...chosen, exclude: [exclude] };
    const known = new Map<number, PullRequest | 'none'>();
    for (let number = 1; number <= 10; number++) known.set(number, 'none');
    for (const one of pulls) known.set(one.number, { updatedAt: now, headOwner: 'octo-org', ...one });
    const repository = {
      ...{
        name: ours,
        id: '',
        pullRequests: known,
        gitBranches: gitBranchesInUse(existing, { pullRequests: known, date: now }, settings.closedFor),
        date: now,
      },
      problem: isUnreadable ? new Error('unreadable') : undefined,
    } as Repository;
    const project: Project = { branches: [branch], hasMetadata: true, date: now, activity: new Map() };

    const candidate = candidateOf(branch, { settings, repositories: [repository] });
    const verdict = 'keep' in candidate ? candidate : judge(candidate, settings, project);
    const fail = (why: string) => {
      throw new Error(`${JSON.stringify(verdict)}, although ${why}`);
    };
    if ('keep' in verdict && !/\S+( \S+)+/.test(verdict.keep)) fail('that is no reason');

    const ageMs = now - Date.parse(branch.created_at);
    const usedMs = now - Math.max(...[branch.created_at, branch.last_reset_at ?? branch.created_at].map(Date.parse));
    const isHeld =
      branch.default !== false ||
      branch.protected !== false ||
      exclude.matches(branch.name) ||
      isUnreadable ||
      (settings.unusedFor !== undefined && !(usedMs >= settings.unusedFor));
    const {
      'github-commit-repo': repo = '',
      'github-commit-ref': ref = '',
      'github-pr-number': text = '',
    } = branch.metadata;
    const isOurs = repo.toLowerCase() === ours;
    const found = /^[1-9]$/.test(text) ? known.get(Number(text)) : undefined;
    const closedMs = found && found !== 'none' && !found.open ? now - found.closedAt : undefined;
    const isClosed = closedMs !== undefined && (settings.closedFor === undefined || closedMs >= settings.closedFor);
    const head = isOurs ? ref.replace('refs/heads/', '') : branch.name.replace('preview/', '');
    const isHead = head !== '' && pulls.some(({ open, headRef }) => open && headRef === head);

    if ('stale' in verdict) {
      if (isHeld) fail('it is held');
      if (isHead) fail('its git ref is the head of an open pull request');
      if (repo !== '' && !isOurs) fail('it belongs to another repository');
      if (isOurs) {
        if (found !== undefined && found !== 'none' && found.open) fail('its pull request is open');
        if (!isClosed && !(settings.olderThan !== undefined && ageMs > settings.olderThan))
          fail('its pull request is not closed for long enough, and it is not old');
      } else {
        if (!settings.patterns.some((one) => one.matches(branch.name))) fail('it does not match the pattern');
        if (Object.values(branch.metadata).some((value) => value !== '')) fail('it has metadata of another tool');
        if (existing.includes(head)) fail('its git branch exists');
        const numbers: string[] = branch.name.match(/\d+/g) ?? [];
        const open = pulls.find((one) => one.open && numbers.includes(String(one.number)));
        if (open) fail(`its name may be about pull request ${open.number}, which is open`);
      }
    } else if (isOurs && isClosed && !isHeld && !isHead) fail('its pull request is closed, and nothing holds it');
  },
);
