import type { PullRequestEvent } from '@octokit/webhooks-types';
import type { RepositoryState } from '../github/state.ts';
import * as events from '../runner/events.ts';

export interface EventOptions {
  /** Of the pull request, until `pull_request.unlabeled` removes it. */
  label?: string | undefined;
  base?: string | undefined;
  /** For `workflow_dispatch`. */
  inputs: Record<string, string>;
  /** Whether the pull request is closed after the event. */
  closed: boolean;
  /** Whether the pull request is from a fork. */
  fork?: boolean;
}

type PullAction = NonNullable<events.PullRequestOptions['action']>;
const pullActions: readonly PullAction[] = [
  ...(['opened', 'synchronize', 'reopened', 'closed', 'labeled', 'unlabeled', 'edited'] as const),
  ...(['ready_for_review', 'converted_to_draft'] as const),
];
const others = {
  push: () => events.push(),
  create: () => events.create(),
  delete: () => events.deleteRef(),
  schedule: () => events.schedule(),
  workflow_dispatch: ({ inputs }: EventOptions) => events.workflowDispatch({ inputs }),
  merge_group: ({ base }: EventOptions) => events.mergeGroup({ base }),
  issue_comment: ({ closed }: EventOptions) => events.issueComment({ closed }),
};
const pulls = ['pull_request', 'pull_request_target'];

/** The fork with the head branch, as `owner/name`. */
const FORK = 'contributor/octo-repo';

/** Whether GitHub keeps the repository's secrets from a run for a fork, unlike from `pull_request_target`. */
export function lacksSecrets(event: string): boolean {
  return event.startsWith('pull_request.') || event === 'pull_request';
}

/** Events in order, each with whether the pull request is closed after it. */
export function withStates(events: string[]): { name: string; closed: boolean }[] {
  let closed = false;
  return events.map((name) => {
    if (/\.(closed|opened|reopened)$/.test(name)) closed = name.endsWith('.closed');
    return { name, closed };
  });
}

/** Every event that can be played. */
export const eventNames = [
  ...pulls.flatMap((name) => pullActions.map((action) => `${name}.${action}`)),
  ...Object.keys(others),
];

/**
 * The event of this name, such as `pull_request.opened`, with a payload like GitHub's. GitHub's stand-in then has the pull request in
 * the state that the event says. Undefined if there is no such event.
 */
export function makeEvent(
  name: string,
  options: EventOptions,
  github: RepositoryState,
): events.GitHubEvent | undefined {
  const [event = '', action = 'opened'] = name.split('.');
  const { closed, label, base = 'main' } = options;
  const fork = options.fork ? FORK : undefined;
  const pull = () => {
    const made = events.pullRequest({
      action: pullActions.find((one) => one === action) ?? 'opened',
      target: event === 'pull_request_target',
      ...{ closed, base },
      labels: label === undefined || action === 'unlabeled' ? [] : [label],
      ...(label !== undefined && /labeled$/.test(action) && { label }),
      ...(fork !== undefined && { fork, author: 'contributor' }),
    });
    const { number, title, head } = (made.payload as PullRequestEvent).pull_request;
    github.addPull({ number, title, head: head.ref, base, fork, state: closed ? 'closed' : 'open' });
    // The branch of a fork is in its own repository.
    if (fork !== undefined) return made;
    if (closed) github.deleteBranch(head.ref);
    else github.addBranch(head.ref);
    return made;
  };
  if (!Object.hasOwn(others, name)) return eventNames.includes(`${event}.${action}`) ? pull() : undefined;
  // What is commented on is the pull request.
  if (name === 'issue_comment') pull();
  return others[name as keyof typeof others](options);
}
