import { proxyOf } from '../http/environment.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import { isCertificateFailure } from '../http/failures.ts';
import { asSentence, messageOf } from '../text/format.ts';
import { log } from './log.ts';

/**
 * The error of a failed step: what was tried, what came back, and what to do next. What only the place that throws it knows is in its
 * message; what follows from the response alone is added here.
 */
export function explain(error: unknown, { apiHost = '' }: { apiHost?: string }): string {
  const message = messageOf(error);
  const sentence = message.includes('\n') ? message : asSentence(message);
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) {
    log.debug(error.stack ?? '');
    return `Bug in this action: ${sentence} Please report it, and attach the log of a run that has debug logging enabled.`;
  }
  const next =
    error instanceof ApiError ? nextStep(error, apiHost) : error instanceof StoppedError ? afterStop(error) : '';
  return next === '' ? sentence : `${sentence} ${next}`;
}

function afterStop({ reason, mayHaveActed }: StoppedError): string {
  const unsure = mayHaveActed ? 'The request may still have taken effect.' : '';
  return [unsure, reason === 'timeout' ? 'Run the step again, or raise `timeout`.' : ''].filter(Boolean).join(' ');
}

/** What to do about a response, whatever the request was; empty if there is nothing to advise. */
export function nextStep({ failure, status = 0, request }: ApiError, apiHost: string): string {
  switch (failure.kind) {
    case 'network':
      return aboutNetwork(failure.errno ?? '', apiHost);
    case 'redirect':
      return 'Check that `api_host` is the URL of the API itself; the key is never sent anywhere else.';
    case 'unreadable':
      return 'Check that `api_host` is the base URL of the API; a proxy in between may have responded instead.';
    default:
      return aboutStatus(status, request.path);
  }
}

const byStatus: Record<number, string> = {
  401: 'The service rejected the key. Check that `api_key` is complete, belongs to this service (`api_host`) and has not been revoked.',
  403: 'The key is valid, but is not allowed to do this. Use a key that may do this; a project-scoped key has access only to its project.',
  412: 'The plan may not allow this: change or remove the compute settings, or upgrade the plan.',
  423: 'The project is locked by other operations. Run the step again, or raise `timeout`.',
  429: 'The service is rate-limiting the account. Run the step again later, or raise `timeout`.',
};

function aboutStatus(status: number, path: string): string {
  if (status === 404) {
    return path.includes('/branches/')
      ? 'The branch may have expired or been deleted in the meantime.'
      : "Check that `project_id` is the project's ID, not its name, that `api_host` is correct, and that the key has access to the project.";
  }
  return byStatus[status] ?? (status >= 500 ? 'The service is failing (5xx); run the step again.' : '');
}

function aboutNetwork(errno: string, url: string): string {
  const proxy = proxyOf(url, process.env);
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (errno === 'ENOTFOUND' && proxy === undefined) return `Check \`api_host\` (${url}).`;
  if (isCertificateFailure(errno)) {
    return `Check the TLS certificate of ${host}. If it comes from a private certificate authority, set NODE_EXTRA_CA_CERTS on the runner to the path of the authority's certificate.`;
  }
  if (proxy !== undefined) {
    return `The connection goes through the proxy ${proxy.host} (${proxy.name}). Check that it is running, that its URL has the right user name and password, and that it allows connections to ${host}; or add ${host} to NO_PROXY if the runner can reach it directly.`;
  }
  return `Check that the runner can reach ${host}. If it needs a proxy, set HTTPS_PROXY, and NO_PROXY for exceptions.`;
}
