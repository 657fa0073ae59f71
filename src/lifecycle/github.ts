import { describeEvent } from '../branch/owner.ts';
import type { GitHub } from '../github/client.ts';
import { withGitHub } from '../github/connect.ts';
import { GitHubError } from '../github/errors.ts';
import { gitRefExists, openPullRequestsFrom, readPullRequest } from '../github/pulls.ts';
import { RefusedError } from '../service/errors.ts';
import { asSentence, messageOf } from '../text/format.ts';
import type { Step } from './facts.ts';

/** What GitHub says; undefined, with a line in the log, if the token may not ask, or unless it `must` answer, if it does not. */
async function ask<T>(
  step: Step,
  question: (github: GitHub) => Promise<T>,
  { must = false } = {},
): Promise<T | undefined> {
  try {
    return await withGitHub(step, question);
  } catch (error) {
    const mayNot = error instanceof GitHubError ? error.isPermanent || !must : error instanceof RefusedError;
    if (!mayNot) throw error;
    step.log.info(`GitHub could not be asked: ${asSentence(messageOf(error))}`);
    return undefined;
  }
}

/** Whether a pull request of this repository is open; undefined if the token may not tell. */
export async function isPullRequestOpen(
  step: Step,
  number: number,
  options?: { must: boolean },
): Promise<boolean | undefined> {
  return (await ask(step, (github) => readPullRequest(github, step.event.repository, number), options))?.open;
}

/** Why what the event says has ended is back by now, as a clause; undefined if it is not, or if the token may not tell. */
export async function whyBack(step: Step): Promise<string | undefined> {
  const { event } = step;
  const { pullRequest, fullRef, repository } = event;
  if (pullRequest) {
    const isOpen = await isPullRequestOpen(step, pullRequest.number, { must: true });
    return isOpen ? `${describeEvent(event)} is open again` : undefined;
  }
  if (fullRef === '') return undefined;
  const exists = await ask(step, (github) => gitRefExists(github, repository, fullRef), { must: true });
  return exists ? `${describeEvent(event)} exists again` : undefined;
}

/** The number of another open pull request with the same head as the event's; undefined if there is none, or the token may not tell. */
export async function otherWithSameHead(step: Step): Promise<number | undefined> {
  const { pullRequest, repository } = step.event;
  if (!pullRequest?.headOwner) return undefined;
  const head = { owner: pullRequest.headOwner, ref: pullRequest.headRef };
  const open = await ask(step, (github) => openPullRequestsFrom(github, repository, head));
  return open?.find(({ number }) => number !== pullRequest.number)?.number;
}
