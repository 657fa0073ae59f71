import { isCertificateFailure } from '../http/codes.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { Inputs } from '../inputs/fields.ts';
import type { PrunedBranch, Result } from '../result.ts';
import { BranchGoneError, MaskingError, MismatchError, OperationError, RenamedError } from '../service/errors.ts';
import { count, listOf, listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** Branches that a sentence names one by one. */
const maxNamed = 10;

/** Inputs that a plan limits. */
const planSettings = ['min_cu', 'max_cu', 'suspend_timeout'] as const;

interface Situation {
  command: string;
  inputs:
    | (Pick<Inputs, 'project_id' | 'api_host' | 'on_limit'> &
        Partial<Pick<Inputs, 'branch_id' | (typeof planSettings)[number]>>)
    | undefined;
  result: Result;
  /** The proxy of the service's requests, see `proxyOf`. */
  proxy?: { name: string; host: string } | undefined;
}

/** What to do next about an error, as sentences; empty if there is nothing to advise. */
export function advise(error: unknown, situation: Situation): string {
  if (error instanceof ApiError) return adviseOnApi(error, situation);
  if (error instanceof StoppedError) return adviseOnStop(error, situation);
  if (error instanceof MaskingError) return adviseOnMasking(situation);
  if (error instanceof BranchGoneError) return adviseOnGone(error, situation);
  if (error instanceof OperationError) {
    if (error.unknown && !error.wasKnown)
      return "Check `operation_ids` and `project_id`; if both are right, check the branch in the service's console.";
    return `Check the ${error.unknown ? 'branch' : 'operation'} in the service's console, then run the step again.`;
  }
  // The message about a branch with another name already says what to do.
  if (error instanceof MismatchError && error.createdId === undefined) {
    return 'Check that `api_host` is the base URL of the API; if it is, report this to the service.';
  }
  return '';
}

/** Whether the step succeeds the next time, if its branch is gone: it creates the branch, or deletes it. Any other finds none. */
function succeedsAgain({ command, inputs }: Situation): boolean {
  return ['rehearse', 'delete'].includes(command) || (command === 'create' && inputs?.branch_id === undefined);
}

function adviseOnGone(error: BranchGoneError, situation: Situation): string {
  if (error.change.mayHaveActed) return "Check the branch in the service's console before you run the step again.";
  const byId = situation.inputs?.branch_id !== undefined;
  const isRenamed = error instanceof RenamedError;
  if (succeedsAgain(situation) || (byId && isRenamed)) return 'Run the step again.';
  if (isRenamed) return 'To use it under its new name, set `branch_name` to that name.';
  return byId ? '`command: create` with `branch_name` creates a new one.' : '`command: create` creates it again.';
}

/** The branch of a rehearsal is new each time; other commands than `create` don't read `masking_rules`. */
function adviseOnMasking({ command }: Situation): string {
  if (command === 'rehearse') return 'Fix `masking_rules`.';
  if (command === 'create')
    return 'Fix `masking_rules`. If the branch still exists, also set `if_exists: recreate` to replace it.';
  return 'Fix `masking_rules` in the step that creates the branch, and set `if_exists: recreate` there to replace it.';
}

/** What to do if the project is full. Doesn't suggest pruning to a step that has already pruned: what is left is not stale. */
const byCode: Record<string, (hasPruned: boolean) => string> = {
  BRANCHES_LIMIT_EXCEEDED: (hasPruned) =>
    `The project has no room for another branch. ${deleteSome('branches', hasPruned)}, let branches expire (\`expires_in\`), or upgrade the plan.`,
  ROOT_BRANCHES_LIMIT_EXCEEDED: (hasPruned) =>
    `The project has no room for another root branch, and schema-only branches are root branches. ${deleteSome('root branches', hasPruned)}, let them expire (\`expires_in\`), or use \`branch_type: default\`.`,
};

function deleteSome(branches: string, hasPruned: boolean): string {
  return hasPruned
    ? `Delete ${branches} you no longer need`
    : `Delete stale ${branches} (\`on_limit: prune\` or \`command: prune\`, which need \`pull-requests: read\`)`;
}

const byStatus: Record<number, string> = {
  401: 'The service rejected the key. Check that `api_key` is complete, belongs to this service (`api_host`) and has not been revoked.',
  403: 'The key is valid, but is not allowed to do this. Use a key that may do this; a project-scoped key has access only to its project.',
  412: 'The plan may not allow this.',
  423: 'The project is locked by other operations. Run the step again, or raise `timeout`.',
  429: 'The service is rate-limiting the account. Run the step again later, or raise `timeout`.',
};

function adviseOnApi(error: ApiError, situation: Situation): string {
  const { inputs, proxy } = situation;
  const { failure, status = 0 } = error;
  const known = byCode[error.code];
  if (known) return known(inputs?.on_limit === 'prune');
  if (failure.kind === 'network') return adviseOnNetwork(failure.errno ?? '', inputs?.api_host ?? '', proxy);
  if (failure.kind === 'redirect') {
    return 'Check that `api_host` is the URL of the API itself; the key is never sent anywhere else.';
  }
  if (failure.kind === 'unreadable') {
    return 'Check that `api_host` is the base URL of the API; a proxy in between may have responded instead.';
  }
  if (status === 404) return adviseOnNotFound(error, situation);
  const settings = status === 412 ? planSettings.filter((name) => inputs?.[name] !== undefined) : [];
  if (settings.length === 0) return adviseOnStatus(status);
  const names = settings.map((name) => `\`${name}\``);
  return `The plan may not allow this: change or remove ${listOf(names, 'and')}, or upgrade the plan.`;
}

/** What to do about a status, whatever the request was; empty if there is nothing to advise. */
export function adviseOnStatus(status: number): string {
  return byStatus[status] ?? (status >= 500 ? 'The service is failing (5xx); run the step again.' : '');
}

function adviseOnNotFound({ request }: ApiError, situation: Situation): string {
  const { inputs, result } = situation;
  if (result.branch || request.path.includes('/branches/')) {
    const next = succeedsAgain(situation)
      ? 'Run the step again.'
      : 'If it still exists, run the step again; otherwise, create it first.';
    return `The branch may have expired or been deleted in the meantime. ${next}`;
  }
  const project = inputs?.project_id;
  // Other paths are those of objects of the account, or come from the input `path`.
  if (!project || !request.path.startsWith('/projects/')) {
    return 'Check that `api_host` and any IDs in the step are correct.';
  }
  return `Check that \`project_id\` (${project}) is the project's ID, not its name, that \`api_host\` is correct, and that the key has access to the project.`;
}

function adviseOnNetwork(errno: string, url: string, proxy: Situation['proxy']): string {
  if (errno === 'ENOTFOUND' && proxy === undefined) return `Check \`api_host\` (${url}).`;
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (isCertificateFailure(errno)) {
    return `Check the TLS certificate of ${host}. If it comes from a private certificate authority, set NODE_EXTRA_CA_CERTS on the runner to the path of the authority's certificate.`;
  }
  if (errno.startsWith('PROXY_')) {
    const which = proxy === undefined ? 'proxy' : `proxy ${proxy.host} (${proxy.name})`;
    return `Check that the ${which} allows connections to ${host}, and that its URL has the right user name and password.`;
  }
  if (proxy !== undefined) {
    return `The connection goes through the proxy ${proxy.host} (${proxy.name}). Check that the proxy's address is right and that it is running, or add ${host} to NO_PROXY if the runner can reach it directly.`;
  }
  return `Check that the runner can reach ${host}. If it needs a proxy, set HTTPS_PROXY, and NO_PROXY for exceptions.`;
}

function adviseOnStop(error: StoppedError, { command, inputs, result }: Situation): string {
  const { pruned, branch, replaced } = result;
  const again = (purpose: string) =>
    `Run the step again${purpose}${error.reason === 'cancelled' ? '' : ', or raise `timeout`'}.`;
  // The deletion that was interrupted is among those that are unsure.
  if (pruned && command === 'prune') {
    return `${requestedIn(pruned)} so far${unansweredIn(pruned)}. ${again(' to delete any that remain')}`;
  }
  const unsure = error.mayHaveActed ? 'The request may still have taken effect.' : '';
  // Until there is a new branch, the operations are those of the branches that were pruned to make room for it.
  const hasBranch = branch?.id !== replaced?.id;
  const rest =
    pruned && !hasBranch
      ? `${requestedIn(pruned)} to make room${unansweredIn(pruned)}. ${again('')}`
      : adviseOnRest(error, { inputs, result });
  return [unsure, rest].filter(Boolean).join(' ');
}

/** How many deletions a prune has requested. Whether all of them have ended is not known. */
function requestedIn(pruned: PrunedBranch[]): string {
  const requested = pruned.filter(({ outcome }) => outcome === 'deleted' || outcome === 'unsure');
  return `Requested the deletion of ${count(requested.length, 'branch')}`;
}

function unansweredIn(pruned: PrunedBranch[]): string {
  const names = pruned.filter(({ outcome }) => outcome === 'unsure').map(({ name }) => show(name));
  return names.length > 0 ? ` (no response for ${listSome(names, maxNamed)})` : '';
}

function adviseOnRest(error: StoppedError, { inputs, result }: Omit<Situation, 'command'>): string {
  if (error.reason === 'cancelled') return '';
  const ended = new Set(result.operations.map(({ id }) => id));
  const pending = (result.operationIds ?? []).filter((id) => !ended.has(id));
  const code = error.lastFailure?.code ?? '';
  if (inputs?.on_limit === 'wait' && code in byCode) {
    const noun = code.startsWith('ROOT') ? 'root branch' : 'branch';
    return `Delete a ${noun}, set \`on_limit: prune\`, or raise \`timeout\`.`;
  }
  // A branch that ends with the job is gone before another step could wait for it.
  if (pending.length === 0 || result.endsWithJob) return "Raise `timeout`, or check the service's status.";
  return `Continue with \`command: wait\` and \`operation_ids: ${pending.join(',')}\`, or raise \`timeout\`.`;
}
