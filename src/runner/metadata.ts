import type { RunEvent } from './event.ts';

/** The keys of `annotationsOf`: those that the service's own actions use, and two more. */
const noted = [
  'github-commit-repo',
  'github-commit-author-login',
  'github-commit-sha',
  'github-commit-ref',
  'github-pr-number',
  'github-pr-title',
  'github-run-id',
  'github-run-attempt',
] as const;

/** What is noted on each branch that the action makes: whose it is and which run made it. What is not known is left out. */
export function annotationsOf(event: RunEvent): Record<string, string> {
  const { pullRequest } = event;
  const values: Record<(typeof noted)[number], string> = {
    'github-commit-repo': event.repository,
    'github-commit-author-login': pullRequest?.author || event.actor,
    'github-commit-sha': pullRequest?.headSha || event.sha,
    'github-commit-ref': pullRequest?.headRef || event.ref,
    'github-pr-number': pullRequest ? String(pullRequest.number) : '',
    'github-pr-title': pullRequest?.title ?? '',
    'github-run-id': event.runId,
    'github-run-attempt': event.runAttempt,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/**
 * Whether a field is one of those that are noted on a branch. They are public, and whoever opened the pull request wrote its
 * title: a mask on what looks like a password in there would blank that word in every log, and keep outputs that have it from
 * other jobs.
 */
export function isNoted(name: string): boolean {
  return noted.some((key) => key === name);
}
