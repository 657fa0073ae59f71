import { OperationError } from '../api/errors.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { Inputs } from '../inputs/fields.ts';
import type { PrunedBranch, Result } from '../result.ts';
import { show } from '../text/inert.ts';

/** Branches that a sentence names one by one. */
const mostNamed = 10;

interface Situation {
  inputs: Pick<Inputs, 'project_id' | 'api_host'> | undefined;
  result: Result;
}

/** What to do next about an error, as a sentence; empty where nobody knows. */
export function advise(error: unknown, situation: Situation): string {
  if (error instanceof ApiError) return adviseOnApi(error, situation);
  if (error instanceof StoppedError) return adviseOnStop(error, situation);
  if (error instanceof OperationError) {
    return "Look at the operation in the service's console; running the step again reuses or repairs what is there.";
  }
  return '';
}

const byCode: Record<string, string> = {
  BRANCHES_LIMIT_EXCEEDED:
    "The project has no room for another branch. Delete what was left behind (`command: prune`), let branches expire (`expires_in`), or raise the plan's limit.",
  ROOT_BRANCHES_LIMIT_EXCEEDED:
    'The project has no room for another root branch, which every schema-only branch is. Delete some, let branches expire (`expires_in`), or use `branch_type: default`.',
};

function adviseOnApi(error: ApiError, { inputs, result }: Situation): string {
  const { failure } = error;
  const known = byCode[error.code];
  if (known) return known;
  if (failure.kind === 'network') return adviseOnNetwork(failure.errno ?? '', inputs?.api_host ?? '');
  if (failure.kind === 'redirect')
    return 'Is `api_host` the address of the API itself? The key is sent to that origin only.';
  if (failure.kind === 'unreadable')
    return 'Is `api_host` the base URL of the API? A proxy in between may have answered.';
  switch (error.status) {
    case 401:
      return 'The service rejects the key. Is `api_key` the whole key, of this service (`api_host`), and not revoked?';
    case 403:
      return 'The key is good, but it may not do this. Use a key of an account or organization that may change the project.';
    case 404:
      return result.branch
        ? 'What was asked for is not there any more; has another run deleted the branch meanwhile?'
        : `Is \`project_id\` right${inputs?.project_id ? ` (${inputs.project_id})` : ''}, and may the key see that project?`;
    case 412:
      return "The project's plan does not allow this. Where compute settings were given, leave out `min_cu`, `max_cu` and `suspend_timeout`, or change them.";
    case 423:
      return 'The project was busy with other operations all the time. Run the step again, or give it more `timeout`.';
    case 429:
      return 'The account sends more requests than the service takes. Run the step again later, or give it more `timeout`.';
    default:
      return (error.status ?? 0) >= 500
        ? 'The service has trouble. Run the step again; it picks up what is there.'
        : '';
  }
}

function adviseOnNetwork(errno: string, host: string): string {
  if (errno === 'ENOTFOUND') return `Is \`api_host\` right (${host})?`;
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(errno)) {
    return 'For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate on the runner.';
  }
  return `Can the runner reach ${host}? A proxy goes into HTTPS_PROXY, exceptions into NO_PROXY.`;
}

function adviseOnStop(error: StoppedError, { result }: Situation): string {
  // A create that has pruned to make room has a branch once it goes on; a prune never has one.
  if (result.pruned && !result.branch) return adviseOnStoppedPrune(error, result.pruned);
  const unseen = error.mayHaveActed ? 'Whether the service has done so was not seen.' : '';
  return [unseen, adviseOnRest(error, result)].filter(Boolean).join(' ');
}

function adviseOnStoppedPrune(error: StoppedError, pruned: PrunedBranch[]): string {
  const unsure = pruned.filter((one) => one.outcome === 'unsure').map((one) => show(one.name));
  const more = unsure.length > mostNamed ? ` and ${unsure.length - mostNamed} more` : '';
  const about = unsure.length > 0 ? `; whether ${unsure.slice(0, mostNamed).join(', ')}${more} too was not seen` : '';
  const next = error.reason === 'cancelled' ? '' : ', or give it more `timeout`';
  return `What was deleted until then is gone${about}. Run it again, and it goes on with what is left${next}.`;
}

function adviseOnRest(error: StoppedError, result: Result): string {
  if (error.reason === 'cancelled') return '';
  const ended = result.operations.map(({ id }) => id);
  const ids = (result.operationIds ?? []).filter((id) => !ended.includes(id));
  if (ids.length === 0) return "Give it more `timeout`, or look at the service's status.";
  return `Wait on with \`command: wait\` and \`operation_ids: ${ids.join(',')}\`, or give it more \`timeout\`.`;
}
