import type { RepositoryState } from '../github/state.ts';
import * as events from '../runner/events.ts';

export interface PullState {
  closed: boolean;
  /** Whether it has the label of the events that add and remove one. */
  labeled: boolean;
}

export interface EventOptions {
  /** Of the pull request. */
  number: number;
  /** The pull request's target branch. */
  base: string;
  /** What `pull_request.labeled` adds and `pull_request.unlabeled` removes. */
  label?: string | undefined;
  /** For `workflow_dispatch`. */
  inputs: Record<string, string>;
  /** Of the pull request, after the event. */
  state: PullState;
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
  merge_group: ({ number }: EventOptions) => events.mergeGroup({ number }),
  issue_comment: ({ number, state: { closed } }: EventOptions) => events.issueComment({ number, closed }),
};
const pulls = ['pull_request', 'pull_request_target'];

/** The fork with the head branch, as `owner/name`. */
const FORK = 'contributor/octo-repo';

/** Whether GitHub keeps the repository's secrets from a run for a fork, unlike from `pull_request_target`. */
export function lacksSecrets(event: string): boolean {
  return event.startsWith('pull_request.') || event === 'pull_request';
}

/** Whether an event adds or removes a label. */
function changesLabel(event: string): boolean {
  return /\.(un)?labeled$/.test(event);
}

/** What the actions of events change about a pull request. */
const changes: Record<keyof PullState, Record<string, boolean>> = {
  closed: { closed: true, reopened: false, opened: false },
  labeled: { labeled: true, unlabeled: false },
};

/** Events in order, each with the state of the pull request after it. */
export function withStates(events: string[]): { name: string; state: PullState }[] {
  const actionOf = (name: string) => name.split('.')[1] ?? '';
  let state: PullState = { closed: false, labeled: false };
  return events.map((name) => {
    const after = (what: keyof PullState) => changes[what][actionOf(name)] ?? state[what];
    state = { closed: after('closed'), labeled: after('labeled') };
    return { name, state };
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
  const { number, base, label } = options;
  const { closed, labeled } = options.state;
  const fork = options.fork ? FORK : undefined;
  const pull = () => {
    const made = events.pullRequest({
      action: pullActions.find((one) => one === action) ?? 'opened',
      number,
      base,
      target: event === 'pull_request_target',
      labels: labeled && label !== undefined ? [label] : [],
      closed,
      ...(label !== undefined && changesLabel(name) && { label }),
      ...(fork !== undefined && { fork, author: 'contributor' }),
    });
    const { title, head } = (made.payload as { pull_request: { title: string; head: { ref: string } } }).pull_request;
    github.addPull({ number, title, base, head: head.ref, fork, state: closed ? 'closed' : 'open' });
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
