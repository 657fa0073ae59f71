export const id = 422;
export const ids = [422];
export const modules = {

/***/ 5646:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Ko: () => (/* binding */ StoppedError),
/* harmony export */   OK: () => (/* binding */ OperationError),
/* harmony export */   On: () => (/* binding */ UncertainError),
/* harmony export */   T7: () => (/* binding */ MismatchError),
/* harmony export */   fk: () => (/* binding */ RefusedError),
/* harmony export */   hD: () => (/* binding */ ApiError),
/* harmony export */   m_: () => (/* binding */ NotFoundError)
/* harmony export */ });
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1890);

/** One request that failed for good: what was tried, what came back. What to do next is the caller's to say. */
class ApiError extends Error {
    name = 'ApiError';
    request;
    failure;
    attempts;
    /** Whether this, or an attempt before it, may have taken effect on the service. */
    mayHaveActed;
    constructor(options) {
        const { request, failure, attempts } = options;
        const tries = attempts > 1 ? ` (${attempts} attempts)` : '';
        const id = failure.requestId ? ` [request id ${failure.requestId}]` : '';
        super(`Could not ${request.goal}: ${request.method} ${request.path} ${failure.what}${tries}${id}`, {
            cause: failure.cause,
        });
        this.request = request;
        this.failure = failure;
        this.attempts = attempts;
        this.mayHaveActed = options.mayHaveActed;
    }
    /** The same failure, after tries whose answers were lost. */
    after(attempts) {
        return new ApiError({ request: this.request, failure: this.failure, attempts, mayHaveActed: true });
    }
    /** The same failure, with why it is not tried again. */
    because(why) {
        const { request, failure, attempts, mayHaveActed } = this;
        return new ApiError({ request, failure: { ...failure, what: `${failure.what}; ${why}` }, attempts, mayHaveActed });
    }
    get status() {
        return this.failure.status;
    }
    get code() {
        return this.failure.code ?? '';
    }
}
/** A request whose answer was lost, and that must not be sent again: whether it took effect is not known. */
class UncertainError extends Error {
    name = 'UncertainError';
    /** `advice` says how to find out, as a clause: «look with `verb: list`». */
    constructor(cause, advice) {
        super(`${cause.message}. It may have taken effect all the same, and is not sent again, because it could then happen twice: ${advice} before you run the step again.`, { cause });
    }
}
/** The time for the step is over, or someone cancelled it. */
class StoppedError extends Error {
    name = 'StoppedError';
    reason;
    what;
    constructor(reason, what, doing = '') {
        super(doing ? `${what} while ${doing}` : what);
        this.reason = reason;
        this.what = what;
    }
    /** The same stop, with what was going on when it came; the outermost view of it counts. */
    while(doing) {
        return new StoppedError(this.reason, this.what, doing);
    }
}
/** An operation that ended badly, or that the service does not know any more. */
class OperationError extends Error {
    name = 'OperationError';
    operationId;
    /** Whether the service no longer knows the operation, so that its end cannot be told. */
    unknown;
    constructor(operation, what, options = {}) {
        const action = operation.action ? ` ${operation.action}` : '';
        const reason = operation.error ? `: ${(0,_text_js__WEBPACK_IMPORTED_MODULE_0__/* .show */ .WU)(operation.error)}` : '';
        super(`Operation${action} (${operation.id}) ${what ?? `ended in status "${operation.status}"`}${reason}`);
        this.operationId = operation.id;
        this.unknown = options.unknown ?? false;
    }
}
/** The service answered, and what it answered is not about the object that was asked for. */
class MismatchError extends Error {
    name = 'MismatchError';
}
/** What was asked for is not there, or cannot be chosen. */
class NotFoundError extends Error {
    name = 'NotFoundError';
}
/** What was asked for is refused before the service is asked to do it. */
class RefusedError extends Error {
    name = 'RefusedError';
}


/***/ }),

/***/ 7247:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   dP: () => (/* binding */ errnoMayHaveActed),
/* harmony export */   iM: () => (/* binding */ isCertificateFault),
/* harmony export */   mu: () => (/* binding */ parseRetryAfter),
/* harmony export */   pH: () => (/* binding */ statusMayHaveActed),
/* harmony export */   rV: () => (/* binding */ pauseMs),
/* harmony export */   xg: () => (/* binding */ mayRepeat)
/* harmony export */ });
/** Statuses with which the service says that it has not acted, whatever the method. */
const notActed = new Set([423, 429, 503]);
/** Network failures that happen before a byte of the request has left. */
const notSent = new Set([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_CONNECT_TIMEOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
]);
/** Faults that will most likely be there at the next try too: a few tries, then an honest error. */
const lasting = { tries: 3, errnos: new Set(['ENOTFOUND']) };
function statusMayHaveActed(status) {
    return status === 408 || (status >= 500 && !notActed.has(status));
}
function errnoMayHaveActed(errno) {
    return !(errno && (notSent.has(errno) || isCertificateFault(errno)));
}
function isCertificateFault(errno) {
    return /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(errno);
}
/** Whether a failure passes by itself, so that the same request may be sent again after a pause. */
function mayRepeat(options) {
    const { failure, repeat, attempt } = options;
    switch (failure.kind) {
        case 'redirect':
            return false;
        case 'unreadable':
            return repeat === 'any' && attempt < lasting.tries;
        case 'network': {
            const errno = failure.errno ?? '';
            if (isCertificateFault(errno))
                return false;
            if (lasting.errnos.has(errno))
                return attempt < lasting.tries;
            return notSent.has(errno) || repeat === 'any';
        }
        case 'status': {
            const status = failure.status ?? 0;
            return notActed.has(status) || (repeat === 'any' && statusMayHaveActed(status));
        }
    }
}
/**
 * Milliseconds to wait after the `attempt`-th try (from 1): exponential with jitter, at least what `Retry-After` said.
 * A lock (423) goes away as soon as the other operation ends, so that its pauses stay short.
 */
function pauseMs(options) {
    const { failure, attempt, random } = options;
    const [base, cap] = failure.status === 423 ? [250, 4_000] : [500, 15_000];
    const jittered = Math.min(cap, base * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random() / 2);
    const least = failure.retryAfterMs ?? 0;
    // Some jitter above Retry-After too, so that runs that were told the same time do not all come back at once.
    return Math.max(jittered, least > 0 ? least + random() * Math.min(1_000, least / 4) : 0);
}
/** `Retry-After` in milliseconds: seconds or an HTTP date; undefined where it is neither. */
function parseRetryAfter(value, now) {
    if (!value)
        return undefined;
    if (/^\s*\d+(\.\d+)?\s*$/.test(value))
        return Number(value) * 1000;
    const date = Date.parse(value);
    return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}


/***/ }),

/***/ 1890:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   TN: () => (/* binding */ oneLine),
/* harmony export */   U9: () => (/* binding */ count),
/* harmony export */   WU: () => (/* binding */ show),
/* harmony export */   p0: () => (/* binding */ duration)
/* harmony export */ });
/**
 * Text from outside (a ref, a title, a message of the service) on one line and inert: no control character, no
 * direction mark, nothing that the runner would take for a command.
 */
function oneLine(text, most = 500) {
    const flat = text
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes out
        .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
        .replace(/[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
        .replace(/##\[/g, '# #[')
        .replace(/::(?=[\w-]+.*::)/g, ': :')
        .trim();
    const characters = Array.from(flat);
    return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : flat;
}
/** A value in quotes for a message. */
function show(value, most = 120) {
    return JSON.stringify(oneLine(value, most));
}
const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Milliseconds for people: `340 ms`, `2.4 s`, `3 m 20 s`, `14 d`. */
function duration(ms) {
    // Rounded as it will be shown, so that nothing is shown as 60 s.
    const whole = Math.round(ms);
    const tenths = Math.round(ms / 100) / 10;
    const seconds = Math.round(ms / unit.s) * unit.s;
    const minutes = Math.round(ms / unit.m) * unit.m;
    if (whole < unit.s)
        return `${whole} ms`;
    if (tenths < 60)
        return `${tenths} s`;
    if (seconds < unit.h)
        return pair({ ms, large: 'm', small: 's' });
    if (minutes < 2 * unit.d)
        return pair({ ms, large: 'h', small: 'm' });
    return pair({ ms, large: 'd', small: 'h' });
}
function pair(options) {
    const { ms, large, small } = options;
    const perLarge = unit[large] / unit[small];
    const smalls = Math.round(ms / unit[small]);
    const rest = smalls % perLarge;
    return `${Math.floor(smalls / perLarge)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`;
}
/** A count with its noun: `1 branch`, `2 branches`, `3 pull requests`. */
function count(number, noun) {
    const plural = /(ch|s|x)$/.test(noun) ? `${noun}es` : `${noun}s`;
    return `${number} ${number === 1 ? noun : plural}`;
}


/***/ }),

/***/ 2609:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   y: () => (/* binding */ GitHubError)
/* harmony export */ });
/** A request to GitHub that failed for good. Its message is a whole sentence that says what to do, where that is known. */
class GitHubError extends Error {
    name = 'GitHubError';
    /**
     * `denied`: the token may not do this, which will not change by itself. `missing`: what was asked for is not there.
     * `passing`: no answer, a fault of GitHub's, or a rate limit that outlasts the step.
     */
    kind;
    constructor(kind, message, options) {
        super(message, options);
        this.kind = kind;
    }
}


/***/ }),

/***/ 422:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  start: () => (/* binding */ start)
});

// EXTERNAL MODULE: ../../node_modules/@actions/core/lib/core.js + 14 modules
var core = __webpack_require__(2825);
// EXTERNAL MODULE: ./js/api/errors.js
var errors = __webpack_require__(5646);
;// CONCATENATED MODULE: ./js/advice.js

/** What to do next about an error, as a sentence; empty where nobody knows. */
function advise(error, situation) {
    if (error instanceof errors/* ApiError */.hD)
        return adviseOnApi(error, situation);
    if (error instanceof errors/* StoppedError */.Ko)
        return adviseOnStop(error, situation);
    if (error instanceof errors/* OperationError */.OK) {
        return "Look at the operation in the service's console; running the step again reuses or repairs what is there.";
    }
    return '';
}
const byCode = {
    BRANCHES_LIMIT_EXCEEDED: "The project has no room for another branch. Delete what was left behind (`command: prune`), let branches expire (`expires_in`), or raise the plan's limit.",
    ROOT_BRANCHES_LIMIT_EXCEEDED: 'The project has no room for another root branch, which every schema-only branch is. Delete some, let branches expire (`expires_in`), or use `branch_type: default`.',
};
function adviseOnApi(error, { inputs, result }) {
    const { failure } = error;
    const known = byCode[error.code];
    if (known)
        return known;
    if (failure.kind === 'network')
        return adviseOnNetwork(failure.errno ?? '', inputs?.api_host ?? '');
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
function adviseOnNetwork(errno, host) {
    if (errno === 'ENOTFOUND')
        return `Is \`api_host\` right (${host})?`;
    if (/CERT|SELF_SIGNED|UNABLE_TO/.test(errno)) {
        return 'For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate on the runner.';
    }
    return `Can the runner reach ${host}? A proxy goes into HTTPS_PROXY, exceptions into NO_PROXY.`;
}
function adviseOnStop(error, { result }) {
    const ids = result.operationIds ?? [];
    if (error.reason === 'cancelled')
        return '';
    if (result.pruned)
        return 'What was deleted until then is gone. Run it again, and it goes on with what is left; or give it more `timeout`.';
    if (ids.length === 0)
        return "Give it more `timeout`, or look at the service's status.";
    return `Wait on with \`command: wait\` and \`operation_ids: ${ids.join(',')}\`, or give it more \`timeout\`.`;
}

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./js/api/clock.js

const systemClock = {
    now: () => Date.now(),
    async sleep(ms, signal) {
        try {
            await (0,promises_.setTimeout)(ms, undefined, signal ? { signal } : {});
        }
        catch (error) {
            throw signal?.aborted ? signal.reason : error;
        }
    },
};

;// CONCATENATED MODULE: ./js/api/once.js

/** An answer that cannot be read will most likely be so again. */
const mostUnreadable = 3;
/**
 * Sends a request that must not act twice. Where its answer is lost, `look` tells whether it has acted; only where it has not
 * is the request sent again. `act` must be a request with `repeat: 'safe'`.
 */
async function once(options) {
    const { api, act, look } = options;
    let mayHaveActedBefore = false;
    for (let tries = 1;; tries++) {
        try {
            const answer = await act();
            return {
                value: answer.value,
                from: 'answer',
                mayHaveActedBefore: mayHaveActedBefore || answer.mayHaveActedBefore,
            };
        }
        catch (error) {
            if (!(error instanceof errors/* ApiError */.hD))
                throw error;
            if (!error.failure.mayHaveActed)
                throw mayHaveActedBefore ? error.after(tries) : error;
            mayHaveActedBefore = true;
            const found = await look();
            if (found !== undefined)
                return { value: found, from: 'look', mayHaveActedBefore };
            if (error.failure.kind === 'unreadable' && tries >= mostUnreadable)
                throw error;
            await api.pauseAfter(error, tries);
        }
    }
}

;// CONCATENATED MODULE: ./js/api/shape.js
/** Reads values out of an answer that nobody has checked yet; a fault names where in the answer it stands. */
class ShapeError extends Error {
    name = 'ShapeError';
}
function object(value, at) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return value;
    throw new ShapeError(`no object at ${at}`);
}
function array(value, at) {
    if (Array.isArray(value))
        return value;
    throw new ShapeError(`no list at ${at}`);
}
function string(value, at) {
    if (typeof value === 'string' && value !== '')
        return value;
    throw new ShapeError(`no text at ${at}`);
}
function optionalString(value, at) {
    return value === undefined || value === null || value === '' ? undefined : string(value, at);
}
/** An object's ID, which goes into paths and outputs: never anything but letters, digits, `-` and `_`. */
function id(value, at) {
    const text = string(value, at);
    if (/^[\w-]{1,64}$/.test(text))
        return text;
    throw new ShapeError(`no ID at ${at}`);
}
function optionalId(value, at) {
    return value === undefined || value === null || value === '' ? undefined : id(value, at);
}
function list(value, at, item) {
    return array(value, at).map((entry, index) => item(entry, `${at}[${index}]`));
}
/** A list that may be left out. */
function optionalList(value, at, item) {
    return value === undefined || value === null ? [] : list(value, at, item);
}

// EXTERNAL MODULE: ./js/api/text.js
var api_text = __webpack_require__(1890);
;// CONCATENATED MODULE: ./js/api/types.js

function branch(value, at, annotation) {
    const from = object(value, at);
    return {
        id: id(from.id, `${at}.id`),
        name: string(from.name, `${at}.name`),
        default: from.default === true || from.primary === true,
        protected: from.protected === true,
        current_state: optionalString(from.current_state, `${at}.current_state`) ?? 'ready',
        created_at: optionalString(from.created_at, `${at}.created_at`) ?? '',
        annotations: annotations(annotation),
        ...pick({ parent_id: optionalId(from.parent_id, `${at}.parent_id`) }),
        ...pick({ expires_at: optionalString(from.expires_at, `${at}.expires_at`) }),
        ...pick({ pending_state: optionalString(from.pending_state, `${at}.pending_state`) }),
        ...pick({ init_source: optionalString(from.init_source, `${at}.init_source`) }),
        ...pick({ last_reset_at: optionalString(from.last_reset_at, `${at}.last_reset_at`) }),
    };
}
/** The values of an annotation object; whatever is no text is left out. */
function annotations(value) {
    if (typeof value !== 'object' || value === null)
        return {};
    const values = value.value;
    if (typeof values !== 'object' || values === null)
        return {};
    return Object.fromEntries(Object.entries(values).filter((entry) => typeof entry[1] === 'string'));
}
function endpoint(value, at) {
    const from = object(value, at);
    return {
        id: id(from.id, `${at}.id`),
        branch_id: id(from.branch_id, `${at}.branch_id`),
        host: string(from.host, `${at}.host`),
        type: from.type === 'read_only' ? 'read_only' : 'read_write',
        current_state: optionalString(from.current_state, `${at}.current_state`) ?? 'idle',
        ...pick({ pending_state: optionalString(from.pending_state, `${at}.pending_state`) }),
    };
}
function types_operation(value, at) {
    const from = object(value, at);
    return {
        id: id(from.id, `${at}.id`),
        action: optionalString(from.action, `${at}.action`) ?? 'unknown',
        status: string(from.status, `${at}.status`),
        failures_count: typeof from.failures_count === 'number' ? from.failures_count : 0,
        total_duration_ms: typeof from.total_duration_ms === 'number' ? from.total_duration_ms : 0,
        ...pick({ project_id: optionalId(from.project_id, `${at}.project_id`) }),
        ...pick({ branch_id: optionalId(from.branch_id, `${at}.branch_id`) }),
        ...pick({ error: optionalString(from.error, `${at}.error`) }),
        ...pick({ retry_at: optionalString(from.retry_at, `${at}.retry_at`) }),
        ...pick({ created_at: optionalString(from.created_at, `${at}.created_at`) }),
    };
}
/** The operations that an answer carries, each once. */
function operations(value, at) {
    const all = optionalList(value, at, types_operation);
    return [...new Map(all.map((one) => [one.id, one])).values()];
}
function connectionDetails(value, at) {
    const from = object(value, at);
    const parts = object(from.connection_parameters, `${at}.connection_parameters`);
    return {
        uri: string(from.connection_uri, `${at}.connection_uri`),
        database: string(parts.database, `${at}.connection_parameters.database`),
        role: string(parts.role, `${at}.connection_parameters.role`),
        poolerHost: string(parts.pooler_host, `${at}.connection_parameters.pooler_host`),
    };
}
function types_name(value, at) {
    return string(object(value, at).name, `${at}.name`);
}
/** An object without its undefined properties. */
function pick(from) {
    return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined));
}

;// CONCATENATED MODULE: ./js/api/branches.js





/** How long after a create the service may not know a branch everywhere, in milliseconds. */
const settlingMs = 15_000;
/** How long a change may be refused as «not ready yet»: the same status stands for refusals that last. */
const changeSettlingMs = 5_000;
function projectPath(projectId, rest = '') {
    return `/projects/${encodeURIComponent(projectId)}${rest}`;
}
function branchPath(options) {
    return projectPath(options.projectId, `/branches/${encodeURIComponent(options.branchId)}${options.rest ?? ''}`);
}
/** Statuses that a read of a branch may be given while the service settles after its create; undefined for an older branch. */
function settlingOf(options) {
    const { branch, now, date, made } = options;
    // The service's own clock tells how old the branch is; a runner's clock may be minutes off.
    const age = (date ?? now) - Date.parse(branch.created_at);
    const young = made || (age >= -1_000 && age < settlingMs);
    return young ? { statuses: [404, 422], until: now + settlingMs } : undefined;
}
/** The same for a change, which is only ever told «not ready yet»: 422. */
function settlingOfChange(settling, now) {
    return settling && { statuses: [422], until: Math.min(settling.until, now + changeSettlingMs) };
}
/** All branches of the project, or those of which a part of the name or ID is `search`, page by page to the last. */
async function* pagesOfBranches(options) {
    const { api, projectId, goal, search } = options;
    const seen = new Set();
    let cursor;
    do {
        const answer = await api.request({
            goal,
            method: 'GET',
            path: projectPath(projectId, '/branches'),
            query: { search, limit: options.limit ?? 1_000, cursor, ...options.order },
            read: readPage,
        });
        yield { branches: answer.value.branches, date: answer.date };
        cursor = answer.value.next;
        // A cursor that comes back would go round for ever; an empty page is the last one, whatever cursor it names.
        if (cursor !== undefined && (seen.has(cursor) || answer.value.branches.length === 0))
            break;
        if (cursor !== undefined)
            seen.add(cursor);
    } while (cursor !== undefined);
}
function readPage(body) {
    const page = object(body, 'the answer');
    const annotations = typeof page.annotations === 'object' && page.annotations !== null ? page.annotations : {};
    const pagination = typeof page.pagination === 'object' && page.pagination !== null ? page.pagination : {};
    return {
        branches: list(page.branches, 'branches', (value, at) => {
            const found = id(object(value, at).id, `${at}.id`);
            return branch(value, at, annotations[found]);
        }),
        next: optionalString(pagination.next, 'pagination.next'),
    };
}
/** The branch with exactly this name, or undefined. `search` narrows the list down to names that hold it; the match is ours. */
async function findBranchByName(options) {
    const { api, projectId, name } = options;
    for await (const page of pagesOfBranches({ api, projectId, goal: `look up branch ${(0,api_text/* show */.WU)(name)}`, search: name })) {
        const branch = page.branches.find((candidate) => candidate.name === name);
        if (branch)
            return { branch, date: page.date };
    }
    return undefined;
}
/** A branch by name or by ID: the name first, for a name may look like an ID. */
async function findBranch(options) {
    const { api, projectId, nameOrId } = options;
    let byId;
    for await (const page of pagesOfBranches({
        api,
        projectId,
        goal: `look up branch ${(0,api_text/* show */.WU)(nameOrId)}`,
        search: nameOrId,
    })) {
        const byName = page.branches.find((candidate) => candidate.name === nameOrId);
        if (byName)
            return byName;
        byId ??= page.branches.find((candidate) => candidate.id === nameOrId);
    }
    return byId;
}
async function getBranch(options) {
    const { api, projectId, branchId, settling } = options;
    const answer = await api.request({
        goal: `read branch ${branchId}`,
        method: 'GET',
        path: branchPath({ projectId, branchId }),
        ...(settling ? { settling } : {}),
        read: (body) => {
            const from = object(body, 'the answer');
            return branch(from.branch, 'branch', from.annotation);
        },
    });
    if (answer.value.id !== branchId) {
        throw new errors/* MismatchError */.T7(`Asked for branch ${branchId}, and the service answered with branch ${answer.value.id}`);
    }
    return { branch: answer.value, date: answer.date };
}
/** The name of the project; throws where the project is not there. Tells an unknown branch from an unknown project. */
async function projectName(options) {
    const { api, projectId } = options;
    const answer = await api.request({
        goal: `read project ${projectId}`,
        method: 'GET',
        path: projectPath(projectId),
        read: (body) => types_name(object(body, 'the answer').project, 'project'),
    });
    return answer.value;
}
/** Names of the databases or roles of a branch. */
async function listNames(options) {
    const { api, projectId, branchId, kind, settling } = options;
    const answer = await api.request({
        goal: `list the ${kind} of branch ${branchId}`,
        method: 'GET',
        path: branchPath({ projectId, branchId, rest: `/${kind}` }),
        ...(settling ? { settling } : {}),
        read: (body) => list(object(body, 'the answer')[kind], kind, types_name),
    });
    return answer.value;
}
function readBranchAnswer(body) {
    const from = object(body, 'the answer');
    return {
        branch: branch(from.branch, 'branch', from.annotation),
        endpoints: optionalList(from.endpoints, 'endpoints', endpoint),
        operations: operations(from.operations, 'operations'),
        roles: optionalList(from.roles, 'roles', types_name),
        databases: optionalList(from.databases, 'databases', types_name),
        connectionUris: optionalList(from.connection_uris, 'connection_uris', connectionDetails),
    };
}
/** Sets, or with null takes away, the time at which the service deletes a branch. */
async function setExpiry(options) {
    const { api, projectId, branch, expiresAt } = options;
    const settling = settlingOfChange(options.settling, api.clock.now());
    const { value } = await once({
        api,
        act: () => api.request({
            goal: `set the expiry of branch ${(0,api_text/* show */.WU)(branch.name)} to ${expiresAt ?? 'never'}`,
            method: 'PATCH',
            path: branchPath({ projectId, branchId: branch.id }),
            body: { branch: { expires_at: expiresAt } },
            ...(settling ? { settling } : {}),
            read: readBranchAnswer,
        }),
        look: async () => {
            const { branch: now } = await getBranch({ api, projectId, branchId: branch.id });
            const done = Date.parse(now.expires_at ?? '') === Date.parse(expiresAt ?? '') || (!now.expires_at && !expiresAt);
            return done ? { branch: now, operations: [] } : undefined;
        },
    });
    return value;
}
/** The error for a branch that is not there, with what can be done about it. */
function noSuchBranch(what, hint = '') {
    return new errors/* NotFoundError */.m_(`There is no branch ${what} in the project${hint}`);
}

;// CONCATENATED MODULE: ./js/api/endpoints.js






/** The branch's read-write endpoint among those given, or undefined; an endpoint of another branch is a fault, not a choice. */
function readWriteEndpoint(endpoints, branch) {
    const stranger = endpoints.find((endpoint) => endpoint.branch_id !== branch.id);
    if (stranger) {
        throw new errors/* MismatchError */.T7(`Asked for the endpoints of branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}), and the service answered with ${stranger.id} of branch ${stranger.branch_id}`);
    }
    return endpoints.find((endpoint) => endpoint.type === 'read_write');
}
async function listEndpoints(options) {
    const { api, projectId, branch, settling } = options;
    const path = branchPath({ projectId, branchId: branch.id, rest: '/endpoints' });
    const now = settling && { ...settling, statuses: settling.statuses.filter((status) => status !== 404) };
    try {
        return await endpoints_list({ ...options, path, settling: now });
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && error.status === 404))
            throw error;
        // The branch is gone, or the service settles, or it is a deployment that has endpoints at the project only.
        await getBranch({ api, projectId, branchId: branch.id, settling });
        try {
            const all = await endpoints_list({ api, projectId, branch, path: projectPath(projectId, '/endpoints') });
            return all.filter((endpoint) => endpoint.branch_id === branch.id);
        }
        catch (other) {
            if (!(other instanceof errors/* ApiError */.hD && other.status === 404))
                throw other;
            return endpoints_list({ ...options, path });
        }
    }
}
async function endpoints_list(options) {
    const { api, branch, path, settling } = options;
    const answer = await api.request({
        goal: `list the compute endpoints of branch ${(0,api_text/* show */.WU)(branch.name)}`,
        method: 'GET',
        path,
        ...(settling ? { settling } : {}),
        read: (body) => list(object(body, 'the answer').endpoints, 'endpoints', endpoint),
    });
    return answer.value;
}
/** Gives a branch that has none a read-write endpoint; one that another run has just made will do as well. */
async function createEndpoint(options) {
    const { api, projectId, branch, suspendTimeout, minCu, maxCu, settling } = options;
    const ready = settlingOfChange(settling, api.clock.now());
    const look = async () => {
        const endpoint = readWriteEndpoint(await listEndpoints({ api, projectId, branch, settling }), branch);
        return endpoint && { endpoint, operations: [] };
    };
    try {
        const { value } = await once({
            api,
            act: () => api.request({
                goal: `create a compute endpoint for branch ${(0,api_text/* show */.WU)(branch.name)}`,
                method: 'POST',
                path: projectPath(projectId, '/endpoints'),
                body: {
                    endpoint: {
                        branch_id: branch.id,
                        type: 'read_write',
                        suspend_timeout_seconds: suspendTimeout,
                        autoscaling_limit_min_cu: minCu,
                        autoscaling_limit_max_cu: maxCu,
                    },
                },
                ...(ready ? { settling: ready } : {}),
                read: (body) => {
                    const from = object(body, 'the answer');
                    return {
                        endpoint: endpoint(from.endpoint, 'endpoint'),
                        operations: operations(from.operations, 'operations'),
                    };
                },
            }),
            look,
        });
        readWriteEndpoint([value.endpoint], branch);
        return value;
    }
    catch (error) {
        // A branch has one read-write endpoint at most: a refusal may mean that somebody was faster.
        const refused = error instanceof errors/* ApiError */.hD && [400, 409, 422].includes(error.status ?? 0);
        const existing = refused ? await look() : undefined;
        if (existing)
            return existing;
        throw error;
    }
}

;// CONCATENATED MODULE: ./js/context.js
/** The project a command works in. The check of the inputs has made sure that there is one. */
function projectOf(context) {
    const { api, inputs } = context;
    if (inputs.project_id === undefined)
        throw new Error('The input project_id is empty');
    return { api, projectId: inputs.project_id };
}

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
;// CONCATENATED MODULE: ./js/names.js

/** Longest name that is made from an event, in characters; the service itself takes 256. */
const longest = 100;
const hashLength = 8;
/**
 * A branch name from a git ref: letters, digits, `.`, `_`, `/` and `-` are kept, each other run of characters becomes one `-`,
 * and `-` and `/` at both ends go. A name past 100 characters is cut and ends in a hash of the whole ref.
 */
function branchNameFromRef(ref) {
    const kept = ref.replace(/[^A-Za-z0-9._/-]+/g, '-').replace(/^[-/]+|[-/]+$/g, '');
    // A ref without a single character that can be kept still needs a name of its own.
    const name = `preview/${kept === '' ? hash(ref) : kept}`;
    if (name.length <= longest)
        return name;
    return `${name.slice(0, longest - hashLength - 1).replace(/[-/]+$/, '')}-${hash(ref)}`;
}
function branchNameFromPullRequest(number) {
    return `preview/pr-${number}`;
}
function hash(text) {
    return (0,external_node_crypto_.createHash)('sha256').update(text).digest('hex').slice(0, hashLength);
}

;// CONCATENATED MODULE: ./js/event.js


/** Reads the event from the runner's environment and the payload file that it names. */
function readEvent(env) {
    return parseEvent({ env, payload: readPayload(env.GITHUB_EVENT_PATH) });
}
function readPayload(path) {
    if (!path)
        return {};
    try {
        return JSON.parse((0,external_node_fs_.readFileSync)(path, 'utf8'));
    }
    catch (error) {
        throw new Error(`Could not read the event's payload at GITHUB_EVENT_PATH (${path}): ${error.message}`);
    }
}
function parseEvent(options) {
    const { env } = options;
    const payload = event_object(options.payload);
    const name = env.GITHUB_EVENT_NAME ?? '';
    const repository = env.GITHUB_REPOSITORY || event_text(event_object(payload.repository).full_name);
    const pullRequest = readPullRequest(payload, repository);
    const deleted = name === 'delete' ? event_text(payload.ref) : '';
    return {
        name,
        action: event_text(payload.action),
        ...(pullRequest ? { pullRequest } : {}),
        ref: shortRef(deleted || env.GITHUB_REF || event_text(payload.ref)),
        refType: event_text(payload.ref_type),
        sha: env.GITHUB_SHA ?? '',
        actor: env.GITHUB_ACTOR ?? '',
        repository,
        runId: env.GITHUB_RUN_ID ?? '',
        runAttempt: env.GITHUB_RUN_ATTEMPT ?? '',
        github: {
            api: address(env.GITHUB_API_URL, 'https://api.github.com'),
            graphql: address(env.GITHUB_GRAPHQL_URL, 'https://api.github.com/graphql'),
            server: address(env.GITHUB_SERVER_URL, 'https://github.com'),
        },
    };
}
function address(url, fallback) {
    return (url || fallback).replace(/\/+$/, '');
}
function readPullRequest(payload, repository) {
    const from = event_object(payload.pull_request);
    if (isNumber(from.number)) {
        const head = event_object(from.head);
        return {
            number: from.number,
            title: event_text(from.title),
            author: event_text(event_object(from.user).login),
            headRef: event_text(head.ref),
            headSha: event_text(head.sha),
            // The head repository is null once a fork has been deleted.
            fork: event_text(event_object(head.repo).full_name).toLowerCase() !== repository.toLowerCase(),
        };
    }
    // A comment on a pull request comes as an issue's, and says nothing of the head.
    const issue = event_object(payload.issue);
    if (!isNumber(issue.number) || !issue.pull_request)
        return undefined;
    return {
        number: issue.number,
        title: event_text(issue.title),
        author: event_text(event_object(issue.user).login),
        headRef: '',
        headSha: '',
        fork: false,
    };
}
/** The name for the branch that the run is about, from the event alone; undefined where the event names nothing. */
function branchNameOf(event) {
    if (event.pullRequest)
        return branchNameFromPullRequest(event.pullRequest.number);
    return event.ref === '' ? undefined : branchNameFromRef(event.ref);
}
function isDependabot(event) {
    return event.actor === 'dependabot[bot]' || event.pullRequest?.author === 'dependabot[bot]';
}
/**
 * What is noted on each branch that the action makes: whose it is and which run made it. The keys are those that the service's
 * own actions use; what is not known is left out.
 */
function annotationsOf(event) {
    const { pullRequest } = event;
    const values = {
        'github-commit-repo': event.repository,
        'github-commit-author-login': pullRequest?.author || event.actor,
        'github-commit-sha': pullRequest?.headSha || event.sha,
        'github-commit-ref': pullRequest?.headRef || event.ref,
        'github-pr-number': pullRequest ? String(pullRequest.number) : '',
        'github-pr-title': pullRequest?.title ?? '',
        'github-run-id': event.runId,
        'github-run-attempt': event.runAttempt,
    };
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}
function shortRef(ref) {
    return ref.replace(/^refs\/(heads|tags)\//, '').replace(/^refs\//, '');
}
function event_object(value) {
    return typeof value === 'object' && value !== null ? value : {};
}
function event_text(value) {
    return typeof value === 'string' ? value : '';
}
function isNumber(value) {
    return Number.isSafeInteger(value) && value > 0;
}

;// CONCATENATED MODULE: ./js/api/secrets.js
/**
 * Names of fields that hold a secret, their words joined by `_`. Names and IDs of secrets (`key_name`, `token_id`) are none, and
 * neither are keys of other kinds: those that find something in a store, a table or a token.
 */
const secretField = /(^|_)(password|passwd|passphrase|token|secret|jwt|dsn|connection_(uri|url|string))s?$|^uri$|(^|_)key$|(^|_)api_keys$/;
const otherKey = /(^|_)(cache|claim|object|primary|foreign|public|sort|partition|idempotency)_key$/;
/** What stands beside a `key` that names something, in a list of stored objects or of pairs. */
const namedByKey = ['value', 'size', 'etag'];
/** `scheme://user:password@…`, wherever it stands. */
const uriWithPassword = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#]*)@[^\s"'<>]*/gi;
/** A URI that lets in whoever has it, by a parameter: signed for a while, or with a token or password in it. */
const uriWithParameter = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>?]*\?(?:[^\s"'<>]*&)?(?:[\w.-]*(?:signature|token|secret|password|api[_-]?key)|sig)=[^\s"'<>]+/gi;
const secretParameter = /[?&](?:[\w.-]*(?:signature|token|secret|password|api[_-]?key)|sig)=([^&#]+)/gi;
/** What stands in place of a secret. */
const stars = '***';
/**
 * Finds every secret in an answer and hands it to `mask`: the values of fields that hold one, and each URI with a password,
 * whole, and the password in it both as it stands there and decoded.
 */
function maskSecrets(body, mask) {
    changeSecrets(body, (secret) => {
        mask(secret);
        return stars;
    });
}
/** A copy of a body with nothing secret in it, to be shown. */
function withoutSecrets(body) {
    return changeSecrets(body, () => stars);
}
/** A copy of a body in which `change` has been at every secret. */
function changeSecrets(body, change, secret = false) {
    if (Array.isArray(body))
        return body.map((entry) => changeSecrets(entry, change, secret));
    if (typeof body === 'object' && body !== null) {
        return Object.fromEntries(Object.entries(body).map(([name, value]) => {
            // What is secret may stand one level below the name that says so: `{"token": {"value": …}}`.
            return [name, changeSecrets(value, change, isSecret(name, body) || (secret && name === 'value'))];
        }));
    }
    if (typeof body !== 'string' || body === '')
        return body;
    if (secret) {
        maskUris(body, change);
        return change(body);
    }
    let text = body;
    const found = [];
    maskUris(body, (one) => found.push(one));
    for (const one of found)
        text = text.replaceAll(one, change(one));
    return text;
}
function isSecret(name, beside) {
    const words = name
        .replace(/([a-z\d])([A-Z])/g, '$1_$2')
        .replace(/[\s.-]+/g, '_')
        .toLowerCase();
    if (words === 'key')
        return !namedByKey.some((other) => other in beside);
    return secretField.test(words) && !otherKey.test(words);
}
/** Whether a name, of a parameter say, is that of something secret. */
function isSecretName(name) {
    return isSecret(name, {});
}
/** Masks each URI with a password, or another way in, in a text. */
function maskUris(text, mask) {
    const take = (secret) => {
        mask(secret);
        const decoded = decode(secret);
        if (decoded !== secret)
            mask(decoded);
    };
    for (const [uri, password] of text.matchAll(uriWithPassword)) {
        mask(uri);
        if (password)
            take(password);
    }
    for (const [uri] of text.matchAll(uriWithParameter)) {
        mask(uri);
        for (const [, value] of uri.matchAll(secretParameter))
            if (value)
                take(value);
    }
}
/** Percent-decoding that takes what is no valid encoding as it is. */
function decode(text) {
    try {
        return decodeURIComponent(text);
    }
    catch {
        return text;
    }
}

;// CONCATENATED MODULE: ./js/api/uri.js


const defaultPort = '5432';
const uri_form = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?(\[[^\]]+\]|[^:/?#@]+)(?::(\d+))?(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
/** Takes a connection URI apart; throws a `ShapeError` that does not show it. */
function parseUri(uri) {
    const match = uri_form.exec(uri);
    if (!match)
        throw new ShapeError('the connection URI that the service handed out is no PostgreSQL URI');
    const [, , userinfo = '', host = '', port = defaultPort, database = ''] = match;
    const colon = userinfo.indexOf(':');
    return {
        user: colon < 0 ? userinfo : userinfo.slice(0, colon),
        password: colon < 0 ? '' : userinfo.slice(colon + 1),
        host,
        port,
        database,
    };
}
/** The same URI at another host; port, user, database and parameters stay. */
function withHost(uri, host) {
    parseUri(uri);
    return uri.replace(uri_form, (whole, scheme, userinfo, old) => {
        const start = scheme.length + (userinfo === undefined ? 0 : userinfo.length + 1);
        return whole.slice(0, start) + host + whole.slice(start + old.length);
    });
}
/** The URI with parameters set (a text) or taken away (undefined); all others stay as they are. */
function withParameters(uri, parameters) {
    const [address = '', query = ''] = split(uri);
    const kept = query.split('&').filter((part) => part !== '' && !(parameterName(part) in parameters));
    const set = Object.entries(parameters).flatMap(([name, value]) => value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]);
    const all = [...kept, ...set];
    return all.length > 0 ? `${address}?${all.join('&')}` : address;
}
/** The value of a parameter of the URI, or undefined. */
function parameter(uri, name) {
    const [, query = ''] = split(uri);
    const part = query.split('&').find((one) => parameterName(one) === name);
    if (part === undefined)
        return undefined;
    const equals = part.indexOf('=');
    return equals < 0 ? '' : decode(part.slice(equals + 1));
}
function split(uri) {
    const mark = uri.indexOf('?');
    return mark < 0 ? [uri, ''] : [uri.slice(0, mark), uri.slice(mark + 1)];
}
function parameterName(part) {
    const equals = part.indexOf('=');
    return equals < 0 ? part : part.slice(0, equals);
}
/** How strict each sslmode is; a stricter one that the service asks for is never weakened. */
const strictness = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
/** The URI with the sslmode that is asked for, at least: `omit` takes the parameter away. */
function withSsl(uri, ssl) {
    const present = parameter(uri, 'sslmode');
    if (ssl === 'omit')
        return present === undefined ? uri : withParameters(uri, { sslmode: undefined });
    const enough = present !== undefined && strictness.indexOf(present) >= strictness.indexOf(ssl);
    return enough ? uri : withParameters(uri, { sslmode: ssl });
}
/**
 * The URI with what Prisma needs: time for a compute that has to start first, and, through a pooler in transaction mode, no
 * prepared statements. Source: Prisma's and the service's documentation on connecting the two.
 */
function withPrisma(uri, options) {
    const { pooled } = options;
    return withParameters(uri, {
        connect_timeout: '30',
        ...(pooled ? { pool_timeout: '30', pgbouncer: 'true' } : {}),
    });
}

;// CONCATENATED MODULE: ./js/api/connection.js






/** What is taken where the branch has several databases or roles and nobody has said which. */
const conventional = { database: 'neondb', role: 'neondb_owner' };
/**
 * Chooses a database or role: the one that is asked for, else the only one, else the conventional one.
 * Throws a `NotFoundError` that lists what there is.
 */
function choose(options) {
    const { kind, wanted, names, branch } = options;
    const list = names.length > 0 ? `it has ${names.map((name) => (0,api_text/* show */.WU)(name)).join(', ')}` : `it has none`;
    if (wanted !== undefined) {
        if (names.includes(wanted))
            return wanted;
        throw new errors/* NotFoundError */.m_(`Branch ${(0,api_text/* show */.WU)(branch.name)} has no ${kind} ${(0,api_text/* show */.WU)(wanted)}: ${list}. Set the input \`${kind}\` to one of them.`);
    }
    const [only] = names;
    if (only !== undefined && names.length === 1)
        return only;
    if (names.includes(conventional[kind]))
        return conventional[kind];
    throw new errors/* NotFoundError */.m_(`Which ${kind} of branch ${(0,api_text/* show */.WU)(branch.name)}? ${list[0]?.toUpperCase()}${list.slice(1)}. Set the input \`${kind}\`.`);
}
/** The connection that came with the answer to a create, or undefined where it carries none for this choice. */
function connectionFromAnswer(options) {
    const { details, endpoint, database, role } = options;
    const match = details.find((one) => one.database === database && one.role === role);
    if (!match)
        return undefined;
    return toConnection({ uri: match.uri, pooledUri: withHost(match.uri, match.poolerHost), endpoint, database, role });
}
/** Asks the service for both addresses, direct and pooled, at the same time. */
async function fetchConnection(options) {
    const { api, projectId, branch, endpoint, database, role, settling } = options;
    const ask = async (pooled) => {
        const answer = await api.request({
            goal: `read the ${pooled ? 'pooled ' : ''}connection URI of branch ${(0,api_text/* show */.WU)(branch.name)}`,
            method: 'GET',
            path: projectPath(projectId, '/connection_uri'),
            query: { branch_id: branch.id, endpoint_id: endpoint.id, database_name: database, role_name: role, pooled },
            ...(settling ? { settling } : {}),
            read: (body) => string(object(body, 'the answer').uri, 'uri'),
        });
        return answer.value;
    };
    const [uri, pooledUri] = await Promise.all([ask(false), ask(true)]);
    return toConnection({ uri, pooledUri, endpoint, database, role });
}
async function listChoices(options) {
    const { branch, ...rest } = options;
    const [databases, roles] = await Promise.all([
        listNames({ ...rest, branchId: branch.id, kind: 'databases' }),
        listNames({ ...rest, branchId: branch.id, kind: 'roles' }),
    ]);
    return { databases, roles };
}
/** Parameters with which a URI leads elsewhere than its first part says. */
const redirecting = ['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'passfile', 'service', 'servicefile'];
/** Checks both addresses against the endpoint, database and role they are meant for, and takes them apart. */
function toConnection(options) {
    const { uri, pooledUri, endpoint, database, role } = options;
    const direct = parseUri(uri);
    const pooled = parseUri(pooledUri);
    const whose = (host) => `The service answered with an address at ${(0,api_text/* show */.WU)(host)} for endpoint ${endpoint.id} at ${(0,api_text/* show */.WU)(endpoint.host)}`;
    if (direct.host !== hostOf(endpoint.host))
        throw new errors/* MismatchError */.T7(`${whose(direct.host)}, which is another one`);
    for (const address of [uri, pooledUri]) {
        const elsewhere = redirecting.find((name) => parameter(address, name) !== undefined);
        if (elsewhere)
            throw new errors/* MismatchError */.T7(`${whose(direct.host)}, which leads elsewhere by its parameter ${elsewhere}`);
        const named = /^endpoint=(.*)$/.exec(parameter(address, 'options') ?? '')?.[1];
        if (named !== undefined && withoutPooler(named) !== endpoint.id) {
            throw new errors/* MismatchError */.T7(`${whose(direct.host)}, whose options name endpoint ${(0,api_text/* show */.WU)(named)}`);
        }
    }
    if (withoutPooler(pooled.host) !== withoutPooler(direct.host)) {
        throw new errors/* MismatchError */.T7(`${whose(pooled.host)}, which is the pooler of another one`);
    }
    for (const parts of [direct, pooled]) {
        if (decode(parts.database) !== database || decode(parts.user) !== role) {
            throw new errors/* MismatchError */.T7(`Asked for database ${(0,api_text/* show */.WU)(database)} and role ${(0,api_text/* show */.WU)(role)}, and the service answered with an address for ${(0,api_text/* show */.WU)(decode(parts.database))} and ${(0,api_text/* show */.WU)(decode(parts.user))}`);
        }
    }
    if (direct.password === '') {
        throw new errors/* NotFoundError */.m_(`The service handed out an address without a password for role ${(0,api_text/* show */.WU)(role)}: the project may not store passwords, or the role may have none. Reset the role's password, or choose another one with the input \`role\`.`);
    }
    return {
        uri,
        pooledUri,
        host: direct.host,
        pooledHost: pooled.host,
        port: direct.port,
        database,
        role,
        password: decode(direct.password),
    };
}
/** An endpoint's host as its pooler has it too: the first label without `-pooler`. */
function withoutPooler(host) {
    return host.replace(/^([^.]+?)-pooler(?=\.|$)/, '$1');
}
function hostOf(hostAndPort) {
    return hostAndPort.replace(/:\d+$/, '');
}

;// CONCATENATED MODULE: ./js/commands/check.js




/** Milliseconds for one try to connect and ask. */
const attemptMs = 10_000;
/** First pause and longest pause between two tries, in milliseconds. */
const pauses = { first: 250, longest: 5_000 };
/** A wrong password or a missing database may be a matter of moments on a new branch, but of no more: tries. */
const mostRefusals = 4;
/** Postgres' classes of errors for a refused login (28), a database that is not there (3D), and missing rights (42). */
const refusal = /^(28|3D|42)/;
/**
 * `check_connection`: goes on only once a real connection with each returned URI has answered. Whatever a server says while it
 * starts is tried again until the step's time is over; then the error says what it got.
 */
async function checkConnection(context, connection) {
    const { Client } = await __webpack_require__.e(/* import() */ 757).then(__webpack_require__.bind(__webpack_require__, 5757));
    const uris = [...new Set([connection.uri, connection.pooledUri])];
    await Promise.all(uris.map(async (uri) => {
        const { host, port } = parseUri(uri);
        const where = `${host}:${port}`;
        const { tries, ms } = await untilAnswered({
            api: context.api,
            where,
            log: context.log.info,
            ask: () => ask(Client, uri),
        });
        context.log.info(`${where} answered SELECT 1 after ${(0,api_text/* duration */.p0)(ms)} (${tries} ${tries === 1 ? 'try' : 'tries'})`);
    }));
}
async function untilAnswered(options) {
    const { api, where, log, ask } = options;
    const started = api.clock.now();
    let refusals = 0;
    for (let tries = 1, pause = pauses.first;; tries++, pause = Math.min(pauses.longest, pause * 2)) {
        try {
            await stoppable(api.signal, ask());
            return { tries, ms: api.clock.now() - started };
        }
        catch (error) {
            if (error instanceof errors/* StoppedError */.Ko)
                throw error.while(`connecting to ${where} (\`check_connection\`)`);
            const what = describe(error);
            if (refusal.test(codeOf(error)))
                refusals++;
            if (refusals >= mostRefusals || isLasting(error)) {
                throw new Error(`Could not connect to ${where} (\`check_connection\`, ${tries} tries): ${what}`, {
                    cause: error,
                });
            }
            log(`${where} does not answer yet: ${what}; trying again in ${(0,api_text/* duration */.p0)(pause)}`);
            try {
                await api.sleep(pause);
            }
            catch (stopped) {
                const last = `connecting to ${where} (\`check_connection\`), which last said: ${what}`;
                throw stopped instanceof errors/* StoppedError */.Ko ? stopped.while(last) : stopped;
            }
        }
    }
}
async function ask(Postgres, uri) {
    const ssl = parameter(uri, 'sslmode');
    try {
        await askOnce(Postgres, configOf(uri));
    }
    catch (error) {
        // Without an sslmode libpq prefers TLS, and goes without it where the server has none.
        const without = ssl === undefined && /does not support SSL/i.test(describe(error));
        if (!without)
            throw error;
        await askOnce(Postgres, { ...configOf(uri), ssl: false });
    }
}
async function askOnce(Postgres, config) {
    const client = new Postgres(config);
    // An error after the answer is nobody's concern, and must not end the process.
    client.on('error', () => { });
    try {
        await client.connect();
        await client.query('SELECT 1');
    }
    finally {
        await Promise.race([client.end().catch(() => { }), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
    }
}
/** The URI as `pg` takes it, with libpq's meaning of `sslmode`: `require` encrypts and trusts, the others verify. */
function configOf(uri) {
    const parts = parseUri(uri);
    const mode = parameter(uri, 'sslmode');
    const verified = mode === 'verify-full' ? {} : mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : undefined;
    return {
        host: parts.host.replace(/^\[|\]$/g, ''),
        port: Number(parts.port),
        user: decode(parts.user),
        password: decode(parts.password),
        database: decode(parts.database),
        ssl: mode === 'disable' ? false : (verified ?? { rejectUnauthorized: false }),
        enableChannelBinding: parameter(uri, 'channel_binding') === 'require',
        connectionTimeoutMillis: attemptMs,
        query_timeout: attemptMs,
        application_name: 'database-branch-action',
    };
}
/** The work's end, or the signal's, whichever comes first. */
async function stoppable(signal, work) {
    if (signal.aborted)
        throw signal.reason;
    let stop = () => { };
    const stopped = new Promise((_, reject) => {
        stop = () => reject(signal.reason);
        signal.addEventListener('abort', stop, { once: true });
    });
    try {
        return await Promise.race([work, stopped]);
    }
    finally {
        signal.removeEventListener('abort', stop);
        work.catch(() => { });
    }
}
function isLasting(error) {
    return /CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS/.test(codeOf(error));
}
function codeOf(error) {
    const code = error instanceof Error ? error.code : undefined;
    return typeof code === 'string' ? code : '';
}
function describe(error) {
    if (error instanceof AggregateError && error.errors.length > 0)
        return describe(error.errors[0]);
    const message = error instanceof Error ? error.message : String(error);
    const code = codeOf(error);
    return (0,api_text/* oneLine */.TN)(code === '' || message.includes(code) ? message : `${message} (${code})`);
}

;// CONCATENATED MODULE: ./js/commands/address.js








/** Connection details of a branch, with the parameters that the inputs ask for, and its other addresses. */
async function addresses(options) {
    const { context } = options;
    const connection = await findConnection(options);
    for (const secret of [connection.password, connection.uri, connection.pooledUri])
        context.mask(secret);
    const dressed = dress(connection, context.inputs);
    for (const secret of [dressed.uri, dressed.pooledUri])
        context.mask(secret);
    const [authUrl, dataApiUrl] = await Promise.all([
        context.inputs.get_auth_url ? otherUrl({ ...options, kind: 'auth', database: dressed.database }) : undefined,
        context.inputs.get_data_api_url
            ? otherUrl({ ...options, kind: 'data-api', database: dressed.database })
            : undefined,
    ]);
    if (context.inputs.check_connection)
        await checkConnection(context, dressed);
    return {
        connection: dressed,
        ...(authUrl === undefined ? {} : { authUrl }),
        ...(dataApiUrl === undefined ? {} : { dataApiUrl }),
    };
}
async function findConnection(options) {
    const { context, branch, endpoint, settling, connectionUris = [] } = options;
    const project = projectOf(context);
    const choice = { database: context.inputs.database, role: context.inputs.role };
    const names = options.names ?? (await listChoices({ ...project, branch, settling }));
    const database = choose({ kind: 'database', wanted: choice.database, names: names.databases, branch });
    const role = choose({ kind: 'role', wanted: choice.role, names: names.roles, branch });
    return (connectionFromAnswer({ details: connectionUris, endpoint, database, role }) ??
        fetchConnection({ ...project, branch, endpoint, database, role, settling }));
}
/** The addresses with `ssl` and `prisma`; every parameter that the service gave stays. */
function dress(connection, inputs) {
    const { ssl, prisma } = inputs;
    const direct = withSsl(connection.uri, ssl);
    const pooled = withSsl(connection.pooledUri, ssl);
    return {
        ...connection,
        uri: prisma ? withPrisma(direct, { pooled: false }) : direct,
        pooledUri: prisma ? withPrisma(pooled, { pooled: true }) : pooled,
    };
}
const others = {
    auth: { field: 'base_url', input: 'get_auth_url', title: 'authentication' },
    'data-api': { field: 'url', input: 'get_data_api_url', title: 'the Data API' },
};
async function otherUrl(options) {
    const { context, branch, settling, kind, database } = options;
    const { api, projectId } = projectOf(context);
    const { field, input, title } = others[kind];
    const rest = kind === 'auth' ? '/auth' : `/data-api/${encodeURIComponent(database)}`;
    try {
        const answer = await api.request({
            goal: `read the address of ${title} of branch ${(0,api_text/* show */.WU)(branch.name)}`,
            method: 'GET',
            path: branchPath({ projectId, branchId: branch.id, rest }),
            // A 404 says that it is off; only a branch that was made a moment ago is worth a second look, and a short one.
            ...(settling ? { settling: { ...settling, until: Math.min(settling.until, api.clock.now() + 2_000) } } : {}),
            read: (body) => string(object(body, 'the answer')[field], field),
        });
        return answer.value;
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && error.status === 404))
            throw error;
        throw new errors/* NotFoundError */.m_(`\`${input}\` asks for the address of ${title}, and ${title} is off for branch ${(0,api_text/* show */.WU)(branch.name)}. Switch it on for the parent in the service's console, or leave \`${input}\` out.`);
    }
}

;// CONCATENATED MODULE: ./js/glob.js
/** Alternatives that braces may stand for together, so that `{a,b}{a,b}…` does not grow without end. */
const mostAlternatives = 100;
/** Throws a plain `Error` that says what is wrong with the pattern. */
function parseGlob(pattern) {
    const alternatives = expand(pattern).map((one) => compile(steps(one)));
    return {
        matches: (name) => alternatives.some((one) => one.matches(name)),
        rests: (name) => alternatives.filter((one) => one.matches(name)).map((one) => one.rest(name)),
    };
}
/** The patterns without braces that a pattern stands for. */
function expand(pattern) {
    const open = find(pattern, '{', 0);
    if (open < 0)
        return [pattern];
    const choices = [];
    let depth = 0;
    let start = open + 1;
    for (let at = open; at < pattern.length; at++) {
        const character = pattern[at];
        if (character === '\\')
            at++;
        else if (character === '{')
            depth++;
        else if (character === ',' && depth === 1) {
            choices.push(pattern.slice(start, at));
            start = at + 1;
        }
        else if (character === '}' && --depth === 0) {
            choices.push(pattern.slice(start, at));
            const [before, after] = [pattern.slice(0, open), pattern.slice(at + 1)];
            const all = choices.flatMap((choice) => expand(`${choice}${after}`)).map((rest) => `${before}${rest}`);
            if (all.length > mostAlternatives)
                throw new Error(`more than ${mostAlternatives} alternatives in braces`);
            return [...new Set(all)];
        }
    }
    throw new Error('a { without its }');
}
/** Where a character stands that has no backslash before it. */
function find(text, wanted, from) {
    for (let at = from; at < text.length; at++) {
        if (text[at] === '\\')
            at++;
        else if (text[at] === wanted)
            return at;
    }
    return -1;
}
function steps(pattern) {
    const found = [];
    const characters = Array.from(pattern);
    for (let at = 0; at < characters.length; at++) {
        const character = characters[at] ?? '';
        if (character === '\\') {
            const next = characters[++at];
            if (next === undefined)
                throw new Error('a \\ at the end');
            found.push({ kind: 'text', character: next });
        }
        else if (character === '*') {
            if (found.at(-1)?.kind !== 'any')
                found.push({ kind: 'any' });
        }
        else if (character === '?')
            found.push({ kind: 'one', takes: () => true });
        else if (character === '[') {
            const end = setEnd(characters, at);
            found.push({ kind: 'one', takes: set(characters.slice(at + 1, end)) });
            at = end;
        }
        else
            found.push({ kind: 'text', character });
    }
    return found;
}
/** Where the `]` of a set stands; right after `[` or `[!` it is a character of the set. */
function setEnd(characters, open) {
    let at = open + (isNegation(characters[open + 1]) ? 2 : 1);
    if (characters[at] === ']')
        at++;
    for (; at < characters.length; at++) {
        if (characters[at] === '\\')
            at++;
        else if (characters[at] === ']')
            return at;
    }
    throw new Error('a [ without its ]');
}
const isNegation = (character) => character === '!' || character === '^';
/** `a-z`, `!a-z`, `abc`: whether a character is in the set. */
function set(inside) {
    const negative = isNegation(inside[0]);
    const ranges = [];
    const read = (at) => inside[at] === '\\' ? [inside[at + 1] ?? '\\', at + 2] : [inside[at] ?? '', at + 1];
    for (let at = negative ? 1 : 0; at < inside.length;) {
        const [first, next] = read(at);
        const isRange = inside[next] === '-' && next + 1 < inside.length;
        const [last, end] = isRange ? read(next + 1) : [first, next];
        const range = [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
        if (range[0] > range[1])
            throw new Error(`a range ${first}-${last}, which is the wrong way round`);
        ranges.push(range);
        at = end;
    }
    return (character) => {
        const point = character.codePointAt(0) ?? 0;
        return ranges.some(([low, high]) => low <= point && point <= high) !== negative;
    };
}
function compile(all) {
    const isWild = (step) => step.kind !== 'text';
    const before = all.findIndex(isWild);
    const after = all.length - 1 - all.findLastIndex(isWild);
    return {
        matches: (name) => match(all, Array.from(name)),
        rest(name) {
            const characters = Array.from(name);
            return before < 0 ? '' : characters.slice(before, characters.length - after).join('');
        },
    };
}
/**
 * Whether the steps take the whole name. A mismatch goes back to the last star only, which then takes one character more: that
 * is enough, and unlike a regular expression it never takes longer than the two lengths multiplied.
 */
function match(all, name) {
    let at = 0;
    let step = 0;
    let star = -1;
    let starAt = 0;
    while (at < name.length) {
        const current = all[step];
        const character = name[at] ?? '';
        if (current?.kind === 'any') {
            star = step++;
            starAt = at;
        }
        else if (current && (current.kind === 'text' ? current.character === character : current.takes(character))) {
            step++;
            at++;
        }
        else if (star >= 0) {
            step = star + 1;
            at = ++starAt;
        }
        else
            return false;
    }
    while (all[step]?.kind === 'any')
        step++;
    return step === all.length;
}

;// CONCATENATED MODULE: ./js/values.js


/** A value that an input does not take; says what it does take, as a noun: «a span such as 90m, 12h or 14d». */
class Fault extends Error {
    name = 'Fault';
    /** What was given, where the value itself must not be shown or says too little. */
    got;
    constructor(takes, got) {
        super(takes);
        this.got = got;
    }
}
const spanUnits = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A span of time in milliseconds: a whole number and a unit, `90m`. */
function span(raw) {
    const match = /^(\d{1,9})([smhd])$/.exec(raw);
    const ms = match ? Number(match[1]) * spanUnits[match[2]] : 0;
    // Longer spans would leave the range of dates.
    if (ms <= 0 || ms > 100 * 365 * spanUnits.d) {
        throw new Fault('a span above zero with one of the units s, m, h and d: 90m, 12h or 14d');
    }
    return ms;
}
/** The longest a step runs, in milliseconds: GitHub ends every job after six hours, self-hosted ones after five days. */
const longestStep = 5 * spanUnits.d;
function timeout(raw) {
    const ms = span(raw);
    if (ms > longestStep)
        throw new Fault('a span of five days at most, such as 10m');
    return ms;
}
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
/** An RFC 3339 time, in milliseconds since the epoch. */
function time(raw) {
    const match = rfc3339.exec(raw);
    const [, year = '', month = '', day = ''] = match ?? [];
    const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
    const valid = match && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
    if (!valid)
        throw new Fault('a time as RFC 3339 has it: 2026-12-31T18:00:00Z');
    return Date.parse(raw);
}
/** A point in a branch's history, which goes to the service with the precision it was given. */
function timestamp(raw) {
    time(raw);
    return raw;
}
/** RFC 3339 with whole seconds, as the service takes an expiry. */
function toSeconds(ms) {
    return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
function lsn(raw) {
    if (!/^[0-9a-f]{1,8}\/[0-9a-f]{1,8}$/i.test(raw))
        throw new Fault('a log sequence number such as 0/1DE2850');
    return raw;
}
function choice(...values) {
    return (raw) => {
        const found = values.find((value) => value === raw);
        if (found === undefined)
            throw new Fault(`one of ${values.join(', ')}`);
        return found;
    };
}
/** Seconds without activity after which a compute endpoint is suspended: -1 never, 0 the service's default. */
function suspendTimeout(raw) {
    const seconds = /^-?\d{1,7}$/.test(raw) ? Number(raw) : Number.NaN;
    if (!(seconds >= -1 && seconds <= 604_800)) {
        throw new Fault('whole seconds from 0 to 604800, where 0 is the default of the service, or -1 for never');
    }
    return seconds;
}
/** Compute units. */
function computeUnits(raw) {
    const units = /^\d{1,4}(\.\d{1,3})?$/.test(raw) ? Number(raw) : 0;
    if (units <= 0)
        throw new Fault('a number of compute units above zero, such as 0.25 or 2');
    return units;
}
function values_text(raw) {
    return raw;
}
/** A key or token: something that can stand in a header. */
function credential(raw) {
    if (!/^[\x21-\x7e]+$/.test(raw)) {
        const why = /[\r\n]/.test(raw)
            ? 'a text with a line break in it'
            : 'a text with a space or a character beyond ASCII in it';
        throw new Fault('the key alone, on one line, without quotes and spaces', `${why} (not shown)`);
    }
    return raw;
}
const idForm = /^[a-z0-9-]{1,60}$/;
function projectId(raw) {
    const takes = "the project's ID, such as shiny-wind-028834, from its settings";
    if (isConnectionString(raw))
        throw new Fault(takes, 'a connection string (not shown)');
    if (/^br-/.test(raw))
        throw new Fault(takes, `${raw}, a branch ID`);
    if (/^ep-/.test(raw))
        throw new Fault(takes, `${raw}, a compute endpoint ID`);
    if (!idForm.test(raw))
        throw new Fault(takes);
    return raw;
}
function branchId(raw) {
    const takes = "a branch's ID, such as br-wispy-meadow-118737; a name goes into branch_name";
    if (isConnectionString(raw))
        throw new Fault(takes, 'a connection string (not shown)');
    if (!idForm.test(raw))
        throw new Fault(takes);
    return raw;
}
/** A branch's name, whatever characters it has. */
function branchName(raw) {
    if (Array.from(raw).length > 256)
        throw new Fault('1 to 256 characters', `${Array.from(raw).length} characters`);
    return raw;
}
/** A glob over names. */
function glob(raw) {
    try {
        return parseGlob(raw);
    }
    catch (error) {
        throw new Fault(`a glob over names, such as preview/*; this one has ${error.message}`);
    }
}
function isConnectionString(raw) {
    let secret = false;
    maskUris(raw, () => {
        secret = true;
    });
    return secret || /^\s*postgres(ql)?:\/\//i.test(raw);
}
const defaultPath = '/api/v2';
/** `host[:port]`, with or without a path; a user name before it is looked at later. */
const bareHost = /^([^/?#]*@)?(\[[^\]]+\]|[^/:?#@[\]]+)(:\d+)?([/?#].*)?$/;
/**
 * The base URL of the service from a full base URL, an origin or `host[:port]`, without a slash at the end. Plain `http` is
 * taken on loopback only; a loopback host without a scheme is taken to speak it.
 */
function apiHost(raw) {
    const takes = 'https://host, https://host/api/v2 or host[:port]; http:// on loopback only';
    const bare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(raw);
    // A slash or a scheme at the start of what should be a host would make a host of the word after it.
    if (/[\s\\]/.test(raw) || (bare && !bareHost.test(raw)))
        throw new Fault(takes);
    const origin = bare ? `http://${raw}` : raw;
    if (!URL.canParse(origin))
        throw new Fault(takes);
    const secure = bare && !isLoopback(new URL(origin).hostname);
    const url = new URL(secure ? `https://${raw}` : origin);
    if (url.username || url.password)
        throw new Fault(takes, 'a URL with a user name or password (not shown)');
    if (url.search || url.hash || !url.hostname)
        throw new Fault(takes);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
        throw new Fault(takes);
    if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
        throw new Fault('https, because the key would travel in the clear; http:// on loopback only');
    }
    const path = url.pathname.replace(/\/+$/, '');
    return `${url.origin}${path === '' ? defaultPath : path}`;
}
function isLoopback(hostname) {
    return (hostname === 'localhost' ||
        hostname.endsWith('.localhost') ||
        /^127(\.\d{1,3}){3}$/.test(hostname) ||
        hostname === '[::1]');
}
function json(raw) {
    try {
        return JSON.parse(raw);
    }
    catch (error) {
        throw new Fault('JSON', `what is no JSON (${error.message.replace(/[",].*$/s, '').trim()})`);
    }
}
function jsonObject(raw) {
    const value = json(raw);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new Fault('a JSON object: {"name": "app"}', 'other JSON');
    return value;
}
function maskingRules(raw) {
    const value = json(raw);
    const isRule = (rule) => typeof rule === 'object' && rule !== null && !Array.isArray(rule);
    if (!Array.isArray(value) || value.length === 0 || !value.every(isRule)) {
        throw new Fault('a JSON array of masking rules, each an object', Array.isArray(value) && value.length === 0 ? 'no rule' : 'other JSON');
    }
    return value;
}
/** IDs as a JSON array, or as a list with commas or line breaks. */
function ids(raw) {
    const takes = 'a JSON array of operation IDs, or IDs with commas or line breaks between them';
    const value = raw.trimStart().startsWith('[')
        ? json(raw)
        : raw.split(/[\s,]+/).filter((part) => part !== '');
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' && /^[\w-]{1,64}$/.test(one)))
        throw new Fault(takes);
    return [...new Set(value)];
}

;// CONCATENATED MODULE: ./js/api/operations.js



/** `failed` is not final: the service may retry. Without a sign of that for this long, in milliseconds, it is. */
const failedForGoodMs = 30_000;
/** Default of `unknownMs`. */
const mostUnknownMs = 10_000;
/** First pause, growth and longest pause between two polls, in milliseconds. */
const poll = { first: 100, growth: 1.5, longest: 3_000 };
/**
 * Waits until every operation has ended well (`finished` or `skipped`) and returns them as they ended.
 * Throws an `OperationError` for one that ended in `error`, `cancelled` or stayed `failed`, and a `StoppedError` that names the
 * operation when the time for the step is over.
 */
async function waitForOperations(options) {
    const { onDone } = options;
    const done = [];
    for (const started of options.operations) {
        const ended = endedWell(started) ? started : await waitForOne(options, started);
        onDone?.(ended);
        done.push(ended);
    }
    return done;
}
async function waitForOne(options, started) {
    const { api } = options;
    const projectId = started.project_id ?? options.projectId;
    if (projectId === undefined)
        throw new errors/* OperationError */.OK(started, 'belongs to a project that is not known');
    const patience = createPatience(api.clock.now());
    const unknownUntil = api.clock.now() + (options.unknownMs ?? mostUnknownMs);
    let last = started;
    try {
        for (let pause = poll.first;; pause = Math.min(poll.longest, pause * poll.growth)) {
            patience.look(last, api.clock.now());
            await api.sleep(pause);
            last = await readOne({ api, projectId, operation: last, unknownUntil });
            if (endedWell(last))
                return last;
            if (last.status === 'error' || last.status === 'cancelled')
                throw new errors/* OperationError */.OK(last);
            if (last.status === 'failed' && patience.isOver(last, api.clock.now())) {
                throw new errors/* OperationError */.OK(last, 'has failed, and the service does not try it again');
            }
        }
    }
    catch (error) {
        if (error instanceof errors/* StoppedError */.Ko) {
            throw error.while(`waiting for ${['operation', last.action].filter(Boolean).join(' ')} (${last.id}, status "${last.status}")`);
        }
        throw error;
    }
}
async function readOne(options) {
    const { api, projectId, operation, unknownUntil } = options;
    try {
        return await getOperation({ api, projectId, id: operation.id, settling: { statuses: [404], until: unknownUntil } });
    }
    catch (error) {
        if (error instanceof errors/* ApiError */.hD && error.status === 404) {
            throw new errors/* OperationError */.OK(operation, 'is not known to the service any more, so that its end cannot be told', {
                unknown: true,
            });
        }
        throw error;
    }
}
async function getOperation(options) {
    const { api, projectId, id, settling } = options;
    const answer = await api.request({
        goal: `read operation ${id}`,
        method: 'GET',
        path: `/projects/${encodeURIComponent(projectId)}/operations/${encodeURIComponent(id)}`,
        ...(settling ? { settling } : {}),
        read: (body) => types_operation(object(body, 'the answer').operation, 'operation'),
    });
    if (answer.value.id !== id) {
        throw new errors/* OperationError */.OK({ id }, `was asked for, and the service answered about ${answer.value.id}`);
    }
    return answer.value;
}
/** The newest operations of a branch that have not ended yet, oldest first. */
async function unfinishedOperations(options) {
    const { api, projectId, branchId } = options;
    const { value } = await api.request({
        goal: `list the operations of branch ${branchId}`,
        method: 'GET',
        path: `/projects/${encodeURIComponent(projectId)}/operations`,
        query: { limit: 100 },
        read: (body) => list(object(body, 'the answer').operations, 'operations', types_operation),
    });
    return value.filter((one) => one.branch_id === branchId && !hasEnded(one)).reverse();
}
function endedWell(operation) {
    return operation.status === 'finished' || operation.status === 'skipped';
}
function hasEnded(operation) {
    return endedWell(operation) || ['error', 'cancelled', 'failed'].includes(operation.status);
}
/** Keeps count of the signs that the service still works on a failed operation: `retry_at`, or a rising `failures_count`. */
function createPatience(now) {
    let lastSign = now;
    let status = '';
    let failures = -1;
    let retryAt;
    const look = (operation, at) => {
        const stays = status === 'failed' && operation.status === 'failed';
        const sign = !stays || operation.failures_count > failures || operation.retry_at !== retryAt;
        if (sign)
            lastSign = at;
        status = operation.status;
        const next = Date.parse(operation.retry_at ?? '');
        if (operation.status === 'failed' && next > lastSign)
            lastSign = next;
        failures = Math.max(failures, operation.failures_count);
        retryAt = operation.retry_at;
    };
    return {
        look,
        isOver(operation, at) {
            look(operation, at);
            return at - lastSign >= failedForGoodMs;
        },
    };
}

;// CONCATENATED MODULE: ./js/commands/ready.js






/** The branch went away while it was looked at; whoever wants one of its name has to start again. */
class BranchGoneError extends Error {
    name = 'BranchGoneError';
}
/** Waits for operations that this run started, and tells each in the log. */
async function settle(context, operations, options = {}) {
    return waitForOperations({
        api: context.api,
        projectId: context.inputs.project_id,
        ...options,
        operations,
        onDone: (one) => context.log.info(`Operation ${one.action} (${one.id}) ${one.status} after ${(0,api_text/* duration */.p0)(one.total_duration_ms)}`),
    });
}
const isReady = (branch) => ['ready', 'archived'].includes(branch.current_state) && !branch.pending_state;
const isStarting = (endpoint) => endpoint.current_state === 'init';
/** Longest pause between two looks at a branch that is not ready, in milliseconds. */
const longestPauseMs = 3_000;
/**
 * Makes sure that a branch which is there can be used: that nobody is about to delete it, that whoever made it is done, and that
 * it has a read-write endpoint. Throws a `BranchGoneError` where it goes away meanwhile.
 */
async function makeUsable(options) {
    const { context, date, made, operationIds = [] } = options;
    const { inputs, api, log } = context;
    const project = projectOf(context);
    const settling = settlingOf({ branch: options.branch, now: api.clock.now(), date, made });
    let { branch } = options;
    const done = [];
    const started = [];
    try {
        const [endpoints] = await Promise.all([
            listEndpoints({ ...project, branch, settling }),
            made ? undefined : waitWhileLeaving(context, branch),
        ]);
        let endpoint = readWriteEndpoint(endpoints, branch);
        if (inputs.wait && isUnderWay(branch, endpoint)) {
            log.info(`Branch ${(0,api_text/* show */.WU)(branch.name)} is not ready yet; waiting for whoever works on it`);
            const before = await waitUntilReady({ context, branch, settling });
            branch = before.branch;
            done.push(...before.done);
            endpoint = readWriteEndpoint(await listEndpoints({ ...project, branch, settling }), branch);
        }
        if (endpoint === undefined) {
            log.info(`Branch ${(0,api_text/* show */.WU)(branch.name)} has no read-write compute endpoint; making one`);
            const created = await createEndpoint({
                ...project,
                branch,
                settling,
                ...(inputs.suspend_timeout === undefined ? {} : { suspendTimeout: inputs.suspend_timeout }),
                ...(inputs.min_cu === undefined ? {} : { minCu: inputs.min_cu }),
                ...(inputs.max_cu === undefined ? {} : { maxCu: inputs.max_cu }),
            });
            endpoint = created.endpoint;
            started.push(...created.operations);
            context.progress({ operationIds: [...operationIds, ...started.map((one) => one.id)] });
            if (inputs.wait)
                done.push(...(await settle(context, created.operations)));
        }
        return { branch, endpoint, started, done, settling };
    }
    catch (error) {
        if (error instanceof errors/* ApiError */.hD && error.status === 404) {
            throw new BranchGoneError(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) went away meanwhile: ${error.message}`);
        }
        throw error;
    }
}
/**
 * A branch that is being deleted looks like any other until it is gone; only the operations tell. Waits until they have ended,
 * and throws the read's own 404 where the branch is gone then.
 */
async function waitWhileLeaving(context, branch) {
    const project = projectOf(context);
    const running = await unfinishedOperations({ ...project, branchId: branch.id });
    if (!running.some((one) => one.action === 'delete_timeline'))
        return;
    context.log.info(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) is being deleted; waiting until it is gone`);
    try {
        await settle(context, running, { unknownMs: 0 });
    }
    catch (error) {
        // What became of the operations is not ours to judge: the branch itself tells.
        if (!(error instanceof errors/* OperationError */.OK))
            throw error;
    }
    await getBranch({ ...project, branchId: branch.id });
}
/** Whether somebody still works on a branch or on its endpoint, so that nobody can count on it yet. */
function isUnderWay(branch, endpoint) {
    return !isReady(branch) || (endpoint !== undefined && isStarting(endpoint));
}
async function waitUntilReady(options) {
    const { context, settling } = options;
    const { api } = context;
    const project = projectOf(context);
    let { branch } = options;
    const done = [];
    for (let pause = 250;; pause = Math.min(longestPauseMs, pause * 1.5)) {
        const running = await unfinishedOperations({ ...project, branchId: branch.id });
        done.push(...(await settle(context, running)));
        branch = (await getBranch({ ...project, branchId: branch.id, settling: running.length > 0 ? undefined : settling }))
            .branch;
        if (isReady(branch)) {
            const endpoint = readWriteEndpoint(await listEndpoints({ ...project, branch, settling }), branch);
            if (!endpoint || !isStarting(endpoint))
                return { branch, done };
        }
        await api.sleep(pause, `waiting until branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) is ready`);
    }
}

;// CONCATENATED MODULE: ./js/commands/expiry.js





/** The time at which the service is to delete the branch, from either input. */
function expiryOf(inputs, now) {
    const at = inputs.expires_at ?? (inputs.expires_in === undefined ? undefined : now + inputs.expires_in);
    return at === undefined ? undefined : toSeconds(at);
}
/** Sets the expiry that is asked for anew on a branch that is there; one that it has already is left as it is. */
async function renewExpiry(options) {
    const { context, branch, settling } = options;
    const expiresAt = expiryOf(context.inputs, context.api.clock.now());
    if (expiresAt === undefined || Date.parse(branch.expires_at ?? '') === Date.parse(expiresAt)) {
        return { branch, started: [], done: [] };
    }
    const changed = await setExpiry({ ...projectOf(context), branch, expiresAt, settling });
    const done = context.inputs.wait ? await settle(context, changed.operations) : [];
    const renewed = { ...branch, expires_at: changed.branch.expires_at ?? expiresAt };
    context.log.info(`Branch ${(0,api_text/* show */.WU)(branch.name)} now lives until ${renewed.expires_at}`);
    return { branch: renewed, started: changed.operations.map((one) => one.id), done };
}

;// CONCATENATED MODULE: ./js/api/create.js




/** Refusals to which a create of the same call, of which no list knew yet, may have led. */
const refusals = [409, 412, 422];
/**
 * One POST that makes the branch with a read-write compute endpoint, without a look before. A name that is taken (409) is no
 * error. A lost answer is looked up by name before anything is sent again; `isOurs` tells whether what stands there is what
 * this call has made.
 */
async function createBranch(options) {
    const { api, projectId, branch, isOurs } = options;
    const anonymized = branch.maskingRules !== undefined;
    const lookUp = async () => {
        const found = await findBranchByName({ api, projectId, name: branch.name });
        return found && { found: found.branch, ours: isOurs(found.branch, found.date) };
    };
    let lost = false;
    try {
        const { value, from } = await once({
            api,
            act: () => api.request({
                goal: `create branch ${(0,api_text/* show */.WU)(branch.name)}`,
                method: 'POST',
                path: projectPath(projectId, anonymized ? '/branch_anonymized' : '/branches'),
                body: anonymized ? anonymizedPayload(branch) : { ...payload(branch), annotation_value: branch.annotations },
                read: (body) => ({ answer: checked(readBranchAnswer(body), branch.name) }),
            }),
            look: async () => {
                lost = true;
                return lookUp();
            },
        });
        if (from === 'answer' && 'answer' in value)
            return { made: true, answer: value.answer };
        return 'found' in value && value.ours ? { made: true, branch: value.found } : { made: false, lost };
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && refusals.includes(error.status ?? 0)))
            throw error;
        // Where an answer was lost before, it may be this very call that has taken the name, or the project's last room.
        const taken = lost ? await lookUp() : undefined;
        if (taken && 'found' in taken && taken.ours)
            return { made: true, branch: taken.found };
        if (error.status === 409)
            return { made: false, lost };
        throw error;
    }
}
function checked(answer, name) {
    if (answer.branch.name !== name) {
        throw new errors/* MismatchError */.T7(`Asked for a branch named ${(0,api_text/* show */.WU)(name)}, and the service answered with ${(0,api_text/* show */.WU)(answer.branch.name)} (${answer.branch.id})`);
    }
    return answer;
}
function payload(branch) {
    return {
        branch: {
            name: branch.name,
            parent_id: branch.parentId,
            parent_timestamp: branch.parentTimestamp,
            parent_lsn: branch.parentLsn,
            init_source: branch.schemaOnly ? 'schema-only' : undefined,
            protected: branch.protected || undefined,
            expires_at: branch.expiresAt,
        },
        endpoints: [
            {
                type: 'read_write',
                suspend_timeout_seconds: branch.suspendTimeout,
                autoscaling_limit_min_cu: branch.minCu,
                autoscaling_limit_max_cu: branch.maxCu,
            },
        ],
    };
}
function anonymizedPayload(branch) {
    return {
        branch_create: payload(branch),
        masking_rules: branch.maskingRules,
        start_anonymization: true,
        annotation_value: branch.annotations,
    };
}

// EXTERNAL MODULE: ../../node_modules/undici/index.js
var undici = __webpack_require__(1684);
// EXTERNAL MODULE: ./js/api/retry.js
var retry = __webpack_require__(7247);
;// CONCATENATED MODULE: ./js/api/send.js





/** Redirects within the service that one try follows. */
const mostRedirects = 3;
const changing = (method) => method !== 'GET';
/**
 * One try of a request: an answer, or a failure that says whether the service may have acted.
 * Rejects only with the signal's reason.
 */
async function send(attempt) {
    const { signal, method, now } = attempt;
    if (signal.aborted)
        throw signal.reason;
    const limit = AbortSignal.timeout(attempt.attemptMs);
    let url = attempt.url;
    for (let redirects = 0;; redirects++) {
        let status;
        let headers;
        let text;
        try {
            const response = await (0,undici.request)(url, {
                method,
                headers: {
                    ...attempt.headers,
                    'content-type': 'application/json',
                },
                body: attempt.body === undefined ? null : JSON.stringify(attempt.body),
                dispatcher: attempt.dispatcher,
                signal: AbortSignal.any([signal, limit]),
            });
            status = response.statusCode;
            headers = response.headers;
            text = await response.body.text();
        }
        catch (error) {
            if (signal.aborted)
                throw signal.reason;
            return networkFailure({ error, timedOut: limit.aborted, attemptMs: attempt.attemptMs, url, method });
        }
        if (status >= 300 && status < 400 && status !== 304) {
            const target = redirectTarget({ url, location: first(headers.location), status, method, redirects });
            if (target instanceof URL) {
                url = target;
                continue;
            }
            return target;
        }
        const date = Date.parse(first(headers.date) ?? '');
        if (status >= 200 && status < 300) {
            try {
                return { status, value: attempt.read(parse(text), status), date: Number.isNaN(date) ? undefined : date };
            }
            catch (error) {
                if (!(error instanceof ShapeError))
                    throw error;
                return {
                    kind: 'unreadable',
                    status,
                    what: `answered ${status} with a body that cannot be read: ${error.message}`,
                    mayHaveActed: changing(method),
                };
            }
        }
        // A date to come is meant by the clock that wrote it; a runner's clock may be minutes off.
        return statusFailure({ status, text, headers, now: Number.isNaN(date) ? now() : date, method });
    }
}
function parse(text) {
    if (text.trim() === '')
        return undefined;
    try {
        return JSON.parse(text);
    }
    catch {
        throw new ShapeError('it is no JSON, or only the beginning of it');
    }
}
function statusFailure(options) {
    const { status, headers } = options;
    const body = errorBody(options.text);
    const requestId = body.requestId ?? first(headers['x-request-id']);
    const retryAfterMs = (0,retry/* parseRetryAfter */.mu)(first(headers['retry-after']), options.now);
    const what = [`answered ${status}`, body.code].filter(Boolean).join(' ');
    return {
        kind: 'status',
        status,
        what: body.message ? `${what}: ${body.message}` : what,
        mayHaveActed: changing(options.method) && (0,retry/* statusMayHaveActed */.pH)(status),
        ...(body.code ? { code: body.code } : {}),
        ...(body.message ? { message: body.message } : {}),
        ...(requestId ? { requestId: (0,api_text/* oneLine */.TN)(requestId, 80) } : {}),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
}
/** The service's error body, or what a proxy in between said, as far as it can be read. */
function errorBody(text) {
    let body;
    try {
        body = JSON.parse(text);
    }
    catch {
        const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1];
        return title ? { message: `a page titled ${(0,api_text/* show */.WU)(title)}` } : {};
    }
    const pick = (name) => {
        const value = typeof body === 'object' && body !== null ? body[name] : undefined;
        return typeof value === 'string' && value !== '' ? (0,api_text/* oneLine */.TN)(value) : undefined;
    };
    const [code, message, requestId] = [pick('code'), pick('message'), pick('request_id')];
    return { ...(code ? { code } : {}), ...(message ? { message } : {}), ...(requestId ? { requestId } : {}) };
}
function networkFailure(options) {
    const { error, url } = options;
    if (error instanceof errors/* StoppedError */.Ko)
        throw error;
    const errno = errnoOf(error);
    const host = url.host;
    const connecting = errno !== undefined && !(0,retry/* errnoMayHaveActed */.dP)(errno);
    const what = options.timedOut
        ? `got no whole answer from ${host} within ${(0,api_text/* duration */.p0)(options.attemptMs)}`
        : `got no answer from ${host}: ${describeErrno(errno) ?? (0,api_text/* oneLine */.TN)(error instanceof Error ? error.message : String(error))}`;
    return {
        kind: 'network',
        what,
        mayHaveActed: changing(options.method) && !connecting,
        cause: error,
        ...(errno ? { errno } : {}),
    };
}
function errnoOf(error) {
    for (let at = error; at instanceof Error; at = at.cause) {
        if (at instanceof AggregateError && at.errors.length > 0)
            return errnoOf(at.errors[0]);
        const code = at.code;
        if (typeof code === 'string')
            return code;
        if (at instanceof undici.errors.UndiciError)
            return at.code;
    }
    return undefined;
}
function describeErrno(errno) {
    if (!errno)
        return undefined;
    const words = {
        ECONNREFUSED: 'the connection was refused',
        ENOTFOUND: 'there is no host of this name',
        EAI_AGAIN: 'the name could not be looked up',
        ECONNRESET: 'the connection was reset',
        EPIPE: 'the connection was closed',
        UND_ERR_SOCKET: 'the connection was closed',
        UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
        UND_ERR_HEADERS_TIMEOUT: 'the answer took too long',
        UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
        ETIMEDOUT: 'the connection timed out',
    };
    const word = words[errno] ?? ((0,retry/* isCertificateFault */.iM)(errno) ? 'its TLS certificate was not accepted' : undefined);
    return word ? `${word} (${errno})` : undefined;
}
function redirectTarget(options) {
    const { url, location, status, method, redirects } = options;
    const refuse = (why) => ({
        kind: 'redirect',
        status,
        what: `answered ${status}, a redirect ${why}`,
        mayHaveActed: false,
    });
    if (!location || !URL.canParse(location, url.href))
        return refuse('to nowhere');
    const target = new URL(location, url);
    if (target.origin !== url.origin)
        return refuse(`to another origin (${(0,api_text/* show */.WU)(target.origin)}), which is not followed`);
    // 301, 302 and 303 turn a change into a read: following one would report a change that never happened.
    if (changing(method) && status !== 307 && status !== 308)
        return refuse('of a change, which is not followed');
    return redirects < mostRedirects ? target : refuse('again and again');
}
function first(value) {
    return Array.isArray(value) ? value[0] : value;
}

;// CONCATENATED MODULE: ./js/api/client.js








const defaultAttemptMs = 30_000;
function createClient(options) {
    /** Ends what is still under way when the client is closed: one of several requests at once may have failed for all of them. */
    const closing = new AbortController();
    const signal = AbortSignal.any([options.signal, closing.signal]);
    const { clock = systemClock, random = Math.random, mask = () => { } } = options;
    const attemptMs = options.attemptMs ?? defaultAttemptMs;
    const dispatcher = options.dispatcher ?? createDispatcher(attemptMs);
    const base = new URL(options.baseUrl);
    /** Until when no request is sent, because one has met the rate limit; in milliseconds since the epoch. */
    let quietUntil = 0;
    const headers = {
        accept: 'application/json',
        authorization: `Bearer ${options.apiKey}`,
        'user-agent': options.userAgent ?? 'database-branch-action',
    };
    async function attempt(spec, url) {
        return send({
            url,
            method: spec.method,
            headers: { ...headers, 'x-request-id': (0,external_node_crypto_.randomUUID)() },
            body: spec.body,
            read: (body, status) => {
                maskSecrets(body, mask);
                return spec.read(body, status);
            },
            dispatcher,
            attemptMs,
            signal,
            now: clock.now,
        });
    }
    async function request(spec) {
        const url = new URL(`${options.baseUrl}${spec.path}`);
        if (url.origin !== base.origin || !url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`)) {
            throw new TypeError(`${spec.path} leaves ${options.baseUrl}`);
        }
        for (const [name, value] of Object.entries(spec.query ?? {})) {
            if (value !== undefined)
                url.searchParams.set(name, String(value));
        }
        const line = { goal: spec.goal, method: spec.method, path: (0,api_text/* oneLine */.TN)(spec.path) };
        const repeat = spec.repeat ?? (spec.method === 'GET' || spec.method === 'DELETE' ? 'any' : 'safe');
        let mayHaveActed = false;
        const alike = new Map();
        for (let tries = 1;; tries++) {
            await quiet(spec.goal);
            const started = clock.now();
            const outcome = await client_stoppable(`trying to ${spec.goal}`, () => attempt(spec, url));
            const failed = 'kind' in outcome;
            options.onTrace?.(`${line.method} ${line.path} ${failed ? outcome.what : `answered ${outcome.status}`} after ${(0,api_text/* duration */.p0)(clock.now() - started)}`);
            if (!failed)
                return { ...outcome, mayHaveActedBefore: mayHaveActed };
            mayHaveActed ||= outcome.mayHaveActed;
            // A fault that lasts is one that comes again and again, not one after others that have passed.
            const fault = outcome.errno ?? outcome.kind;
            alike.set(fault, (alike.get(fault) ?? 0) + 1);
            const settles = spec.settling?.statuses.includes(outcome.status ?? 0) === true && clock.now() < spec.settling.until;
            const fail = () => new errors/* ApiError */.hD({ request: line, failure: outcome, attempts: tries, mayHaveActed });
            if (!settles && !(0,retry/* mayRepeat */.xg)({ failure: outcome, repeat, attempt: alike.get(fault) ?? 1 }))
                throw fail();
            const pause = settles ? settlingPauseMs(tries) : (0,retry/* pauseMs */.rV)({ failure: outcome, attempt: tries, random });
            // A rate limit is everybody's: requests that go on meanwhile would only be refused too.
            if (outcome.status === 429)
                quietUntil = Math.max(quietUntil, clock.now() + pause);
            await pauseOrFail({ error: fail(), pause });
        }
    }
    async function quiet(goal) {
        const left = quietUntil - clock.now();
        if (left > 0)
            await client_stoppable(`trying to ${goal}`, () => clock.sleep(left, signal));
    }
    async function pauseOrFail({ error, pause }) {
        const { request: line, failure } = error;
        if (pause >= remainingMs(options.signal, clock))
            throw error.because(`the next try would be in ${(0,api_text/* duration */.p0)(pause)}, after the time for the step is over`);
        options.onRetry?.(`${line.method} ${line.path} ${failure.what}; trying again in ${(0,api_text/* duration */.p0)(pause)}`);
        await client_stoppable(`trying to ${line.goal}`, () => clock.sleep(pause, signal));
    }
    return {
        request,
        clock,
        signal: options.signal,
        sleep: (ms, doing) => client_stoppable(doing, () => clock.sleep(ms, signal)),
        pauseAfter: (error, tries) => pauseOrFail({ error, pause: (0,retry/* pauseMs */.rV)({ failure: error.failure, attempt: tries, random }) }),
        close() {
            closing.abort(new errors/* StoppedError */.Ko('cancelled', 'The connection to the service was closed'));
            return dispatcher.destroy();
        },
    };
}
/** Pauses while the service settles after a create: short, for it is a matter of moments. */
function settlingPauseMs(tries) {
    return Math.min(2_000, 200 * 2 ** (tries - 1));
}
async function client_stoppable(doing, work) {
    try {
        return await work();
    }
    catch (error) {
        throw doing !== undefined && error instanceof errors/* StoppedError */.Ko ? error.while(doing) : error;
    }
}
const deadlines = new WeakMap();
/** Says when a signal will abort by itself, in milliseconds since the epoch, so that nobody starts a pause that outlives it. */
function setDeadline(signal, at) {
    deadlines.set(signal, at);
}
function remainingMs(signal, clock) {
    const at = deadlines.get(signal);
    return at === undefined ? Number.POSITIVE_INFINITY : Math.max(0, at - clock.now());
}
/** Connections to a service, by way of the proxy that the environment names; NO_PROXY is respected. */
function createDispatcher(attemptMs) {
    const options = {
        connect: { timeout: Math.min(10_000, attemptMs) },
        headersTimeout: attemptMs,
        bodyTimeout: attemptMs,
        keepAliveTimeout: 15_000,
    };
    const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].filter((name) => process.env[name]);
    if (names.length === 0)
        return new undici.Agent(options);
    try {
        return new undici.EnvHttpProxyAgent(options);
    }
    catch (cause) {
        // Its value may hold a password, and is not shown.
        throw new Error(`${names.join(' or ')} in the environment is not the address of a proxy (http://host:port)`, {
            cause,
        });
    }
}

;// CONCATENATED MODULE: ./js/github/connect.js


/** Longest and shortest time for one try of a request, in milliseconds; in between it is a quarter of the step's time. */
const attempt = { longest: 20_000, shortest: 1_000 };
/**
 * Gives `work` a client of GitHub for this repository, which ends with the step, and closes it afterwards. GitHub's toolkit is
 * loaded here and nowhere else, so that steps which do not need it do not pay for it. `patienceMs` is the longest pause before a
 * request is sent again; without it, the step's time is.
 */
async function withGitHub(context, work) {
    const { inputs, event, api, log } = context;
    if (inputs.github_token === undefined) {
        throw new errors/* RefusedError */.fk('There is no `github_token`, which is needed to ask GitHub');
    }
    if (!/^[^/]+\/[^/]+$/.test(event.repository)) {
        throw new errors/* RefusedError */.fk('GITHUB_REPOSITORY does not say which repository this is, so that GitHub cannot be asked');
    }
    const { createGitHub } = await Promise.all(/* import() */[__webpack_require__.e(329), __webpack_require__.e(142)]).then(__webpack_require__.bind(__webpack_require__, 4142));
    const attemptMs = Math.max(attempt.shortest, Math.min(attempt.longest, inputs.timeout / 4));
    const dispatcher = createDispatcher(attemptMs);
    try {
        return await work(createGitHub({
            token: inputs.github_token,
            api: event.github.api,
            graphql: event.github.graphql,
            repository: event.repository,
            signal: api.signal,
            clock: api.clock,
            remainingMs: () => Math.min(context.patienceMs ?? Number.POSITIVE_INFINITY, remainingMs(api.signal, api.clock)),
            dispatcher,
            attemptMs,
            onRetry: log.info,
            onTrace: log.debug,
        }));
    }
    finally {
        await dispatcher.destroy();
    }
}

// EXTERNAL MODULE: ./js/github/errors.js
var github_errors = __webpack_require__(2609);
;// CONCATENATED MODULE: ./js/github/pull-requests.js


/** Pull requests that one query asks for. */
const perQuery = 100;
/**
 * The state of many pull requests, a hundred in a query. One that cannot be read is in neither set of open and closed.
 * Throws a `GitHubError` where the token may not read pull requests at all.
 */
async function pullRequestStates(github, numbers) {
    const closed = new Set();
    const unread = [];
    let problem;
    const wanted = [...new Set(numbers)].sort((a, b) => a - b);
    for (let start = 0; start < wanted.length; start += perQuery) {
        const some = wanted.slice(start, start + perQuery);
        try {
            const answer = await pull_requests_ask(github, some);
            const states = statesIn(github, answer);
            for (const number of some) {
                const state = states.get(number);
                if (state === 'CLOSED' || state === 'MERGED')
                    closed.add(number);
                else if (state !== 'OPEN')
                    unread.push(number);
            }
            const [fault] = answer.errors;
            if (fault)
                problem ??= (0,api_text/* oneLine */.TN)(fault.message, 200);
        }
        catch (error) {
            if (!(error instanceof github_errors/* GitHubError */.y) || error.kind === 'denied' || error.kind === 'missing')
                throw error;
            // GitHub is in trouble, or at its limit: asking for the rest would only make it worse.
            unread.push(...wanted.slice(start));
            problem = error.message;
            break;
        }
    }
    return { closed, unread, ...(problem !== undefined && unread.length > 0 ? { problem } : {}) };
}
const need = { goal: 'read the state of pull requests', permission: 'pull-requests: read' };
function pull_requests_ask(github, numbers) {
    const fields = numbers.map((number) => `p${number}: pullRequest(number: ${number}) { state }`).join(' ');
    const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${fields} } }`;
    return github.graphql(need, query, { owner: github.owner, name: github.repo });
}
function statesIn(github, answer) {
    const repository = repositoryIn(github, answer, need);
    return new Map(Object.entries(repository).map(([alias, pullRequest]) => [
        Number(alias.slice(1)),
        typeof pullRequest === 'object' && pullRequest !== null && 'state' in pullRequest ? pullRequest.state : undefined,
    ]));
}
/** The repository's part of an answer; throws where there is none, because GitHub shows the token no such repository. */
function repositoryIn(github, answer, { goal, permission }) {
    const data = answer.data;
    if (typeof data.repository === 'object' && data.repository !== null)
        return data.repository;
    throw new github_errors/* GitHubError */.y('missing', `Could not ${goal}: GitHub shows the token no repository ${github.owner}/${github.repo}. Give the job \`permissions: ${permission}\`, or \`github_token\` a token of that repository.`);
}

;// CONCATENATED MODULE: ./js/github/refs.js


const refs_need = { goal: 'list the git branches', permission: 'contents: read' };
const query = `query ($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    refs(refPrefix: "refs/heads/", first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
  }
}`;
/**
 * The names of all git branches of the repository, a hundred in a query; or, where they could not all be read, why.
 * Throws a `GitHubError` where the token may not read them.
 */
async function listGitBranches(github) {
    const names = [];
    const seen = new Set();
    let after = null;
    try {
        do {
            const answer = await github.graphql(refs_need, query, { owner: github.owner, name: github.repo, after });
            const page = refs_readPage(repositoryIn(github, answer, refs_need).refs);
            if (!page)
                return { problem: answer.errors[0]?.message ?? 'GitHub answered without the list of git branches' };
            names.push(...page.names);
            after = page.next;
            // A cursor that comes back would go round for ever, and part of a list must never be taken for the whole.
            if (after !== null && seen.has(after))
                return { problem: 'GitHub answered with the same page again' };
            if (after !== null)
                seen.add(after);
        } while (after !== null);
        return { names };
    }
    catch (error) {
        if (!(error instanceof github_errors/* GitHubError */.y) || error.kind === 'denied' || error.kind === 'missing')
            throw error;
        return { problem: error.message };
    }
}
/** One page, or undefined where any part of it is not as it should be. */
function refs_readPage(refs) {
    const { nodes, pageInfo } = (refs ?? {});
    if (!Array.isArray(nodes) || typeof pageInfo?.hasNextPage !== 'boolean')
        return undefined;
    const names = nodes.map((node) => node?.name);
    if (!names.every((name) => typeof name === 'string'))
        return undefined;
    if (!pageInfo.hasNextPage)
        return { names, next: null };
    return typeof pageInfo.endCursor === 'string' ? { names, next: pageInfo.endCursor } : undefined;
}

;// CONCATENATED MODULE: ./js/prune/names.js

/** A pull request's number as it stands in a name or an annotation; undefined for what can be none. */
function pullRequestNumber(text) {
    // GraphQL's integers have 32 bits.
    const number = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : 0;
    return number > 0 && number < 2 ** 31 ? number : undefined;
}
/**
 * The pull requests that a name tells of. `preview/pr-7` and `preview/pr-7-login` do, `preview/expr-7` does not; `preview/pr-7/api`
 * only mentions one, which is enough to keep the branch while that pull request is open.
 */
function mentionsIn(name) {
    return [...name.matchAll(/(?<![A-Za-z0-9])pr-(\d+)(?![A-Za-z0-9])/gi)].map((match) => ({
        number: pullRequestNumber(match[1]),
        exact: /^(-|$)/.test(name.slice(match.index + match[0].length)),
    }));
}
const ownPrefix = branchNameFromRef('x').slice(0, -1);
/**
 * Names are compared the way they are made, not taken apart: every git branch is turned into the names that it could have been
 * given. Other tools write refs in their own way, so that one which differs in case or punctuation only counts as there too.
 */
function gitBranches(refs) {
    const whole = new Set(refs.map(branchNameFromRef));
    const rest = new Set(refs.flatMap((ref) => [ref, branchNameFromRef(ref).slice(ownPrefix.length)]));
    const loose = new Set(refs.map(slug));
    return {
        has: (name, rests) => whole.has(name) || rests.some((one) => rest.has(one) || loose.has(slug(one))),
    };
}
function slug(ref) {
    return ref
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-|-$/g, '');
}

;// CONCATENATED MODULE: ./js/prune/order.js
/** Puts what is to be deleted in order, and leaves out every branch with a child that is not part of it. */
function orderOf(taken, all) {
    const children = Map.groupBy(all.filter((branch) => branch.parent_id !== undefined), (branch) => branch.parent_id ?? '');
    const going = new Map(taken.map((one) => [one.branch.id, one]));
    const kept = [];
    for (let changed = true; changed;) {
        changed = false;
        for (const [id, one] of going) {
            const staying = (children.get(id) ?? []).filter((child) => !going.has(child.id));
            if (staying.length === 0)
                continue;
            kept.push({ ...one, children: staying });
            going.delete(id);
            changed = true;
        }
    }
    const layers = [];
    let left = new Map(going);
    while (left.size > 0) {
        const layer = [...left.values()].filter((one) => !(children.get(one.branch.id) ?? []).some((child) => left.has(child.id)));
        // Branches that are each other's parents cannot be; whoever says so is not believed.
        if (layer.length === 0)
            break;
        layers.push(layer);
        const gone = new Set(layer);
        left = new Map([...left].filter(([, one]) => !gone.has(one)));
    }
    return { layers, kept };
}

;// CONCATENATED MODULE: ./js/prune/rules.js


/** Whose a branch is by its annotations. One without a record of a repository is nobody's. */
function ownerOf(branch, rules) {
    const repository = branch.annotations['github-commit-repo'] ?? '';
    if (repository === '')
        return 'nobody';
    return repository.toLowerCase() === rules.repository.toLowerCase() ? 'this repository' : 'another';
}
/** The default branch and protected ones are never taken. */
function mayGo(branch) {
    return !branch.default && !branch.protected;
}
function questionsFor(branches, rules) {
    const pullRequests = new Set();
    let git = false;
    for (const branch of branches.filter(mayGo)) {
        const owner = ownerOf(branch, rules);
        if (owner === 'this repository') {
            const number = pullRequestNumber(branch.annotations['github-pr-number']);
            if (number !== undefined)
                pullRequests.add(number);
        }
        else if (owner === 'nobody' && rules.pattern?.matches(branch.name)) {
            const mentions = mentionsIn(branch.name);
            for (const { number } of mentions)
                if (number !== undefined)
                    pullRequests.add(number);
            git ||= !mentions.some((one) => one.exact);
        }
    }
    return { pullRequests: [...pullRequests], gitBranches: git };
}
/** The branches that the rules take, whatever children they have. `now` is the service's clock. */
function take(branches, rules, known) {
    return branches.filter(mayGo).flatMap((branch) => {
        const made = Date.parse(branch.created_at);
        const ageMs = Number.isNaN(made) ? undefined : Math.max(0, known.now - made);
        const owner = ownerOf(branch, rules);
        const reason = owner === 'this repository'
            ? byRecord({ branch, rules, known, ageMs })
            : owner === 'nobody' && rules.pattern?.matches(branch.name)
                ? byName(branch.name, rules.pattern, known)
                : undefined;
        return reason === undefined ? [] : [{ branch, reason, ageMs }];
    });
}
function byRecord(options) {
    const { branch, rules, known, ageMs } = options;
    const number = pullRequestNumber(branch.annotations['github-pr-number']);
    if (number !== undefined && known.closed.has(number))
        return `pull request #${number} is closed`;
    if (rules.olderThan !== undefined && ageMs !== undefined && ageMs > rules.olderThan) {
        return `older than ${(0,api_text/* duration */.p0)(rules.olderThan).replaceAll(' ', '')}`;
    }
    return undefined;
}
function byName(name, pattern, known) {
    const mentions = mentionsIn(name);
    const allClosed = mentions.every(({ number }) => number !== undefined && known.closed.has(number));
    if (!allClosed)
        return undefined;
    const numbers = mentions.filter((one) => one.exact).map((one) => one.number);
    if (numbers.length > 0)
        return `pull request #${numbers.join(' and #')} is closed`;
    const rests = pattern.rests(name).filter((rest) => rest !== '');
    const [rest] = rests;
    if (rest === undefined || known.git === undefined || known.git.has(name, rests))
        return undefined;
    return `git branch ${rest} is gone`;
}

;// CONCATENATED MODULE: ./js/prune/plan.js










/**
 * Looks at every branch of the project, asks GitHub what has to be known, and says what is to go and in which order. Nothing is
 * changed. Branches in `keep` stay, whatever the rules say; `patienceMs` ends pauses before GitHub is asked again.
 */
async function planPrune(context, options = {}) {
    const { inputs, event, log } = context;
    const rules = { repository: event.repository, olderThan: inputs.older_than, pattern: inputs.branch_pattern };
    const { branches, now } = await everyBranch(context);
    log.info(`The project has ${(0,api_text/* count */.U9)(branches.length, 'branch')}`);
    const questions = questionsFor(branches, rules);
    const known = await plan_ask(context, { ...questions, patienceMs: options.patienceMs });
    const taken = take(branches, rules, { ...known, now }).filter((one) => !options.keep?.has(one.branch.id));
    return { ...orderOf(taken, branches), total: branches.length, now };
}
async function everyBranch(context) {
    const { api } = context;
    const found = new Map();
    let now = api.clock.now();
    // In the order in which they were made, pages do not shift while others make, change and delete branches.
    const order = { sort_by: 'created_at', sort_order: 'asc' };
    for await (const page of pagesOfBranches({
        ...projectOf(context),
        goal: 'list the branches of the project',
        order,
    })) {
        for (const branch of page.branches)
            found.set(branch.id, branch);
        now = page.date ?? now;
    }
    return { branches: [...found.values()], now };
}
async function plan_ask(context, questions) {
    const { log } = context;
    if (questions.pullRequests.length === 0 && !questions.gitBranches)
        return { closed: new Set(), git: undefined };
    return withGitHub({ ...context, patienceMs: questions.patienceMs }, async (github) => {
        const states = await pullRequestStates(github, questions.pullRequests);
        if (states.unread.length > 0) {
            const some = states.unread.slice(0, 10).map((number) => `#${number}`);
            const more = states.unread.length > some.length ? ` and ${states.unread.length - some.length} more` : '';
            log.warning(`The state of ${(0,api_text/* count */.U9)(states.unread.length, 'pull request')} could not be read (${some.join(', ')}${more}${states.problem ? `: ${states.problem}` : ''}); they count as open, and their branches stay`);
        }
        if (!questions.gitBranches)
            return { closed: states.closed, git: undefined };
        const refs = await listGitBranches(github);
        if ('problem' in refs) {
            log.warning(`The git branches could not all be read (${(0,api_text/* oneLine */.TN)(refs.problem, 300)}); all of them count as there, and database branches named after them stay`);
            return { closed: states.closed, git: undefined };
        }
        return { closed: states.closed, git: gitBranches(refs.names) };
    });
}
/** How long counting for a message waits for GitHub to answer again, in milliseconds. */
const countPatienceMs = 5_000;
/** How many branches, or root branches, `prune` would delete, for a message; undefined where that cannot be told. */
async function countPrunable(context, options) {
    try {
        // Whoever is only told a number must not be warned of what was not asked for.
        const quiet = { ...context, log: { ...context.log, info: () => { }, warning: context.log.debug } };
        const { layers } = await planPrune(quiet, { patienceMs: countPatienceMs });
        return layers.flat().filter(({ branch }) => !options.roots || branch.parent_id === undefined).length;
    }
    catch (error) {
        if (error instanceof errors/* StoppedError */.Ko)
            throw error;
        const why = error instanceof Error ? error.message : String(error);
        context.log.debug(`Branches that could be pruned were not counted: ${why}`);
        return undefined;
    }
}

;// CONCATENATED MODULE: ./js/api/many-operations.js




/** The most that the service puts on one page. */
const perPage = 1_000;
/** First pause, growth and longest pause between two looks, in milliseconds. */
const look = { first: 200, growth: 1.5, longest: 5_000 };
/** How long an operation may be missing from the list, in milliseconds. */
const missingMs = 5_000;
/**
 * Waits until many operations have ended, well or not. They are read from the project's list, a thousand in a request, rather
 * than each by itself.
 */
async function waitForMany(options) {
    const { api } = options;
    const ended = { operations: [], failed: new Map() };
    const pending = new Map(options.operations.map((one) => [
        one.id,
        { last: one, patience: createPatience(api.clock.now()), seen: api.clock.now() },
    ]));
    for (let pause = look.first;; pause = Math.min(look.longest, pause * look.growth)) {
        for (const [id, { last, patience, seen }] of pending) {
            const now = api.clock.now();
            patience.look(last, now);
            if (endedWell(last))
                ended.operations.push(last);
            else if (last.status === 'error' || last.status === 'cancelled')
                ended.failed.set(id, new errors/* OperationError */.OK(last));
            else if (last.status === 'failed' && patience.isOver(last, now)) {
                ended.failed.set(id, new errors/* OperationError */.OK(last, 'has failed, and the service does not try it again'));
            }
            else if (now - seen >= missingMs) {
                const what = 'is not known to the service any more, so that its end cannot be told';
                ended.failed.set(id, new errors/* OperationError */.OK(last, what, { unknown: true }));
            }
            else
                continue;
            pending.delete(id);
        }
        if (pending.size === 0)
            return ended;
        try {
            await api.sleep(pause);
            for (const [id, operation] of await newest(options, new Set(pending.keys()))) {
                const entry = pending.get(id);
                if (entry)
                    Object.assign(entry, { last: operation, seen: api.clock.now() });
            }
        }
        catch (error) {
            const [first] = pending.values();
            if (!(error instanceof errors/* StoppedError */.Ko) || !first)
                throw error;
            throw error.while(`waiting for ${pending.size} operations, such as ${first.last.action} (${first.last.id})`);
        }
    }
}
/** The wanted operations as the list has them. It is newest first, so that it is read only as far as they reach. */
async function newest({ api, projectId, operations }, wanted) {
    const found = new Map();
    const seen = new Set();
    let cursor;
    do {
        const { value } = await api.request({
            goal: 'list the operations of the project',
            method: 'GET',
            path: `/projects/${encodeURIComponent(projectId)}/operations`,
            query: { limit: perPage, cursor },
            read: many_operations_readPage,
        });
        for (const one of value.operations)
            if (wanted.has(one.id))
                found.set(one.id, one);
        cursor = value.operations.length > 0 && found.size < wanted.size ? value.next : undefined;
        if (cursor !== undefined && seen.has(cursor))
            break;
        if (cursor !== undefined)
            seen.add(cursor);
        // Beyond as many as were started, older ones begin; whoever else works in the project may have put some in between.
    } while (cursor !== undefined && seen.size <= Math.ceil(operations.length / perPage) + 2);
    return found;
}
function many_operations_readPage(body) {
    const page = object(body, 'the answer');
    const { cursor } = (page.pagination ?? {});
    return {
        operations: list(page.operations, 'operations', types_operation),
        next: optionalString(cursor, 'pagination.cursor'),
    };
}

;// CONCATENATED MODULE: ./js/commands/target.js





/** Milliseconds for which a branch asked for by ID may be unknown: another job may have made it a moment ago. */
const idSettlingMs = 3_000;
/** The name of the branch that the run is about. The check of the inputs has made sure that there is one. */
function targetName(context) {
    const name = context.inputs.branch_name ?? branchNameOf(context.event);
    if (name === undefined)
        throw new Error(`Event ${(0,api_text/* show */.WU)(context.event.name)} names no branch`);
    return name;
}
/** The branch that the run is about, by ID or by name, or undefined where there is none in a project that is there. */
async function findTarget(context) {
    const { inputs, api } = context;
    const project = projectOf(context);
    if (inputs.branch_id === undefined)
        return findBranchByName({ ...project, name: targetName(context) });
    let found;
    try {
        found = await getBranch({
            ...project,
            branchId: inputs.branch_id,
            settling: { statuses: [404], until: api.clock.now() + idSettlingMs },
        });
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && error.status === 404))
            throw error;
        // Unknown branch or unknown project? The second is an error whatever the command.
        await projectName(project);
        return undefined;
    }
    if (inputs.branch_name !== undefined && found.branch.name !== inputs.branch_name) {
        throw new errors/* MismatchError */.T7(`Branch ${inputs.branch_id} is named ${(0,api_text/* show */.WU)(found.branch.name)}, not ${(0,api_text/* show */.WU)(inputs.branch_name)}. Give branch_id or branch_name, or both of the same branch.`);
    }
    return found;
}
function describeTarget(context) {
    const { inputs } = context;
    return inputs.branch_id === undefined ? `named ${(0,api_text/* show */.WU)(targetName(context))}` : `with the ID ${inputs.branch_id}`;
}
async function requireTarget(context) {
    const found = await findTarget(context);
    if (found)
        return found;
    const next = context.command === 'create'
        ? 'With `branch_id`, `create` makes no branch; leave it out to make one by name.'
        : `\`command: ${context.command}\` needs one that is there; \`command: create\` makes it.`;
    throw noSuchBranch(describeTarget(context), `. ${next}`);
}
/** Refuses what must never be deleted or reset. */
function guard(branch, doing) {
    const what = branch.default ? "the project's default branch" : branch.protected ? 'a protected branch' : undefined;
    if (what === undefined)
        return;
    throw new errors/* RefusedError */.fk(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) is ${what}, and is not ${doing}. Nothing was changed.`);
}

;// CONCATENATED MODULE: ./js/commands/delete.js






/** Deletes the branch; one that is already gone is a success. */
const deleteCommand = async (context) => {
    const { log } = context;
    const found = await findTarget(context);
    if (!found) {
        log.info(`There is no branch ${describeTarget(context)} any more; nothing to delete`);
        return { deleted: false, operationIds: [], done: `No branch ${describeTarget(context)} is left to delete` };
    }
    const { branch, date } = found;
    context.progress({ branch });
    guard(branch, 'deleted');
    return deleteBranch({ context, branch, date });
};
/** Deletes one branch that may be deleted, and waits until it is gone. */
async function deleteBranch(options) {
    const { context, branch, date } = options;
    const { inputs, log } = context;
    const project = projectOf(context);
    const named = `branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id})`;
    log.info(`Deleting ${named}`);
    const sent = await sendDelete({ project, branch, date, hard: inputs.hard_delete });
    const operationIds = sent.operations.map((one) => one.id);
    context.progress({ operationIds });
    const operations = inputs.wait ? await settleDelete({ context, branch, started: sent.operations }) : [];
    const done = sent.deleted ? `Deleted ${named}` : `${named[0]?.toUpperCase()}${named.slice(1)} was gone already`;
    return { branch, deleted: sent.deleted, operationIds, operations, done };
}
/** Waits until the operations of a delete have ended. Some deployments forget them along with the branch. */
async function settleDelete(options) {
    const { context, branch, started } = options;
    try {
        return await settle(context, started, { unknownMs: 0 });
    }
    catch (error) {
        if (!(error instanceof errors/* OperationError */.OK && error.unknown))
            throw error;
        return (await isThere(context, branch)) ? settle(context, started) : [];
    }
}
/** One DELETE, which may be repeated: a branch that is gone by then is what was asked for. */
async function sendDelete(options) {
    const { project, branch, date, hard } = options;
    const { api, projectId } = project;
    const send = (settling) => {
        const now = api.clock.now();
        const young = settlingOfChange(settlingOf({ branch, now, date, made: false }), now);
        return api.request({
            goal: `delete branch ${(0,api_text/* show */.WU)(branch.name)}`,
            method: 'DELETE',
            path: branchPath({ projectId, branchId: branch.id }),
            query: { hard_delete: hard || undefined },
            ...(young && settling ? { settling: young } : {}),
            // An answer that has lost its body says nothing of the operations to wait for; only 204 has none by right.
            read: (body, status) => (status === 204 ? undefined : readBranchAnswer(body)),
        });
    };
    try {
        const answer = await send(false).catch(async (error) => {
            if (!(error instanceof errors/* ApiError */.hD && error.status === 422))
                throw error;
            const children = await childrenOf(project, branch);
            if (children.length > 0)
                throw hasChildren(branch, children, error);
            return send(true);
        });
        const operations = answer.value?.operations ?? [];
        return { deleted: answer.status === 200 || answer.mayHaveActedBefore, operations };
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && (error.status === 404 || error.status === 410)))
            throw error;
        return { deleted: error.mayHaveActed, operations: [] };
    }
}
async function childrenOf(project, branch) {
    const children = [];
    for await (const page of pagesOfBranches({ ...project, goal: `list the children of branch ${(0,api_text/* show */.WU)(branch.name)}` })) {
        children.push(...page.branches.filter((one) => one.parent_id === branch.id));
    }
    return children;
}
function hasChildren(branch, children, cause) {
    const some = children.slice(0, 5).map((child) => `${(0,api_text/* show */.WU)(child.name)} (${child.id})`);
    const more = children.length > some.length ? ` and ${children.length - some.length} more` : '';
    const error = new errors/* RefusedError */.fk(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) has child branches, and is not deleted: ${some.join(', ')}${more}. Delete those first.`);
    error.cause = cause;
    return error;
}
async function isThere(context, branch) {
    for await (const page of pagesOfBranches({
        ...projectOf(context),
        goal: 'see whether the branch is gone',
        search: branch.name,
    })) {
        if (page.branches.some((one) => one.id === branch.id))
            return true;
    }
    return false;
}

;// CONCATENATED MODULE: ./js/prune/pace.js
/**
 * Spaces out requests so that a long run leaves room for others on the same account: the first ones go at once, the rest at an even
 * pace. The returned function resolves when the next one may go.
 */
function createPace(options) {
    const { clock, signal } = options;
    const interval = 1_000 / options.perSecond;
    let next = Number.NEGATIVE_INFINITY;
    return async () => {
        const now = clock.now();
        next = Math.max(next, now - options.burst * interval) + interval;
        if (next > now)
            await clock.sleep(next - now, signal);
    };
}
/** Does `work` for each item, at most `most` of them at a time. The first error ends it, once what is under way has ended. */
async function eachOf(items, most, work) {
    const queue = items.values();
    let failed = false;
    const worker = async () => {
        for (const item of queue) {
            if (failed)
                return;
            try {
                await work(item);
            }
            catch (error) {
                failed = true;
                throw error;
            }
        }
    };
    const ends = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
    for (const end of ends)
        if (end.status === 'rejected')
            throw end.reason;
}

;// CONCATENATED MODULE: ./js/prune/remove.js







/** Requests in flight. A project runs few operations at a time, so that more would only meet its locks. */
const mostAtOnce = 4;
/** One route takes 40 requests a second, and an account 700 a minute: a prune stays below both, and leaves a part of them to others. */
const pace = { burst: 40, perSecond: 10 };
/** A branch of the plan in the form of the result. */
function remove_describe(taken, outcome, note) {
    const { branch, reason, ageMs } = taken;
    return {
        id: branch.id,
        name: branch.name,
        reason,
        outcome,
        ...(ageMs === undefined ? {} : { ageMs }),
        ...(note === undefined ? {} : { note }),
    };
}
/**
 * Deletes what a plan says, children first. A branch that cannot be deleted does not stop the others, and stands in what
 * `report` is told after each layer and each deletion: all branches so far, with what became of them.
 * With `wait: true`, and wherever a parent comes after its children, it waits until the branches are gone.
 */
async function removeAll(options) {
    const { context, plan, report } = options;
    const { api, log, inputs } = context;
    const outcomes = new Map();
    const operationIds = [];
    const operations = [];
    const tell = () => report({ pruned: [...outcomes.values()], operationIds, operations });
    const turn = createPace({ ...pace, clock: api.clock, signal: api.signal });
    /** Parents of branches that could not be deleted, with the child that stands in the way. */
    const blocked = new Map();
    const fail = (taken, note) => {
        outcomes.set(taken.branch.id, remove_describe(taken, 'failed', note));
        if (taken.branch.parent_id !== undefined)
            blocked.set(taken.branch.parent_id, taken.branch.name);
        log.info(`Could not delete branch ${(0,api_text/* show */.WU)(taken.branch.name)} (${taken.branch.id}): ${note}`);
    };
    for (const [index, layer] of plan.layers.entries()) {
        const started = new Map();
        try {
            await eachOf(layer, mostAtOnce, async (taken) => {
                const { branch, reason } = taken;
                const child = blocked.get(branch.id);
                if (child !== undefined)
                    return fail(taken, `its child branch ${(0,api_text/* show */.WU)(child)} could not be deleted`);
                await turn();
                try {
                    const sent = await sendDelete({
                        project: projectOf(context),
                        branch,
                        date: plan.now,
                        hard: inputs.hard_delete,
                    });
                    outcomes.set(branch.id, remove_describe(taken, sent.deleted ? 'deleted' : 'gone'));
                    started.set(branch.id, sent.operations);
                    operationIds.push(...sent.operations.map((one) => one.id));
                    log.info(`${sent.deleted ? 'Deleted' : 'Already gone:'} branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}): ${reason}`);
                }
                catch (error) {
                    // A key that is rejected now is rejected for all the others too.
                    if (error instanceof errors/* StoppedError */.Ko ||
                        !(error instanceof Error) ||
                        (error instanceof errors/* ApiError */.hD && error.status === 401)) {
                        throw error;
                    }
                    fail(taken, error.message);
                }
            });
        }
        finally {
            tell();
        }
        if (!options.wait && index === plan.layers.length - 1)
            break;
        const ended = await waitForMany({ ...projectOf(context), operations: [...started.values()].flat() });
        operations.push(...ended.operations);
        const left = ended.failed.size > 0 ? await stillThere(context) : new Set();
        for (const taken of layer) {
            const error = started.get(taken.branch.id)?.flatMap((one) => ended.failed.get(one.id) ?? [])[0];
            // Some deployments forget a branch's operations along with the branch.
            if (error && !(error.unknown && !left.has(taken.branch.id)))
                fail(taken, error.message);
        }
        tell();
    }
    return [...outcomes.values()];
}
async function stillThere(context) {
    const ids = new Set();
    for await (const page of pagesOfBranches({ ...projectOf(context), goal: 'see whether the branches are gone' })) {
        for (const branch of page.branches)
            ids.add(branch.id);
    }
    return ids;
}

;// CONCATENATED MODULE: ./js/commands/prune.js



/** Branches that a message names one by one. */
const mostNamed = 20;
/** Some of the branches could not be deleted. */
class PruneError extends Error {
    name = 'PruneError';
}
/** Deletes branches whose pull request is closed, and those past `older_than`. */
const prune = async (context) => {
    const plan = await planPrune(context);
    const { pruned, operations } = await carryOut(context, plan, { wait: context.inputs.wait });
    const failed = pruned.filter((one) => one.outcome === 'failed');
    if (failed.length > 0)
        throw new PruneError(failureOf(pruned, failed));
    return { pruned, operations, done: summaryOf(pruned, plan) };
};
/** Deletes what the plan says, or with `dry_run` only tells of it. */
async function carryOut(context, plan, options) {
    const { inputs, log } = context;
    const kept = plan.kept.map((one) => {
        const stay = one.children.length === 1 ? 'stays' : 'stay';
        const note = `its child ${one.children.length === 1 ? 'branch' : 'branches'} ${one.children
            .slice(0, 3)
            .map((child) => (0,api_text/* show */.WU)(child.name))
            .join(', ')}${one.children.length > 3 ? ` and ${one.children.length - 3} more` : ''} ${stay}`;
        log.info(`Kept branch ${(0,api_text/* show */.WU)(one.branch.name)} (${one.branch.id}), though ${one.reason}: ${note}`);
        return remove_describe(one, 'kept', note);
    });
    const planned = plan.layers.flat();
    if (inputs.dry_run) {
        for (const { branch, reason } of planned)
            log.info(`Would delete branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}): ${reason}`);
        return { pruned: [...planned.map((one) => remove_describe(one, 'planned')), ...kept], operations: [] };
    }
    let operations = [];
    context.progress({ pruned: kept, operationIds: [], operations });
    const removed = await removeAll({
        context,
        plan,
        ...options,
        report: (done) => {
            operations = done.operations;
            context.progress({ ...done, pruned: [...done.pruned, ...kept] });
        },
    });
    return { pruned: [...removed, ...kept], operations };
}
function summaryOf(pruned, plan) {
    const of = `of ${(0,api_text/* count */.U9)(plan.total, 'branch')}`;
    const planned = pruned.filter((one) => one.outcome === 'planned').length;
    if (planned > 0)
        return `Would delete ${planned} ${of} (dry run)`;
    const deleted = pruned.filter((one) => one.outcome === 'deleted').length;
    return deleted > 0 ? `Deleted ${deleted} ${of}` : `Nothing to prune: none ${of} is left behind`;
}
function failureOf(pruned, failed) {
    const deleted = pruned.filter((one) => one.outcome === 'deleted').length;
    const named = failed.slice(0, mostNamed).map((one) => `- ${(0,api_text/* show */.WU)(one.name)} (${one.id}): ${one.note}`);
    const more = failed.length > named.length ? [`- and ${failed.length - named.length} more`] : [];
    const head = `${(0,api_text/* count */.U9)(failed.length, 'branch')} could not be deleted, and ${deleted} ${deleted === 1 ? 'was' : 'were'}:`;
    return [head, ...named, ...more].join('\n');
}

;// CONCATENATED MODULE: ./js/commands/limit.js







/** What the service says where a project has no room for another branch, or for another one without a parent. */
const limits = ['BRANCHES_LIMIT_EXCEEDED', 'ROOT_BRANCHES_LIMIT_EXCEEDED'];
/** First pause, growth and longest pause between two tries while there is no room, in milliseconds. */
const limit_pauses = { first: 2_000, growth: 1.5, longest: 30_000 };
/** Creates the branch, and does what `on_limit` asks for where the project has no room for it. */
async function createWithRoom(options) {
    const { context, branch, isOurs } = options;
    const { inputs, api, log } = context;
    const project = projectOf(context);
    let pruned = false;
    for (let pause = limit_pauses.first;; pause = Math.min(limit_pauses.longest, pause * limit_pauses.growth)) {
        try {
            return await createBranch({ ...project, branch, isOurs });
        }
        catch (error) {
            if (!(error instanceof errors/* ApiError */.hD) || !limits.includes(error.code))
                throw error;
            // A full project needs no room for a branch that it has already.
            if (await findBranchByName({ ...project, name: branch.name }))
                return { made: false, lost: error.mayHaveActed };
            if (inputs.on_limit === 'fail')
                throw await withCount(context, error);
            if (inputs.on_limit === 'prune') {
                if (pruned)
                    throw error.because('pruning has made room, but others were faster to take it');
                await makeRoom(context, { branch, error });
                pruned = true;
            }
            else {
                log.info(`The project has no room for branch ${(0,api_text/* show */.WU)(branch.name)} yet; trying again in ${(0,api_text/* duration */.p0)(pause)}`);
                await api.sleep(pause, `waiting for room for branch ${(0,api_text/* show */.WU)(branch.name)} (\`on_limit: wait\`)`);
            }
        }
    }
}
/** Deletes what the rules of `prune` take; the new branch's parent is never part of it. Throws where that makes no room. */
async function makeRoom(context, options) {
    const { branch, error } = options;
    const { log } = context;
    log.info(`The project has no room for branch ${(0,api_text/* show */.WU)(branch.name)}; pruning (\`on_limit: prune\`)`);
    const plan = await planPrune(context, { keep: new Set(branch.parentId === undefined ? [] : [branch.parentId]) });
    const { pruned } = await carryOut(context, plan, { wait: true });
    const deleted = pruned.filter((one) => one.outcome === 'deleted' || one.outcome === 'gone');
    const failed = pruned.filter((one) => one.outcome === 'failed');
    if (failed.length > 0) {
        log.warning(`${(0,api_text/* count */.U9)(failed.length, 'branch')} could not be pruned: ${failed
            .slice(0, 5)
            .map((one) => `${(0,api_text/* show */.WU)(one.name)} (${one.note})`)
            .join('; ')}`);
    }
    if (deleted.length === 0)
        throw error.because('pruning has made no room, for no branch is left behind');
    log.info(`Pruned ${(0,api_text/* count */.U9)(deleted.length, 'branch')}; trying again`);
}
/** The same failure, with how many branches could be pruned, where that can be told. */
async function withCount(context, error) {
    const roots = error.code.startsWith('ROOT_');
    const prunable = await countPrunable(context, { roots });
    if (prunable === undefined)
        return error;
    const what = (0,api_text/* count */.U9)(prunable, roots ? 'root branch' : 'branch');
    return error.because(prunable === 0
        ? '`command: prune` would find no branch to delete'
        : `${what} could be pruned (\`on_limit: prune\`, or \`command: prune\`)`);
}

;// CONCATENATED MODULE: ./js/api/anonymize.js




const failed = new Set(['error', 'initialization_error']);
/** First pause, growth and longest pause between two looks, in milliseconds. */
const anonymize_poll = { first: 200, growth: 1.5, longest: 5_000 };
/** How far the masking of a branch is; undefined for a branch that is no anonymized one. */
async function anonymizedStatus(options) {
    const { api, projectId, branch, settling } = options;
    try {
        const { value } = await api.request({
            goal: `read how far the masking of branch ${(0,api_text/* show */.WU)(branch.name)} is`,
            method: 'GET',
            path: branchPath({ projectId, branchId: branch.id, rest: '/anonymized_status' }),
            ...(settling ? { settling } : {}),
            read: (body) => {
                const from = object(body, 'the answer');
                const message = optionalString(from.status_message, 'status_message');
                return { state: string(from.state, 'state'), ...(message === undefined ? {} : { message }) };
            },
        });
        return value;
    }
    catch (error) {
        if (error instanceof errors/* ApiError */.hD && error.status === 404)
            return undefined;
        throw error;
    }
}
/** The error for rules that do not fit, with the service's own words. */
function anonymize_failureOf(options) {
    const { branch, status } = options;
    if (!failed.has(status.state))
        return undefined;
    return new errors/* OperationError */.OK({ id: branch.id, action: 'anonymize', error: status.message }, `did not mask branch ${(0,api_text/* show */.WU)(branch.name)} (state "${status.state}")`);
}
/** Waits until a branch's data is masked. Throws with the service's own words where the rules do not fit. */
async function waitUntilAnonymized(options) {
    const { api, branch, onChange } = options;
    let last = '';
    for (let pause = anonymize_poll.first;; pause = Math.min(anonymize_poll.longest, pause * anonymize_poll.growth)) {
        const status = await anonymizedStatus(options);
        if (status === undefined || status.state === 'anonymized')
            return status;
        const failure = anonymize_failureOf({ branch, status });
        if (failure)
            throw failure;
        const now = `${status.state} ${status.message ?? ''}`;
        if (now !== last)
            onChange?.(status);
        last = now;
        await api.sleep(pause);
    }
}

;// CONCATENATED MODULE: ./js/commands/masking.js




/**
 * Where `masking_rules` are given: whether the branch's data is masked, so that its addresses may be given out. With `wait` it
 * waits until it is. A branch that is there and was never anonymized is refused: whoever asks for masked data must not get
 * real data.
 */
async function settleMasking(options) {
    const { context, branch, settling, made } = options;
    const { inputs, log } = context;
    if (inputs.masking_rules === undefined)
        return true;
    const status = inputs.wait
        ? await waitForMasking({ context, branch, settling })
        : await anonymizedStatus({ ...projectOf(context), branch, settling });
    if (status === undefined) {
        throw new errors/* RefusedError */.fk(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) ${made ? 'was made, but is' : 'exists, and is'} not an anonymized branch, though \`masking_rules\` are given. Its data is not masked, so that no address is given out. Delete it, and run the step again.`);
    }
    const failure = anonymize_failureOf({ branch, status });
    if (failure)
        throw failure;
    if (status.state === 'anonymized')
        return true;
    log.info(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) is not masked yet (${status.state}), so that no address is given out; \`command: wait\` waits for it, and gives them`);
    return false;
}
/** Waits until the data of an anonymized branch is masked; any other branch has nothing to wait for. */
function waitForMasking(options) {
    const { context, branch, settling } = options;
    return waitUntilAnonymized({
        ...projectOf(context),
        branch,
        settling,
        onChange: (now) => context.log.info(`Masking branch ${(0,api_text/* show */.WU)(branch.name)}: ${now.message ?? now.state}`),
    });
}

;// CONCATENATED MODULE: ./js/commands/parent.js



/** The ID of the parent that is asked for; undefined where none is, which needs no look-up. */
async function findParent(context) {
    const wanted = context.inputs.parent_branch;
    if (wanted === undefined)
        return undefined;
    const parent = await findBranch({ ...projectOf(context), nameOrId: wanted });
    if (parent)
        return parent.id;
    throw noSuchBranch(`with the name or ID ${(0,api_text/* show */.WU)(wanted)}`, ', so that it cannot be the `parent_branch`. Nothing was changed.');
}

;// CONCATENATED MODULE: ./js/api/restore.js





/** A `Date` header and the times of a branch have whole seconds. */
const dateGrainMs = 1_000;
/**
 * Takes a branch back to a state of its source. A lost answer does not restore twice: the branch itself shows whether it has
 * happened, by its time of the last reset, by work in progress on it, or by the branch that keeps its old state.
 */
async function restoreBranch(options) {
    const { api, projectId, branch, restore } = options;
    const settling = settlingOfChange(options.settling, api.clock.now());
    const { preserveUnderName } = restore;
    const sentAt = api.clock.now();
    const look = async () => {
        const { branch: now, date } = await getBranch({ api, projectId, branchId: branch.id });
        // Work on the branch is a sign only where it began after the request was sent, by the service's own clock.
        const earliest = (date ?? api.clock.now()) - (api.clock.now() - sentAt) - dateGrainMs;
        const running = await unfinishedOperations({ api, projectId, branchId: branch.id });
        const operations = running.filter((one) => Date.parse(one.created_at ?? '') >= earliest);
        // A branch of that name which was there before is somebody else's, or what an earlier reset has kept.
        const kept = preserveUnderName === undefined ? undefined : await findBranchByName({ api, projectId, name: preserveUnderName });
        const happened = now.last_reset_at !== branch.last_reset_at ||
            now.current_state === 'resetting' ||
            operations.length > 0 ||
            (kept !== undefined && Date.parse(kept.branch.created_at) >= earliest);
        return happened ? { branch: now, operations } : undefined;
    };
    let lost = false;
    try {
        const { value } = await once({
            api,
            act: () => api.request({
                goal: `reset branch ${(0,api_text/* show */.WU)(branch.name)}`,
                method: 'POST',
                path: branchPath({ projectId, branchId: branch.id, rest: '/restore' }),
                body: {
                    source_branch_id: restore.sourceId,
                    source_timestamp: restore.timestamp,
                    source_lsn: restore.lsn,
                    preserve_under_name: preserveUnderName,
                },
                ...(settling ? { settling } : {}),
                read: (body) => {
                    const answer = readBranchAnswer(body);
                    if (answer.branch.id === branch.id)
                        return answer;
                    throw new errors/* MismatchError */.T7(`Asked to reset branch ${branch.id}, and the service answered about branch ${answer.branch.id}`);
                },
            }),
            look: async () => {
                lost = true;
                return look();
            },
        });
        return value;
    }
    catch (error) {
        // The name for the old state is taken: by this very reset, where an answer was lost before.
        const happened = lost && error instanceof errors/* ApiError */.hD && error.status === 409 ? await look() : undefined;
        if (happened)
            return happened;
        throw error;
    }
}

;// CONCATENATED MODULE: ./js/commands/reset.js











/** Takes the branch back to its parent's head, or to a point in the parent's history; its addresses stay the same. */
const reset_reset = async (context) => {
    const { branch, date } = await requireTarget(context);
    context.progress({ branch });
    const sourceId = await checkReset(context, branch);
    const done = await resetBranch({ context, branch, date, sourceId });
    const usable = await makeUsable({ context, branch: done.branch, date, made: false });
    const operations = [...done.operations, ...usable.done];
    const operationIds = [...done.operationIds, ...usable.started.map((one) => one.id)];
    context.progress({ branch: usable.branch, operations, operationIds });
    return {
        branch: { ...usable.branch, ...(done.branch.expires_at ? { expires_at: done.branch.expires_at } : {}) },
        operations,
        operationIds,
        ...(await addresses({ context, branch: usable.branch, endpoint: usable.endpoint, settling: usable.settling })),
        done: done.done,
    };
};
/** Refuses, before anything is changed, a reset that must not or cannot be; answers the ID of the branch to reset to. */
async function checkReset(context, branch) {
    guard(branch, 'reset');
    const named = `branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id})`;
    const sourceId = (await findParent(context)) ?? branch.parent_id;
    if (sourceId === undefined) {
        throw new errors/* NotFoundError */.m_(`There is no parent to reset ${named} to: it is a root branch${branch.init_source === 'schema-only' ? ' (schema-only)' : ''}. Name a source with \`parent_branch\`, or delete it and create it anew.`);
    }
    if (await anonymizedStatus({ ...projectOf(context), branch })) {
        throw new errors/* RefusedError */.fk(`B${named.slice(1)} is an anonymized branch, and a reset would bring its parent's rows back unmasked. Nothing was changed. Delete it, and create it anew with \`masking_rules\`.`);
    }
    return sourceId;
}
/** The reset itself, for `command: reset` and `if_exists: reset`, after its check: restore, operations, expiry. */
async function resetBranch(options) {
    const { context, branch, date, sourceId } = options;
    const { inputs, api, log } = context;
    const project = projectOf(context);
    const named = `branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id})`;
    const point = inputs.parent_timestamp ?? inputs.parent_lsn;
    const to = `${inputs.parent_branch === undefined ? 'its parent' : (0,api_text/* show */.WU)(inputs.parent_branch)} ${point ? `at ${point}` : 'as it is now'}`;
    log.info(`Resetting ${named} to ${to}`);
    const settling = settlingOf({ branch, now: api.clock.now(), date, made: false });
    const restored = await restoreBranch({
        ...project,
        branch,
        restore: {
            sourceId,
            timestamp: inputs.parent_timestamp,
            lsn: inputs.parent_lsn,
            preserveUnderName: inputs.preserve_under_name,
        },
        settling,
    }).catch((error) => explainRefusal({ error, context, branch }));
    const operationIds = restored.operations.map((one) => one.id);
    context.progress({ operationIds });
    const operations = inputs.wait ? await settle(context, restored.operations) : [];
    // The answer shows the branch as it was while the operations were still to come.
    const now = inputs.wait ? (await getBranch({ ...project, branchId: branch.id })).branch : restored.branch;
    const renewed = await renewExpiry({ context, branch: now, settling });
    operationIds.push(...renewed.started);
    operations.push(...renewed.done);
    return {
        branch: renewed.branch,
        operations,
        operationIds,
        done: `Reset ${named} to ${to}`,
    };
}
/** The service says no where the branch has children and its old state is not kept: then the message says what to set. */
async function explainRefusal(options) {
    const { error, context, branch } = options;
    const refused = error instanceof errors/* ApiError */.hD && [400, 409, 412, 422].includes(error.status ?? 0);
    if (!refused || context.inputs.preserve_under_name !== undefined)
        throw error;
    const children = [];
    for await (const page of pagesOfBranches({ ...projectOf(context), goal: 'list the children of the branch' })) {
        children.push(...page.branches.filter((one) => one.parent_id === branch.id).map((one) => (0,api_text/* show */.WU)(one.name)));
    }
    if (children.length === 0)
        throw error;
    const refusal = new errors/* RefusedError */.fk(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) has child branches (${children.slice(0, 5).join(', ')}${children.length > 5 ? ', …' : ''}), so that its old state must be kept: set \`preserve_under_name\`. Nothing was changed.`);
    refusal.cause = error;
    throw refusal;
}

;// CONCATENATED MODULE: ./js/commands/reuse.js








/** A branch that is there already, or whose create lost its answer: made ready, reset where asked, with its addresses. */
async function reuseBranch(options) {
    const { context, date, made } = options;
    const { inputs, log } = context;
    const found = options.branch;
    context.progress({ branch: found, created: made });
    context.remember({ name: found.name, create: 'answered', id: found.id });
    if (!made && inputs.if_exists === 'fail') {
        throw new errors/* RefusedError */.fk(`Branch ${(0,api_text/* show */.WU)(found.name)} (${found.id}) exists already, and \`if_exists: fail\` asks for a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`);
    }
    log.info(`${made ? 'Created' : 'Reusing'} branch ${(0,api_text/* show */.WU)(found.name)} (${found.id})`);
    if (!made)
        await warnOfDifferences(context, found);
    if (inputs.ephemeral && !made && found.annotations['github-run-id'] !== context.event.runId) {
        log.info('`ephemeral` will not delete it, because another run made it');
    }
    const sourceId = !made && inputs.if_exists === 'reset' ? await checkReset(context, found) : undefined;
    const usable = await makeUsable({ ...options, branch: found });
    const { endpoint, settling } = usable;
    let branch = usable.branch;
    const operationIds = [...(options.operationIds ?? []), ...usable.started.map((one) => one.id)];
    const operations = [...usable.done];
    let what = made ? 'Created' : 'Reused';
    const note = () => context.progress({ branch, operationIds, operations });
    note();
    if (sourceId !== undefined) {
        const reset = await resetBranch({ context, branch, date, sourceId });
        branch = reset.branch;
        operationIds.push(...reset.operationIds);
        operations.push(...reset.operations);
        what = 'Reused and reset';
    }
    else if (!made) {
        const renewed = await renewExpiry({ context, branch, settling });
        branch = renewed.branch;
        operationIds.push(...renewed.started);
        operations.push(...renewed.done);
    }
    note();
    const masked = await settleMasking({ context, branch, settling, made });
    return {
        branch,
        created: made,
        operationIds,
        operations,
        ...(masked ? await addresses({ context, branch, endpoint, settling }) : {}),
        done: `${what} branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id})`,
    };
}
/** A branch that exists is used as it is; where it is not what was asked for, the log says so. */
async function warnOfDifferences(context, branch) {
    const { inputs, log } = context;
    const schemaOnly = branch.init_source === 'schema-only';
    if (inputs.branch_type === 'schema-only' && !schemaOnly) {
        log.warning(`Branch ${(0,api_text/* show */.WU)(branch.name)} exists with data, and \`branch_type: schema-only\` was asked for; it is used as it is`);
        return;
    }
    // A schema-only branch is a root, without a parent to compare. A reset goes to the parent that is asked for anyway.
    if (inputs.parent_branch === undefined || schemaOnly || inputs.if_exists === 'reset')
        return;
    const wanted = await findParent(context);
    if (wanted !== branch.parent_id) {
        log.warning(`Branch ${(0,api_text/* show */.WU)(branch.name)} exists with parent ${branch.parent_id ?? 'none'}, and parent ${(0,api_text/* show */.WU)(inputs.parent_branch)} (${wanted}) was asked for; it is used as it is. \`if_exists: fail\` refuses such a branch.`);
    }
}

;// CONCATENATED MODULE: ./js/commands/create.js














/** How far apart the service's clock in two answers may be, in milliseconds; they have whole seconds. */
const clockSlackMs = 2_000;
/** First and longest pause before a name that is about to be free is tried again, in milliseconds. */
const create_pauses = { first: 500, longest: 5_000 };
/** Gets or creates the branch with a read-write compute endpoint, and waits until it can be used. */
const create = async (context) => {
    const { inputs, api, log } = context;
    if (inputs.branch_id !== undefined) {
        const { branch, date } = await requireTarget(context);
        return reuseBranch({ context, branch, date, made: false });
    }
    const name = targetName(context);
    const branch = await newBranch(context, name);
    const started = api.clock.now();
    const ours = (found, date) => isOurs({ context, found, date, started });
    let lost = false;
    for (let pause = create_pauses.first;; pause = Math.min(create_pauses.longest, pause * 2)) {
        const creation = await createOnce({ context, branch, isOurs: ours });
        if (creation.made && creation.answer)
            return finish(context, creation.answer);
        let why = `the name ${(0,api_text/* show */.WU)(name)} is taken, but no branch of that name is listed`;
        try {
            if (creation.made)
                return await reuseBranch({ context, branch: creation.branch, date: undefined, made: true });
            lost ||= creation.lost;
            const found = await findBranchByName({ ...projectOf(context), name });
            if (found) {
                // A list may have been behind when the lost answer was looked up.
                const made = lost && ours(found.branch, found.date);
                return await reuseBranch({ context, branch: found.branch, date: found.date, made });
            }
        }
        catch (error) {
            if (!(error instanceof BranchGoneError))
                throw error;
            why = error.message;
        }
        // Whoever deletes a branch of this name is not done yet: the name will be free in a moment.
        log.info(`Trying again to create branch ${(0,api_text/* show */.WU)(name)} in ${(0,api_text/* duration */.p0)(pause)}: ${why}`);
        await api.sleep(pause, `trying to create branch ${(0,api_text/* show */.WU)(name)}; ${why}`);
    }
};
/** The create itself. What the post step of an ephemeral run has to know is kept before it is sent, and once its end is known. */
async function createOnce(options) {
    const { context, branch, isOurs } = options;
    const { name } = branch;
    context.remember({ name, create: 'sent' });
    try {
        const creation = await createWithRoom({ context, branch, isOurs });
        context.remember({ name, create: 'answered' });
        return creation;
    }
    catch (error) {
        // A look-up that fails says nothing of the create before it, whose answer was lost.
        const refused = error instanceof errors/* ApiError */.hD && error.request.method === 'POST' && !error.mayHaveActed;
        if (refused)
            context.remember({ name, create: 'refused' });
        throw error;
    }
}
async function newBranch(context, name) {
    const { inputs, event, api } = context;
    return {
        name,
        parentId: await findParent(context),
        parentTimestamp: inputs.parent_timestamp,
        parentLsn: inputs.parent_lsn,
        schemaOnly: inputs.branch_type === 'schema-only',
        protected: inputs.protected,
        expiresAt: expiryOf(inputs, api.clock.now()),
        suspendTimeout: inputs.suspend_timeout,
        minCu: inputs.min_cu,
        maxCu: inputs.max_cu,
        maskingRules: inputs.masking_rules,
        annotations: annotationsOf(event),
    };
}
/** Whether a branch is what this run has just made: its run's annotations, and not older than the request. */
function isOurs(options) {
    const { context, found, date, started } = options;
    const { runId, runAttempt } = context.event;
    const marked = found.annotations['github-run-id'] === (runId || undefined) &&
        found.annotations['github-run-attempt'] === (runAttempt || undefined);
    // The service's own clock, less the time since the request went out, is the earliest moment it can have been made.
    const earliest = (date ?? context.api.clock.now()) - (context.api.clock.now() - started) - clockSlackMs;
    return marked && !(Date.parse(found.created_at) < earliest);
}
/** A branch that this run has made: waits for its operations and takes its addresses from the answer. */
async function finish(context, answer) {
    const { inputs, log, api } = context;
    const { branch } = answer;
    const operationIds = answer.operations.map((one) => one.id);
    context.progress({ branch, created: true, operationIds });
    context.remember({ name: branch.name, create: 'answered', id: branch.id });
    const endpoint = readWriteEndpoint(answer.endpoints, branch);
    if (!endpoint)
        return reuseBranch({ context, branch, date: undefined, made: true, operationIds });
    log.info(`Created branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}), ${answer.operations.length} operations started`);
    const operations = inputs.wait ? await settle(context, answer.operations) : [];
    context.progress({ operations });
    const settling = settlingOf({ branch, now: api.clock.now(), date: undefined, made: true });
    const masked = await settleMasking({ context, branch, settling, made: true });
    const { connectionUris } = answer;
    return {
        branch,
        created: true,
        operationIds,
        operations,
        ...(masked ? await addresses({ context, branch, endpoint, settling, names: namesIn(answer), connectionUris }) : {}),
        done: `Created branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id})`,
    };
}
/** The names that the answer carries; an answer without any leaves them to be asked for. */
function namesIn(answer) {
    const { databases, roles } = answer;
    return databases.length > 0 && roles.length > 0 ? { databases, roles } : undefined;
}

;// CONCATENATED MODULE: ./js/api/schema.js




/**
 * How the schema of one database of a branch differs from the same database of its base, as a unified diff in which `+` is what
 * the branch has and `-` what the base has; empty where they agree.
 */
async function compareSchema(options) {
    const { api, projectId, branch, base, database, settling } = options;
    const answer = await api.request({
        goal: `compare database ${(0,api_text/* show */.WU)(database)} of branch ${(0,api_text/* show */.WU)(branch.name)} with that of ${(0,api_text/* show */.WU)(base.name)}`,
        method: 'GET',
        path: branchPath({ projectId, branchId: branch.id, rest: '/compare_schema' }),
        query: { base_branch_id: base.id, db_name: database },
        settling,
        read: (body) => optionalString(object(body, 'the answer').diff, 'diff') ?? '',
    });
    return normalizeDiff(answer.value);
}
/** The whole schema of one database of a branch, as SQL. */
async function readSchema(options) {
    const { api, projectId, branch, database } = options;
    const answer = await api.request({
        goal: `read the schema of database ${(0,api_text/* show */.WU)(database)} of branch ${(0,api_text/* show */.WU)(branch.name)}`,
        method: 'GET',
        path: branchPath({ projectId, branchId: branch.id, rest: '/schema' }),
        query: { db_name: database },
        read: (body) => optionalString(object(body, 'the answer').sql, 'sql') ?? '',
    });
    return answer.value;
}
/** Lines of a dump that differ from one dump to the next, whatever the schema. */
const noise = /^[+-](\\(un)?restrict \S+|-- Dumped (from|by) .*)$/;
/**
 * The same diff for the same difference: line feeds, no lines that only tell one dump from another, no passwords, and nothing at
 * all where nothing differs.
 */
function normalizeDiff(diff) {
    const lines = (/[^\r]\n/.test(diff) ? diff : diff.replaceAll('\r\n', '\n')).replace(/\n+$/, '').split('\n');
    const first = lines.findIndex((line) => line.startsWith('@@ '));
    if (first < 0)
        return diff.trim() === '' ? '' : `${hidePasswords(lines.join('\n'))}\n`;
    const hunks = [];
    for (const line of lines.slice(first)) {
        if (line.startsWith('@@ '))
            hunks.push([]);
        // Some tools write an unchanged blank line without the blank that marks it.
        hunks.at(-1)?.push(line === '' ? ' ' : line);
    }
    const kept = hunks.map(withoutNoise).filter((hunk) => hunk.some((line) => /^[+-]/.test(line)));
    if (kept.length === 0)
        return '';
    return `${hidePasswords([...lines.slice(0, first), ...kept.flat()].join('\n'))}\n`;
}
/** As many such lines on either side are the same lines: they become one that has not changed, so that the counts stay right. */
function withoutNoise(hunk) {
    const [removed, added] = ['-', '+'].map((side) => hunk.filter((line) => line[0] === side && noise.test(line)).length);
    if (removed !== added || removed === 0)
        return hunk;
    return hunk.flatMap((line) => (!noise.test(line) ? [line] : line[0] === '-' ? [] : [` ${line.slice(1)}`]));
}
/** Foreign servers, user mappings and subscriptions keep passwords in the schema. */
function hidePasswords(diff) {
    let clean = diff
        .replace(/(\bpassword\s*=?\s*)'(?:[^'\n]|'')*'/gi, "$1'***'")
        .replace(/(\bpassword\s*=\s*)(?!'\*\*\*')[^\s']+/gi, '$1***');
    const secrets = [];
    maskUris(clean, (secret) => secrets.push(secret));
    for (const secret of secrets.sort((a, b) => b.length - a.length))
        clean = clean.replaceAll(secret, '***');
    return clean;
}

;// CONCATENATED MODULE: ./js/report/sqltypes.js
const spellings = {
    int: 'integer',
    int2: 'smallint',
    int4: 'integer',
    int8: 'bigint',
    varchar: 'character varying',
    char: 'character',
    bpchar: 'character',
    decimal: 'numeric',
    bool: 'boolean',
    float4: 'real',
    float8: 'double precision',
    timestamp: 'timestamp without time zone',
    timestamptz: 'timestamp with time zone',
    time: 'time without time zone',
    timetz: 'time with time zone',
    varbit: 'bit varying',
};
function read(text) {
    const array = /(\[\d*\])+$/.exec(text)?.[0].replace(/\d/g, '') ?? '';
    const plain = text.replace(/(\[\d*\])+$/, '').toLowerCase();
    const modifiers = /\(([\d, ]+)\)/.exec(plain)?.[1]?.split(',').map(Number) ?? [];
    const bare = plain
        .replace(/\([\d, ]+\)/, '')
        .replace(/\s+/g, ' ')
        .trim();
    return { name: spellings[bare] ?? bare, modifiers, array };
}
/** From narrow to wide: a value of one fits into every later one. */
const ladders = [
    ['smallint', 'integer', 'bigint', 'numeric'],
    ['smallint', 'integer', 'double precision'],
    ['real', 'double precision'],
    ['date', 'timestamp without time zone', 'timestamp with time zone'],
    ['time without time zone', 'time with time zone'],
    ['character', 'character varying', 'text'],
    ['bit', 'bit varying'],
    ['json', 'jsonb'],
    ['jsonb', 'json'],
    ['cidr', 'inet'],
];
/** What a type without a modifier stands for: no limit, or the most digits that there are. */
function limit(type) {
    const [first] = type.modifiers;
    if (first !== undefined)
        return first;
    if (['character', 'bit'].includes(type.name))
        return 1;
    if (/^(time|timestamp|interval)/.test(type.name))
        return 6;
    return Number.POSITIVE_INFINITY;
}
function changeOfModifiers(from, to) {
    if (from.name !== 'numeric') {
        const [before, after] = [limit(from), limit(to)];
        return before === after ? 'same' : before < after ? 'wider' : 'narrower';
    }
    // Digits before the point, and behind it.
    const digits = ({ modifiers: [precision, scale = 0] }) => precision === undefined ? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] : [precision - scale, scale];
    const [wholeBefore = 0, partBefore = 0] = digits(from);
    const [wholeAfter = 0, partAfter = 0] = digits(to);
    if (wholeAfter < wholeBefore || partAfter < partBefore)
        return 'narrower';
    return wholeAfter === wholeBefore && partAfter === partBefore ? 'same' : 'wider';
}
const integers = { smallint: 5, integer: 10, bigint: 19 };
/** What becomes of a column's values when its type changes, as far as the types alone tell. */
function typeChange(before, after) {
    const from = read(before);
    const to = read(after);
    if (from.array !== to.array)
        return isText(to) && to.array === '' && limit(to) === Number.POSITIVE_INFINITY ? 'wider' : 'other';
    if (from.name === to.name)
        return changeOfModifiers(from, to);
    // Every value has a form as text, though an array of them is another matter.
    if (isText(to) && limit(to) === Number.POSITIVE_INFINITY && from.array === '')
        return 'wider';
    const wholeDigits = integers[from.name];
    if (wholeDigits !== undefined && to.name === 'numeric' && to.modifiers.length > 0) {
        const [precision = 0, scale = 0] = to.modifiers;
        return precision - scale >= wholeDigits ? 'wider' : 'narrower';
    }
    const place = (ladder) => [ladder.indexOf(from.name), ladder.indexOf(to.name)];
    const steps = ladders.map(place).filter(([a, b]) => a >= 0 && b >= 0);
    const cut = Number.isFinite(limit(from)) && limit(to) < limit(from);
    if (steps.some(([a, b]) => a < b))
        return cut ? 'narrower' : 'wider';
    return steps.length > 0 ? 'narrower' : 'other';
}
function isText({ name }) {
    return name === 'text' || name === 'character varying';
}
const words = /^(smallint|integer|bigint|int[248]?|numeric|decimal|real|double precision|money|text|character varying|character|varchar|char|bpchar|name|bytea|boolean|bool|date|timestamp|timestamptz|time|timetz|interval|uuid|jsonb?|xml|inet|cidr|macaddr8?|bit|varbit|tsvector|tsquery|point|line|lseg|box|path|polygon|circle|oid|(int[48]|num|ts|tstz|date)(multi)?range|pg_lsn|citext|hstore|ltree|vector|geometry|geography)\b/;
/** Whether a text may be the name of a type: one that everybody knows, or one with its schema before it. */
function looksLikeType(text) {
    return words.test(text) || /^("[^"]+"|[a-z_][\w$]*)\.("[^"]+"|[a-z_][\w$]*)(\(|\[|$)/.test(text);
}

;// CONCATENATED MODULE: ./js/report/sqlside.js

function emptySide() {
    return { tables: new Map(), enums: new Map(), objects: new Map(), filled: new Set(), owned: new Set() };
}
const sqlside_name = String.raw `((?:"(?:[^"]|"")+"|[^\s"(;.]+)(?:\.(?:"(?:[^"]|"")+"|[^\s"(;.]+))?)`;
const heads = {
    table: new RegExp(`^CREATE (?:UNLOGGED |FOREIGN )*TABLE (?:IF NOT EXISTS )?${sqlside_name} \\(`),
    enum: new RegExp(`^CREATE TYPE ${sqlside_name} AS ENUM \\(`),
    object: new RegExp(`^CREATE (SCHEMA|MATERIALIZED VIEW|SEQUENCE|EXTENSION) (?:IF NOT EXISTS )?${sqlside_name}`),
    filled: new RegExp(`^ALTER TABLE (?:ONLY )?${sqlside_name} ALTER COLUMN ${sqlside_name} (?:SET DEFAULT|ADD GENERATED)`),
    owned: new RegExp(`^ALTER SEQUENCE ${sqlside_name}(?: |$)`),
};
/**
 * Reads one side's lines of one hunk into `side`. `unseen` names the table in whose middle the hunk may begin, so that both sides
 * mean the same one.
 */
function readSide(side, lines, unseen) {
    let place = { in: 'unknown' };
    const beginsInTable = /^\)/.test(lines.find((line) => /^[^\s]/.test(line.text))?.text ?? '');
    for (const { text, kind } of lines) {
        const changed = kind !== 'same';
        if (/^\s/.test(text)) {
            if (place.in === 'enum')
                readValue(place.values, text, changed);
            else if (place.in === 'table')
                readColumn({ text, changed, into: () => place.table, sure: true });
            else if (place.in === 'unknown') {
                const into = () => tableOf(side, unseen, 'unseen');
                readColumn({ text, changed, into, sure: false });
                if (beginsInTable && /^ {4}'/.test(text))
                    readValue(enumOf(side, unseen), text, changed);
            }
            continue;
        }
        if (text === '')
            continue;
        place = readHead(side, text, changed);
    }
}
function readHead(side, text, changed) {
    const table = heads.table.exec(text)?.[1];
    if (table !== undefined)
        return { in: 'table', table: tableOf(side, table, changed ? 'changed' : 'same') };
    const type = heads.enum.exec(text)?.[1];
    if (type !== undefined) {
        side.objects.set(`type ${type}`, changed);
        return { in: 'enum', values: enumOf(side, type) };
    }
    const [, kind, object] = heads.object.exec(text) ?? [];
    if (kind && object)
        side.objects.set(`${kind.toLowerCase()} ${object}`, changed);
    const [, owner, column] = heads.filled.exec(text) ?? [];
    if (owner && column)
        side.filled.add(`${owner}.${column}`);
    const sequence = / OWNED BY (?!NONE)/.test(text) ? heads.owned.exec(text)?.[1] : undefined;
    if (sequence)
        side.owned.add(sequence);
    return { in: 'other' };
}
function tableOf(side, key, head) {
    const known = side.tables.get(key) ?? { head, columns: new Map() };
    if (known.head === 'unseen')
        known.head = head;
    side.tables.set(key, known);
    return known;
}
function enumOf(side, key) {
    const known = side.enums.get(key) ?? new Map();
    side.enums.set(key, known);
    return known;
}
function readValue(values, text, changed) {
    const value = /^ {4}('(?:[^']|'')*'),?$/.exec(text)?.[1];
    if (value !== undefined)
        values.set(value, changed);
}
const column = /^ {4}("(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*) (.*[^;,]),?$/;
/** Where a column's type ends. */
const rest = / (DEFAULT|NOT NULL|NULL|COLLATE|GENERATED|CONSTRAINT|OPTIONS|STORAGE|COMPRESSION|PRIMARY KEY|UNIQUE|CHECK|REFERENCES)\b/;
function readColumn(options) {
    const { text, changed, into, sure } = options;
    const [, label, definition] = column.exec(text) ?? [];
    if (label === undefined || definition === undefined)
        return;
    const flat = withoutNested(definition);
    const end = rest.exec(flat)?.index ?? flat.length;
    const type = definition.slice(0, end);
    if (!sure && !looksLikeType(type))
        return;
    const after = flat.slice(end);
    into().columns.set(label, {
        type,
        notNull: /\b(NOT NULL|PRIMARY KEY)\b/.test(after),
        filled: /\b(DEFAULT|GENERATED)\b/.test(after),
        changed,
    });
}
/** The same text, as long as before, with blanks for what stands in quotes or parentheses: no keyword in there counts. */
function withoutNested(text) {
    let flat = text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (quoted) => '_'.repeat(quoted.length));
    for (let before = ''; before !== flat;) {
        before = flat;
        flat = flat.replace(/\([^()]*\)/g, (nested) => '_'.repeat(nested.length));
    }
    return flat;
}

;// CONCATENATED MODULE: ./js/report/unified.js
const kinds = { ' ': 'same', '+': 'added', '-': 'removed' };
/** The hunks of a unified diff; whatever stands before the first one, and notes such as `\ No newline`, are left out. */
function parseDiff(diff) {
    const hunks = [];
    let oldLeft = 0;
    let newLeft = 0;
    for (const line of diff.split('\n')) {
        const hunk = hunks.at(-1);
        const kind = line === '' ? 'same' : kinds[line[0]];
        // Within a hunk its own count tells where it ends: `--- x` may be a removed line as well as the head of a file.
        if (hunk && kind && oldLeft + newLeft > 0) {
            hunk.lines.push({ kind, text: line.slice(1) });
            if (kind !== 'added')
                oldLeft--;
            if (kind !== 'removed')
                newLeft--;
            continue;
        }
        const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
        if (!head)
            continue;
        hunks.push({ oldStart: Number(head[1]), newStart: Number(head[3]), lines: [] });
        oldLeft = Number(head[2] ?? 1);
        newLeft = Number(head[4] ?? 1);
    }
    return hunks;
}
/** How many lines a diff adds and removes. */
function countChanges(diff) {
    const lines = parseDiff(diff).flatMap((hunk) => hunk.lines);
    const of = (kind) => lines.filter((line) => line.kind === kind).length;
    return { added: of('added'), removed: of('removed') };
}

;// CONCATENATED MODULE: ./js/report/destructive.js



/**
 * The changes in a diff of two schemas (as `pg_dump --schema-only` writes them) that destroy: dropped schemas, tables, columns,
 * materialized views, sequences and extensions; removed values of an enum; narrowed types; `NOT NULL` that rows may break. Whether a
 * table has rows does not show in a schema, so that the notes say what happens if it does.
 *
 * A hunk may begin in the middle of a table. `after` is the whole schema that the diff leads to: where it is given and fits,
 * it names that table.
 */
function findDestruction(diff, after) {
    const before = emptySide();
    const now = emptySide();
    for (const [index, hunk] of parseDiff(diff).entries()) {
        const unseen = tableAround(hunk, after) ?? `${destructive_hidden}${index}`;
        readSide(before, hunk.lines.filter((line) => line.kind !== 'added'), unseen);
        readSide(now, hunk.lines.filter((line) => line.kind !== 'removed'), unseen);
    }
    return [...droppedObjects(before, now), ...tables(before, now), ...droppedValues(before, now)];
}
/** Whether a table is meant whose name the diff does not show. */
function hasHidden(found) {
    return found.some((one) => one.note.includes(notShown));
}
/** Begins the key of a table whose name does not show; no name in SQL has a line feed before it. */
const destructive_hidden = '\n';
const notShown = 'the diff does not show which table';
/** The table in whose middle a hunk begins, by its line number in the whole schema. */
function tableAround(hunk, after) {
    const lines = after?.split('\n');
    const [first] = hunk.lines;
    if (!lines || !first || first.kind !== 'same' || lines[hunk.newStart - 1] !== first.text)
        return undefined;
    for (let at = hunk.newStart - 2; at >= 0; at--) {
        const text = lines[at] ?? '';
        if (text === '' || /^\s/.test(text))
            continue;
        return /^CREATE (?:UNLOGGED |FOREIGN )*TABLE (.+) \($/.exec(text)?.[1];
    }
    return undefined;
}
function droppedObjects(before, now) {
    return [...before.objects].flatMap(([key, changed]) => {
        const kind = /^(materialized view|\w+) /.exec(key)?.[1] ?? '';
        const to = key.slice(kind.length + 1);
        // A sequence that belongs to a column goes with it, and a type alone holds no data: neither is a loss of its own.
        const harmless = kind === 'type' || (kind === 'sequence' && before.owned.has(to));
        return changed && !now.objects.has(key) && !harmless ? [{ does: `drops ${kind}`, to, note: '' }] : [];
    });
}
function tables(before, now) {
    const keys = new Set([...before.tables.keys(), ...now.tables.keys()]);
    const fresh = [...now.tables].filter(([key, table]) => table.head === 'changed' && !before.tables.has(key));
    return [...keys].flatMap((key) => {
        const was = before.tables.get(key);
        const is = now.tables.get(key);
        if (was?.head === 'changed' && !is) {
            const alike = fresh.filter(([, table]) => shapeOf(table) === shapeOf(was));
            const hint = alike.length === 1 && shapeOf(was) !== '' ? `; or is it renamed to ${alike[0]?.[0]}?` : '';
            return [{ does: 'drops table', to: key, note: `with all its rows${hint}` }];
        }
        const isNew = !was && is?.head === 'changed';
        return isNew ? [] : columns({ key, was: was ?? noTable, is: is ?? noTable, filled: now.filled });
    });
}
function shapeOf(table) {
    return [...table.columns].map(([label, { type }]) => `${label} ${type}`).join('\n');
}
const noTable = { head: 'unseen', columns: new Map() };
function columns(options) {
    const { key, was, is, filled } = options;
    const subject = (label) => (key.startsWith(destructive_hidden) ? label : `${key}.${label}`);
    const note = (text) => [text, key.startsWith(destructive_hidden) ? notShown : ''].filter(Boolean).join('; ');
    const found = [];
    const gone = [...was.columns].filter(([label, column]) => column.changed && !is.columns.has(label));
    const fresh = [...is.columns].filter(([label, column]) => column.changed && !was.columns.has(label));
    for (const [label, column] of gone) {
        const successors = fresh.filter(([, other]) => other.type === column.type);
        const [successor] = successors;
        const renamed = gone.filter(([, other]) => other.type === column.type).length === 1 && successors.length === 1;
        const hint = renamed && successor ? `${column.type}; or is it renamed to ${successor[0]}?` : column.type;
        found.push({ does: 'drops column', to: subject(label), note: note(hint) });
    }
    for (const [label, column] of is.columns) {
        const old = was.columns.get(label);
        if (!column.changed)
            continue;
        if (old) {
            found.push(...changes({ old, column, to: subject(label), note }));
        }
        else if (column.notNull && !column.filled && !filled.has(`${key}.${label}`)) {
            const text = `${column.type}, without a default: fails on a table with rows`;
            found.push({ does: 'adds NOT NULL column', to: subject(label), note: note(text) });
        }
    }
    return found;
}
function changes(options) {
    const { old, column, to, note } = options;
    const found = [];
    const change = old.type === column.type ? 'same' : typeChange(old.type, column.type);
    const types = `${old.type} → ${column.type}`;
    if (change === 'narrower') {
        found.push({ does: 'narrows', to, note: note(`${types}: values that do not fit are cut or refused`) });
    }
    else if (change === 'other') {
        found.push({
            does: 'changes the type of',
            to,
            note: note(`${types}: values that cannot be converted are lost or refused`),
        });
    }
    if (column.notNull && !old.notNull) {
        found.push({ does: 'sets NOT NULL on', to, note: note('fails where a row has no value there') });
    }
    return found;
}
function droppedValues(before, now) {
    return [...before.enums].flatMap(([key, values]) => {
        const dropped = before.objects.get(`type ${key}`) === true && !now.objects.has(`type ${key}`);
        const left = now.enums.get(key);
        const gone = [...values].filter(([value, changed]) => changed && !left?.has(value)).map(([value]) => value);
        if (gone.length === 0 || dropped)
            return [];
        const of = key.startsWith(destructive_hidden) ? 'of an enum' : `of ${key}`;
        return [{ does: 'removes enum value', to: gone.join(', '), note: `${of}: rows that have it cannot keep it` }];
    });
}

;// CONCATENATED MODULE: ./js/commands/diff.js









/** Schema difference between the branch and its base, for one database. */
const diff = async (context) => {
    const { inputs, api, log } = context;
    const project = projectOf(context);
    const { branch, date } = await requireTarget(context);
    context.progress({ branch });
    const settling = settlingOf({ branch, now: api.clock.now(), date, made: false });
    const [base, databases] = await Promise.all([
        findBase(context, branch),
        listNames({ ...project, branchId: branch.id, kind: 'databases', settling }),
    ]);
    const database = choose({ kind: 'database', wanted: inputs.database, names: databases, branch });
    log.info(`Comparing database ${(0,api_text/* show */.WU)(database)} of branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) with ${(0,api_text/* show */.WU)(base.name)} (${base.id})`);
    const text = await compareSchema({ ...project, branch, base, database, settling }).catch((error) => explainMissing({ error, context, base, database, settling }));
    const destructive = await destruction({ context, branch, database, text });
    if (destructive.length > 0) {
        const some = destructive.slice(0, 5).map((one) => `${one.does} ${one.to}`);
        const more = destructive.length > some.length ? ` and ${destructive.length - some.length} more` : '';
        log.warning(`The schema of database ${(0,api_text/* show */.WU)(database)} on branch ${(0,api_text/* show */.WU)(branch.name)} ${some.join('; ')}${more}. Look at the diff before this goes further.`, `Database Branch: ${(0,api_text/* count */.U9)(destructive.length, 'destructive change')}`);
    }
    const { added, removed } = countChanges(text);
    const between = `database ${(0,api_text/* show */.WU)(database)} between branch ${(0,api_text/* show */.WU)(branch.name)} and ${(0,api_text/* show */.WU)(base.name)}`;
    return {
        branch,
        ...(base.id === branch.parent_id ? { parentName: base.name } : {}),
        diff: { text, baseName: base.name, database, destructive },
        done: text === ''
            ? `No schema difference in ${between}`
            : `Schema differs in ${between}: ${(0,api_text/* count */.U9)(added, 'line')} added, ${removed} removed`,
    };
};
async function findBase(context, branch) {
    const project = projectOf(context);
    const wanted = context.inputs.base_branch;
    if (wanted !== undefined) {
        const base = await findBranch({ ...project, nameOrId: wanted });
        if (base)
            return base;
        throw noSuchBranch(`with the name or ID ${(0,api_text/* show */.WU)(wanted)}`, ', so that it cannot be the `base_branch`');
    }
    if (branch.parent_id === undefined) {
        throw new errors/* NotFoundError */.m_(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) is a root branch: it has no parent to compare with. Set \`base_branch\` to the branch that it is to be compared with.`);
    }
    return (await getBranch({ ...project, branchId: branch.parent_id })).branch;
}
/** A comparison may fail because the base has no such database; then the message says which ones it has. */
async function explainMissing(options) {
    const { error, context, base, database } = options;
    if (!(error instanceof errors/* ApiError */.hD) || ![400, 404, 422].includes(error.status ?? 0))
        throw error;
    const names = await listNames({ ...projectOf(context), branchId: base.id, kind: 'databases' });
    if (names.includes(database))
        throw error;
    const refusal = new errors/* NotFoundError */.m_(`Branch ${(0,api_text/* show */.WU)(base.name)} (${base.id}) has no database ${(0,api_text/* show */.WU)(database)} to compare with: it has ${names.map((name) => (0,api_text/* show */.WU)(name)).join(', ') || 'none'}. Set \`database\` or \`base_branch\`.`);
    refusal.cause = error;
    throw refusal;
}
/** What the difference destroys. The whole schema is read only where the diff leaves open which table is meant. */
async function destruction(options) {
    const { context, branch, database, text } = options;
    const found = findDestruction(text);
    if (!hasHidden(found))
        return found;
    try {
        return findDestruction(text, await readSchema({ ...projectOf(context), branch, database }));
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD))
            throw error;
        context.log.debug(`The tables that the diff does not name stay unnamed: ${error.message}`);
        return found;
    }
}

;// CONCATENATED MODULE: ./js/commands/get.js








/** Reads an existing branch and its connection details; changes nothing. */
const get = async (context) => {
    const { api } = context;
    const { branch, date } = await requireTarget(context);
    const settling = settlingOf({ branch, now: api.clock.now(), date, made: false });
    context.progress({ branch });
    const project = projectOf(context);
    const [endpoints, names] = await Promise.all([
        listEndpoints({ ...project, branch, settling }),
        listChoices({ ...project, branch, settling }),
    ]);
    const endpoint = readWriteEndpoint(endpoints, branch);
    if (!endpoint) {
        throw new errors/* NotFoundError */.m_(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) has no read-write compute endpoint, and so no address. \`command: create\` with the same name gives it one.`);
    }
    return {
        branch,
        ...(await addresses({ context, branch, endpoint, settling, names })),
        done: `Read branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id})`,
    };
};

;// CONCATENATED MODULE: ./js/api/payload.js
function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
/** Whether a body has its object under the name of its kind already. */
function isWrapped(kind, body) {
    return kind.wrap === undefined || isObject(body[kind.wrap]);
}
/** The object itself, of a body that may or may not be wrapped. */
function unwrapped(kind, body) {
    if (!isObject(body))
        return undefined;
    const inner = kind.wrap === undefined ? body : body[kind.wrap];
    return isObject(inner) ? inner : body;
}
/**
 * What is sent: the body, wrapped in the name of its kind where it is not yet, with `fill` for what the object leaves out.
 * Parts that stand beside the object (the endpoints of a new branch) stay there.
 */
function payloadOf(options) {
    const { kind, body, fill = {} } = options;
    if (kind.wrap === undefined)
        return { ...fill, ...body };
    if (isWrapped(kind, body))
        return { ...body, [kind.wrap]: { ...fill, ...body[kind.wrap] } };
    const isBeside = ([name]) => kind.beside?.includes(name) === true;
    const entries = Object.entries(body);
    return {
        [kind.wrap]: { ...fill, ...Object.fromEntries(entries.filter((entry) => !isBeside(entry))) },
        ...Object.fromEntries(entries.filter(isBeside)),
    };
}
/** Names of the fields in which an object is not what the payload asks for, as far as it shows. */
function differences(options) {
    const { kind, payload, found } = options;
    const wanted = unwrapped(kind, payload) ?? {};
    const there = unwrapped(kind, found) ?? {};
    const isPlain = (value) => ['string', 'number', 'boolean'].includes(typeof value);
    return Object.keys(wanted).filter((name) => isPlain(wanted[name]) && name in there && isPlain(there[name]) && wanted[name] !== there[name]);
}

;// CONCATENATED MODULE: ./js/commands/exchange.js






/** Tells the request that is sent next. */
function noteRequest(context, request) {
    const { method, path } = request;
    context.log.info(`Sending ${method} ${path}`);
    context.progress({ request: { method, path } });
}
/** Keeps an answer for the outputs, whatever happens after it. */
function noteReply(context, reply) {
    // Nothing at all is not JSON, and `null` is.
    const response = { status: reply.status, body: JSON.stringify(reply.body ?? null) };
    context.progress({ response });
    return response;
}
/** The failure of the request itself, if that is what an error tells of: not of a look-up beside it, nor of waiting after it. */
function exchange_failureOf(error, request) {
    const cause = error instanceof errors/* ApiError */.hD ? error : error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof errors/* ApiError */.hD))
        return undefined;
    const { method, path } = cause.request;
    return method === request.method && path === (0,api_text/* oneLine */.TN)(routeOf(request.path)) ? cause : undefined;
}
/** A path without its query. */
function routeOf(path) {
    return path.split('?', 1)[0] ?? '';
}
/** Keeps what the service said in a refusal. */
function noteRefusal(context, failure) {
    if (failure.status === undefined)
        return;
    const { code = '', message = '', requestId } = failure.failure;
    const body = { ...(requestId ? { request_id: requestId } : {}), code, message };
    noteReply(context, { status: failure.status, body });
}
/** The operations that an answer carries. One that cannot be read cannot be waited for either, and is worth a warning. */
function operationsIn(context, body) {
    const listed = isObject(body) && Array.isArray(body.operations) ? body.operations : [];
    const found = new Map();
    for (const one of listed) {
        try {
            const operation = types_operation(one, 'operations');
            found.set(operation.id, operation);
        }
        catch (error) {
            if (!(error instanceof ShapeError))
                throw error;
            context.log.warning(`The answer has an operation that cannot be read, and is not waited for: ${error.message}`);
        }
    }
    return [...found.values()];
}
/** Says what would be sent, and sends nothing. */
function rehearse(context, request) {
    const { method, path, note } = request;
    const payload = request.payload === undefined ? undefined : withoutSecrets(request.payload);
    context.log.info(`Dry run: nothing is sent. It would be ${method} ${path}${note ? ` (${note})` : ''}`);
    if (payload !== undefined)
        context.log.info(`with ${JSON.stringify(payload)}`);
    return {
        request: {
            method,
            path,
            ...(payload === undefined ? {} : { payload: JSON.stringify(payload, null, 2) }),
            ...(note ? { note } : {}),
        },
        operationIds: [],
        done: `Would send ${method} ${path} (dry run)`,
    };
}

;// CONCATENATED MODULE: ./js/api/resources.js
/** What can be done with an object of the account. */
const verbs = ['create', 'list', 'get', 'update', 'delete'];
/** The HTTP method of each verb. */
const methods = { create: 'POST', list: 'GET', get: 'GET', update: 'PATCH', delete: 'DELETE' };
/** A kind by the plain convention, but for what is said to be otherwise. */
function kind(one, otherwise = {}) {
    const many = otherwise.many ?? `${one}s`;
    const segment = many.toLowerCase().replaceAll(' ', '_');
    return {
        one,
        many,
        segment,
        owner: 'account',
        verbs,
        wrap: one,
        key: 'id',
        published: true,
        known: true,
        ...otherwise,
    };
}
/** The one table of kinds. */
const resources_kinds = [
    kind('project', { natural: 'id', pageSize: 400 }),
    kind('branch', {
        many: 'branches',
        owner: 'project',
        natural: 'name',
        beside: ['endpoints', 'annotation_value'],
        goneIs204: true,
        pageSize: 1_000,
    }),
    kind('compute endpoint', {
        aliases: ['endpoint', 'endpoints', 'compute', 'computes'],
        segment: 'endpoints',
        owner: 'project',
        wrap: 'endpoint',
        goneIs204: true,
    }),
    kind('database', { owner: 'branch', key: 'name', natural: 'name', goneIs204: true }),
    kind('role', {
        owner: 'branch',
        key: 'name',
        natural: 'name',
        goneIs204: true,
        verbs: ['create', 'list', 'get', 'delete'],
    }),
    kind('operation', { owner: 'project', pageSize: 1_000, verbs: ['list', 'get'] }),
    kind('API key', { wrap: undefined, verbs: ['create', 'list', 'delete'] }),
    kind('user', { wrap: undefined, fixedPath: '/users/me', verbs: ['get'] }),
    kind('cluster', { fixedPath: '/clusters', keyInQuery: true, published: false }),
    kind('instance', { published: false }),
    kind('team', { published: false }),
    kind('workspace', { published: false }),
];
/** `API keys`, `api_key`, `api-keys` and `apiKey` are all the same. */
function spelling(text) {
    return text.toLowerCase().replace(/[\s_-]+/g, '');
}
const bySpelling = new Map(resources_kinds.flatMap((kind) => [kind.one, kind.many, kind.segment, ...(kind.aliases ?? [])].map((name) => [spelling(name), kind])));
/**
 * The kind that goes by this name, singular or plural, in any spelling. One that is not in the table goes by the plain
 * convention, its name as it is written being its part of the path; undefined for what cannot be a name of a kind.
 */
function kindOf(name) {
    const known = bySpelling.get(spelling(name));
    if (known)
        return known;
    const segment = name
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_');
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(segment))
        return undefined;
    const words = segment.replaceAll('_', ' ');
    return kind(words, { many: words, segment, wrap: undefined, published: false, known: false });
}
/** `a role`, `an API key`. */
function aKind(kind) {
    return `${/^([aeio]|u(?!se))/i.test(kind.one) ? 'an' : 'a'} ${kind.one}`;
}
/** Where all the objects of a kind are. */
function collectionRoute(kind, place) {
    if (kind.fixedPath !== undefined)
        return { path: kind.fixedPath, query: {} };
    const owners = [];
    if (kind.owner !== 'account')
        owners.push('projects', required(place.projectId, kind, 'project'));
    if (kind.owner === 'branch')
        owners.push('branches', required(place.branchId, kind, 'branch'));
    return { path: [...owners, kind.segment].map((part) => `/${encodeURIComponent(part)}`).join(''), query: {} };
}
/** Where one object is. A kind whose objects share one path takes the ID, if there is one, in the query. */
function objectRoute(kind, place, id) {
    if (kind.fixedPath !== undefined) {
        return { path: kind.fixedPath, query: id !== undefined && kind.keyInQuery ? { id } : {} };
    }
    if (id === undefined || !isSegment(id))
        throw new RangeError(`${aKind(kind)} needs an ID in its path`);
    return { path: `${collectionRoute(kind, place).path}/${encodeURIComponent(id)}`, query: {} };
}
/** Whether a text can be one part of a path: an empty one, or dots, would lead to another place. */
function isSegment(text) {
    return text !== '' && !/^\.{1,2}$/.test(text) && text.isWellFormed();
}
function required(id, kind, owner) {
    if (id !== undefined && isSegment(id))
        return id;
    throw new RangeError(`${aKind(kind)} belongs to a ${owner}, and there is none`);
}

;// CONCATENATED MODULE: ./js/api/objects.js






/** How long an answer that may pass, on a branch that was just made, is tried again: it may be meant as it is, too. */
const objects_settlingMs = 5_000;
/** How long a branch that is asked for by ID may be unknown, because another job has just made it, in milliseconds. */
const unknownMs = 3_000;
async function getObject(options) {
    const { kind, place, id } = options;
    return settled(options, [404, 422], {
        ...objectRoute(kind, place, id),
        goal: `read ${titleOf(kind, id)}`,
        method: 'GET',
        read: (body) => objects_checked({ kind, place, body, key: id }),
    });
}
/** One PATCH. One whose answer is lost ends in an `UncertainError`. */
async function updateObject(options) {
    const { kind, place, id, payload } = options;
    return onceOnly(`look with \`verb: ${kind.verbs.includes('get') ? 'get' : 'list'}\``, () => settled(options, [422], {
        ...objectRoute(kind, place, id),
        goal: `update ${titleOf(kind, id)}`,
        method: 'PATCH',
        body: payload,
        // A name may be what is changed.
        read: (body) => objects_checked({ kind, place, body, key: kind.key === 'id' ? id : undefined }),
    }));
}
/** One DELETE, which may be repeated: an object that is gone by then is what was asked for. */
async function deleteObject(options) {
    const { kind, place, id, payload } = options;
    try {
        const answer = await settled(options, [422], {
            ...objectRoute(kind, place, id),
            goal: `delete ${titleOf(kind, id)}`,
            method: 'DELETE',
            ...(payload ? { body: payload } : {}),
            read: (body) => (body === undefined ? body : objects_checked({ kind, place, body, key: id, loose: true })),
        });
        const wasGone = answer.status === 204 && kind.goneIs204 === true;
        return { deleted: !wasGone || answer.mayHaveActedBefore, reply: answer };
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && (error.status === 404 || error.status === 410)))
            throw error;
        return { deleted: error.mayHaveActed, reply: { status: error.status, body: undefined }, unknown: error };
    }
}
async function objects_send(api, spec) {
    const { status, value, date, mayHaveActedBefore } = await api.request(spec);
    return { status, body: value, date, mayHaveActedBefore };
}
/** Sends a request, and goes on sending it for some seconds where it is refused only because the branch was just made. */
async function settled(where, statuses, spec) {
    const { api } = where;
    try {
        return await objects_send(api, spec);
    }
    catch (error) {
        const passes = error instanceof errors/* ApiError */.hD && statuses.includes(error.status ?? 0) && (await isYoung(where));
        if (!passes)
            throw error;
        return objects_send(api, { ...spec, settling: { statuses, until: api.clock.now() + objects_settlingMs } });
    }
}
async function isYoung(where) {
    const { api, place } = where;
    const { projectId, branchId } = place;
    if (projectId === undefined || branchId === undefined)
        return false;
    const settling = { statuses: [404], until: api.clock.now() + unknownMs };
    try {
        const { branch, date } = where.branch ?? (await getBranch({ api, projectId, branchId, settling }));
        return settlingOf({ branch, now: api.clock.now(), date, made: false }) !== undefined;
    }
    catch (error) {
        if (error instanceof errors/* ApiError */.hD)
            return false;
        throw error;
    }
}
/** Sends what must not act twice and cannot be looked up: where its answer is lost, that is what is said. */
async function onceOnly(advice, act) {
    try {
        return await act();
    }
    catch (error) {
        throw error instanceof errors/* ApiError */.hD && error.failure.mayHaveActed ? new errors/* UncertainError */.On(error, advice) : error;
    }
}
/** Holds an answer against what was asked for, where the service says publicly what its answers look like. */
function objects_checked(options) {
    const { kind, place, body, key, loose } = options;
    if (!kind.published)
        return body;
    const found = isObject(body) ? (kind.wrap === undefined ? body : body[kind.wrap]) : undefined;
    if (!isObject(found)) {
        if (loose)
            return body;
        throw new ShapeError(`no object at ${kind.wrap ?? 'the answer'}`);
    }
    const owners = kind.owner === 'account' ? {} : { project_id: place.projectId, branch_id: place.branchId };
    const wanted = { [kind.key]: key, ...owners };
    for (const [field, value] of Object.entries(wanted)) {
        const answered = found[field];
        if (value === undefined || answered === undefined || answered === null || String(answered) === value)
            continue;
        throw new errors/* MismatchError */.T7(`Asked for ${aKind(kind)} with ${field} ${(0,api_text/* show */.WU)(value)}, and the service answered with ${(0,api_text/* show */.WU)(String(answered))}`);
    }
    return body;
}
/** `role "app"`, `project shiny-wind-028834`, `a user`. */
function titleOf(kind, id) {
    if (id === undefined)
        return kind.one;
    return `${kind.one} ${kind.key === 'name' ? (0,api_text/* show */.WU)(id) : id}`;
}

;// CONCATENATED MODULE: ./js/commands/missing.js




/** What to say of a refusal, where more can be said than the service did: which part of the path is not there, and what to do. */
async function missing_explainRefusal(options) {
    const { where, verb, id, error } = options;
    const { kind, place } = where;
    const { status } = error;
    if (!kind.published && (status === 404 || status === 405)) {
        const why = kind.known ? `The paths of ${kind.many} are not published` : `The kind ${kind.one} is not in the table`;
        return explained(error, `${why}, so that this went by convention to ${collectionRoute(kind, place).path}. Where that is not it, \`method\` and \`path\` send any request.`);
    }
    if (status === 409 && verb === 'create' && kind.natural === undefined) {
        return explained(error, `\`if_exists: reuse\` cannot find the one that is there, because ${kind.many} have no names that are unique; \`verb: list\` shows them.`);
    }
    if (status !== 404)
        return error;
    const owner = await missingOwner(where);
    if (owner)
        return owner;
    if (verb === 'create')
        return explained(error, `${owners(where)} there, but something that \`body\` names is not.`);
    if (verb === 'list' || !kind.verbs.includes('list'))
        return error;
    return explained(error, `There is no ${titleOf(kind, id)}, or the key may not see it; \`verb: list\` shows what there is.`);
}
function explained(error, what) {
    const explained = new errors/* NotFoundError */.m_(`${error.message}. ${what}`);
    explained.cause = error;
    return explained;
}
function owners({ kind }) {
    if (kind.owner === 'account')
        return 'The path is';
    return kind.owner === 'project' ? 'The project is' : 'The project and the branch are';
}
/** The fault of a project or branch that an object should belong to and that is not there; undefined where both are. */
async function missingOwner(where) {
    const { api, kind, place, branch } = where;
    const { projectId, branchId } = place;
    if (kind.owner === 'account' || projectId === undefined)
        return undefined;
    try {
        await projectName({ api, projectId });
        if (branchId === undefined)
            return undefined;
        await getBranch({ api, projectId, branchId: branch?.branch.id ?? branchId });
        return undefined;
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && error.status === 404))
            throw error;
        if (error.request.path.includes('/branches/'))
            return noSuchBranch(`with the ID ${branchId}`);
        return error;
    }
}

;// CONCATENATED MODULE: ./js/commands/plan.js


/** The plan, or undefined where the inputs name no kind or verb that there is, or a verb that the kind does not have. */
function planOf(inputs) {
    const kind = inputs.resource === undefined ? undefined : kindOf(inputs.resource);
    const verb = kind && verbOf(kind, inputs);
    if (!kind || !verb || !kind.verbs.includes(verb))
        return undefined;
    const aboutOne = verb === 'get' || verb === 'update' || verb === 'delete';
    const id = aboutOne ? ownId(kind, inputs) : undefined;
    return {
        kind,
        verb,
        id,
        idFromBranch: aboutOne && id === undefined && kind.segment === 'branches' && inputs.branch_name !== undefined,
        branch: branchUse({ kind, verb, inputs }),
    };
}
/** `query` is `get` with an ID and `list` without, or the one of the two that the kind has. */
function verbOf(kind, inputs) {
    if (inputs.verb !== 'query')
        return inputs.verb;
    const named = inputs.resource_id !== undefined || (kind.segment === 'branches' && namesBranch(inputs));
    const [likely, other] = named ? ['get', 'list'] : ['list', 'get'];
    return !kind.verbs.includes(likely) && kind.verbs.includes(other) ? other : likely;
}
function namesBranch(inputs) {
    return inputs.branch_id !== undefined || inputs.branch_name !== undefined;
}
/** A project and a branch have inputs of their own for their IDs. */
function ownId(kind, inputs) {
    if (inputs.resource_id !== undefined)
        return inputs.resource_id;
    if (kind.segment === 'projects')
        return inputs.project_id;
    // With both given, the branch is read first, so that its name can be held against the other.
    if (kind.segment === 'branches' && inputs.branch_name === undefined)
        return inputs.branch_id;
    return undefined;
}
function branchUse(options) {
    const { kind, verb, inputs } = options;
    if (kind.owner === 'branch')
        return 'needed';
    if (kind.owner !== 'project' || kind.segment === 'branches')
        return 'unused';
    if (verb === 'list')
        return 'asked';
    if (kind.segment !== 'endpoints' || verb !== 'create')
        return 'unused';
    return unwrapped(kind, inputs.body)?.branch_id === undefined ? 'needed' : 'unused';
}
/** What is sent for a create or an update; undefined where nothing is. */
function payloadFor(plan, inputs, branchId) {
    const { kind, verb } = plan;
    const body = isObject(inputs.body) ? inputs.body : undefined;
    if (verb === 'delete' && body)
        return payloadOf({ kind, body });
    if (verb !== 'create' && verb !== 'update')
        return undefined;
    const name = verb === 'create' ? givenName(kind, inputs) : undefined;
    return payloadOf({
        kind,
        body: body ?? {},
        fill: {
            ...(name === undefined || !kind.natural ? {} : { [kind.natural]: name }),
            ...(plan.branch === 'needed' && kind.owner === 'project' && branchId !== undefined
                ? { branch_id: branchId }
                : {}),
        },
    });
}
/** The name for a new object that another input than `body` gives. */
function givenName(kind, inputs) {
    if (kind.natural === undefined)
        return undefined;
    return inputs.resource_id ?? (kind.segment === 'branches' ? inputs.branch_name : undefined);
}
/** `update of a role`, for messages. */
function plan_describe(plan) {
    return plan.verb === 'list' ? `\`list\` of ${plan.kind.many}` : `\`${plan.verb}\` of ${aKind(plan.kind)}`;
}

;// CONCATENATED MODULE: ./js/commands/place.js




/**
 * Where a plan's request goes; a branch that is known by its name alone is looked up. Undefined where something is to be
 * deleted of a branch that is not there.
 */
async function locate(context, plan) {
    const { api, inputs } = context;
    const find = plan.verb === 'delete' ? findTarget : requireTarget;
    let branch;
    let branchId = wantsBranch(context, plan) && inputs.branch_name === undefined ? inputs.branch_id : undefined;
    if (plan.idFromBranch || (branchId === undefined && wantsBranch(context, plan))) {
        branch = await find(context);
        if (!branch)
            return undefined;
        branchId = branch.branch.id;
    }
    const id = plan.idFromBranch ? branchId : plan.id;
    const place = { projectId: inputs.project_id, branchId: plan.idFromBranch ? undefined : branchId };
    const where = { api, kind: plan.kind, place, ...(branch ? { branch } : {}) };
    return { where, id, told: requestOf({ context, plan, place, id }) };
}
/** The request as far as the inputs alone tell it: a branch that is known by its name alone stands there as `{branch_id}`. */
function outline(context, plan) {
    const { inputs } = context;
    const asked = plan.idFromBranch || wantsBranch(context, plan);
    const unknown = asked && (inputs.branch_id === undefined || plan.idFromBranch);
    const branchId = unknown ? placeholder : inputs.branch_id;
    const told = requestOf({
        context,
        plan,
        place: { projectId: inputs.project_id, branchId },
        id: plan.idFromBranch ? placeholder : plan.id,
    });
    const path = told.path.replaceAll(encodeURIComponent(placeholder), placeholder);
    return { ...told, path, ...(unknown ? { note: noteOn(context) } : {}) };
}
const placeholder = '{branch_id}';
/** What `{branch_id}` stands for. */
function noteOn(context) {
    return `${placeholder} is the ID of branch ${(0,api_text/* show */.WU)(targetName(context))}, which is looked up first`;
}
function wantsBranch(context, plan) {
    return plan.branch === 'needed' || (plan.branch === 'asked' && namesBranch(context.inputs));
}
function requestOf(options) {
    const { context, plan, place, id } = options;
    const { kind, verb } = plan;
    const one = verb === 'get' || verb === 'update' || verb === 'delete';
    const route = one ? objectRoute(kind, place, id) : collectionRoute(kind, place);
    const payload = payloadFor(plan, context.inputs, place.branchId);
    return { method: methods[verb], path: withQuery(route), ...(payload === undefined ? {} : { payload }) };
}
function withQuery({ path, query }) {
    const text = new URLSearchParams(query).toString();
    return text === '' ? path : `${path}?${text}`;
}

;// CONCATENATED MODULE: ./js/inputs-manage.js






/** Faults of the inputs of `manage`, one line each. An input that is not in `inputs` at all is faulty, which is said already. */
function checkManage(options) {
    const { inputs } = options;
    const faults = [];
    if (inputs.if_exists === 'reset') {
        faults.push('if_exists: got reset, takes reuse or fail with `command: manage`; `command: reset` resets a branch');
    }
    const isEmpty = (name) => name in inputs && inputs[name] === undefined;
    const byKind = !isEmpty('resource') || !isEmpty('verb');
    const byPath = !isEmpty('method') || !isEmpty('path');
    if (byKind && byPath) {
        faults.push('resource / verb and method / path: got some of both, takes one of the two pairs');
    }
    else if (byKind) {
        faults.push(...checkKind(options));
    }
    else if (byPath) {
        if (isEmpty('method'))
            faults.push('method: is empty, takes GET, POST, PUT, PATCH or DELETE with `path`');
        if (isEmpty('path'))
            faults.push('path: is empty, takes a path below the base URL with `method`');
        faults.push(...checkPath(options));
    }
    else {
        faults.push('resource and verb: are empty, as are method and path; `command: manage` takes `resource: role` and `verb: create`, say');
    }
    return faults;
}
const verbsOf = (kind) => listOf(kind.verbs);
function listOf(words) {
    const last = words.at(-1) ?? '';
    return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}
function checkKind(options) {
    const { inputs, event } = options;
    if (inputs.resource === undefined) {
        return [`resource: is empty, takes a kind of object with \`verb\`: ${listOf(resources_kinds.map((kind) => kind.one))}`];
    }
    const kind = kindOf(inputs.resource);
    if (!kind) {
        return [
            `resource: got ${(0,api_text/* show */.WU)(inputs.resource)}, takes a kind of object: ${listOf(resources_kinds.map((one) => one.one))}, or the first part of its path; there are \`method\` and \`path\` for the rest`,
        ];
    }
    if (inputs.verb === undefined) {
        return 'verb' in inputs ? [`verb: is empty, takes one of those that ${aKind(kind)} has: ${verbsOf(kind)}`] : [];
    }
    const verb = verbOf(kind, inputs);
    const plan = planOf(inputs);
    if (!plan)
        return [`verb: got ${verb}, but ${aKind(kind)} has ${verbsOf(kind)} only`];
    return [...checkOwners({ plan, inputs, event }), ...checkId(plan, inputs), ...checkBody(plan, inputs)];
}
function checkOwners(options) {
    const { plan, inputs, event } = options;
    const faults = [];
    const owner = plan.kind.owner === 'branch' ? 'a branch of a project' : 'a project';
    if (plan.kind.owner !== 'account' && 'project_id' in inputs && inputs.project_id === undefined) {
        faults.push(`project_id: is empty, but ${aKind(plan.kind)} belongs to ${owner}; takes the project's ID`);
    }
    if (plan.branch === 'needed' && lacksBranch(inputs, event)) {
        faults.push(`branch_id and branch_name: are empty, and event ${(0,api_text/* show */.WU)(event.name)} names no branch, but ${aKind(plan.kind)} belongs to one; takes one of the two`);
    }
    return faults;
}
function lacksBranch(inputs, event) {
    const known = !('branch_id' in inputs && 'branch_name' in inputs) || namesBranch(inputs);
    return !known && branchNameOf(event) === undefined;
}
/** IDs by kind, where their form is known: something else, a name or a key, would only lead to a 404. */
const idForms = {
    projects: { form: /^[a-z0-9-]{1,60}$/, takes: "the project's ID, such as shiny-wind-028834" },
    branches: {
        form: /^[a-z0-9-]{1,60}$/,
        takes: "the branch's ID, such as br-wispy-meadow-118737; a name goes into branch_name",
    },
    endpoints: { form: /^[a-z0-9-]{1,60}$/, takes: "the compute endpoint's ID, such as ep-silent-smoke-806639" },
    operations: { form: /^[\w-]{1,64}$/, takes: "the operation's ID, as the output operation_ids has it" },
    api_keys: { form: /^[\w-]{1,40}$/, takes: "the key's ID, such as 165432, and never the key itself" },
};
function checkId(plan, inputs) {
    const { kind, verb } = plan;
    const id = inputs.resource_id;
    if (id === undefined) {
        const unneeded = verb === 'create' || verb === 'list' || kind.fixedPath !== undefined;
        if (unneeded || plan.id !== undefined || plan.idFromBranch || !('resource_id' in inputs))
            return [];
        const other = { projects: ', or project_id', branches: ', or branch_id or branch_name' }[kind.segment] ?? '';
        return [`resource_id: is empty, takes the ${kind.key} of the ${kind.one}${other}`];
    }
    if (isConnectionString(id))
        return ['resource_id: got a connection string (not shown), takes an ID or a name'];
    if (verb === 'list')
        return [`resource_id: got ${(0,api_text/* show */.WU)(id)}, but ${plan_describe(plan)} takes none; \`get\` reads one`];
    if (verb === 'create' && kind.natural !== kind.key) {
        return [`resource_id: got ${(0,api_text/* show */.WU)(id)}, but the service chooses the ID of a new ${kind.one}`];
    }
    if (kind.segment === 'users' && id !== 'me') {
        return [`resource_id: got ${(0,api_text/* show */.WU)(id)}, takes nothing, or me: the service shows only the user whose key it is`];
    }
    const known = idForms[kind.segment];
    if (known && !known.form.test(id)) {
        const got = kind.segment === 'api_keys' ? 'something else (not shown)' : (0,api_text/* show */.WU)(id);
        return [`resource_id: got ${got}, takes ${known.takes}`];
    }
    return isSegment(id) ? [] : [`resource_id: got ${(0,api_text/* show */.WU)(id)}, takes the ${kind.key} of the ${kind.one}`];
}
/** What a payload may look like, by kind. */
const examples = {
    api_keys: '{"key_name": "ci"}',
    endpoints: '{"type": "read_only"}',
    databases: '{"name": "app", "owner_name": "app"}',
};
function checkBody(plan, inputs) {
    const { kind, verb } = plan;
    if (!('body' in inputs))
        return [];
    const { body } = inputs;
    const example = examples[kind.segment] ?? '{"name": "app"}';
    const sendsNone = verb === 'get' || verb === 'list' || (verb === 'delete' && !kind.keyInQuery);
    if (sendsNone)
        return body === undefined ? [] : [`body: got a payload, but ${plan_describe(plan)} sends none`];
    if (body !== undefined && !isObject(body))
        return [`body: got other JSON, takes a JSON object: ${example}`];
    if (verb === 'delete')
        return [];
    const optional = verb === 'create' && (kind.segment === 'projects' || kind.segment === 'branches');
    const name = verb === 'create' ? givenName(kind, inputs) : undefined;
    if (body === undefined) {
        if (optional || (name !== undefined && kind.segment !== 'databases'))
            return [];
        return [`body: is empty, but ${plan_describe(plan)} needs a payload: ${example}`];
    }
    const object = unwrapped(kind, body) ?? {};
    const faults = [];
    const inBody = kind.natural && object[kind.natural];
    if (name !== undefined && typeof inBody === 'string' && inBody !== name) {
        const input = inputs.resource_id === undefined ? 'branch_name' : 'resource_id';
        faults.push(`body and ${input}: got the names ${(0,api_text/* show */.WU)(inBody)} and ${(0,api_text/* show */.WU)(name)}, takes one`);
    }
    if (verb === 'create' && kind.natural === 'name' && kind.key === 'name' && name === undefined) {
        const isName = typeof inBody === 'string' && isSegment(inBody);
        if (!isName)
            faults.push(`body: has no name for the new ${kind.one}, takes ${example}`);
    }
    const ofBranch = kind.segment === 'endpoints' && verb === 'create' ? object.branch_id : undefined;
    if (ofBranch !== undefined && inputs.branch_id !== undefined && ofBranch !== inputs.branch_id) {
        faults.push(`body and branch_id: got the branches ${(0,api_text/* show */.WU)(String(ofBranch))} and ${inputs.branch_id}, takes one`);
    }
    return faults;
}
const placeholders = ['project_id', 'branch_id', 'resource_id'];
/** Inputs that a path refers to as `{name}`. */
function placeholdersOf(path) {
    return [...new Set([...path.matchAll(/\{([a-z_]+)\}/gi)].map(([, name = '']) => name))];
}
function checkPath(options) {
    const { inputs, event } = options;
    const faults = [];
    if (inputs.method === 'GET' && inputs.body !== undefined) {
        faults.push('body: got a payload, but `method: GET` sends none');
    }
    if (inputs.path === undefined)
        return faults;
    const used = placeholdersOf(inputs.path);
    const strange = used.filter((name) => !placeholders.includes(name));
    if (strange.length > 0) {
        faults.push(`path: has {${strange.join('}, {')}}, takes {${placeholders.join('}, {')}} for those inputs`);
    }
    for (const name of ['project_id', 'resource_id']) {
        if (used.includes(name) && name in inputs && inputs[name] === undefined) {
            faults.push(`${name}: is empty, but path has {${name}}`);
        }
    }
    if (used.includes('branch_id') && 'project_id' in inputs && inputs.project_id === undefined && !inputs.branch_id) {
        faults.push('project_id: is empty, but path has {branch_id}, which is looked up in the project');
    }
    if (used.includes('branch_id') && lacksBranch(inputs, event)) {
        faults.push(`branch_id and branch_name: are empty, and event ${(0,api_text/* show */.WU)(event.name)} names none, but path has {branch_id}`);
    }
    if (inputs.resource_id !== undefined && !used.includes('resource_id')) {
        faults.push('resource_id: got an ID, but path has no {resource_id}');
    }
    else if (inputs.resource_id !== undefined && !isSegment(inputs.resource_id)) {
        faults.push(`resource_id: got ${(0,api_text/* show */.WU)(inputs.resource_id)}, takes one part of the path`);
    }
    return faults;
}

;// CONCATENATED MODULE: ./js/api/objectcreate.js







/** How far apart the service's clock in two answers may be, in milliseconds. */
const objectcreate_clockSlackMs = 2_000;
/**
 * One POST that makes an object. Where the kind has a natural name and the payload says it, a lost answer is looked up before
 * anything is sent again, and a name that is taken (409) gives the object that has it. Any other create whose answer is lost
 * ends in an `UncertainError`: sent again, it might make a second one.
 */
async function createObject(options) {
    const { api, kind, place, payload } = options;
    const name = naturalName(kind, payload);
    const started = api.clock.now();
    const post = () => settled(options, [422], {
        ...collectionRoute(kind, place),
        goal: `create ${name === undefined ? aKind(kind) : `${kind.one} ${(0,api_text/* show */.WU)(name)}`}`,
        method: 'POST',
        body: payload,
        read: (body) => objects_checked({ kind, place, body, key: kind.natural === kind.key ? name : undefined }),
    });
    if (name === undefined)
        return { made: true, reply: await onceOnly('look with `verb: list`', post), lost: false };
    let lost = false;
    const look = () => findByName({ ...options, name });
    const isOurs = (found) => {
        const earliest = (found.date ?? api.clock.now()) - (api.clock.now() - started) - objectcreate_clockSlackMs;
        return !(Date.parse(String(unwrapped(kind, found.body)?.created_at)) < earliest);
    };
    try {
        const { value } = await once({
            api,
            act: async () => {
                const reply = await post();
                return { ...reply, value: { reply } };
            },
            look: async () => {
                lost = true;
                const found = await look();
                return found && { found };
            },
        });
        if (!value.found)
            return { made: true, reply: value.reply, lost: false };
        return { made: isOurs(value.found), reply: value.found, lost };
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && error.status === 409))
            throw error;
        const found = await look();
        if (!found)
            throw error;
        return { made: lost && isOurs(found), reply: found, lost, refusal: error };
    }
}
/** What a create would be looked up by, or undefined. */
function naturalName(kind, payload) {
    const name = kind.natural && unwrapped(kind, payload)?.[kind.natural];
    return typeof name === 'string' && name !== '' ? name : undefined;
}
/** The object that has this name, or undefined. */
async function findByName(options) {
    const { api, kind, place, name } = options;
    let id = name;
    if (kind.natural !== kind.key) {
        // Of the kinds with an ID, only branches have a name that nobody else has.
        const found = await findBranchByName({ api, projectId: place.projectId ?? '', name });
        if (!found)
            return undefined;
        id = found.branch.id;
    }
    try {
        return await objects_send(api, {
            ...objectRoute(kind, place, id),
            goal: `look up ${kind.one} ${(0,api_text/* show */.WU)(name)}`,
            method: 'GET',
            read: (body) => objects_checked({ kind, place, body, key: id }),
        });
    }
    catch (error) {
        if (error instanceof errors/* ApiError */.hD && error.status === 404)
            return undefined;
        throw error;
    }
}

;// CONCATENATED MODULE: ./js/api/pages.js



/** Every object of a kind, from all pages of the list. */
async function listObjects(options) {
    const { api, kind, place, settling } = options;
    const { path, query } = collectionRoute(kind, place);
    const items = [];
    const missing = [];
    const seen = new Set();
    let cursor;
    for (;;) {
        const answer = await api.request({
            goal: `list the ${kind.many}`,
            method: 'GET',
            path,
            query: { ...query, limit: kind.pageSize, cursor },
            ...(settling ? { settling } : {}),
            read: (body) => pages_readPage(kind, body),
        });
        const page = answer.value;
        items.push(...page.items);
        missing.push(...page.missing);
        // Some lists name a cursor on their last page too; and one that comes back would go round for ever.
        if (page.next === undefined || page.items.length === 0 || seen.has(page.next)) {
            return { status: answer.status, items, missing };
        }
        seen.add(page.next);
        cursor = page.next;
    }
}
function pages_readPage(kind, body) {
    if (Array.isArray(body))
        return { items: body, next: undefined, missing: [] };
    if (!isObject(body))
        throw new ShapeError(`no list of ${kind.many}`);
    const pagination = isObject(body.pagination) ? body.pagination : {};
    // The published lists use two names for the same thing.
    const next = [pagination.next, pagination.cursor].find((one) => typeof one === 'string' && one !== '');
    const unavailable = body[`unavailable_${kind.one}_ids`];
    return {
        items: itemsOf(kind, body),
        next: next,
        missing: Array.isArray(unavailable) ? unavailable.map(String) : [],
    };
}
/** The list stands under the name of its kind; where the kind's answers are not published, it may be the only one there is. */
function itemsOf(kind, body) {
    const named = body[kind.segment];
    if (Array.isArray(named))
        return named;
    const lists = Object.values(body).filter(Array.isArray);
    const [only] = lists;
    if (only !== undefined && lists.length === 1 && !kind.published)
        return only;
    throw new ShapeError(`no list at ${kind.segment}`);
}

;// CONCATENATED MODULE: ./js/commands/verbs.js











/** What each verb does with an object, or the objects, of a kind. */
const verbs_verbs = {
    create: verbs_create,
    list: verbs_list,
    get: verbs_get,
    update,
    delete: remove,
};
async function verbs_create({ context, where, told }) {
    const { kind } = where;
    const payload = told.payload;
    const { made, lost, reply, refusal } = await createObject({ ...where, payload });
    const one = titled({ where, reply });
    context.progress({ created: made });
    if (!made && context.inputs.if_exists === 'fail') {
        const answered = refusal ? `${refusal.message}. ` : '';
        const error = new errors/* RefusedError */.fk(`${answered}${capital(one)} exists already, and \`if_exists: fail\` asks for a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`);
        error.cause = refusal;
        throw error;
    }
    const response = noteReply(context, reply);
    const fields = made ? [] : differences({ kind, payload, found: reply.body });
    if (fields.length > 0) {
        context.log.warning(`${capital(one)} exists with another ${fields.join(' and ')} than was asked for; it is used as it is. \`if_exists: fail\` refuses such ${aKind(kind)}.`);
    }
    // The answer to a look-up does not say what is still under way to make the object.
    const underWay = made && !lost ? operationsIn(context, reply.body) : await inTheMaking(where);
    const finished = await verbs_finish(context, underWay, made ? underWay : []);
    return { created: made, response, ...finished, done: `${made ? 'Created' : 'Reused'} ${one}` };
}
/** Operations under way on the branch of an object that was found by a look-up. */
async function inTheMaking({ api, kind, place }) {
    const { projectId, branchId } = place;
    if (kind.owner !== 'branch' || projectId === undefined || branchId === undefined)
        return [];
    return unfinishedOperations({ api, projectId, branchId });
}
async function verbs_list({ context, where }) {
    const { kind, place } = where;
    const { status, items, missing } = await listObjects(where);
    // A list of a whole project, of which the step names one branch.
    const narrow = kind.owner === 'project' && place.branchId !== undefined;
    const wanted = narrow ? items.filter((item) => isObject(item) && item.branch_id === place.branchId) : items;
    if (missing.length > 0) {
        context.log.warning(`The service could not list all ${kind.many}; without details: ${missing.join(', ')}`);
    }
    const response = noteReply(context, { status, body: wanted });
    return {
        response,
        operationIds: [],
        done: `Listed ${wanted.length} ${wanted.length === 1 ? kind.one : kind.many}`,
    };
}
async function verbs_get({ context, where, id }) {
    const { kind } = where;
    const first = await getObject({ ...where, id });
    const response = noteReply(context, first);
    const isOperation = kind.segment === 'operations';
    const [operation] = isOperation ? operationsIn(context, { operations: [unwrapped(kind, first.body)] }) : [];
    const waits = operation !== undefined && context.inputs.wait && !hasEnded(operation);
    if (!waits)
        return { response, operationIds: [], done: `Read ${titled({ where, reply: first, id })}` };
    let failure;
    const operations = await settle(context, [operation]).catch((error) => {
        if (!(error instanceof errors/* OperationError */.OK))
            throw error;
        failure = error;
        return [];
    });
    // However it has ended, the answer is the operation as it is now.
    const last = noteReply(context, await getObject({ ...where, id }));
    if (failure)
        throw failure;
    const done = `Waited for operation ${operation.action} (${operation.id})`;
    return { operations, operationIds: [], response: last, done };
}
async function update({ context, where, id, told }) {
    const reply = await updateObject({ ...where, id, payload: told.payload });
    const response = noteReply(context, reply);
    const started = operationsIn(context, reply.body);
    return { response, ...(await verbs_finish(context, started)), done: `Updated ${titled({ where, reply, id })}` };
}
async function remove({ context, where, id, told }) {
    const { kind } = where;
    const { deleted, reply, unknown } = await deleteObject({ ...where, id, payload: told.payload });
    const response = noteReply(context, reply);
    context.progress({ deleted });
    if (unknown && !deleted) {
        // Gone is what was asked for; a project that was never there is not.
        const owner = await missingOwner(where);
        if (owner && !(owner instanceof errors/* NotFoundError */.m_))
            throw owner;
        if (owner)
            context.log.warning(`${owner.message}, and so nothing of it to delete`);
        if (!kind.published) {
            context.log.warning(`${told.method} ${told.path} answered ${reply.status}. Where the path is not this one, which is only a convention, \`method\` and \`path\` say another`);
        }
    }
    const one = `${titleOf(kind, id)}${onBranch(where)}`;
    try {
        const finished = await verbs_finish(context, operationsIn(context, reply.body));
        return { deleted, response, ...finished, done: deleted ? `Deleted ${one}` : `${capital(one)} was gone already` };
    }
    catch (error) {
        // Some deployments forget a branch's operations along with the branch.
        if (!(error instanceof errors/* OperationError */.OK && error.unknown && deleted && kind.segment === 'branches'))
            throw error;
        context.log.info(`${error.message}; as it is once the branch is gone`);
        return { deleted, response, done: `Deleted ${one}` };
    }
}
/** Waits for what is under way; as a rule, all of it is what the request has started. */
async function verbs_finish(context, underWay, started = underWay) {
    const operationIds = started.map((one) => one.id);
    context.progress({ operationIds });
    const operations = context.inputs.wait ? await settle(context, underWay) : [];
    return { operationIds, operations };
}
/** An object in a sentence, by the name and ID that the answer gives it, and the branch that it belongs to. */
function titled(options) {
    const { where, reply, id } = options;
    const { kind } = where;
    const object = unwrapped(kind, reply.body) ?? {};
    const text = (value) => (['string', 'number'].includes(typeof value) ? String(value) : '');
    const [name, itsId] = [text(object.name), text(object.id)];
    const named = name === '' ? '' : (0,api_text/* show */.WU)(name);
    // What has its name for an ID may have a number besides, which nobody asks for.
    const numbered = itsId === '' || (name !== '' && kind.key === 'name') ? '' : name === '' ? itsId : `(${itsId})`;
    const known = [kind.one, named, numbered].filter(Boolean).join(' ');
    return `${name === '' && itsId === '' ? titleOf(kind, id) : known}${onBranch(where)}`;
}
/** Where something is that belongs to a branch. */
function onBranch({ kind, place, branch }) {
    if (kind.owner !== 'branch')
        return '';
    return ` on branch ${branch ? `${(0,api_text/* show */.WU)(branch.branch.name)} (${branch.branch.id})` : place.branchId}`;
}
function capital(text) {
    return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

;// CONCATENATED MODULE: ./js/commands/request.js









/** Sends whatever request `method` and `path` say. */
async function sendRequest(context) {
    const { inputs, api } = context;
    const { method, path: template, body } = inputs;
    if (method === undefined || template === undefined)
        throw new Error('The inputs method and path are empty');
    maskQuery(context, template);
    const payload = body === undefined ? {} : { payload: body };
    if (inputs.dry_run) {
        const note = placeholdersOf(template).includes('branch_id') && !inputs.branch_id ? { note: noteOn(context) } : {};
        return rehearse(context, { method, path: fill(context, template, inputs.branch_id), ...payload, ...note });
    }
    const path = fill(context, template, await branchIdFor(context, template));
    noteRequest(context, { method, path });
    const route = routeOf(path);
    const send = () => api.request({
        goal: 'make the request',
        method,
        path,
        ...(body === undefined ? {} : { body }),
        read: (answer) => answer,
    });
    try {
        const repeatable = method === 'GET' || method === 'DELETE';
        const answer = await (repeatable ? send() : onceOnly('look with `method: GET`', send));
        const response = noteReply(context, { status: answer.status, body: answer.value });
        const created = method === 'POST' && answer.status === 201;
        const wasGone = answer.status === 204 && answersGoneWith204(route) && !answer.mayHaveActedBefore;
        const deleted = method === 'DELETE' && !wasGone;
        context.progress({ created, deleted });
        const started = method === 'GET' ? [] : operationsIn(context, answer.value);
        const finished = await verbs_finish(context, started);
        return { created, deleted, response, ...finished, done: `${method} ${route} answered ${answer.status}` };
    }
    catch (error) {
        const failure = exchange_failureOf(error, { method, path });
        if (failure)
            noteRefusal(context, failure);
        if (failure?.status !== 404)
            throw error;
        if (method === 'DELETE' && failure.mayHaveActed) {
            return { deleted: true, operationIds: [], done: `${method} ${route} has deleted it; its answer was lost` };
        }
        const explained = new errors/* NotFoundError */.m_(`${failure.message}. Is the path right? It stands below ${inputs.api_host}.`);
        explained.cause = failure;
        throw explained;
    }
}
/** A token in a query is as secret as one in a header. */
function maskQuery(context, path) {
    const query = new URLSearchParams(path.split('?').slice(1).join('?'));
    for (const [name, value] of query)
        if (isSecretName(name))
            context.mask(value);
}
async function branchIdFor(context, template) {
    const { inputs } = context;
    if (!placeholdersOf(template).includes('branch_id'))
        return undefined;
    if (inputs.branch_id !== undefined && inputs.branch_name === undefined)
        return inputs.branch_id;
    return (await requireTarget(context)).branch.id;
}
/** The path with the inputs that it refers to; a branch that is not known yet stays as it is. */
function fill(context, template, branchId) {
    const { project_id, resource_id } = context.inputs;
    const values = { project_id, resource_id, branch_id: branchId };
    return template.replace(/\{([a-z_]+)\}/g, (whole, name) => {
        const value = values[name];
        return value === undefined ? whole : encodeURIComponent(value);
    });
}
/** Whether a path is that of one object of a kind for which the service says «already gone» with 204. */
function answersGoneWith204(route) {
    const parts = route.split('/');
    return resources_kinds.some((kind) => kind.goneIs204 === true && kind.segment === parts.at(-2));
}

;// CONCATENATED MODULE: ./js/commands/manage.js







/** Creates, updates, deletes, gets or lists any object of the account, or sends any request. */
const manage = async (context) => {
    const plan = planOf(context.inputs);
    if (!plan)
        return sendRequest(context);
    if (context.inputs.dry_run)
        return rehearse(context, outline(context, plan));
    const located = await locate(context, plan);
    if (!located)
        return withoutBranch(context, plan);
    noteRequest(context, located.told);
    try {
        return await verbs_verbs[plan.verb]({ context, ...located });
    }
    catch (error) {
        const failure = exchange_failureOf(error, located.told);
        if (failure)
            noteRefusal(context, failure);
        throw failure && failure === error ? await missing_explainRefusal({ ...located, verb: plan.verb, error: failure }) : error;
    }
};
/** What is to be deleted belongs to a branch, or is one, that is not there: so it is gone, too. */
function withoutBranch(context, plan) {
    const branch = `branch ${describeTarget(context)}`;
    const what = plan.idFromBranch ? branch : `${plan.kind.one} ${plan.id ?? ''} of ${branch}`;
    if (!plan.idFromBranch)
        context.log.warning(`There is no ${branch} in the project, and so nothing of it to delete`);
    return { deleted: false, operationIds: [], done: `No ${what} is left to delete` };
}

;// CONCATENATED MODULE: ./js/commands/wait.js










/** Waits for operations that another step has started, and then gives what `get` gives where their branch is known. */
const wait = async (context) => {
    const { inputs, log } = context;
    const ids = inputs.operation_ids ?? [];
    const started = ids.map((id) => ({
        id,
        action: '',
        status: 'scheduling',
        failures_count: 0,
        total_duration_ms: 0,
    }));
    const operations = await settle(context, started);
    context.progress({ operations });
    const done = `Waited for ${ids.length} ${ids.length === 1 ? 'operation' : 'operations'}`;
    const found = await wait_findBranch(context, operations);
    if (!found)
        return { operations, done };
    const { branch, date } = found;
    context.progress({ branch });
    const project = projectOf(context);
    const settling = settlingOf({ branch, now: context.api.clock.now(), date, made: false });
    const [endpoints, names] = await Promise.all([
        listEndpoints({ ...project, branch, settling }),
        listChoices({ ...project, branch, settling }),
    ]);
    const endpoint = readWriteEndpoint(endpoints, branch);
    // A step that reused the branch started nothing, while the run that makes it may still be at work.
    if (isUnderWay(branch, endpoint))
        operations.push(...(await waitUntilReady({ context, branch, settling })).done);
    await waitForMasking({ context, branch });
    if (!endpoint) {
        log.info(`Branch ${(0,api_text/* show */.WU)(branch.name)} has no read-write compute endpoint, and so no address`);
        return { branch, operations, done };
    }
    const addressed = await addresses({ context, branch, endpoint, settling, names });
    return { branch, operations, ...addressed, done: `${done}: branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) can be used` };
};
/**
 * The branch that is named in the step, else the one that all the operations worked on; undefined where it is gone, as it is
 * after the operations of a delete. A named branch that none of them worked on has to be there.
 */
async function wait_findBranch(context, operations) {
    const { inputs, log } = context;
    const [first, ...others] = [...new Set(operations.flatMap((one) => one.branch_id ?? []))];
    const branchId = others.length === 0 ? first : undefined;
    const deleted = branchId !== undefined && operations.some((one) => one.action === 'delete_timeline');
    if (inputs.branch_id !== undefined || inputs.branch_name !== undefined) {
        if (!deleted || (inputs.branch_id ?? branchId) !== branchId)
            return requireTarget(context);
        const found = await findTarget(context);
        if (!found)
            log.info(`Branch ${branchId} is gone, as it is after a delete`);
        return found;
    }
    if (branchId === undefined)
        return undefined;
    try {
        return await getBranch({ ...projectOf(context), branchId });
    }
    catch (error) {
        if (!(error instanceof errors/* ApiError */.hD && error.status === 404))
            throw error;
        log.info(`Branch ${branchId} is gone, as it is after a delete`);
        return undefined;
    }
}

;// CONCATENATED MODULE: ./js/commands/index.js








const commands = {
    create: create,
    get: get,
    delete: deleteCommand,
    reset: reset_reset,
    diff: diff,
    prune: prune,
    wait: wait,
    manage: manage,
};

;// CONCATENATED MODULE: ./js/report/marker.js
const marker_form = /^\s*<!-- database-branch (\S+) -->/;
function writeMarker(marker) {
    // In this encoding nothing ends an HTML comment: there is no `>` in it.
    return `<!-- database-branch ${new URLSearchParams({ ...marker })} -->`;
}
/** Whether a comment's text begins with this marker. A marker anywhere else may be a quotation. */
function hasMarker(body, marker) {
    const written = marker_form.exec(body)?.[1];
    if (written === undefined)
        return false;
    const found = new URLSearchParams(written);
    return Object.entries(marker).every(([name, value]) => found.get(name) === value);
}

;// CONCATENATED MODULE: ./js/github/comments.js


/** Comments on one page; GitHub gives no more. */
const comments_perPage = 100;
/** Times that a comment is looked for and written anew, where the answer to writing it was lost or it went away meanwhile. */
const mostRounds = 3;
const comments_read = (number) => ({
    goal: `read the comments of pull request #${number}`,
    permission: 'pull-requests: write',
});
const write = (number) => ({
    goal: `write the comment on pull request #${number}`,
    permission: 'pull-requests: write',
});
/**
 * Writes the comment, or brings the one that is there up to date, and returns its address; undefined where there is none and none
 * is to be. It is found by its marker and its author, over all pages; of several, the oldest is kept and the others go.
 */
async function keepComment(github, keep) {
    const author = await viewer(github);
    for (let round = 1;; round++) {
        const [oldest, ...younger] = await ownComments(github, { ...keep, author });
        if (!oldest && !keep.create)
            return undefined;
        try {
            for (const one of younger)
                await comments_remove(github, keep, one.id);
            if (oldest)
                return await comments_update(github, keep, oldest);
            const made = await comments_create(github, keep);
            return await comments_settle(github, { ...keep, author, made });
        }
        catch (error) {
            // The answer to a create was lost, or what was to be updated is gone: what is there now?
            const again = error instanceof github_errors/* GitHubError */.y && (error.kind === 'missing' || (error.kind === 'passing' && !oldest));
            if (!again || round >= mostRounds)
                throw error;
        }
    }
}
/** Another run may have written its own at the same moment. The older one stays, with what is known last. */
async function comments_settle(github, options) {
    const { made, ...keep } = options;
    const [oldest] = await ownComments(github, keep);
    if (!oldest || oldest.id >= made.id)
        return made.html_url;
    await comments_remove(github, keep, made.id);
    return comments_update(github, keep, oldest);
}
/** Whose token it is. The workflow's own token writes as `github-actions[bot]`. */
async function viewer(github) {
    const fallback = 'github-actions[bot]';
    try {
        const answer = await github.graphql({ goal: 'read whose token it is', permission: 'pull-requests: write' }, 'query { viewer { login } }', {});
        const { login } = answer.data.viewer ?? {};
        return typeof login === 'string' && login !== '' ? login : fallback;
    }
    catch (error) {
        // A token that GitHub rejects is rejected for what follows too, and there it is said better.
        if (error instanceof github_errors/* GitHubError */.y && error.kind !== 'passing')
            return fallback;
        throw error;
    }
}
/** GraphQL and REST do not agree on whether the name of a bot ends in `[bot]`. */
function isBy(comment, author) {
    const bare = (login) => login.replace(/\[bot\]$/, '').toLowerCase();
    const login = comment.user?.login ?? '';
    const sameKind = !author.endsWith('[bot]') || comment.user?.type === 'Bot';
    return sameKind && bare(login) === bare(author);
}
/** This token's own comments with the marker, oldest first. */
async function ownComments(github, options) {
    const { number, marker, author } = options;
    const own = [];
    for (let page = 1;; page++) {
        const answer = await github.rest(comments_read(number), (octokit, request) => octokit.rest.issues.listComments({
            owner: github.owner,
            repo: github.repo,
            issue_number: number,
            per_page: comments_perPage,
            page,
            request,
        }));
        own.push(...answer.data.filter((one) => isBy(one, author) && hasMarker(one.body ?? '', marker)));
        const more = /\brel="next"/.test(answer.headers.link ?? '');
        if (!more || answer.data.length === 0)
            return own.sort((a, b) => a.id - b.id);
    }
}
async function comments_create(github, { number, body }) {
    // A second comment is worse than a second look: where the answer is lost, the next round looks for it first.
    const answer = await github.rest({ ...write(number), repeat: false }, (octokit, request) => octokit.rest.issues.createComment({ owner: github.owner, repo: github.repo, issue_number: number, body, request }));
    return answer.data;
}
async function comments_update(github, { number, body }, comment) {
    if (comment.body === body)
        return comment.html_url;
    const answer = await github.rest(write(number), (octokit, request) => octokit.rest.issues.updateComment({
        owner: github.owner,
        repo: github.repo,
        comment_id: comment.id,
        body,
        request,
    }));
    return answer.data.html_url;
}
async function comments_remove(github, { number }, id) {
    try {
        await github.rest(write(number), (octokit, request) => octokit.rest.issues.deleteComment({ owner: github.owner, repo: github.repo, comment_id: id, request }));
    }
    catch (error) {
        if (!(error instanceof github_errors/* GitHubError */.y && error.kind === 'missing'))
            throw error;
    }
}

;// CONCATENATED MODULE: ./js/report/markdown.js

/**
 * Breaks what GitHub makes of the text itself, after the Markdown: mentions, references and addresses. It reads entities as what
 * they stand for, so that only a character in between helps; this one has no width.
 */
const joint = '&#8203;';
/**
 * Text from outside in Markdown: one line, and inert. No markup, no HTML, no link, mention, reference or maths. What is harmless
 * stays as it is, so that names can be read and searched for in the source too.
 */
function plain(text, most = 300) {
    return ((0,api_text/* oneLine */.TN)(text, most)
        .replace(/&/g, '&amp;')
        .replace(/</g, '&lt;')
        .replace(/>/g, '&gt;')
        // At the start of a line: a heading, its underline, a list.
        .replace(/^(?:[-+=]|#(?=#*(?:\s|$)))/, entity)
        .replace(/^(\d+)([.)])(?=\s|$)/, (_, number, mark) => number + entity(mark))
        .replace(/[\\`*[\]|~$]/g, entity)
        // Within a word an underscore is no emphasis.
        .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '&#95;')
        .replace(/@/g, `@${joint}`)
        .replace(/(?<!&)#(?=\w)/g, `#${joint}`)
        .replace(/(?<![a-z\d])GH-(?=\d)/gi, (word) => word + joint)
        .replace(/:(?=\/\/)/g, `:${joint}`)
        .replace(/(?<![a-z\d])www(?=\.)/gi, (word) => word + joint));
}
function entity(character) {
    return `&#${character.charCodeAt(0)};`;
}
/** Text from outside as code. What would end Markdown's own code, or a table's cell, is written in HTML instead. */
function code(text, most = 300) {
    const line = (0,api_text/* oneLine */.TN)(text, most);
    return /[`|\\]/.test(line) || line === '' ? `<code>${plain(line, most)}</code>` : `\`${line}\``;
}
/** A table with a heading row; cells are Markdown already. */
function table(rows) {
    const line = (cells) => `| ${cells.join(' | ')} |`;
    return [line(rows.head), line(rows.head.map(() => '---')), ...rows.body.map(line)].join('\n');
}
/** Facts, one a row: what it is, and its value as Markdown. The first row is the heading, for GitHub shows an empty one as a gap. */
function factTable(rows) {
    const [first, ...others] = rows.map(([name, value]) => `| ${name} | ${value} |`);
    return [first, '| :-- | :-- |', ...others].join('\n');
}
/** `2026-12-01 18:00 UTC`; a time that cannot be read is shown as it is. */
function readable(time) {
    const ms = Date.parse(time);
    return Number.isNaN(ms) ? plain(time) : `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
/** Characters that show nothing, or turn what stands beside them around; a tab and a line feed are none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this makes visible
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** Text from outside of several lines as a block of code: its fence is longer than any that the text has. */
function fenced(text, language = '') {
    const clean = text
        .replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .replace(/\n+$/, '');
    const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(longest + 1);
    return `${fence}${language}\n${clean}\n${fence}`;
}
/** A part that is folded away; what it says in one line is Markdown's HTML already. */
function folded(line, content) {
    return `<details>\n<summary>${line}</summary>\n\n${content}\n\n</details>`;
}

;// CONCATENATED MODULE: ./js/report/diff.js



/** Lines from which a diff is folded away. */
const longDiff = 60;
/** Destructive changes that are named one by one. */
const diff_mostNamed = 25;
/** What was compared, and whether it differs, as a sentence. */
function comparison(diff, branchName) {
    const sides = `between ${code(branchName)} and its base ${code(diff.baseName)}`;
    if (diff.text === '')
        return `No schema difference ${sides}.`;
    const { added, removed } = countChanges(diff.text);
    return `Schema difference ${sides}: **${(0,api_text/* count */.U9)(added, 'line')} added, ${removed} removed**.`;
}
/** The schema difference as Markdown: what it destroys on top, then the diff itself, folded away where it is long. */
function diffSection(diff) {
    if (diff.text === '')
        return [];
    const block = fenced(diff.text, 'diff');
    const lines = diff.text.split('\n').length - 1;
    const shown = lines > longDiff ? folded(`The whole difference, ${(0,api_text/* count */.U9)(lines, 'line')}`, block) : block;
    return [...warning(diff.destructive), shown];
}
function warning(found) {
    if (found.length === 0)
        return [];
    const named = found.slice(0, diff_mostNamed).map((one) => {
        const note = one.note === '' ? '' : ` — ${plain(one.note)}`;
        return `> - ${one.does} ${code(one.to)}${note}`;
    });
    const more = found.length > named.length ? [`> - and ${found.length - named.length} more`] : [];
    const head = found.length === 1 ? 'One change destroys data, or may fail' : `${found.length} changes destroy data, or may fail`;
    return [['> [!CAUTION]', `> **${head} where there are rows:**`, '>', ...named, ...more].join('\n')];
}

;// CONCATENATED MODULE: ./js/report/comment.js



/** Where people look at the public service's branches. Another deployment's console is nowhere that could be known. */
const publicService = 'https://console.neon.tech/api/v2';
const publicConsole = 'https://console.neon.tech/app/projects';
/** The comment that a run leaves on its pull request, with the marker by which the next one finds it. */
function commentOf(facts) {
    const { result, projectId, branchName } = facts;
    const marker = result.diff
        ? { kind: 'diff', project: projectId, of: result.diff.database }
        : { kind: 'branch', project: projectId, of: branchName };
    const parts = result.diff ? aboutDiff(facts, result.diff) : aboutBranch(facts);
    return { marker, body: [writeMarker(marker), ...parts, footer(facts)].join('\n\n') };
}
function aboutDiff({ branchName }, diff) {
    return [`### Schema of database ${code(diff.database)}`, comparison(diff, branchName), ...diffSection(diff)];
}
function aboutBranch(facts) {
    const { result, branchName, command } = facts;
    const { branch } = result;
    const title = `### Database branch ${code(branchName)}`;
    if (command === 'delete' || !branch) {
        const id = branch ? ` (${code(branch.id)})` : '';
        return [title, `The branch${id} ${result.deleted ? 'was deleted' : 'is gone'}.`];
    }
    const link = consoleLink(facts, branch.id);
    const rows = [
        ['Branch', `${code(branch.id)}${link ? ` · [open in the console](${link})` : ''}`],
        [
            'Copied from',
            result.parentName
                ? code(result.parentName)
                : branch.parent_id
                    ? code(branch.parent_id)
                    : 'nothing: it is a root branch',
        ],
        ['Lives until', branch.expires_at ? `${readable(branch.expires_at)}, or until it is deleted` : 'it is deleted'],
        ['Last change', lastChange(facts)],
    ];
    return [title, factTable(rows)];
}
function lastChange({ result, command, now }) {
    const what = result.created
        ? 'created'
        : command === 'reset' || /^Reset/.test(result.done)
            ? 'reset'
            : 'reused as it is';
    return `${what}, ${readable(new Date(now).toISOString())}`;
}
function consoleLink({ apiHost, projectId }, branchId) {
    return apiHost === publicService ? `${publicConsole}/${projectId}/branches/${branchId}` : undefined;
}
/** The address of a run's page, where its summaries are. */
function runUrl({ repository, runId, runAttempt, github }) {
    if (repository === '' || runId === '')
        return undefined;
    const attempt = /^\d+$/.test(runAttempt) && runAttempt !== '1' ? `/attempts/${runAttempt}` : '';
    return `${github.server}/${repository}/actions/runs/${runId}${attempt}`;
}
function footer({ event, command }) {
    const url = runUrl(event);
    const by = url ? `[this run](${url})` : 'a run';
    const sha = event.pullRequest?.headSha || event.sha;
    const commit = /^[0-9a-f]{7,64}$/.test(sha) ? ` for commit ${sha.slice(0, 7)}` : '';
    return `<sub>Written by ${by} of \`command: ${plain(command)}\`${commit}.</sub>`;
}

;// CONCATENATED MODULE: ./js/report/cut.js
/**
 * Markdown that is no larger than `limit`: a longer one is cut at the end of a line, what the cut leaves open is closed, and
 * `note` says that it was cut. `size` measures in what the limit counts, and must be additive.
 */
function cutToFit(markdown, options) {
    const { limit, size, note } = options;
    if (size(markdown) <= limit)
        return markdown;
    const lines = markdown.split('\n');
    let open = { fence: '', folded: 0 };
    let used = 0;
    let kept = 0;
    let end = ending(open, note);
    for (const [index, line] of lines.entries()) {
        used += size(`${line}\n`);
        if (used > limit)
            break;
        open = after(open, line);
        const closing = ending(open, note);
        // A line that leaves no room for the note may be followed by none that does.
        if (used + size(closing) > limit)
            continue;
        kept = index + 1;
        end = closing;
    }
    if (size(end) > limit)
        return '';
    return [...lines.slice(0, kept), end].join('\n');
}
/** What closes everything that is open, and the note. */
function ending({ fence, folded }, note) {
    return [fence && `${fence}\n`, '\n</details>\n'.repeat(folded), `\n${note}\n`].join('');
}
function after({ fence, folded }, line) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence !== '') {
        const closes = mark && mark[1]?.[0] === fence[0] && (mark[1]?.length ?? 0) >= fence.length && mark[2]?.trim() === '';
        return { fence: closes ? '' : fence, folded };
    }
    if (mark?.[1])
        return { fence: mark[1], folded };
    if (line.startsWith('<details>'))
        return { fence, folded: folded + 1 };
    return { fence, folded: line.startsWith('</details>') ? Math.max(0, folded - 1) : folded };
}

;// CONCATENATED MODULE: ./js/comment.js








/** The most that GitHub takes as a comment, in characters. */
const longestComment = 65_536;
const commented = ['create', 'reset', 'delete', 'diff'];
/**
 * Keeps the comment on the pull request up to date after a command has ended well. It never throws: what the command did is done,
 * whether it can be told or not. `redact` takes every secret out of a text.
 */
async function writeComment(options) {
    const { context, result, redact } = options;
    const { inputs, event, log, command } = context;
    if (!inputs.comment || !commented.includes(command))
        return {};
    const number = event.pullRequest?.number;
    if (number === undefined) {
        log.info(`\`comment: true\`, but event ${event.name} is about no pull request: there is nothing to comment on`);
        return {};
    }
    // By its ID alone, a branch that is gone has no name any more by which its comment could be found.
    const branchName = result.branch?.name ?? (inputs.branch_id === undefined ? targetName(context) : inputs.branch_name);
    if (branchName === undefined)
        return {};
    try {
        const named = await withParentName(context, result);
        const { marker, body } = commentOf({
            command,
            result: { ...result, ...named },
            event,
            projectId: inputs.project_id ?? '',
            apiHost: inputs.api_host,
            branchName,
            now: context.api.clock.now(),
        });
        const url = runUrl(event);
        const fitting = cutToFit(redact(body), {
            limit: longestComment,
            size: (text) => text.length,
            note: `_GitHub takes no longer comment. The whole is in the ${url ? `[summary of the run](${url})` : 'summary of the run'}._`,
        });
        const commentUrl = await withGitHub(context, (github) => 
        // Of a branch that was gone already there is nothing new to tell where nothing was told.
        keepComment(github, { number, marker, body: fitting, create: command !== 'delete' || result.deleted }));
        if (commentUrl !== undefined)
            log.info(`The comment on pull request #${number} is up to date: ${commentUrl}`);
        return { ...named, ...(commentUrl === undefined ? {} : { commentUrl }) };
    }
    catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const fork = event.pullRequest?.fork
            ? ' In runs for pull requests from forks, GitHub lets the token read only.'
            : '';
        log.warning(`The comment is not up to date. ${why}${fork}`, 'Database Branch: comment');
        return {};
    }
}
/** The parent's name, which tells people more than its ID. */
async function withParentName(context, result) {
    const { branch, parentName } = result;
    if (parentName !== undefined)
        return { parentName };
    if (branch?.parent_id === undefined || context.command === 'delete')
        return {};
    try {
        return { parentName: (await getBranch({ ...projectOf(context), branchId: branch.parent_id })).branch.name };
    }
    catch (error) {
        if (error instanceof errors/* ApiError */.hD)
            return {};
        throw error;
    }
}

;// CONCATENATED MODULE: ./js/commands/names.js
/** Every command but `auto`, which picks one of them. */
const commandNames = ['create', 'get', 'reset', 'delete', 'diff', 'prune', 'wait', 'manage'];

;// CONCATENATED MODULE: ./js/inputs-together.js




/** The service deletes a branch at most this long after its expiry was set, in milliseconds. */
const longestExpiry = 30 * 86_400_000;
const aboutOneBranch = ['create', 'get', 'reset', 'delete', 'diff'];
/**
 * Faults of inputs beside each other: conflicts, and what a command needs. One line each. What a command needs is not looked at
 * where nobody can tell which one is meant.
 */
function checkTogether(options) {
    const { inputs, command, event, now } = options;
    const faults = [];
    // An input that was given and is faulty has no value, not even `undefined`.
    const isGiven = (name) => !(name in inputs) || inputs[name] !== undefined;
    const both = (one, other) => {
        if (isGiven(one) && isGiven(other)) {
            faults.push(`${one} and ${other}: got both, takes one of the two at most`);
        }
    };
    both('expires_at', 'expires_in');
    both('parent_timestamp', 'parent_lsn');
    if (inputs.expires_in !== undefined && inputs.expires_in > longestExpiry) {
        faults.push('expires_in: got more than 30 days, takes 30d at most');
    }
    if (inputs.expires_at !== undefined && inputs.expires_at <= now) {
        faults.push(`expires_at: got ${toSeconds(inputs.expires_at)}, which is past; takes a time to come`);
    }
    if (inputs.expires_at !== undefined && inputs.expires_at > now + longestExpiry) {
        faults.push(`expires_at: got ${toSeconds(inputs.expires_at)}, takes a time at most 30 days ahead`);
    }
    if (inputs.min_cu !== undefined && inputs.max_cu !== undefined && inputs.min_cu > inputs.max_cu) {
        faults.push(`min_cu and max_cu: got ${inputs.min_cu} and ${inputs.max_cu}, takes a min_cu that is not above max_cu`);
    }
    if (!isGiven('project_id') && command !== 'manage') {
        faults.push("project_id: is empty, takes the project's ID, such as shiny-wind-028834, from its settings");
    }
    if (command === undefined)
        return faults;
    if (aboutOneBranch.includes(command)) {
        if (!isGiven('branch_id') && !isGiven('branch_name') && branchNameOf(event) === undefined) {
            faults.push(`branch_name: is empty, and event ${(0,api_text/* show */.WU)(event.name)} names no pull request or git ref to take a name from`);
        }
    }
    faults.push(...(checksByCommand[command]?.(inputs, event) ?? []));
    return faults;
}
const checksByCommand = {
    create(inputs) {
        const faults = [];
        const expires = inputs.expires_at !== undefined || inputs.expires_in !== undefined;
        if (inputs.protected && expires) {
            faults.push('protected and expires_at / expires_in: got both, but the service lets no protected branch expire');
        }
        if (inputs.protected && inputs.ephemeral) {
            faults.push('protected and ephemeral: got both, but a protected branch is never deleted by `ephemeral`');
        }
        if (inputs.masking_rules !== undefined && inputs.branch_type === 'schema-only') {
            faults.push('masking_rules and branch_type: got rules and schema-only, but a branch without rows has nothing to mask');
        }
        if (inputs.on_limit === 'prune')
            faults.push(...needsToken(inputs, '`on_limit: prune`'));
        if (inputs.masking_rules !== undefined && inputs.if_exists === 'reset') {
            faults.push("masking_rules and if_exists: got rules and reset, but a reset brings the parent's rows back unmasked");
        }
        return faults;
    },
    prune: (inputs) => needsToken(inputs, '`command: prune`'),
    wait(inputs) {
        // An empty list is what a step gives that reused its branch: there is nothing to wait for, and that is fine.
        const missing = 'operation_ids' in inputs && inputs.operation_ids === undefined;
        return missing
            ? ['operation_ids: is empty, takes the output `operation_ids` of the step that ran with `wait: false`']
            : [];
    },
    manage: (inputs, event) => checkManage({ inputs, event }),
};
/** What asks GitHub about pull requests cannot do without a token; whoever has given a faulty one has been told already. */
function needsToken(inputs, what) {
    if (!('github_token' in inputs) || inputs.github_token !== undefined)
        return [];
    return [
        `github_token: is empty, takes a token that may read pull requests (\`pull-requests: read\`), whose state ${what} asks for`,
    ];
}

;// CONCATENATED MODULE: ./js/request-path.js

/** What a path and a query have as it is; `{name}` stands for what another input says. */
const request_path_placeholder = /\{[a-z_]+\}/.source;
const escaped = /%[0-9a-f]{2}/.source;
const inPath = new RegExp(`${request_path_placeholder}|${escaped}|[\\w.~!$&'()*+,;=:@/-]`, 'iy');
const inQuery = new RegExp(`${request_path_placeholder}|${escaped}|[\\w.~!$&'()*+,;=:@/?-]`, 'iy');
/**
 * A path below the base URL, with its query: without `..`, and never to another origin. Characters that must be encoded are; what
 * is encoded already stays.
 */
function requestPath(raw) {
    const takes = 'a path below the base URL, such as /projects/shiny-wind-028834/branches, without ..';
    const whole = raw.startsWith('/') ? raw : `/${raw}`;
    // Split before it is decoded: a `%3F` is no question mark, and what stands behind it is still path.
    const mark = whole.indexOf('?');
    const [route, query] = mark < 0 ? [whole, undefined] : [whole.slice(0, mark), whole.slice(mark + 1)];
    if (isConnectionString(raw))
        throw new Fault(takes, 'a connection string (not shown)');
    if (/^[a-z][a-z0-9+.-]*:/i.test(raw) || whole.startsWith('//'))
        throw new Fault(takes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a URL parser would drop some of these without a word
    if (/[\u0000-\u001f\u007f\\]/.test(whole) || !whole.isWellFormed())
        throw new Fault(takes);
    const path = encodeExcept(route, inPath);
    // Dots are dots however they are written, also behind an encoded slash or backslash.
    const parts = decoded(decoded(path)).split(/[/\\]/);
    if (parts.some((part) => part === '.' || part === '..'))
        throw new Fault(takes);
    return query === undefined ? path : `${path}?${encodeExcept(query, inQuery)}`;
}
function encodeExcept(text, kept) {
    let encoded = '';
    for (let at = 0; at < text.length;) {
        kept.lastIndex = at;
        const part = kept.exec(text)?.[0];
        const character = part ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
        encoded += part ?? encodeURIComponent(character);
        at += character.length;
    }
    return encoded;
}
/** Percent-decoding, each escape by itself: what is no character of ASCII stays as it is. */
function decoded(text) {
    return text.replace(/%[0-7][0-9a-f]/gi, (one) => decodeURIComponent(one));
}

;// CONCATENATED MODULE: ./js/inputs.js








/** An input that may be left out. */
const given = (parse) => (source, name) => {
    const raw = source.getInput(name);
    return raw === '' ? undefined : parse(raw);
};
/** An input that is never trimmed, because its value is the user's own name for something. */
const verbatim = (parse) => (source, name) => {
    const raw = source.getInput(name, { trimWhitespace: false });
    return raw.trim() === '' ? undefined : parse(raw);
};
/** An input with a default, which also stands in for an empty value. The same default stands in `action.yml`. */
const or = (fallback, parse) => (source, name) => parse(source.getInput(name) || fallback);
const flag = (fallback) => (source, name) => {
    if (source.getInput(name) === '')
        return fallback;
    try {
        return source.getBooleanInput(name);
    }
    catch {
        throw new Fault('true or false');
    }
};
/** Every input, and how it is read. */
const readers = {
    api_key: given(credential),
    project_id: given(projectId),
    api_host: or('https://console.neon.tech/api/v2', apiHost),
    command: or('auto', choice('auto', ...commandNames)),
    branch_name: verbatim(branchName),
    branch_id: given(branchId),
    parent_branch: verbatim(branchName),
    parent_timestamp: given(timestamp),
    parent_lsn: given(lsn),
    branch_type: or('default', choice('default', 'schema-only')),
    if_exists: or('reuse', choice('reuse', 'reset', 'fail')),
    on_limit: or('fail', choice('fail', 'prune', 'wait')),
    expires_at: given(time),
    expires_in: given(span),
    protected: flag(false),
    database: given(values_text),
    role: given(values_text),
    suspend_timeout: given(suspendTimeout),
    min_cu: given(computeUnits),
    max_cu: given(computeUnits),
    preserve_under_name: verbatim(branchName),
    masking_rules: given(maskingRules),
    ssl: or('require', choice('require', 'verify-ca', 'verify-full', 'omit')),
    prisma: flag(false),
    get_auth_url: flag(false),
    get_data_api_url: flag(false),
    export_env: flag(false),
    check_connection: flag(false),
    ephemeral: flag(false),
    hard_delete: flag(false),
    base_branch: verbatim(branchName),
    older_than: given(span),
    branch_pattern: given(glob),
    dry_run: flag(false),
    operation_ids: given(ids),
    resource: given(values_text),
    resource_id: given(values_text),
    verb: given(choice('create', 'update', 'delete', 'get', 'list', 'query')),
    body: given(json),
    method: given((raw) => choice('GET', 'POST', 'PUT', 'PATCH', 'DELETE')(raw.toUpperCase())),
    path: given(requestPath),
    on_missing_key: or('fail', choice('fail', 'skip')),
    wait: flag(true),
    timeout: or('10m', timeout),
    comment: flag(false),
    summary: flag(true),
    github_token: given(credential),
};
const inputNames = Object.keys(readers);
/** Inputs that hold a secret from the start. */
const secretInputs = ['api_key', 'github_token'];
/** All that is wrong with the inputs, in one message. */
class InputError extends Error {
    name = 'InputError';
    faults;
    /** Whether the job summary is wanted, as far as that can be told. */
    summary;
    constructor(faults, inputs) {
        const what = faults.length === 1 ? 'One input is not as it should be' : `${faults.length} inputs are not as they should be`;
        super(`${what}:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
        this.faults = faults;
        this.summary = inputs.summary ?? true;
    }
}
/**
 * Reads every input, each by itself. Secrets are handed to `mask` before they are looked at. Of an input with a fault there is
 * no value, not even `undefined`.
 */
function readInputs(options) {
    const { source, mask } = options;
    for (const name of inputNames) {
        const raw = source.getInput(name);
        if (secretInputs.includes(name))
            mask(raw);
        else
            maskUris(raw, mask);
    }
    const faults = [];
    const inputs = {};
    for (const name of inputNames) {
        try {
            inputs[name] = readers[name](source, name);
        }
        catch (error) {
            if (!(error instanceof Fault))
                throw error;
            faults.push(`${name}: got ${error.got ?? (0,api_text/* show */.WU)(source.getInput(name))}, takes ${error.message}`);
        }
    }
    maskSecrets(inputs.body, mask);
    return { inputs: inputs, faults };
}
/**
 * Reads and checks every input once, before any request. Throws an `InputError` that names every fault at once.
 */
function loadInputs(options) {
    const { source, event, now, mask } = options;
    const { inputs, faults } = readInputs({ source, mask });
    const missingKey = source.getInput('api_key') === '';
    const command = inputs.command === 'auto' ? commandOf(event) : inputs.command;
    if (missingKey && inputs.on_missing_key === 'skip') {
        const known = command === undefined || command instanceof Fault ? 'auto' : command;
        return { skip: `There is no api_key${whyMissing(event)}`, command: known, summary: inputs.summary ?? true };
    }
    if (missingKey)
        faults.push(missingKeyFault(event));
    if (command instanceof Fault)
        faults.push(command.message);
    faults.push(...checkTogether({ inputs, command: command instanceof Fault ? undefined : command, event, now }));
    if (faults.length > 0 || command === undefined || command instanceof Fault)
        throw new InputError(faults, inputs);
    return { inputs: inputs, command };
}
/** What `auto` does for an event. */
function commandOf(event) {
    switch (event.name) {
        case 'pull_request':
        case 'pull_request_target':
            return event.action === 'closed' ? 'delete' : 'create';
        case 'delete':
            if (event.refType !== 'tag')
                return 'delete';
            return new Fault("command: auto has nothing to do when a git tag is deleted; give the job `if: github.event.ref_type == 'branch'`");
        case 'schedule':
            return new Fault('command: auto has nothing to do on a schedule; set `command: prune` to delete what was left behind, or another command');
        default:
            return 'create';
    }
}
function whyMissing(event) {
    if (event.pullRequest?.fork)
        return ', because GitHub gives no secrets to pull requests from forks';
    if (isDependabot(event))
        return ', because GitHub gives Dependabot its own secrets only';
    return '';
}
function missingKeyFault(event) {
    const skip = 'Set `on_missing_key: skip` to end well without a branch in such runs';
    if (event.pullRequest?.fork) {
        return `api_key: is empty${whyMissing(event)}. ${skip}, or run trusted work on \`pull_request_target\` without checking out the fork's code`;
    }
    if (isDependabot(event)) {
        return `api_key: is empty${whyMissing(event)}. Add the key under Settings > Secrets and variables > Dependabot too. ${skip}`;
    }
    return 'api_key: is empty, takes an API key of the service. Is the secret named as in the workflow, and may this repository and environment read it?';
}

// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
;// CONCATENATED MODULE: ./js/secrets.js


/** What stands in place of a secret. */
const secrets_stars = '***';
function createSecrets() {
    const known = new Set();
    const hidden = new Set();
    const add = (secret) => {
        if (secret.trim() === '')
            return [];
        const forms = [secret, secret.trim(), encodeURIComponent(wellFormed(secret)), decode(secret)];
        const fresh = [...new Set(forms)].filter((form) => form !== '' && !known.has(form));
        for (const form of fresh)
            known.add(form);
        for (const form of [...forms, ...disguises(secret)])
            hidden.add(form);
        return fresh;
    };
    return {
        add,
        redact(text) {
            const found = [];
            maskUris(text, (secret) => found.push(secret));
            const forms = [...hidden, ...found].filter(Boolean);
            // All places are looked for in the text as it came: taking one out could hide what is left of another that overlaps it.
            return withStars(text, [...forms.flatMap((form) => placesOf(form, text)), ...beginnings(text, forms)]);
        },
    };
}
function placesOf(form, text) {
    const places = [];
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
        places.push([at, at + form.length]);
    return places;
}
function withStars(text, places) {
    let clean = '';
    let done = 0;
    for (const [start, end] of places.sort(([a], [b]) => a - b)) {
        // One that overlaps the last is hidden by the same stars.
        if (start >= done)
            clean += text.slice(done, start) + secrets_stars;
        done = Math.max(done, end);
    }
    return clean + text.slice(done);
}
/** What is shorter, a line or the beginning of a secret, is no secret by itself. */
const shortestPart = 4;
/** The other forms in which a text may show a secret: on one line, quoted, encoded as other libraries do it, line by line. */
function disguises(secret) {
    const address = new URL('postgresql://host');
    address.password = secret;
    const lines = secret.split(/\r\n|\r|\n/).map((line) => line.trim());
    // What stands behind the secret tells whether a colon in it might be a command.
    const flat = [(0,api_text/* oneLine */.TN)(secret, secret.length), (0,api_text/* oneLine */.TN)(`${secret}x::`, secret.length * 2).replace(/x::$/, '')];
    return [
        ...flat,
        ...[secret, ...flat].map((form) => JSON.stringify(form).slice(1, -1)),
        address.password,
        encodeURIComponent(wellFormed(secret)).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
        ...(lines.length > 1 ? lines.filter((line) => line.length >= shortestPart) : []),
    ];
}
/** Where a text that was cut off ends in the beginning of a secret. */
function beginnings(text, forms) {
    return placesOf('…', text).flatMap(([cut]) => forms.flatMap((form) => {
        for (let length = Math.min(form.length, cut); length >= shortestPart; length--) {
            if (text.endsWith(form.slice(0, length), cut))
                return [[cut - length, cut]];
        }
        return [];
    }));
}
/** Half a surrogate pair has no encoding. */
function wellFormed(text) {
    return text.toWellFormed();
}

;// CONCATENATED MODULE: ./js/outputs.js







/**
 * The runner's side: the only file that masks, and that writes outputs, environment, state, summary and log. A secret is
 * masked before anything else happens to it, and no text goes out that holds one.
 */
const secrets = createSecrets();
function mask(secret) {
    for (const form of secrets.add(secret))
        core.setSecret(form);
}
/** One line in the log. Text from outside comes out inert. */
const log = {
    info: (line) => core.info(clean(line)),
    debug: (line) => core.debug(clean(line)),
    notice: (line, title) => core.notice(clean(line), { title }),
    warning: (line, title = 'Database Branch') => core.warning(clean(line), { title }),
};
/** Ends the step as failed, with an annotation. */
function fail(message) {
    process.exitCode = 1;
    core.error(redact(message).split('\n').map(clean).join('\n'), { title: 'Database Branch' });
}
/** Redacted twice: a cut may leave half a secret, and what `oneLine` takes out may have hidden one. */
function clean(line) {
    return secrets.redact((0,api_text/* oneLine */.TN)(secrets.redact(line), 4_000));
}
/** A text of several lines without a secret in it, for summary and comment. */
function redact(text) {
    return secrets.redact(text);
}
const outputNames = (/* unused pure expression or super */ null && ([
    'command',
    'skipped',
    'branch_id',
    'branch_name',
    'parent_id',
    'expires_at',
    'created',
    'deleted',
    'db_url',
    'db_url_pooled',
    'db_host',
    'db_host_pooled',
    'database',
    'role',
    'password',
    'auth_url',
    'data_api_url',
    'operation_ids',
    'schema_diff',
    'schema_changed',
    'comment_url',
    'pruned',
    'response',
    'status',
    'response_path',
]));
/** Writes the outputs of a run, of a failed one too as far as it came; what has no value is left out. */
function writeOutputs(options) {
    const { command, result } = options;
    const { branch, connection } = result;
    if (connection)
        for (const secret of [connection.password, connection.uri, connection.pooledUri])
            mask(secret);
    const values = {
        command,
        skipped: String(result.skipped),
        branch_id: branch?.id,
        branch_name: branch?.name,
        parent_id: branch?.parent_id,
        expires_at: branch?.expires_at,
        created: String(result.created),
        deleted: String(result.deleted),
        db_url: connection?.uri,
        db_url_pooled: connection?.pooledUri,
        db_host: connection?.host,
        db_host_pooled: connection?.pooledHost,
        database: connection?.database,
        role: connection?.role,
        password: connection?.password,
        auth_url: result.authUrl,
        data_api_url: result.dataApiUrl,
        operation_ids: result.operationIds && JSON.stringify(result.operationIds),
        schema_diff: result.diff?.text,
        schema_changed: result.diff && String(result.diff.text !== ''),
        comment_url: result.commentUrl,
        pruned: result.pruned &&
            JSON.stringify(result.pruned.filter(isPruned).map(({ id, name, reason }) => ({ id, name, reason }))),
        ...responseOutputs(result.response),
    };
    for (const [name, value] of Object.entries(values)) {
        if (value !== undefined)
            core.setOutput(name, value);
    }
}
/** Whether this run has deleted a branch, or in a dry run would have. */
function isPruned({ outcome }) {
    return outcome === 'deleted' || outcome === 'planned';
}
/** The most that an output takes, in bytes. */
const largestOutput = 1_000_000;
/** A body that is too large for an output goes to a file that only this user can read. */
function responseOutputs(response) {
    if (!response)
        return { response: undefined, status: undefined, response_path: undefined };
    const status = String(response.status);
    if (Buffer.byteLength(response.body) <= largestOutput) {
        return { response: response.body, status, response_path: undefined };
    }
    const path = (0,external_node_path_.join)((0,external_node_fs_.mkdtempSync)((0,external_node_path_.join)(process.env.RUNNER_TEMP || (0,external_node_os_.tmpdir)(), 'response-')), 'response.json');
    (0,external_node_fs_.writeFileSync)(path, response.body, { mode: 0o600 });
    return { response: '', status, response_path: path };
}
/** Sets the usual variables for the steps that follow. */
function exportEnvironment(result) {
    const { connection } = result;
    if (!connection)
        return;
    for (const secret of [connection.password, connection.uri, connection.pooledUri])
        mask(secret);
    const values = {
        DATABASE_URL: connection.pooledUri,
        DATABASE_URL_UNPOOLED: connection.uri,
        PGHOST: connection.pooledHost,
        PGHOST_UNPOOLED: connection.host,
        PGPORT: connection.port,
        PGUSER: connection.role,
        PGDATABASE: connection.database,
        PGPASSWORD: connection.password,
    };
    for (const [name, value] of Object.entries(values))
        core.exportVariable(name, value);
}
/** The most that GitHub shows of one step's summary, in bytes. */
const longestSummary = 1024 * 1024;
/** Appends to the job summary; a summary that cannot be written is worth a warning and no more. */
async function writeSummary(markdown) {
    const path = process.env.GITHUB_STEP_SUMMARY;
    if (!path)
        return;
    try {
        const there = (0,external_node_fs_.existsSync)(path) ? (0,external_node_fs_.statSync)(path).size : 0;
        const fitting = cutToFit(redact(markdown), {
            // A line feed comes behind it.
            limit: longestSummary - there - external_node_os_.EOL.length,
            size: Buffer.byteLength,
            note: '_GitHub shows 1 MiB of a summary at most; the rest is cut._',
        });
        if (fitting !== '')
            await core.summary.addRaw(fitting, true).write();
    }
    catch (error) {
        log.warning(`Could not write the job summary: ${error instanceof Error ? error.message : error}`);
    }
}
/** Keeps a value for the post step. */
function saveState(name, value) {
    core.saveState(name, value);
}
function readState(name) {
    return core.getState(name);
}

;// CONCATENATED MODULE: ./js/stop.js



/**
 * A signal that aborts after `timeoutMs`, or when the runner cancels the step: it sends SIGINT, SIGTERM 7.5 s later, and kills
 * 2.5 s after that. The first is enough to end every pause and request; the second one ends the process.
 */
function createStop(options) {
    const { timeoutMs, clock } = options;
    const controller = new AbortController();
    const timer = setTimeout(() => {
        controller.abort(new errors/* StoppedError */.Ko('timeout', options.what ?? `The time for the step is over (\`timeout\`, ${(0,api_text/* duration */.p0)(timeoutMs)})`));
    }, timeoutMs);
    const cancel = (name) => {
        if (controller.signal.aborted)
            process.exit(name === 'SIGINT' ? 130 : 143);
        controller.abort(new errors/* StoppedError */.Ko('cancelled', `The step was cancelled (${name})`));
    };
    process.on('SIGINT', cancel);
    process.on('SIGTERM', cancel);
    setDeadline(controller.signal, clock.now() + timeoutMs);
    return {
        signal: controller.signal,
        clear() {
            clearTimeout(timer);
            process.off('SIGINT', cancel);
            process.off('SIGTERM', cancel);
        },
    };
}

;// CONCATENATED MODULE: ./js/session.js




/** Longest and shortest time for one try of a request, in milliseconds; in between it is a quarter of the step's time. */
const session_attempt = { longest: 30_000, shortest: 1_000 };
/** Gives `work` a client of the service that ends with the step's time or its cancellation, and closes it afterwards. */
async function withService(options, work) {
    const { inputs } = options;
    const stop = createStop({ timeoutMs: inputs.timeout, clock: systemClock });
    let api;
    try {
        api = createClient({
            baseUrl: inputs.api_host,
            apiKey: inputs.api_key ?? '',
            signal: stop.signal,
            attemptMs: Math.max(session_attempt.shortest, Math.min(session_attempt.longest, inputs.timeout / 4)),
            mask: mask,
            onRetry: log.info,
            onTrace: log.debug,
        });
        return await work(api);
    }
    finally {
        // Also where there is no client, because a proxy's address is wrong say: the timer would keep the process.
        stop.clear();
        await api?.close();
    }
}

;// CONCATENATED MODULE: ./js/post.js











const stateName = 'ephemeral';
const title = 'Database Branch: ephemeral';
/** How long a branch may still appear whose create was cut off before its answer, in milliseconds. */
const appearsWithinMs = 20_000;
/** How long a branch whose create was answered may be unknown, in milliseconds. */
const settledWithinMs = 3_000;
/** Keeps what the post step needs to delete the branch again. Called before the create is sent, and once it is answered. */
function remember(options) {
    const { inputs, event, branch } = options;
    if (!inputs.ephemeral)
        return;
    const promised = {
        branchName: branch.name,
        ...(branch.id === undefined ? {} : { branchId: branch.id }),
        runId: event.runId,
        create: branch.create,
    };
    saveState(stateName, JSON.stringify(promised));
}
/** What `ephemeral` promised. Never fails the job, and says why it did nothing. */
async function post() {
    const state = readState(stateName);
    if (state === '')
        return;
    let what = 'the branch of this run';
    try {
        const promised = JSON.parse(state);
        what = `branch ${(0,api_text/* show */.WU)(promised.branchName)}${promised.branchId ? ` (${promised.branchId})` : ''}`;
        if (promised.create === 'refused') {
            log.info(`The create of the ephemeral ${what} was refused; there is nothing to delete`);
            return;
        }
        const event = readEvent(process.env);
        // Each input by itself: what was right together when the job began, a time to come say, need not be so any more.
        const { inputs, faults } = readInputs({ source: core, mask: mask });
        if (faults.length > 0)
            throw new InputError(faults, inputs);
        await withService({ inputs: inputs }, (api) => keepPromise({
            promised,
            context: {
                inputs: { ...inputs, wait: true },
                command: 'delete',
                event,
                api,
                log: log,
                mask: mask,
                progress: () => { },
                remember: () => { },
            },
            onFound: (branch) => {
                what = `branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id})`;
            },
        }));
    }
    catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        log.warning(`The ephemeral ${what} may be left behind; delete it by hand. ${why}`, title);
    }
}
async function keepPromise(options) {
    const { promised, context, onFound } = options;
    const { log, api } = context;
    const found = await lookFor({ ...options, api });
    if (!found) {
        log.info(`Ephemeral branch ${(0,api_text/* show */.WU)(promised.branchName)} is not there (any more); nothing to delete`);
        return;
    }
    const { branch, date } = found;
    onFound(branch);
    const madeBy = branch.annotations['github-run-id'];
    if (promised.runId === '' || madeBy !== promised.runId) {
        const by = madeBy === undefined ? 'no record of the run that made it' : `the record of run ${(0,api_text/* show */.WU)(madeBy)}`;
        log.info(`Branch ${(0,api_text/* show */.WU)(branch.name)} (${branch.id}) carries ${by}, not of this one; it is left as it is`);
        return;
    }
    guard(branch, 'deleted');
    const { done } = await deleteBranch({ context, branch, date });
    log.info(`${done} (\`ephemeral: true\`)`);
}
/** The branch, which may take a moment to appear where the run was killed before its create was answered. */
async function lookFor(options) {
    const { promised, context, api } = options;
    const until = api.clock.now() + appearsWithinMs;
    for (let pause = 250;; pause = Math.min(4_000, pause * 2)) {
        const found = await findBranchByName({ ...projectOf(context), name: promised.branchName });
        if (found)
            return found;
        if (promised.create === 'answered' || api.clock.now() >= until)
            return lookById(options);
        await api.sleep(pause);
    }
}
/** A list may still be without a branch that was made a moment ago; the branch itself tells whether it is there. */
async function lookById(options) {
    const { promised, context } = options;
    if (promised.branchId === undefined)
        return undefined;
    const project = projectOf(context);
    const until = project.api.clock.now() + settledWithinMs;
    try {
        return await getBranch({ ...project, branchId: promised.branchId, settling: { statuses: [404], until } });
    }
    catch (error) {
        if (error instanceof errors/* ApiError */.hD && error.status === 404)
            return undefined;
        throw error;
    }
}

;// CONCATENATED MODULE: ./js/report/operations.js


/** Longest bar, in characters. */
const barLength = 20;
/** Operations from which the table is folded away. */
const longTable = 12;
/** The operations that were waited for, each with how long it took, as a number and as a bar; folded away where they are many. */
function operationsSection(operations, options = {}) {
    if (operations.length === 0)
        return [];
    const longest = Math.max(1, ...operations.map((one) => one.total_duration_ms));
    const bar = (ms) => '━'.repeat(Math.max(1, Math.round((ms / longest) * barLength)));
    const whole = table({
        head: ['Operation', 'Status', 'Took', ''],
        body: operations.map((one) => [
            code(one.action),
            plain(one.status),
            (0,api_text/* duration */.p0)(one.total_duration_ms),
            bar(one.total_duration_ms),
        ]),
    });
    return [options.fold || operations.length > longTable ? folded((0,api_text/* count */.U9)(operations.length, 'operation'), whole) : whole];
}

;// CONCATENATED MODULE: ./js/report/pruned.js


/** Rows from which the table is folded away. */
const pruned_longTable = 50;
const results = {
    failed: '❌ not deleted',
    kept: 'kept',
    planned: 'would be deleted',
    gone: 'was gone already',
    deleted: 'deleted',
};
/** What has to be looked at comes first. */
const order = Object.keys(results);
/** What `prune` took, as a table: name, age, reason, result. */
function prunedSection(pruned) {
    if (pruned.length === 0)
        return [];
    const rows = [...pruned].sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
    const whole = table({
        head: ['Branch', 'Age', 'Why', 'Result'],
        body: rows.map((one) => [
            `${code(one.name)}`,
            one.ageMs === undefined ? '' : (0,api_text/* duration */.p0)(roughly(one.ageMs)),
            plain(one.reason),
            one.note === undefined ? results[one.outcome] : `${results[one.outcome]}: ${plain(one.note, 500)}`,
        ]),
    });
    const counts = order.flatMap((outcome) => {
        const number = rows.filter((one) => one.outcome === outcome).length;
        return number > 0 ? [`${number} ${results[outcome].replace('❌ ', '')}`] : [];
    });
    return [rows.length > pruned_longTable ? folded(counts.join(', '), whole) : whole];
}
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
/** An age in its largest unit alone: nobody needs the minutes of a fortnight. */
function roughly(ms) {
    const unit = ms >= 2 * day ? day : ms >= 2 * hour ? hour : ms >= minute ? minute : 1_000;
    return Math.floor(ms / unit) * unit;
}

;// CONCATENATED MODULE: ./js/report/summary.js





/** The job summary of a run, as Markdown. It holds no secret: neither a password nor a connection URI. */
function summarize(options) {
    const { command, result, failure, ms } = options;
    const parts = [`### Database branch: ${plain(command)}`];
    if (failure !== undefined)
        parts.push(`❌ **Failed** after ${(0,api_text/* duration */.p0)(ms)}: ${lines(failure)}`);
    else
        parts.push(`${plain(result.done)} in ${(0,api_text/* duration */.p0)(ms)}.`);
    const rows = factsOf(result);
    if (rows.length > 0)
        parts.push(factTable(rows));
    if (result.request?.payload !== undefined)
        parts.push(fenced(result.request.payload, 'json'));
    if (result.diff)
        parts.push(...diffSection(result.diff));
    parts.push(...prunedSection(result.pruned ?? []), 
    // After a prune they are many, and all alike.
    ...operationsSection(result.operations, { fold: command === 'prune' }));
    if (failure === undefined)
        parts.push(...next(command, result));
    return `${parts.join('\n\n')}\n`;
}
/** A failure of several lines, such as all faults of the inputs, as a list below its first one. */
function lines(failure) {
    const [first = '', ...items] = failure.split('\n').map((line) => plain(line.replace(/^- /, ''), 2_000));
    return [first, ...(items.length > 0 ? ['', ...items.map((item) => `- ${item}`)] : [])].join('\n');
}
function factsOf(result) {
    const { branch, connection, diff, request, response } = result;
    const all = [
        ['Branch', branch && code(branch.name)],
        ['ID', branch && code(branch.id)],
        ['Parent', result.parentName ? code(result.parentName) : branch?.parent_id && code(branch.parent_id)],
        ['Host', connection && code(connection.host)],
        ['Pooled host', connection && code(connection.pooledHost)],
        ['Compared with', diff && code(diff.baseName)],
        ['Database', (connection && code(connection.database)) ?? (diff && code(diff.database))],
        ['Role', connection && code(connection.role)],
        ['Request', request && code(`${request.method} ${request.path}`)],
        ['Where', request?.note && plain(request.note)],
        ['Status', response && plain(String(response.status))],
        ['Expires', branch && !result.deleted ? (branch.expires_at ? readable(branch.expires_at) : 'never') : undefined],
        ['Comment', result.commentUrl ? `[on the pull request](${result.commentUrl})` : undefined],
    ];
    return all.flatMap(([name, value]) => (value ? [[name, value]] : []));
}
/** What to do next with what is there now. */
function next(command, result) {
    const { branch, connection, pruned = [], diff } = result;
    if (connection && branch) {
        return [
            `**Next:** later steps of this job connect with the outputs \`db_url_pooled\` and \`db_url\`. Another job gets them with \`command: get\` and \`branch_id: ${branch.id}\`.`,
        ];
    }
    if (pruned.some((one) => one.outcome === 'planned')) {
        return ['**Next:** nothing was deleted. Run it without `dry_run: true` to delete them.'];
    }
    if (command === 'diff' && diff && diff.destructive.length > 0) {
        return ['**Next:** look at the changes above that destroy before they reach a branch whose rows matter.'];
    }
    return [];
}

;// CONCATENATED MODULE: ./js/result.js
function emptyResult() {
    return { done: '', skipped: false, created: false, deleted: false, operations: [] };
}

;// CONCATENATED MODULE: ./js/main.js












/** Inputs → command → outputs. The one place where an error becomes a failed step. */
async function main() {
    let result = emptyResult();
    let command = 'auto';
    let inputs;
    let failure;
    let wantsSummary = true;
    const started = systemClock.now();
    try {
        const event = readEvent(process.env);
        const settings = loadInputs({ source: core, event, now: started, mask: mask });
        command = settings.command;
        wantsSummary = 'skip' in settings ? settings.summary : settings.inputs.summary;
        if ('skip' in settings) {
            result = { ...result, skipped: true, done: settings.skip };
            log.notice(`${settings.skip}; skipped (\`on_missing_key: skip\`)`, 'Database Branch: skipped');
        }
        else {
            inputs = settings.inputs;
            log.info(`Command ${command}${inputs.project_id ? ` in project ${inputs.project_id}` : ''} at ${inputs.api_host}`);
            result = await run({
                command: settings.command,
                inputs,
                event,
                progress: (done) => (result = { ...result, ...done }),
            });
            log.notice(result.done, `Database Branch: ${command}`);
        }
    }
    catch (error) {
        if (error instanceof InputError)
            wantsSummary = error.summary;
        // Redacted before anything is made of it: Markdown would write a secret in a form that nobody looks for.
        failure = redact(explain(error, { inputs, result }));
        fail(failure);
    }
    writeOutputs({ command, result });
    if (failure === undefined && inputs?.export_env)
        exportEnvironment(result);
    if (wantsSummary)
        await writeSummary(summarize({ command, result, failure, ms: systemClock.now() - started }));
}
function run(options) {
    const { command, inputs, event, progress } = options;
    return withService({ inputs }, async (api) => {
        const context = {
            inputs,
            command,
            event,
            api,
            log: log,
            mask: mask,
            progress,
            remember: (branch) => remember({ inputs, event, branch }),
        };
        const result = progress(await commands[command](context));
        return progress(await writeComment({ context, result, redact: redact }));
    });
}
/** What happened and what to do next. Whatever is thrown, it says something. */
function explain(error, situation) {
    const message = error instanceof Error ? error.message : String(error);
    const next = advise(error, situation);
    const sentence = /[.!?]$/.test(message) || message.includes('\n') ? message : `${message}.`;
    if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) {
        log.debug(error.stack ?? '');
        return `Unexpected fault in this action: ${sentence} Please report it with the log of a run with debug logging.`;
    }
    return next ? `${sentence} ${next}` : sentence;
}

;// CONCATENATED MODULE: ./js/start.js



/** Plays the main or the post step. Whatever comes this far fails the step, and never the post step. */
async function start({ isPost }) {
    try {
        await (isPost ? post() : main());
    }
    catch (error) {
        const message = `Unexpected fault in this action: ${error instanceof Error ? error.message : String(error)}`;
        if (isPost)
            log.warning(message);
        else
            fail(message);
    }
}


/***/ })

};
