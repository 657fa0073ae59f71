import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { PrunedBranch } from '../../src/result.ts';
import { changer, changesTo, isUnsent, untouched } from './changes.ts';
import { checkError, type Ending, play, settingsOf } from './play.ts';
import { anyProject, gitHubOf, serviceOf, strange } from './prune-account.ts';
import { branchesIn, isDelete, isList, type Known, knownFrom, type PruneRules, reasonFor } from './prune-known.ts';
import { connect, type Exchange, jsonOf, type Line, pathsIn } from './service.ts';

const extras = fc.record(
  {
    closed_for: fc.constantFrom('1m', '2d'),
    older_than: fc.constant('14d'),
    unused_for: fc.constant('1h'),
    exclude_pattern: fc.constantFrom('staging, preview/feature/*', 'preview/pr-9*'),
    branch_pattern: fc.constantFrom('preview/*', '*'),
    dry_run: fc.constantFrom('true', 'false', 'false'),
    hard_delete: fc.constant('true'),
    wait: fc.constant('false'),
  },
  { requiredKeys: [] },
);
type Extras = typeof extras extends fc.Arbitrary<infer T> ? T : never;
const [minute, day] = [60_000, 86_400_000];

/** The same rules as `extras`. */
function rulesOf({ closed_for, older_than, unused_for, branch_pattern, exclude_pattern }: Extras): PruneRules {
  return {
    closedFor: closed_for && (closed_for === '1m' ? minute : 2 * day),
    olderThan: older_than && 14 * day,
    unusedFor: unused_for && 60 * minute,
    prefix: branch_pattern?.slice(0, -1),
    excluded: exclude_pattern && (exclude_pattern.startsWith('s') ? /^staging$|^preview\/feature\// : /^preview\/pr-9/),
  } as PruneRules;
}

/**
 * Whatever the service and GitHub respond, a prune deletes only branches that are stale by their responses, children first, and
 * reports correctly what became of each branch.
 */
export const pruneProperty = fc.asyncProperty(
  extras,
  anyProject,
  changesTo(strange),
  async (extras, project, changes) => {
    const change = changer(changes);
    const service = serviceOf(project);
    const gitHub = gitHubOf(() => project.reopens && line.exchanges.some(({ request }) => isDelete(request)));
    let gitHubIsCorrect = true;
    const line: Line = connect({
      service: (request) => change(request, service(request)),
      gitHub(request) {
        const good = gitHub(request);
        const sent = change(request, good);
        gitHubIsCorrect &&= isDeepStrictEqual(sent, untouched(good));
        return sent;
      },
    });
    const started = line.clock.now();
    const inputs = settingsOf('prune', { github_token: 'ghs_token', ...(extras as Record<string, string>) });
    const ending = await play({ command: 'prune', inputs, line });
    if (line.hangs()) throw new Error(`sent requests in an endless loop: ${pathsIn(line.exchanges)}`);
    if (ending.error !== undefined) checkError(ending.error);
    const first = line.exchanges.findIndex(({ request }) => isDelete(request));
    const known = knownFrom(first < 0 ? line.exchanges : line.exchanges.slice(0, first), started);
    checkPrune({ extras, ending, line, known, started, gitHubIsCorrect });
  },
);

interface Run {
  extras: Extras;
  ending: Ending;
  line: Line;
  /** Before the first deletion. */
  known: Known;
  started: number;
  /** Whether GitHub's responses were left unchanged. */
  gitHubIsCorrect: boolean;
}

function checkPrune(run: Run): void {
  const { extras, ending, line } = run;
  const { pruned = [] } = ending.reported;
  try {
    const changing = line.exchanges.filter(({ to, request }) => to === 'service' && request.method !== 'GET');
    if (changing.some(({ request }) => !isDelete(request))) throw new Error('sent a change that is not a deletion');
    if (extras.dry_run === 'true' && changing.length > 0) throw new Error('sent a change in a dry run');
    for (const [index, one] of line.exchanges.entries()) if (isDelete(one.request)) checkDelete(run, index);
    for (const one of pruned) checkOutcome(run, one);
    checkWhole(run, pruned);
  } catch (error) {
    const reported = { pruned, error: String(ending.error ?? '') };
    throw new Error(`${(error as Error).message}: ${JSON.stringify(reported)} after ${pathsIn(line.exchanges)}`, {
      cause: error,
    });
  }
}

const idIn = ({ request }: Exchange) => /^\/projects\/[^/]+\/branches\/([\w-]+)$/.exec(request.path)?.[1] ?? '';
const statusOf = ({ sent }: Exchange) => ('error' in sent ? 0 : sent.status);
const isGone = (one: Exchange) => [204, 404, 410].includes(statusOf(one));
const isDone = (one: Exchange) => (statusOf(one) >= 200 && statusOf(one) <= 299) || isGone(one);
/** Whether the service may have acted on a request without saying so. */
const isUnsure = (one: Exchange) =>
  'error' in one.sent
    ? !isUnsent(one.sent)
    : isDone(one) || statusOf(one) === 408 || (statusOf(one) >= 500 && statusOf(one) !== 503);

const reasonIn = (id: string, { extras, known }: Run) => reasonFor(id, known, rulesOf(extras));

function checkDelete(run: Run, index: number): void {
  const { extras, line, known } = run;
  const before = line.exchanges.slice(0, index);
  const one = line.exchanges[index] as Exchange;
  const id = idIn(one);
  if (reasonFor(id, knownFrom(before, run.started, one.at), rulesOf(extras)) === undefined)
    throw new Error(`sent a deletion of ${id}, which must be kept`);
  if ((one.request.query.get('hard_delete') === 'true') !== (extras.hard_delete === 'true'))
    throw new Error(`deleted ${id} with the wrong hard_delete`);
  const gone = new Set(before.filter((other) => isDelete(other.request) && isDone(other)).map(idIn));
  const children = known.listed.filter(({ parent }) => parent === id);
  const kept = children.filter((child) => lastEntry(child.id, known)?.parent === id && !gone.has(child.id));
  if (kept.length > 0) throw new Error(`sent a deletion of ${id} before its child ${kept[0]?.id}`);
  // A 422 may mean that the branch was protected in the meantime, which must be checked before the deletion is sent again.
  const previous = before.findLastIndex((other) => isDelete(other.request) && idIn(other) === id);
  const last = before[previous];
  if (!last || statusOf(last) !== 422) return;
  const lists = before.slice(previous).flatMap((other) => (isList(other.request) && branchesIn(other)) || []);
  const entries = lists.filter((entry) => entry.id === id);
  if (entries.length > 0 && entries.every(({ guarded }) => guarded))
    throw new Error(`sent a deletion of ${id} again, though it became the default or protected in the meantime`);
}

const lastEntry = (id: string, known: Known) => known.listed.findLast((one) => one.id === id);

/** Compares the reported outcome of a branch with the requests and responses about it. */
function checkOutcome(run: Run, { id, outcome, note = '' }: PrunedBranch): void {
  const { extras, ending, line, known } = run;
  const fail = (what: string): never => {
    throw new Error(`${id} is reported as ${outcome}, ${what}`);
  };
  const attempts = line.exchanges.filter((one) => isDelete(one.request) && idIn(one) === id);
  const last = attempts.at(-1);
  if ((outcome === 'planned') !== (extras.dry_run === 'true') && outcome !== 'kept') fail('which does not fit dry_run');
  if (outcome !== 'kept' && reasonIn(id, run) === undefined) fail('but must be kept');
  if (outcome === 'planned' && last) fail('but a deletion was sent');
  if (outcome === 'kept' && attempts.some(isUnsure)) fail('but may be deleted');
  if (
    outcome === 'kept' &&
    !known.listed.some(({ parent }) => parent === id) &&
    !/pull request|git|child|metadata|in the meantime|does not say/.test(note)
  )
    fail('but has no child');
  if (outcome === 'deleted' || outcome === 'gone') {
    if (!last || !isDone(last)) fail('but the service did not say so');
    if (outcome === 'gone' && last && !isGone(last)) fail('but this run deleted it');
    if (outcome === 'deleted' && last && isGone(last) && !attempts.slice(0, -1).some(isUnsure))
      fail('but did not exist');
  }
  if (outcome === 'unsure' && !attempts.some(isUnsure)) fail('but nothing can have happened');
  if (outcome === 'failed' || outcome === 'unsure') {
    if (note === '') fail('without a reason');
    if (ending.error === undefined) fail('but the step succeeds');
  }
}

/** Checks that nothing is missing from the report. */
function checkWhole(run: Run, pruned: PrunedBranch[]): void {
  const { ending, line, known, gitHubIsCorrect } = run;
  const reported = new Set(pruned.map(({ id }) => id));
  if (reported.size < pruned.length) throw new Error('reports a branch twice');
  const deleted = line.exchanges.filter((one) => isDelete(one.request) && statusOf(one) === 200);
  const readable = deleted.filter(
    (one) => (jsonOf(one.sent) as { branch?: { id?: unknown } })?.branch?.id === idIn(one),
  );
  const missing = line.stopped() ? undefined : readable.find((one) => !reported.has(idIn(one)));
  if (missing) throw new Error(`does not report the deletion of ${idIn(missing)}`);
  if (ending.error !== undefined) return;
  if (!ending.reported.done) throw new Error('does not say what was done');
  if (!gitHubIsCorrect) return;
  for (const { id } of known.listed) {
    const entries = known.listed.filter((one) => one.id === id);
    // It may have been kept for what a list said before it was listed again.
    if (entries.some((one) => !isDeepStrictEqual(one, entries[0]))) continue;
    const reason = reasonIn(id, run);
    const hasChild = known.listed.some(({ parent }) => parent === id);
    if (reason !== undefined && reason !== 'git branch' && !hasChild && !reported.has(id))
      throw new Error(`keeps ${id}, which is stale`);
  }
}
