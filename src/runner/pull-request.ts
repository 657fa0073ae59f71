import { type EventSource, isNumber, isSame, type Json, object, text } from './payload.ts';

export interface PullRequest {
  number: number;
  title: string;
  author: string;
  headRef: string;
  headSha: string;
  open: boolean;
  /** Whether it comes from another repository. GitHub gives such a run no secrets. */
  fork: boolean;
}

export function readPullRequest({ name, payload, repository }: EventSource): PullRequest | undefined {
  if (name === 'workflow_run') return triggeringPullRequest(object(payload.workflow_run), object(payload.repository));
  const from = object(payload.pull_request);
  if (isNumber(from.number)) {
    const head = object(from.head);
    return {
      number: from.number,
      title: text(from.title),
      author: text(object(from.user).login),
      headRef: text(head.ref),
      headSha: text(head.sha),
      open: from.state !== 'closed',
      // The head repository is null if the fork was deleted.
      fork: !isSame(object(head.repo).full_name, repository),
    };
  }
  // GitHub sends a comment on a pull request as one on an issue, without the head.
  const issue = object(payload.issue);
  if (!isNumber(issue.number) || !issue.pull_request) return undefined;
  return {
    number: issue.number,
    title: text(issue.title),
    author: text(object(issue.user).login),
    headRef: '',
    headSha: '',
    open: issue.state !== 'closed',
    fork: false,
  };
}

/** The pull request of the run that triggered this one, if there is exactly one. GitHub lists only open ones. */
function triggeringPullRequest(run: Json, repository: Json): PullRequest | undefined {
  const listed = Array.isArray(run.pull_requests) ? run.pull_requests.map(object) : [];
  // The list has pull requests to other repositories too, such as from a fork to its upstream. They have numbers of their own.
  const toThis = listed.filter((one) => isIn(one.base, repository));
  const [only] = toThis;
  if (toThis.length !== 1 || !isNumber(only?.number)) return undefined;
  const head = object(only.head);
  return {
    number: only.number,
    title: '',
    author: '',
    headRef: text(head.ref),
    headSha: text(head.sha),
    open: true,
    fork: object(head.repo).id !== object(object(only.base).repo).id,
  };
}

function isIn(side: unknown, repository: Json): boolean {
  return object(object(side).repo).id === repository.id;
}
