export const id = 989;
export const ids = [989];
export const modules = {

/***/ 1989:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  createGitHub: () => (/* binding */ createGitHub)
});

// EXTERNAL MODULE: ../../node_modules/@actions/github/lib/github.js + 22 modules
var github = __webpack_require__(1329);
// EXTERNAL MODULE: ../../node_modules/undici/index.js
var undici = __webpack_require__(1684);
// EXTERNAL MODULE: ./js/http/errors.js
var errors = __webpack_require__(3792);
// EXTERNAL MODULE: ./js/http/retry.js
var retry = __webpack_require__(8521);
// EXTERNAL MODULE: ./js/text/format.js
var format = __webpack_require__(105);
// EXTERNAL MODULE: ./js/text/inert.js
var inert = __webpack_require__(9304);
// EXTERNAL MODULE: ./js/github/errors.js
var github_errors = __webpack_require__(2609);
;// CONCATENATED MODULE: ./js/github/responses.js


/** GitHub asks for at least a minute where it does not say how long a secondary limit lasts, in milliseconds. */
const unsaidLimitMs = 60_000;
/**
 * How long to wait in milliseconds where the answer is a rate limit (primary or secondary), else undefined.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
function rateLimitMs(refusal, options) {
    const { status, message, headers } = refusal;
    const { now, attempt } = options;
    const header = (name) => (headers[name] === undefined ? undefined : String(headers[name]));
    const spent = header('x-ratelimit-remaining') === '0';
    const retryAfter = (0,retry/* parseRetryAfter */.mu)(header('retry-after'), now);
    const said = /rate limit|abuse detection/i.test(message);
    // GraphQL answers a spent limit with 200 and an error in the body, which comes here as its message.
    const limited = status === 429 || (status === 403 && (spent || retryAfter !== undefined || said)) || (status === 200 && said);
    if (!limited)
        return undefined;
    if (retryAfter !== undefined)
        return retryAfter;
    const reset = Number(header('x-ratelimit-reset'));
    if (spent && reset > 0)
        return Math.max(1_000, reset * 1_000 - now);
    return unsaidLimitMs * 2 ** (attempt - 1);
}
/** Whether an answer says that the token itself, or its permissions, do not allow what was asked for. */
function isDenied(refusal) {
    return refusal.status === 401 || refusal.status === 403;
}
/** Why GitHub refuses, and what to do about it. `permission` is what the request needs: `pull-requests: read`. */
function denial(options) {
    const { goal, permission, refusal } = options;
    const said = refusal.message ? `: ${(0,inert/* oneLine */.T)(refusal.message, 200)}` : '';
    if (refusal.status === 401) {
        return `Could not ${goal}: GitHub rejects the token (401${said}). Is \`github_token\` a token of this repository that has not expired?`;
    }
    if (/\blocked\b/i.test(refusal.message))
        return `Could not ${goal}: the conversation is locked (${refusal.status}${said}).`;
    return `Could not ${goal}: the token may not do that (${refusal.status}${said}). Give the job \`permissions: ${permission}\`, or \`github_token\` a token that has it.`;
}

;// CONCATENATED MODULE: ./js/github/client.js








/** Tries of a request that fails for a passing reason; rate limits do not count. */
const mostTries = 4;
/** Rate limits that are waited for, for one request. */
const mostLimits = 6;
function createGitHub(options) {
    const { signal, clock, onRetry, onTrace } = options;
    const [owner = '', repo = ''] = options.repository.split('/');
    const quiet = () => { };
    const octokit = (0,github/* getOctokit */.Q)(options.token, {
        baseUrl: options.api,
        userAgent: 'database-branch-action',
        // What Octokit has to say would go past the masking of this action's own log.
        log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
        request: {
            fetch: (url, init) => (0,undici.fetch)(url, { ...init, dispatcher: options.dispatcher }),
        },
    });
    async function pause(ask, problem) {
        const { ms, what, error } = problem;
        if (ms >= options.remainingMs())
            throw error;
        onRetry?.(`GitHub ${what}; trying again in ${(0,format/* duration */.p)(ms)}`);
        await stoppable(ask.goal, () => clock.sleep(ms, signal));
    }
    async function call(ask, attempt) {
        let limits = 0;
        for (let tries = 1;;) {
            if (signal.aborted)
                throw stopped(signal, ask.goal);
            const limit = AbortSignal.timeout(options.attemptMs);
            const started = clock.now();
            try {
                const answer = await attempt(AbortSignal.any([signal, limit]));
                onTrace?.(`GitHub: ${ask.goal} after ${(0,format/* duration */.p)(clock.now() - started)}`);
                return answer;
            }
            catch (error) {
                if (signal.aborted)
                    throw stopped(signal, ask.goal);
                const refusal = refusalOf(error);
                const what = refusal
                    ? `answered ${refusal.status}: ${(0,inert/* oneLine */.T)(refusal.message, 200)}`
                    : `gave no answer: ${limit.aborted ? `none within ${(0,format/* duration */.p)(options.attemptMs)}` : reason(error)}`;
                onTrace?.(`GitHub: ${ask.goal}: ${what}`);
                const waitMs = refusal && rateLimitMs(refusal, { now: clock.now(), attempt: limits + 1 });
                if (waitMs !== undefined) {
                    limits++;
                    const message = `Could not ${ask.goal}: GitHub's rate limit is reached, for ${(0,format/* duration */.p)(waitMs)} more`;
                    const late = new github_errors/* GitHubError */.y('passing', message, { cause: error });
                    if (limits > mostLimits)
                        throw late;
                    await pause(ask, { ms: waitMs, what: 'says that its rate limit is reached', error: late });
                    continue;
                }
                if (refusal && isDenied(refusal))
                    throw new github_errors/* GitHubError */.y('denied', denial({ ...ask, refusal }), { cause: error });
                const failed = new github_errors/* GitHubError */.y(kindOf(refusal), `Could not ${ask.goal}: GitHub ${what}`, { cause: error });
                if (failed.kind !== 'passing' || ask.repeat === false || tries >= mostTries)
                    throw failed;
                const failure = { kind: 'status', what, mayHaveActed: false };
                await pause(ask, { ms: (0,retry/* pauseMs */.rV)({ failure, attempt: tries, random: Math.random }), what, error: failed });
                tries++;
            }
        }
    }
    return {
        owner,
        repo,
        rest: (ask, send) => call(ask, (limited) => send(octokit, { signal: limited })),
        graphql: (ask, query, variables) => call(ask, async (limited) => {
            const response = await octokit.request({
                method: 'POST',
                url: options.graphql,
                query,
                variables,
                request: { signal: limited },
            });
            return readAnswer(response);
        }),
    };
}
/** Faults that the whole request shares are thrown, so that they are waited for or told; others belong to a part of it. */
class GraphQLRefusal extends Error {
    refusal;
    constructor(refusal) {
        super(refusal.message);
        this.refusal = refusal;
    }
}
function readAnswer(response) {
    const body = (typeof response.data === 'object' && response.data !== null ? response.data : {});
    const errors = (Array.isArray(body.errors) ? body.errors : []).map(readFault);
    const limited = errors.find((one) => one.type === 'RATE_LIMITED' || /rate limit/i.test(one.message));
    const refuse = (status, message) => new GraphQLRefusal({ status, message, headers: response.headers });
    // What is not a success is no answer, whatever it holds; Octokit takes a redirect to nowhere for one.
    if (response.status >= 300)
        throw refuse(response.status, 'no success');
    if (limited)
        throw refuse(200, limited.message.includes('rate limit') ? limited.message : 'rate limit reached');
    const denied = errors.find((one) => ['FORBIDDEN', 'INSUFFICIENT_SCOPES'].includes(one.type ?? '') || /resource not accessible/i.test(one.message));
    if (denied)
        throw refuse(403, denied.message);
    // GitHub ends a query that takes too long with errors and no data at all.
    if (body.data === undefined || body.data === null)
        throw refuse(502, errors[0]?.message ?? 'no data');
    return { data: body.data, errors };
}
function readFault(fault) {
    const { type, message } = (fault ?? {});
    return {
        ...(typeof type === 'string' ? { type } : {}),
        message: typeof message === 'string' ? message : 'an error without a message',
    };
}
function refusalOf(error) {
    if (error instanceof GraphQLRefusal)
        return error.refusal;
    if (!(error instanceof Error) || !('response' in error))
        return undefined;
    const response = error.response;
    if (!response)
        return undefined;
    // GitHub's own words; the toolkit's message puts the address of its documentation behind them.
    const said = response.data?.message;
    return {
        status: response.status,
        message: typeof said === 'string' ? said : error.message,
        headers: response.headers,
    };
}
function kindOf(refusal) {
    if (!refusal || refusal.status >= 500 || refusal.status === 408)
        return 'passing';
    return refusal.status === 404 || refusal.status === 410 ? 'missing' : 'other';
}
function reason(error) {
    for (let at = error; at instanceof Error; at = at.cause) {
        const code = at.code;
        if (typeof code === 'string')
            return code;
    }
    return (0,inert/* oneLine */.T)(error instanceof Error ? error.message : String(error), 200);
}
function stopped(signal, goal) {
    const { reason: why } = signal;
    return why instanceof errors/* StoppedError */.Ko ? why.while(`trying to ${goal}`) : why;
}
async function stoppable(goal, work) {
    try {
        return await work();
    }
    catch (error) {
        throw error instanceof errors/* StoppedError */.Ko ? error.while(`trying to ${goal}`) : error;
    }
}


/***/ })

};
