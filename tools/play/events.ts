import type { RepositoryState } from '../github/state.ts';
import * as events from '../runner/events.ts';

export type From = 'fork' | 'dependabot';

export interface PullState {
  draft: boolean;
  closed: boolean;
}

export interface EventOptions {
  /** Of the pull request. */
  number: number;
  /** The pull request's target branch. */
  base: string;
  /** What `pull_request.labeled` adds and `pull_request.unlabeled` removes. */
  label: string | undefined;
  /** Of the pull request, after the event. */
  labels: string[];
  /** For `workflow_dispatch`. */
  inputs: Record<string, string>;
  /** Of the pull request, after the event. */
  state: PullState;
  /** Who pull requests are from, if not from someone who can push to the repository. */
  from: From | undefined;
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
};
const pulls = ['pull_request', 'pull_request_target'];

/** The fork with the head branch, as `owner/name`. */
const FORK = 'contributor/octo-repo';

/** Whether GitHub keeps the repository's secrets from a run for a fork or Dependabot, unlike from `pull_request_target`. */
export function lacksSecrets(event: string): boolean {
  return event.startsWith('pull_request.') || event === 'pull_request';
}

/** Whether an event adds or removes a label. */
export function changesLabel(event: string): boolean {
  return /\.(un)?labeled$/.test(event);
}

/** The labels of a pull request after an event: those that it had, with or without `label` if the event adds or removes it. */
export function labelsAfter(event: string, labels: string[], label: string | undefined): string[] {
  if (label === undefined || !changesLabel(event)) return labels;
  const others = labels.filter((one) => one !== label);
  return event.endsWith('.labeled') ? [...others, label] : others;
}

/** The state of a pull request after each of these events, in order. It is a draft at first if the first event about that is the end of it. */
export function pullStates(events: string[]): PullState[] {
  const actions = events.map((name) => name.split('.')[1] ?? '');
  const first = actions.find((action) => action in draftAfter) ?? '';
  let draft = draftAfter[first] === false;
  let closed = false;
  return actions.map((action) => {
    draft = draftAfter[action] ?? draft;
    closed = closedAfter[action] ?? closed;
    return { draft, closed };
  });
}

const draftAfter: Record<string, boolean> = { converted_to_draft: true, ready_for_review: false };
const closedAfter: Record<string, boolean> = { opened: false, reopened: false, closed: true };

/** Every event that can be played. */
export const eventNames = [
  ...pulls.flatMap((name) => pullActions.map((action) => `${name}.${action}`)),
  ...Object.keys(others),
];

/** An `on:` with all of them. */
export const everyEvent: object = Object.fromEntries([
  ...pulls.map((name) => [name, { types: pullActions }]),
  ...Object.keys(others).map((name) => [name, null]),
]);

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
  if (Object.hasOwn(others, name)) return others[name as keyof typeof others](options);
  if (!eventNames.includes(`${event}.${action}`)) return undefined;
  const { number, base, label, labels, from } = options;
  const { draft, closed } = options.state;
  const fork = from === 'fork' ? FORK : undefined;
  const made = events.pullRequest({
    action: action as PullAction,
    number,
    base,
    target: event === 'pull_request_target',
    labels,
    ...{ draft, closed },
    ...(label !== undefined && changesLabel(name) && { label }),
    ...(fork !== undefined && { fork, author: 'contributor' }),
    ...(from === 'dependabot' && { author: 'dependabot[bot]' }),
  });
  const { title, head } = (made.payload as { pull_request: { title: string; head: { ref: string } } }).pull_request;
  github.addPull({ number, title, base, head: head.ref, fork, state: closed ? 'closed' : 'open' });
  // The branch of a fork is in its own repository.
  if (fork !== undefined) return made;
  if (closed) github.deleteBranch(head.ref);
  else github.addBranch(head.ref);
  return made;
}
