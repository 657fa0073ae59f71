/** One response, before it is written. */
export interface GitHubResponse {
  status: number;
  headers?: Record<string, string>;
  /** sent as JSON; a text is sent as it is */
  body?: unknown;
}

/** An error response with GitHub's own message. */
export class ErrorResponse extends Error {
  readonly response: GitHubResponse;

  constructor(status: number, message: string, more: { headers?: Record<string, string>; errors?: object[] } = {}) {
    super(message);
    const { headers = {}, errors } = more;
    const body = {
      message,
      ...(errors && { errors }),
      documentation_url: 'https://docs.github.com/rest',
      status: `${status}`,
    };
    this.response = { status, headers, body };
  }
}

export type Access = 'none' | 'read' | 'write';

/** The token's permissions, as in a job's `permissions:`. */
export interface Permissions {
  contents: Access;
  issues: Access;
  pullRequests: Access;
}

/** One of the permissions is enough: for comments, that of issues or of pull requests. */
export function allows(permissions: Permissions, names: (keyof Permissions)[], access: 'read' | 'write'): boolean {
  return names.some((name) => permissions[name] === 'write' || permissions[name] === access);
}

export function forbidden(names: (keyof Permissions)[], access: 'read' | 'write'): ErrorResponse {
  const headerName = { contents: 'contents', issues: 'issues', pullRequests: 'pull_requests' };
  const accepted = names.map((name) => `${headerName[name]}=${access}`).join('; ');
  return new ErrorResponse(403, 'Resource not accessible by integration', {
    headers: { 'x-accepted-github-permissions': accepted },
  });
}

/** GitHub's response to a burst of requests, independent of the hourly limit. */
export function secondaryRateLimit({
  status = 403,
  retryAfter,
}: {
  status?: 403 | 429;
  retryAfter?: string;
} = {}): GitHubResponse {
  const message =
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. ' +
    'For more on scraping GitHub and how it may affect your rights, please review our Terms of Service';
  return {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    body: {
      documentation_url: 'https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api',
      message,
    },
  };
}

/** The hourly limit is used up until `resetsAt`, in seconds since the epoch. */
export function primaryRateLimit({ resetsAt }: { resetsAt: number }): GitHubResponse {
  return {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetsAt) },
    body: {
      message: 'API rate limit exceeded for installation ID 1.',
      documentation_url: 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api',
      status: '403',
    },
  };
}
