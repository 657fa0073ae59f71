import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { PrunedBranch } from '../../src/result.ts';
import { changer, changesTo, untouched } from './changes.ts';
import { checkError, type Ending, play, settingsOf } from './play.ts';
import { anyProject, gitHub, serviceOf, strange } from './prune-account.ts';
import { isDelete, isList, mentionsIn, reasonFor, type Said, whatWasSaid } from './prune-said.ts';
import { connect, type Exchange, jsonOf, type Line, pathsIn } from './service.ts';

const extras = fc.record(
  {
    older_than: fc.constant('14d'),
    branch_pattern: fc.constantFrom('preview/*', '*'),
    dry_run: fc.constantFrom('true', 'false', 'false'),
    hard_delete: fc.constant('true'),
    wait: fc.constant('false'),
  },
  { requiredKeys: [] },
);
type Extras = typeof extras extends fc.Arbitrary<infer T> ? T : never;
const olderThanMs = 14 * 86_400_000;

/**
 * Whatever the service and GitHub answer, a prune deletes only what the two have said may go, children first; and it says truly
 * what became of each branch.
 */
export const pruneProperty = fc.asyncProperty(
  extras,
  anyProject,
  changesTo(strange),
  async (extras, project, changes) => {
    const change = changer(changes);
    const service = serviceOf(project);
    let gitHubIsRight = true;
    const line = connect({
      service: (asked) => change(asked, service(asked)),
      gitHub(asked) {
        const good = gitHub(asked);
        const sent = change(asked, good);
        gitHubIsRight &&= isDeepStrictEqual(sent, untouched(good));
        return sent;
      },
    });
    const started = line.clock.now();
    const inputs = settingsOf('prune', { github_token: 'ghs_token', ...(extras as Record<string, string>) });
    const ending = await play({ command: 'prune', inputs, line });
    if (line.hangs()) throw new Error(`went round in circles: ${pathsIn(line.said)}`);
    if (ending.error !== undefined) checkError(ending.error);
    const said = whatWasSaid(line.said, started);
    checkPrune({ extras, ending, line, said, gitHubIsRight });
  },
);

interface Course {
  extras: Extras;
  ending: Ending;
  line: Line;
  said: Said;
  /** Whether nothing has changed GitHub's answers. */
  gitHubIsRight: boolean;
}

function checkPrune(course: Course): void {
  const { extras, ending, line } = course;
  const { pruned = [] } = ending.told;
  try {
    const changing = line.said.filter(({ to, asked }) => to === 'service' && asked.method !== 'GET');
    if (changing.some(({ asked }) => !isDelete(asked))) throw new Error('has sent another change than a deletion');
    if (extras.dry_run === 'true' && changing.length > 0) throw new Error('has sent a change in a dry run');
    for (const [index, one] of line.said.entries()) if (isDelete(one.asked)) checkDelete(course, index);
    for (const one of pruned) checkOutcome(course, one);
    checkWhole(course, pruned);
  } catch (error) {
    const told = { pruned, error: String(ending.error ?? '') };
    throw new Error(`${(error as Error).message}: ${JSON.stringify(told)} after ${pathsIn(line.said)}`, {
      cause: error,
    });
  }
}

const idIn = ({ asked }: Exchange) => /^\/projects\/[^/]+\/branches\/([\w-]+)$/.exec(asked.path)?.[1] ?? '';
const statusOf = ({ sent }: Exchange) => ('error' in sent ? 0 : sent.status);
const isGone = (one: Exchange) => [204, 404, 410].includes(statusOf(one));
const isDone = (one: Exchange) => (statusOf(one) >= 200 && statusOf(one) <= 299) || isGone(one);
/** Whether the service may have acted on a request, though it has not said so in a form that can be read. */
const isUnsure = (one: Exchange) =>
  'error' in one.sent || isDone(one) || statusOf(one) === 408 || (statusOf(one) >= 500 && statusOf(one) !== 503);

const reasonIn = (id: string, { extras, said }: Course) => {
  const { older_than, branch_pattern } = extras;
  return reasonFor(id, said, {
    ...(older_than === undefined ? {} : { olderThanMs }),
    ...(branch_pattern === undefined ? {} : { prefix: branch_pattern.slice(0, -1) }),
  });
};

function checkDelete(course: Course, index: number): void {
  const { extras, line, said } = course;
  const before = line.said.slice(0, index);
  const one = line.said[index] as Exchange;
  const id = idIn(one);
  if (reasonIn(id, course) === undefined) throw new Error(`has sent a deletion of ${id}, which has to stay`);
  if ((one.asked.query.get('hard_delete') === 'true') !== (extras.hard_delete === 'true'))
    throw new Error(`has deleted ${id} in another way than was asked for`);
  const gone = new Set(before.filter((other) => isDelete(other.asked) && isDone(other)).map(idIn));
  const children = said.mentions.filter(({ parent }) => parent === id);
  const staying = children.filter((child) => lastOf(child.id, said)?.parent === id && !gone.has(child.id));
  if (staying.length > 0) throw new Error(`has sent a deletion of ${id} before its child ${staying[0]?.id}`);
  // A refusal may come from what the branch has become meanwhile, which is looked at before it is sent again.
  const refused = before.findLastIndex((other) => isDelete(other.asked) && idIn(other) === id);
  const last = before[refused];
  if (!last || statusOf(last) !== 422) return;
  const lists = before.slice(refused).flatMap((other) => (isList(other.asked) && mentionsIn(other)) || []);
  const mentions = lists.filter((mention) => mention.id === id);
  if (mentions.length > 0 && mentions.every(({ guarded }) => guarded))
    throw new Error(`has sent a deletion of ${id} again, which is guarded by now`);
}

const lastOf = (id: string, said: Said) => said.mentions.findLast((one) => one.id === id);

/** Holds what is told of a branch against what was asked and answered about it. */
function checkOutcome(course: Course, { id, outcome, note = '' }: PrunedBranch): void {
  const { extras, ending, line, said } = course;
  const fail = (what: string): never => {
    throw new Error(`${id} is told to be ${outcome}, ${what}`);
  };
  const tries = line.said.filter((one) => isDelete(one.asked) && idIn(one) === id);
  const last = tries.at(-1);
  if ((outcome === 'planned') !== (extras.dry_run === 'true') && outcome !== 'kept') fail('in such a run');
  if (reasonIn(id, course) === undefined) fail('and has to stay');
  if ((outcome === 'planned' || outcome === 'kept') && last) fail('and was to be deleted');
  if (outcome === 'kept' && !said.mentions.some(({ parent }) => parent === id)) fail('and has no child');
  if (outcome === 'deleted' || outcome === 'gone') {
    if (!last || !isDone(last)) fail('without a word of the service');
    if (outcome === 'gone' && last && !isGone(last)) fail('and was deleted by this run');
    if (outcome === 'deleted' && last && isGone(last) && !tries.slice(0, -1).some(isUnsure)) fail('and was not there');
  }
  if (outcome === 'unsure' && !tries.some(isUnsure)) fail('and nothing can have happened');
  if (outcome === 'failed' || outcome === 'unsure') {
    if (note === '') fail('nobody knows why');
    if (ending.error === undefined) fail('and the step succeeds');
  }
}

/** Looks whether anything is left out. */
function checkWhole(course: Course, pruned: PrunedBranch[]): void {
  const { ending, line, said, gitHubIsRight } = course;
  const told = new Set(pruned.map(({ id }) => id));
  if (told.size < pruned.length) throw new Error('names a branch twice');
  const deleted = line.said.filter((one) => isDelete(one.asked) && statusOf(one) === 200);
  const readable = deleted.filter(
    (one) => (jsonOf(one.sent) as { branch?: { id?: unknown } })?.branch?.id === idIn(one),
  );
  const untold = line.stopped() ? undefined : readable.find((one) => !told.has(idIn(one)));
  if (untold) throw new Error(`does not tell that ${idIn(untold)} is deleted`);
  if (ending.error !== undefined) return;
  if (!ending.result?.done) throw new Error('does not say what was done');
  if (!gitHubIsRight) return;
  for (const { id } of said.mentions) {
    const reason = reasonIn(id, course);
    const hasChild = said.mentions.some(({ parent }) => parent === id);
    if ((reason === 'pull request' || reason === 'age') && !hasChild && !told.has(id))
      throw new Error(`leaves ${id}, which has to go`);
  }
}
