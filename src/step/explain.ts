import { ApiError, StoppedError } from '../http/errors.ts';
import { isCertificateFailure } from '../http/failures.ts';
import { asSentence, messageOf, pleaseReport } from '../text/format.ts';
import { log } from './log.ts';

/**
 * The error of a failed step: what was tried, what came back, and what to do next. What only the place that throws it knows is in its
 * message; what follows from the response alone is added here.
 */
export function explain(error: unknown, { apiHost = '' }: { apiHost?: string }): string {
  const message = messageOf(error);
  const sentence = message.includes('\n') ? message : asSentence(message);
  if (error instanceof TypeError) {
    log.debug(error.stack ?? '');
    return `Bug in this action: ${sentence} ${pleaseReport}`;
  }
  if (!(error instanceof ApiError || error instanceof StoppedError)) return sentence;
  const unsure = error.mayHaveActed ? ' The request may still have taken effect.' : '';
  return `${sentence}${unsure} ${nextStep(error, apiHost)}`.trim();
}

/** What to do next, whatever the request was; empty if there is nothing to advise. */
function nextStep(error: ApiError | StoppedError, apiHost: string): string {
  if (error instanceof StoppedError) return error.reason === 'timeout' ? 'Run the step again, or raise `timeout`.' : '';
  const { failure, status = 0, path } = error;
  switch (failure.kind) {
    case 'network':
      return isCertificateFailure(failure.errno ?? '')
        ? "If the certificate comes from a private certificate authority, set NODE_EXTRA_CA_CERTS where the job runs to the path of the authority's certificate."
        : `Check that the runner can reach \`api_host\` (${apiHost}): directly, or through the proxy in HTTPS_PROXY, with the right user name and password; NO_PROXY lists exceptions.`;
    case 'redirect':
    case 'unreadable':
      return 'Check that `api_host` is the base URL of the API itself.';
    default:
      return aboutStatus(status, path);
  }
}

const byStatus: Record<number, string> = {
  401: 'Check that `api_key` is complete, belongs to this service (`api_host`) and has not been revoked.',
  403: 'Use a key that may do this; a project-scoped key has access only to its project.',
  412: 'The plan may not allow this: change or remove the compute settings, or upgrade the plan.',
  423: 'The project is locked by other operations. Run the step again, or raise `timeout`.',
  429: 'The service is rate-limiting the account. Run the step again later, or raise `timeout`.',
};

function aboutStatus(status: number, path: string): string {
  if (status === 404) {
    return path.includes('/branches/')
      ? 'The branch may have expired or been deleted in the meantime: run the step again, or skip it if the pull request is closed.'
      : "Check that `project_id` is the project's ID, not its name, that `api_host` is correct, and that the key has access to the project; a branch that the step names may also be gone.";
  }
  return (
    byStatus[status] ??
    (status >= 500
      ? 'The service is failing (5xx); run the step again.'
      : 'Correct what the service names, and run the step again.')
  );
}
