import { describeEvent } from '../branch/owner.ts';
import type { GitHub } from '../github/client.ts';
import { withGitHub } from '../github/connect.ts';
import { GitHubError } from '../github/errors.ts';
import { gitRefExists, openPullRequestsFrom, readPullRequest } from '../github/pulls.ts';
import { RefusedError } from '../service/errors.ts';
import { asSentence, messageOf } from '../text/format.ts';
import type { Step } from './facts.ts';

/** How long a question may take that can go without a response, in milliseconds: what was read of a branch counts for ten seconds. */
export const brieflyMs = 8_000;

/** What GitHub says; undefined, with a line in the log, if the token may not ask, or with `longestMs`, if there is no response. */
async function ask<T>(
  step: Step,
  question: (github: GitHub) => Promise<T>,
  longestMs?: number,
): Promise<T | undefined> {
  try {
    return await withGitHub({ ...step, longestMs }, question);
  } catch (error) {
    const mayNot = error instanceof GitHubError ? error.isPermanent || longestMs : error instanceof RefusedError;
    if (!mayNot) throw error;
    step.log.info(`GitHub could not be asked: ${asSentence(messageOf(error))}`);
    return undefined;
  }
}

/** Whether a pull request of this repository is open; undefined if the token may not tell. */
export async function isPullRequestOpen(step: Step, number: number, longestMs?: number): Promise<boolean | undefined> {
  return (await ask(step, (github) => readPullRequest(github, step.event.repository, number), longestMs))?.open;
}

/** Why what the event says has ended is back by now, as a clause; undefined if it is not, or if the token may not tell. */
export async function whyBack(step: Step): Promise<string | undefined> {
  const { event } = step;
  const { pullRequest, fullRef, repository } = event;
  if (pullRequest) {
    const isOpen = await isPullRequestOpen(step, pullRequest.number);
    return isOpen ? `${describeEvent(event)} is open again` : undefined;
  }
  if (fullRef === '') return undefined;
  const exists = await ask(step, (github) => gitRefExists(github, repository, fullRef));
  return exists ? `${describeEvent(event)} exists again` : undefined;
}

/** A re-run has the event of its first attempt. Why it creates nothing now, as a clause; undefined if it does, or the token may not tell. */
export async function whyClosed(step: Step): Promise<string | undefined> {
  const { pullRequest, ends, runAttempt } = step.event;
  if (step.inputs.command !== 'auto' || ends || !pullRequest || Number(runAttempt) < 2) return undefined;
  const isOpen = await isPullRequestOpen(step, pullRequest.number, brieflyMs);
  return isOpen === false ? `pull request #${pullRequest.number} is closed` : undefined;
}

/** The number of another open pull request with the same head as the event's; undefined if there is none, or the token may not tell. */
export async function otherWithSameHead(step: Step): Promise<number | undefined> {
  const { pullRequest, repository } = step.event;
  if (!pullRequest?.headOwner) return undefined;
  const head = { owner: pullRequest.headOwner, ref: pullRequest.headRef };
  const open = await ask(step, (github) => openPullRequestsFrom(github, repository, head), brieflyMs);
  return open?.find(({ number }) => number !== pullRequest.number)?.number;
}
