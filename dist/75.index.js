export const id = 75;
export const ids = [75];
export const modules = {

/***/ 1075:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  createGitHub: () => (/* binding */ createGitHub)
});

// EXTERNAL MODULE: ./node_modules/@actions/github/lib/github.js + 22 modules
var github = __webpack_require__(3242);
// EXTERNAL MODULE: ./node_modules/undici/index.js
var undici = __webpack_require__(3627);
// EXTERNAL MODULE: ./js/http/retry.js
var retry = __webpack_require__(8521);
// EXTERNAL MODULE: ./js/http/retry-policy.js
var retry_policy = __webpack_require__(888);
// EXTERNAL MODULE: ./js/text/format.js
var format = __webpack_require__(105);
// EXTERNAL MODULE: ./js/text/inert.js
var inert = __webpack_require__(9304);
// EXTERNAL MODULE: ./js/github/errors.js
var errors = __webpack_require__(2609);
;// CONCATENATED MODULE: ./js/github/graphql.js
/** A GraphQL response whose errors concern the whole request, in the form of an HTTP error response. */
class GraphQLFailure extends Error {
    response;
    constructor(response) {
        super(response.message);
        this.response = response;
    }
}
/** Reads a GraphQL response; throws a `GraphQLFailure` if it has nothing usable. */
function readGraphQL(response) {
    const { headers } = response;
    const body = (typeof response.data === 'object' && response.data !== null ? response.data : {});
    const errors = (Array.isArray(body.errors) ? body.errors : []).map(readError);
    // Octokit treats a redirect without a location as a success.
    if (response.status >= 300) {
        throw new GraphQLFailure({ status: response.status, message: 'unexpected redirect', headers });
    }
    const limited = errors.find((one) => one.type === 'RATE_LIMITED' || /rate limit/i.test(one.message));
    if (limited)
        throw new GraphQLFailure({ status: 200, message: limited.message, headers, rateLimited: true });
    const denied = errors.find((one) => ['FORBIDDEN', 'INSUFFICIENT_SCOPES'].includes(one.type ?? '') || /resource not accessible/i.test(one.message));
    if (denied)
        throw new GraphQLFailure({ status: 403, message: denied.message, headers });
    // GitHub ends a query that takes too long with errors and no data.
    if (body.data === undefined || body.data === null) {
        throw new GraphQLFailure({ status: 502, message: errors[0]?.message ?? 'the response has no data', headers });
    }
    return { data: body.data, errors };
}
function readError(error) {
    const { type, message } = (error ?? {});
    return {
        ...(typeof type === 'string' ? { type } : {}),
        message: typeof message === 'string' ? message : 'an error without a message',
    };
}

// EXTERNAL MODULE: ./js/github/responses.js
var responses = __webpack_require__(6556);
;// CONCATENATED MODULE: ./js/github/client.js









/** Attempts of one request that fails with transient errors; rate limits do not count. */
const maxAttempts = 4;
/** Rate limits that one request waits for. */
const maxRateLimits = 6;
function createGitHub(options) {
    const { deadline, clock, attemptMs, onRetry, onTrace } = options;
    const [owner = '', repo = ''] = options.repository.split('/');
    const silent = () => { };
    const octokit = (0,github/* getOctokit */.Q)(options.token, {
        baseUrl: options.api,
        userAgent: 'database-branch-action',
        // Octokit's own log would bypass the masking of this action's log.
        log: { debug: silent, info: silent, warn: silent, error: silent },
        request: {
            fetch: (url, init) => (0,undici.fetch)(url, { ...init, dispatcher: options.dispatcher }),
        },
    });
    async function call(purpose, send) {
        let limits = 0;
        let transient = 0;
        const attempt = async () => {
            if (deadline.signal.aborted)
                throw deadline.signal.reason;
            const limit = AbortSignal.timeout(attemptMs);
            const started = clock.now();
            try {
                const value = await send(AbortSignal.any([deadline.signal, limit]));
                onTrace?.(`GitHub: ${purpose.goal} (${(0,format/* duration */.p0)(clock.now() - started)})`);
                return { value };
            }
            catch (error) {
                if (deadline.signal.aborted)
                    throw deadline.signal.reason;
                const failure = failureOf(error, limit.aborted ? ` within ${(0,format/* duration */.p0)(attemptMs)}` : undefined);
                onTrace?.(`Could not ${purpose.goal}: ${failure.what}`);
                const response = responseOf(error);
                const limitMs = response && (0,responses/* rateLimitMs */.UW)(response, { now: clock.now(), attempt: limits + 1 });
                return { failure: limitMs === undefined ? failure : rateLimited(failure, limitMs) };
            }
        };
        return (0,retry/* retry */.L5)({
            doing: `trying to ${purpose.goal}`,
            attempt,
            delayMs(failure) {
                // Without jitter: GitHub says exactly how long its limit lasts.
                if (failure.kind === 'rate-limited')
                    return ++limits > maxRateLimits ? undefined : failure.retryAfterMs;
                const canRetry = kindOf(failure) === 'transient' && purpose.idempotent !== false && ++transient < maxAttempts;
                return canRetry ? (0,retry_policy/* retryDelayMs */.qO)({ failure, attempt: transient, random: Math.random }) : undefined;
            },
            toError: (failure) => toError(purpose, failure),
            deadline,
            clock,
            onRetry: onRetry && ((line) => onRetry(`Could not ${purpose.goal} yet: ${line}`)),
        });
    }
    return {
        owner,
        repo,
        rest: (purpose, send) => call(purpose, (signal) => send(octokit, { signal })),
        graphql: (purpose, query, variables) => call(purpose, async (signal) => {
            const request = { method: 'POST', url: options.graphql, query, variables, request: { signal } };
            return readGraphQL(await octokit.request(request));
        }),
    };
}
function failureOf(error, timeout) {
    const response = responseOf(error);
    if (!response) {
        const what = `no response from GitHub${timeout ?? ` (${reason(error)})`}`;
        return { kind: 'network', what, mayHaveActed: false, cause: error };
    }
    const { status, message } = response;
    const what = `GitHub responded with ${status}, ${(0,inert/* oneLine */.TN)(message, 200)}`;
    return { kind: 'status', status, message, what, mayHaveActed: false, cause: error };
}
function rateLimited(failure, ms) {
    return { ...failure, kind: 'rate-limited', what: "GitHub's rate limit is exhausted", retryAfterMs: ms };
}
function toError({ goal, permission }, failure) {
    const { cause, status = 0, message = '' } = failure;
    if (failure.kind === 'rate-limited') {
        const what = `GitHub is rate-limiting requests for another ${(0,format/* duration */.p0)(failure.retryAfterMs ?? 0)}`;
        return new errors/* GitHubError */.y({ kind: 'transient', goal, what, cause });
    }
    if ((0,responses/* isDenied */.GZ)(status)) {
        return new errors/* GitHubError */.y({ kind: 'denied', goal, what: (0,responses/* denial */.Kp)({ status, message }, permission), cause });
    }
    return new errors/* GitHubError */.y({ kind: kindOf(failure), goal, what: failure.what, cause });
}
function kindOf({ status }) {
    if (status === undefined || status >= 500 || status === 408)
        return 'transient';
    return status === 404 || status === 410 ? 'missing' : 'other';
}
/** GitHub's response, if the error has one. */
function responseOf(error) {
    if (error instanceof GraphQLFailure)
        return error.response;
    if (!(error instanceof Error) || !('response' in error))
        return undefined;
    const response = error.response;
    if (!response)
        return undefined;
    // GitHub's own message; the toolkit appends a link to its documentation.
    const message = response.data?.message;
    return {
        status: response.status,
        message: typeof message === 'string' ? message : error.message,
        headers: response.headers,
    };
}
function reason(error) {
    for (let at = error; at instanceof Error; at = at.cause) {
        const code = at.code;
        if (typeof code === 'string')
            return code;
    }
    return (0,inert/* oneLine */.TN)(error instanceof Error ? error.message : String(error), 200);
}


/***/ })

};
