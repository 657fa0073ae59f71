export const id = 729;
export const ids = [729];
export const modules = {

/***/ 8729:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   createGitHub: () => (/* binding */ createGitHub)
/* harmony export */ });
/* harmony import */ var _actions_github__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3242);
/* harmony import */ var _http_retry_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8521);
/* harmony import */ var _http_retry_policy_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(888);
/* harmony import */ var _http_shape_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(3162);
/* harmony import */ var _text_format_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(105);
/* harmony import */ var _text_inert_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(9304);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2609);







/** Attempts of one request that fails with transient errors; rate limits do not count. */
const maxAttempts = 4;
/** Rate limits that one request waits for. */
const maxRateLimits = 6;
function createGitHub(options) {
    const { deadline, clock, attemptMs, onRetry, onTrace } = options;
    const [owner = '', repo = ''] = options.repository.split('/');
    const silent = () => { };
    const octokit = (0,_actions_github__WEBPACK_IMPORTED_MODULE_0__/* .getOctokit */ .Q)(options.token, {
        baseUrl: options.api,
        userAgent: 'database-branch-action',
        // Octokit's own log would bypass the masking of this action's log.
        log: { debug: silent, info: silent, warn: silent, error: silent },
        request: { fetch: fetchThrough(options.dispatcher) },
    });
    octokit.hook.after('request', ({ status, headers }) => {
        // No redirect is followed, and Octokit takes one for a success.
        if (status >= 300)
            throw new ResponseFailure({ status, message: 'unexpected redirect', headers });
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
                onTrace?.(`GitHub: ${purpose.goal} (${(0,_text_format_js__WEBPACK_IMPORTED_MODULE_3__/* .duration */ .p0)(clock.now() - started)})`);
                return { value };
            }
            catch (error) {
                if (deadline.signal.aborted)
                    throw deadline.signal.reason;
                const failure = failureOf(error, limit.aborted ? ` within ${(0,_text_format_js__WEBPACK_IMPORTED_MODULE_3__/* .duration */ .p0)(attemptMs)}` : undefined);
                onTrace?.(`Could not ${purpose.goal}: ${failure.what}`);
                const response = responseOf(error);
                const limitMs = response && (0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .rateLimitMs */ .UW)(response, { now: clock.now(), attempt: limits + 1 });
                return { failure: limitMs === undefined ? failure : rateLimited(failure, limitMs) };
            }
        };
        return (0,_http_retry_js__WEBPACK_IMPORTED_MODULE_1__/* .retry */ .L)({
            doing: `trying to ${purpose.goal}`,
            attempt,
            delayMs(failure) {
                // Without jitter: GitHub says exactly how long its limit lasts.
                if (failure.kind === 'rate-limited')
                    return ++limits > maxRateLimits ? undefined : failure.retryAfterMs;
                const canRetry = kindOf(failure) === 'transient' && purpose.idempotent !== false && ++transient < maxAttempts;
                return canRetry ? (0,_http_retry_policy_js__WEBPACK_IMPORTED_MODULE_2__/* .retryDelayMs */ .qO)({ failure, attempt: transient, random: Math.random }) : undefined;
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
        hasGraphQL: options.graphql !== '',
        rest: (purpose, send) => call(purpose, (signal) => send(octokit, { signal })),
        graphql: (purpose, query, variables) => call(purpose, async (signal) => {
            const request = { method: 'POST', url: options.graphql, query, variables, request: { signal } };
            return readGraphQL(await octokit.request(request));
        }),
    };
}
/**
 * The part of `fetch` that Octokit needs, with the connections of this step: its proxy, its certificates, its end. Octokit's default,
 * undici's `fetch`, is five times as large as Octokit, with its caches and WebSockets.
 */
function fetchThrough(dispatcher) {
    return async (url, init) => {
        const { method, headers, body, signal } = init;
        const { origin, pathname, search } = new URL(url);
        const path = `${pathname}${search}`;
        const response = await dispatcher.request({ origin, path, method, headers, body, signal });
        const text = await response.body.text();
        return new Response(text === '' ? null : text, {
            status: response.statusCode,
            headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        });
    };
}
function failureOf(error, timeout) {
    const response = responseOf(error);
    if (!response) {
        const what = `no response from GitHub${timeout ?? ` (${reason(error)})`}`;
        return { kind: 'network', what, mayHaveActed: false, cause: error };
    }
    const { status, message } = response;
    const what = `GitHub responded with ${status}, ${(0,_text_inert_js__WEBPACK_IMPORTED_MODULE_5__/* .oneLine */ .TN)(message, 200)}`;
    return { kind: 'status', status, message, what, mayHaveActed: false, cause: error };
}
function rateLimited(failure, ms) {
    return { ...failure, kind: 'rate-limited', what: "GitHub's rate limit is exhausted", retryAfterMs: ms };
}
function toError({ goal, permission }, failure) {
    const { cause, status = 0, message = '' } = failure;
    if (failure.kind === 'rate-limited') {
        const what = `GitHub is rate-limiting requests for another ${(0,_text_format_js__WEBPACK_IMPORTED_MODULE_3__/* .duration */ .p0)(failure.retryAfterMs ?? 0)}`;
        return new _errors_js__WEBPACK_IMPORTED_MODULE_4__/* .GitHubError */ .y_({ kind: 'transient', goal, what, cause });
    }
    if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .isDenied */ .GZ)(status)) {
        return new _errors_js__WEBPACK_IMPORTED_MODULE_4__/* .GitHubError */ .y_({ kind: 'denied', goal, what: (0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .denial */ .Kp)({ status, message }, permission), cause });
    }
    return new _errors_js__WEBPACK_IMPORTED_MODULE_4__/* .GitHubError */ .y_({ kind: kindOf(failure), goal, what: failure.what, cause });
}
function kindOf({ status }) {
    if (status === undefined || status >= 500 || status === 408)
        return 'transient';
    return status === 404 || status === 410 ? 'missing' : 'other';
}
/** GitHub's response, if the error has one. */
function responseOf(error) {
    if (error instanceof ResponseFailure)
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
    return (0,_text_inert_js__WEBPACK_IMPORTED_MODULE_5__/* .oneLine */ .TN)(error instanceof Error ? error.message : String(error), 200);
}
/** A response that Octokit takes for a success: a redirect, or GraphQL errors that concern the whole request. */
class ResponseFailure extends Error {
    response;
    constructor(response) {
        super(response.message);
        this.response = response;
    }
}
/** Reads a GraphQL response; throws a `ResponseFailure` if it has nothing usable. */
function readGraphQL(response) {
    const { headers } = response;
    const body = (0,_http_shape_js__WEBPACK_IMPORTED_MODULE_6__/* .optionalObject */ .u9)(response.data);
    const errors = (Array.isArray(body.errors) ? body.errors : []).map(readError);
    const limited = errors.find((one) => one.type === 'RATE_LIMITED' || /rate limit/i.test(one.message));
    if (limited)
        throw new ResponseFailure({ status: 200, message: limited.message, headers, rateLimited: true });
    const denied = errors.find((one) => ['FORBIDDEN', 'INSUFFICIENT_SCOPES'].includes(one.type ?? '') || /resource not accessible/i.test(one.message));
    if (denied)
        throw new ResponseFailure({ status: 403, message: denied.message, headers });
    // GitHub ends a query that takes too long with errors and no data.
    if (body.data === undefined || body.data === null) {
        throw new ResponseFailure({ status: 502, message: errors[0]?.message ?? 'the response has no data', headers });
    }
    return { data: body.data, errors };
}
function readError(error) {
    const { type, message } = (0,_http_shape_js__WEBPACK_IMPORTED_MODULE_6__/* .optionalObject */ .u9)(error);
    return {
        type: typeof type === 'string' ? type : undefined,
        message: typeof message === 'string' ? message : 'an error without a message',
    };
}


/***/ })

};
