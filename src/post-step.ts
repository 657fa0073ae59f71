import * as core from '@actions/core';
import { deleteBranch } from './branch/delete.ts';
import { sight } from './branch/sighting.ts';
import { guard } from './branch/target.ts';
import { commentOn } from './comment.ts';
import { type Context, projectOf } from './context.ts';
import { readSaved, type Saved } from './ephemeral.ts';
import { backoff } from './http/clock.ts';
import { changedVariables } from './http/environment.ts';
import { unlessNotFound } from './http/errors.ts';
import type { Inputs } from './inputs/fields.ts';
import { InputError, readInputs } from './inputs/load.ts';
import { createRecorder } from './result.ts';
import { type FoundBranch, findWithChildren, getBranch, nameAndId } from './service/branches.ts';
import { createIdKey } from './service/create.ts';
import { type BranchChange, KeptError, RenamedError } from './service/errors.ts';
import { propagationMs } from './service/propagation-window.ts';
import { parseEvent, type RunEvent, readEvent } from './step/event.ts';
import { missing } from './step/invalid.ts';
import { log, mask } from './step/log.ts';
import { withService } from './step/service.ts';
import { asSentence, count, duration, listOf, messageOf } from './text/format.ts';
import { show } from './text/inert.ts';

/** Delays between lookups of a branch that may still appear, in milliseconds. */
const lookupBackoff = { first: 250, longest: 4_000 };

/** What the main step has created, for messages. */
type Kind = 'ephemeral' | 'rehearsal';

function kindOf({ command }: Saved): Kind {
  return command === 'rehearse' ? 'rehearsal' : 'ephemeral';
}

function titleOf(kind: Kind): string {
  return `Database Branch: ${kind === 'rehearsal' ? 'rehearse' : kind}`;
}

/** The post step: deletes the branch of an `ephemeral` run. Never fails the job; the log says why if nothing is deleted. */
export async function post(): Promise<void> {
  const recorder = createRecorder();
  let what = 'branch of this run';
  let kind: Kind = 'ephemeral';
  try {
    const state = readSaved();
    if (!state) return;
    const saved = state.value;
    const { name, id, createId, create } = saved;
    kind = kindOf(saved);
    what = `branch ${show(name)}${id ? ` (${id})` : ''}`;
    if (create === 'deleted') return;
    if (saved.command === 'rehearse') await endCommand(createId);
    if (create === 'refused') {
      log.info(`The ${kind} ${what} was not created; nothing to delete`);
      return;
    }
    const changed = changedVariables(saved.environment, process.env);
    if (changed.length > 0)
      throw new Error(
        `The action did not try to delete it, because a later step changed ${listOf(changed, 'and')}, which could expose the API key.`,
      );
    const own = inputsWithKey();
    if (!state.isSignedWith(own.api_key))
      throw new Error(
        "The action did not try to delete it, because a later step changed the API key or this step's saved state.",
      );
    const event = eventOrNone();
    const inputs = { ...own, ...saved.inputs };
    await withService(
      inputs,
      (api) =>
        deleteEphemeral(saved, {
          ...{ inputs, command: 'delete', event, api, log, mask },
          ...recorder,
          saveForPostStep: () => {},
        }),
      { limit: "the post step's time limit" },
    );
  } catch (error) {
    const { branch } = recorder.result();
    if (branch) what = `branch ${nameAndId(branch)}`;
    // Whoever took it over wants it, so nobody should delete it.
    const report =
      error instanceof KeptError || error instanceof RenamedError
        ? describeKept(what, error.change)
        : `The ${kind} ${what} may still exist; delete it manually. ${sentenceOf(error)}`;
    log.warning(report, titleOf(kind));
  }
}

function describeKept(what: string, { why, mayHaveActed }: BranchChange): string {
  return mayHaveActed
    ? `Stopped deleting ${what}, which this step created: it ${why}. An earlier request to delete it got no response, and may still take effect.`
    : asSentence(`Kept ${what}, which this step created: it ${why}`);
}

/** If the main step of a rehearsal was killed, its command may still run. */
async function endCommand(createId: string): Promise<void> {
  const { endOrphans } = await import('./rehearse/orphans.ts');
  const ended = await endOrphans(createId);
  if (ended > 0) log.info(`Stopped ${count(ended, 'process')} that the rehearsal's command had left running`);
}

/** An error as one sentence; the lines of a list are joined. */
function sentenceOf(error: unknown): string {
  const [head = '', ...items] = messageOf(error).split('\n');
  const text = [head, items.map((line) => line.replace(/^- /, '')).join('; ')].filter(Boolean).join(' ');
  return asSentence(text);
}

/** The post step's own inputs. Only the key is needed, which must not be in the state; other invalid inputs don't matter. */
function inputsWithKey(): Inputs & { api_key: string } {
  const { inputs, errors } = readInputs({ source: core, mask });
  if (inputs.api_key !== undefined) return inputs as Inputs & { api_key: string };
  const unset = missing('api_key', 'it was set in the main step, but is empty in the post step');
  throw new InputError([errors.api_key ?? unset], inputs);
}

/** Only the comment needs the event: if a later step has removed its payload, the branch can still be deleted. */
function eventOrNone(): RunEvent {
  try {
    return readEvent(process.env);
  } catch (error) {
    log.info(messageOf(error));
    return parseEvent({ env: process.env, payload: {} });
  }
}

async function deleteEphemeral(saved: Saved, context: Context): Promise<void> {
  const kind = kindOf(saved);
  const title = titleOf(kind);
  const found = await find(saved, context);
  if (!found) {
    if (saved.create === 'responded') log.info(`The ${kind} branch ${show(saved.name)} is already gone`);
    else {
      log.warning(
        `The request to create the ${kind} branch ${show(saved.name)} got no response, and the branch did not appear within ${duration(propagationMs.lostCreate)}. If it appears later, delete it manually.`,
        title,
      );
    }
    return;
  }
  const { branch } = found;
  context.progress({ branch });
  const createId = branch.metadata[createIdKey];
  const isUnmarked = Object.keys(branch.metadata).length === 0;
  if (isUnmarked && !saved.reused) {
    log.warning(
      `Kept branch ${nameAndId(branch)}: it has no metadata, so there is no way to tell whether this step created it. Delete it manually if nothing else uses it.`,
      title,
    );
    return;
  }
  if (createId !== saved.createId) {
    log.info(`Kept branch ${nameAndId(branch)}: this step did not create it`);
    return;
  }
  guard(branch, 'deleted');
  const { hard_delete: hard } = context.inputs;
  const { action, done } = await deleteBranch(context, sight(context, found), { hard, wait: true });
  context.progress({ action });
  log.info(`${saved.command === 'rehearse' ? '`command: rehearse`' : '`ephemeral: true`'}: ${done}`);
  await commentOn(context, { onlyExisting: true });
}

/** Looks for the branch, which may take a while to appear if the run was killed before it had the response to the create. */
async function find(saved: Saved, context: Context): Promise<FoundBranch | undefined> {
  const { api } = context;
  const until = api.clock.now() + propagationMs.lostCreate;
  for (const delay of backoff(lookupBackoff)) {
    // The list of all branches has its children, too.
    const found = await findWithChildren({
      ...projectOf(context),
      is: ({ name }) => name === saved.name,
      goal: `look up branch ${show(saved.name)}`,
    });
    // If this step's branch was renamed, another branch may have its name now.
    if (found)
      return found.branch.metadata[createIdKey] === saved.createId
        ? found
        : ((await findById(saved, context)) ?? found);
    if (saved.create === 'responded' || api.clock.now() >= until) break;
    await api.sleep(delay, 'waiting for the branch to appear');
  }
  return findById(saved, context);
}

/** A list may lack a branch that was just created, so the branch itself is read. */
async function findById(saved: Saved, context: Context): Promise<FoundBranch | undefined> {
  if (saved.id === undefined) return undefined;
  const project = projectOf(context);
  const now = project.api.clock.now();
  // If the run was cancelled right after the create, the branch's propagation window is still open.
  const until = Math.max(now + propagationMs.branchId, Math.min(now + propagationMs.branch, saved.windowUntil));
  return unlessNotFound(getBranch({ ...project, branchId: saved.id, window: { statuses: [404], until } }));
}
