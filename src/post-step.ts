import * as core from '@actions/core';
import { checkCreatedBy } from './branch/create.ts';
import { deleteBranch } from './branch/delete.ts';
import { readSaved, type Saved } from './branch/ephemeral.ts';
import { createIdKey, ownerIn } from './branch/metadata.ts';
import { type BranchFacts, projectOf } from './branch/step.ts';
import { backoff } from './http/clock.ts';
import { goneLine, titleOf } from './lifecycle/comment.ts';
import { type Found, findWithChildren, nameAndId } from './service/branches.ts';
import { RefusedError } from './service/errors.ts';
import type { Branch } from './service/types.ts';
import { createRecorder, type Facts, noFacts, type Step } from './step/action.ts';
import { writeComment } from './step/comment.ts';
import { readEvent } from './step/event.ts';
import { common, flag, type InputsOf, invalidInputs, readInputs, token } from './step/inputs.ts';
import { log, mask } from './step/log.ts';
import { withService } from './step/service.ts';
import { asSentence, duration, messageOf } from './text/format.ts';
import { show } from './text/inert.ts';

/** How long a branch may take to appear whose create was sent and not answered, and the delays between two looks, in milliseconds. */
const lostCreateMs = 30_000;
/** How long a branch may be missing from lists after its create has been answered, in milliseconds. */
const newMs = 10_000;
const lookupBackoff = { first: 250, longest: 4_000 };
/**
 * The time for the post step, in milliseconds: GitHub kills it five minutes after a job is cancelled. Name servers that do not respond keep the
 * process up to half a minute longer.
 */
const timeout = 200_000;

/** The inputs that the post step needs; the runner evaluates them again for it. */
const inputTable = { api_key: common.api_key, comment: flag(false), github_token: token };

type PostStep = Step<InputsOf<typeof inputTable> & Saved['where'] & { timeout: number }, Facts & BranchFacts>;

/**
 * The post step: deletes the branches that an `ephemeral` step or a rehearsal has created. Never fails the job; a warning says why if one may
 * remain.
 */
export async function post(): Promise<void> {
  await warning('branch that this step created', async () => {
    await Promise.all(readSaved().map(end));
  });
}

async function end(saved: Saved): Promise<void> {
  const what = `${saved.kind} branch ${show(saved.name)}${saved.id === undefined ? '' : ` (${saved.id})`}`;
  await warning(what, async () => {
    const { inputs: given, errors } = readInputs(inputTable, { source: core, mask });
    if (Object.keys(errors).length > 0) throw invalidInputs(Object.values(errors));
    const inputs = { ...given, ...saved.where, timeout } as PostStep['inputs'];
    const recorder = createRecorder({ ...noFacts(), created: false, deleted: false });
    await withService(
      inputs,
      (api) => deleteCreated(saved, { inputs, event: readEvent(process.env), api, log, mask, ...recorder }),
      { limit: "the post step's time limit" },
    );
  });
}

/** Turns an error into a warning that the branch may still exist; what is kept on purpose says so itself. */
async function warning(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const remains = error instanceof RefusedError ? '' : `The ${what} may still exist; delete it manually. `;
    log.warning(`${remains}${asSentence(messageOf(error))}`, 'Database Branch: post step');
  }
}

async function deleteCreated(saved: Saved, step: PostStep): Promise<void> {
  const { kind, name } = saved;
  const found = await find(saved, step);
  if (!found && saved.create === 'sent') {
    throw new RefusedError(
      `The request to create the ${kind} branch ${show(name)} got no response, and the branch did not appear within ${duration(lostCreateMs)}. If it appears later, delete it manually.`,
    );
  }
  if (!found) return log.info(`The ${kind} branch ${show(name)} is already gone`);
  const check = (branch: Branch) => checkUnchanged(saved, branch);
  check(found.branch);
  step.api.created(found.branch.id);
  const { deleted } = await deleteBranch(step, found, { wait: true, check });
  log.info(`${deleted ? 'Deleted' : 'Already gone:'} ${kind} branch ${nameAndId(found.branch)}`);
  const { project_id: projectId } = step.inputs;
  await writeComment(step, {
    subject: { kind: 'branch', project: projectId, branch: name },
    parts: [titleOf(name, projectId), ...goneLine(found.branch, 'was deleted')],
    createIfMissing: false,
  });
}

/** Throws unless a branch carries this step's create ID, and still has its name and owner. */
function checkUnchanged(saved: Saved, branch: Branch): void {
  checkCreatedBy(saved.createId)(branch);
  const isOwned = JSON.stringify(ownerIn(branch.metadata)) === JSON.stringify(saved.owner);
  if (branch.name === saved.name && isOwned) return;
  throw new RefusedError(`Kept branch ${nameAndId(branch)}, which this step created: its name or owner has changed.`);
}

/** Looks for the branch, which may take a while to appear if the main step was killed before it had the response to the create. */
async function find(saved: Saved, step: PostStep): Promise<Found | undefined> {
  const project = projectOf(step);
  const { clock, sleep } = project.api;
  const until = saved.create === 'sent' ? clock.now() + lostCreateMs : Number(saved.at) + newMs;
  const is = ({ id, name, metadata }: Branch) =>
    metadata[createIdKey] === saved.createId || (saved.id === undefined ? name === saved.name : id === saved.id);
  for (const delay of backoff(lookupBackoff)) {
    const found = await findWithChildren({ ...project, is, goal: `look up branch ${show(saved.name)}` });
    if (found) return found;
    // `until` is NaN if the state was changed.
    if (!(clock.now() < until)) break;
    await sleep(delay, 'waiting for the branch to appear');
  }
  return undefined;
}
