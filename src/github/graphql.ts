import type { ErrorResponse } from './responses.ts';

/** One error in a GraphQL response. */
interface GraphQLError {
  type?: string;
  message: string;
}

/** A GraphQL response, complete or in part: what could not be read is named in `errors`. */
export interface GraphQLResponse {
  data: unknown;
  errors: GraphQLError[];
}

/** A GraphQL response whose errors concern the whole request, in the form of an HTTP error response. */
export class GraphQLFailure extends Error {
  readonly response: ErrorResponse;

  constructor(response: ErrorResponse) {
    super(response.message);
    this.response = response;
  }
}

/** Reads a GraphQL response; throws a `GraphQLFailure` if it has nothing usable. */
export function readGraphQL(response: {
  status: number;
  data: unknown;
  headers: Record<string, string | number | undefined>;
}): GraphQLResponse {
  const { headers } = response;
  const body = (typeof response.data === 'object' && response.data !== null ? response.data : {}) as {
    data?: unknown;
    errors?: unknown;
  };
  const errors = (Array.isArray(body.errors) ? body.errors : []).map(readError);
  // Octokit treats a redirect without a location as a success.
  if (response.status >= 300) {
    throw new GraphQLFailure({ status: response.status, message: 'unexpected redirect', headers });
  }
  const limited = errors.find((one) => one.type === 'RATE_LIMITED' || /rate limit/i.test(one.message));
  if (limited) throw new GraphQLFailure({ status: 200, message: limited.message, headers, rateLimited: true });
  const denied = errors.find(
    (one) =>
      ['FORBIDDEN', 'INSUFFICIENT_SCOPES'].includes(one.type ?? '') || /resource not accessible/i.test(one.message),
  );
  if (denied) throw new GraphQLFailure({ status: 403, message: denied.message, headers });
  // GitHub ends a query that takes too long with errors and no data.
  if (body.data === undefined || body.data === null) {
    throw new GraphQLFailure({ status: 502, message: errors[0]?.message ?? 'the response has no data', headers });
  }
  return { data: body.data, errors };
}

function readError(error: unknown): GraphQLError {
  const { type, message } = (error ?? {}) as { type?: unknown; message?: unknown };
  return {
    ...(typeof type === 'string' ? { type } : {}),
    message: typeof message === 'string' ? message : 'an error without a message',
  };
}
