export const id = 966;
export const ids = [966];
export const modules = {

/***/ 4966:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  carryOut: () => (/* reexport */ carryOut),
  isRoot: () => (/* reexport */ isRoot),
  onlyRootTrees: () => (/* reexport */ onlyRootTrees),
  planPrune: () => (/* reexport */ planPrune)
});

// EXTERNAL MODULE: ./js/context.js
var js_context = __webpack_require__(8245);
// EXTERNAL MODULE: ./js/http/concurrent.js
var concurrent = __webpack_require__(8558);
// EXTERNAL MODULE: ./js/service/branches.js
var service_branches = __webpack_require__(528);
// EXTERNAL MODULE: ./js/http/backoff.js
var backoff = __webpack_require__(1739);
// EXTERNAL MODULE: ./js/http/errors.js
var errors = __webpack_require__(3792);
// EXTERNAL MODULE: ./js/http/pages.js
var pages = __webpack_require__(7179);
// EXTERNAL MODULE: ./js/http/shape.js
var shape = __webpack_require__(3162);
// EXTERNAL MODULE: ./js/timing/patience.js
var patience = __webpack_require__(2658);
// EXTERNAL MODULE: ./js/service/errors.js
var service_errors = __webpack_require__(5479);
// EXTERNAL MODULE: ./js/service/operations.js
var operations = __webpack_require__(9018);
// EXTERNAL MODULE: ./js/service/poll-operations.js + 2 modules
var poll_operations = __webpack_require__(1813);
// EXTERNAL MODULE: ./js/service/project.js
var project = __webpack_require__(3375);
// EXTERNAL MODULE: ./js/service/propagation-window.js
var propagation_window = __webpack_require__(7045);
// EXTERNAL MODULE: ./js/service/types.js
var types = __webpack_require__(3439);
;// CONCATENATED MODULE: ./js/service/many-operations.js











/** The most that the service puts on one page. */
const perPage = 1_000;
/** Delays between two polls, in milliseconds. */
const pollBackoff = { first: 200, growth: 1.5, longest: 5_000 };
/** Polls until many operations have ended, successfully or not. Reads them from the project's list, a thousand per request. */
async function pollManyOperations(options) {
    const { api } = options;
    const ended = { operations: [], failed: new Map() };
    const pending = new Map(options.operations.map((one) => [
        one.id,
        { last: one, failedForGood: (0,patience/* createPatience */.s)(api.clock.now()), seen: api.clock.now() },
    ]));
    for (const delay of (0,backoff/* backoff */.J)(pollBackoff)) {
        for (const [id, { last, failedForGood, seen }] of pending) {
            const now = api.clock.now();
            const isFinal = failedForGood(last, now);
            if ((0,operations/* succeeded */.gq)(last))
                ended.operations.push(last);
            else if (last.status === 'error' || last.status === 'cancelled')
                ended.failed.set(id, new service_errors/* OperationError */.OK(last));
            else if (isFinal)
                ended.failed.set(id, new service_errors/* OperationError */.OK(last, poll_operations/* notRetried */.n1));
            else if (now - seen >= propagation_window/* propagationMs */.Zs.listedOperation) {
                ended.failed.set(id, new service_errors/* OperationError */.OK(last, poll_operations/* noLongerKnown */.uN, { unknown: true }));
            }
            else
                continue;
            pending.delete(id);
        }
        const [first] = pending.values();
        if (!first)
            break;
        try {
            await api.sleep(delay);
            for (const [id, operation] of await newest(options, new Set(pending.keys()))) {
                const entry = pending.get(id);
                if (entry)
                    Object.assign(entry, { last: operation, seen: api.clock.now() });
            }
        }
        catch (error) {
            if (!(error instanceof errors/* StoppedError */.Ko))
                throw error;
            const some = pending.size === 1 ? 'operation' : `${pending.size} operations, such as`;
            throw error.while(`waiting for ${some} ${first.last.action} (${first.last.id})`);
        }
    }
    return ended;
}
/** The wanted operations as the list has them. The list is newest first, so it is read only as far as needed. */
async function newest({ api, projectId, operations }, wanted) {
    const found = new Map();
    // Others working in the project may have put some operations in between; beyond that, older ones begin.
    let pagesLeft = Math.ceil(operations.length / perPage) + 3;
    for await (const page of (0,pages/* pages */.B)((cursor) => readPage({ api, projectId }, cursor))) {
        for (const one of page.items)
            if (wanted.has(one.id))
                found.set(one.id, one);
        if (found.size >= wanted.size || --pagesLeft === 0)
            break;
    }
    return found;
}
async function readPage({ api, projectId }, cursor) {
    const { value } = await api.request({
        goal: 'list the operations of the project',
        method: 'GET',
        path: (0,project/* projectPath */.DZ)(projectId, '/operations'),
        query: { limit: perPage, cursor },
        read: (body) => {
            const page = shape/* object */.Ik(body, 'the response');
            return {
                items: shape/* list */.p_(page.operations, 'operations', types/* operation */.MQ),
                next: shape/* optionalString */.sx(shape/* optionalObject */.u9(page.pagination).cursor, 'pagination.cursor'),
            };
        },
    });
    return value;
}

// EXTERNAL MODULE: ./js/text/format.js
var format = __webpack_require__(105);
// EXTERNAL MODULE: ./js/text/inert.js
var inert = __webpack_require__(9304);
// EXTERNAL MODULE: ./js/branch/delete.js
var branch_delete = __webpack_require__(820);
// EXTERNAL MODULE: ./js/branch/sighting.js
var sighting = __webpack_require__(6984);
;// CONCATENATED MODULE: ./js/prune/delete-stale.js



/**
 * Deletes one branch and records the outcome. Returns the operations that the deletion started, or the rate limit that stopped it.
 * Throws only what ends the whole prune: the deadline, or a rejected key.
 */
async function deleteStale(options) {
    const { context, stale, date, outcomes, recheck } = options;
    const seen = (0,sighting/* sight */.Wx)(context, { branch: stale.branch, date });
    /** Whether an attempt that was sent before the last one may have deleted it. */
    let hasActed = false;
    const beforeAttempt = async (mayHaveActed) => {
        hasActed = mayHaveActed;
        const keep = await recheck.whyKeep(stale);
        return keep && { done: { deleted: false, operations: [], kept: { why: keep.why, mayHaveActed } } };
    };
    try {
        const hard = context.inputs.hard_delete;
        const { deleted, operations, kept } = await (0,branch_delete/* sendDelete */._)(seen, { hard, beforeAttempt });
        if (deleted)
            outcomes.deleted(stale);
        else if (!kept)
            outcomes.gone(stale);
        else if (!kept.mayHaveActed)
            outcomes.kept(stale, kept.why);
        else
            outcomes.failed(stale, `no response to the deletion, and it was not sent again because ${kept.why}`, true);
        return { operations };
    }
    catch (error) {
        if (!(error instanceof Error))
            throw error;
        const isUnsure = hasActed || ((error instanceof errors/* ApiError */.hD || error instanceof errors/* StoppedError */.Ko) && error.mayHaveActed);
        if (isUnsure || !endsPrune(error))
            outcomes.failed(stale, error.message, isUnsure);
        if (endsPrune(error))
            throw error;
        return { operations: [], rateLimit: isRateLimit(error) ? error : undefined };
    }
    finally {
        recheck.done(stale);
    }
}
/** A key that is rejected for one branch is rejected for all others too. */
function endsPrune(error) {
    return error instanceof errors/* StoppedError */.Ko || (error instanceof errors/* ApiError */.hD && error.status === 401);
}
/** Whether an error is a rate limit. The client waits for one that ends within the step's time, so this one does not. */
function isRateLimit(error) {
    return error instanceof errors/* ApiError */.hD && error.status === 429;
}

// EXTERNAL MODULE: ./js/prune/outcomes.js
var prune_outcomes = __webpack_require__(3108);
;// CONCATENATED MODULE: ./js/prune/pace.js
/** Keeps requests within limits, each as soon as they allow it. The returned function resolves when the next request may be sent. */
function createPace(options) {
    const { limits, clock, signal } = options;
    /** When requests were or will be sent, in order. */
    const times = [];
    return async () => {
        const now = clock.now();
        const at = limits.reduce((time, { count, ms }) => Math.max(time, (times.at(-count) ?? Number.NEGATIVE_INFINITY) + ms), now);
        times.push(at);
        if (at > now)
            await clock.sleep(at - now, signal);
    };
}

// EXTERNAL MODULE: ./js/github/connect.js
var connect = __webpack_require__(8322);
// EXTERNAL MODULE: ./js/github/errors.js
var github_errors = __webpack_require__(2609);
// EXTERNAL MODULE: ./js/github/rest.js
var rest = __webpack_require__(3124);
;// CONCATENATED MODULE: ./js/github/pull-requests.js




/** Pull requests per query; as many refs fit into the same query. */
const perQuery = 100;
/**
 * The states of pull requests and refs, with one query for every hundred. Throws a `GitHubError` if the token may not read any;
 * after another error, the rest is missing.
 */
async function readStates(github, wanted) {
    const pullRequests = [...new Set(wanted.pullRequests)].sort((a, b) => a - b);
    const [headRefs, gitRefs] = [allForms(wanted.headRefs), allForms(wanted.gitRefs)];
    if (!github.hasGraphQL) {
        const states = await (0,rest/* readStatesByRest */.kL)(github, purpose, { pullRequests, headRefs, gitRefs });
        return byAnyForm(wanted, states);
    }
    const most = Math.max(pullRequests.length, headRefs.length, gitRefs.length);
    const read = { pullRequests: new Map(), openByHead: new Map(), gitRefs: new Map(), responded: false };
    for (let start = 0; start < most; start += perQuery) {
        const part = (all) => all.slice(start, start + perQuery);
        const some = { pullRequests: part(pullRequests), headRefs: part(headRefs), gitRefs: part(gitRefs) };
        try {
            const response = await send(github, some);
            read.responded = true;
            addStates(read, some, { response, repository: repositoryIn(github, response, purpose) });
            const [error] = response.errors;
            if (error)
                read.problem ??= (0,inert/* oneLine */.TN)(error.message, 200);
        }
        catch (error) {
            if (!(error instanceof github_errors/* GitHubError */.y_) || error.isPermanent)
                throw error;
            // GitHub is failing or rate-limiting; more requests would only make it worse.
            read.problem = error.what;
            break;
        }
    }
    return byAnyForm(wanted, read);
}
function byAnyForm(wanted, read) {
    return {
        ...read,
        openByHead: ofAnyForm(wanted.headRefs, read.openByHead),
        gitRefs: ofAnyForm(wanted.gitRefs, read.gitRefs),
    };
}
/** A ref in the Unicode forms that it may have on GitHub, which compares bytes. */
function formsOf(ref) {
    return [ref, ref.normalize('NFC'), ref.normalize('NFD')];
}
function allForms(refs) {
    return [...new Set(refs.flatMap(formsOf))];
}
/** The state of each ref: that of a form with an open pull request or a git branch, else of all forms. */
function ofAnyForm(refs, byForm) {
    const found = new Map();
    for (const ref of refs) {
        const states = formsOf(ref).map((form) => byForm.get(form));
        const [state] = states.includes(undefined) ? [] : states;
        const one = states.find(Boolean) ?? state;
        if (one !== undefined)
            found.set(ref, one);
    }
    return found;
}
const purpose = { goal: 'read the state of pull requests', permission: 'pull-requests: read' };
function send(github, { pullRequests, headRefs, gitRefs }) {
    const variables = { owner: github.owner, name: github.repo };
    const fields = pullRequests.map((number) => `p${number}: pullRequest(number: ${number}) { state closedAt }`);
    for (const [index, ref] of headRefs.entries()) {
        variables[`h${index}`] = ref;
        fields.push(`h${index}: pullRequests(states: OPEN, headRefName: $h${index}, first: 1) { nodes { number } }`);
    }
    for (const [index, ref] of gitRefs.entries()) {
        variables[`g${index}`] = `refs/heads/${ref}`;
        fields.push(`g${index}: ref(qualifiedName: $g${index}) { name }`);
    }
    const parameters = Object.keys(variables).map((name) => `$${name}: String!`);
    const text = `query (${parameters.join(', ')}) { repository(owner: $owner, name: $name) { ${fields.join(' ')} } }`;
    return github.graphql(gitRefs.length > 0 ? { ...purpose, permission: bothPermissions } : purpose, text, variables);
}
const bothPermissions = 'pull-requests: read, contents: read';
function addStates(states, { pullRequests, headRefs, gitRefs }, { response, repository }) {
    for (const number of pullRequests) {
        const { state, closedAt } = (0,shape/* optionalObject */.u9)(repository[`p${number}`]);
        if (state !== 'OPEN' && state !== 'CLOSED' && state !== 'MERGED')
            continue;
        const open = state === 'OPEN';
        const time = typeof closedAt === 'string' ? Date.parse(closedAt) : Number.NaN;
        const known = !open && !Number.isNaN(time);
        states.pullRequests.set(number, { open, closedAt: known ? time : undefined });
    }
    for (const [index, ref] of headRefs.entries()) {
        const { nodes } = (0,shape/* optionalObject */.u9)(repository[`h${index}`]);
        if (!Array.isArray(nodes))
            continue;
        const numbers = nodes.map((node) => (0,shape/* optionalObject */.u9)(node).number);
        // 0 stands for none.
        if (numbers.every((number) => typeof number === 'number' && number > 0)) {
            states.openByHead.set(ref, numbers[0] ?? 0);
        }
    }
    for (const [index, ref] of gitRefs.entries()) {
        const found = repository[`g${index}`];
        if (typeof (0,shape/* optionalObject */.u9)(found).name === 'string')
            states.gitRefs.set(ref, true);
        // GitHub also sends null, next to an error, for a ref that it could not read.
        else if (found === null && response.errors.length === 0)
            states.gitRefs.set(ref, false);
    }
}
/** The repository in a response; throws if there is none, because the token may not see it. */
function repositoryIn(github, response, { goal, permission }) {
    const { repository } = (0,shape/* optionalObject */.u9)(response.data);
    if ((0,shape/* isObject */.Gv)(repository))
        return repository;
    const what = `the token cannot see repository ${github.owner}/${github.repo}. ${(0,github_errors/* grant */.NG)(permission, 'a token for that repository')}`;
    throw new github_errors/* GitHubError */.y_({ kind: 'missing', goal, what });
}

;// CONCATENATED MODULE: ./js/prune/kept.js


const keep = {
    isDefault: { why: 'it is the default branch' },
    isProtected: { why: 'it is protected' },
    excluded: { why: 'it matches `exclude_pattern`' },
    /** `repository` as in `octo/api`. */
    otherRepository: (repository) => ({ why: `it belongs to repository ${(0,inert/* show */.WU)(repository)}` }),
    noMetadata: { why: 'its metadata names no repository, and `branch_pattern` does not match its name' },
    noRepository: {
        why: 'its metadata names a pull request or git ref, but no repository',
    },
    isTag: { why: 'its name refers to a tag, and tags are not looked up' },
    /** `change` as in `was renamed to "x"`. */
    changed: (change) => ({ why: `it ${change} in the meantime` }),
    isParent: { why: 'it is the parent of the new branch' },
    open: (number) => ({ why: `pull request #${number} is open` }),
    /** `pullRequest` as in `#7`. */
    unread: (pullRequest) => ({
        why: `the state of ${pullRequest} could not be read`,
    }),
    openHead: (number, ref) => ({
        why: `pull request #${number} with the same head ref (${(0,inert/* show */.WU)(ref)}) is open`,
    }),
    unreadHead: (ref) => ({
        why: `the pull requests of git ref ${(0,inert/* show */.WU)(ref)} could not be read`,
    }),
    closedLately: (number) => ({
        why: `pull request #${number} has been closed for less than \`closed_for\``,
    }),
    /** `olderThan` as in `14d`. */
    notOlder: (olderThan) => ({
        why: `it is not older than ${olderThan}`,
    }),
    unknownAge: { why: 'its age is unknown' },
    noPullRequest: { why: 'its metadata names no pull request' },
    gitBranch: (ref) => ({ why: `git branch ${(0,inert/* show */.WU)(ref)} exists` }),
    slow: {
        why: 'its pull request could not be checked again right before the deletion',
    },
    unreadGitBranch: { why: 'git branches could not be read' },
    noReference: {
        why: 'its name refers to no pull request or git branch',
    },
    used: (sinceMs) => ({
        why: `its compute was last active ${(0,format/* duration */.p0)(sinceMs)} ago`,
    }),
    /** A branch without compute. */
    unusedSince: (sinceMs) => ({
        why: `it has no compute, and was created or reset ${(0,format/* duration */.p0)(sinceMs)} ago`,
    }),
    unknownUse: { why: 'its last activity is unknown' },
};
/** Logs why each branch is kept, in a group that folds. */
function logKept(log, kept) {
    if (kept.length === 0)
        return;
    const lines = kept.map(({ branch, why }) => `Kept branch ${(0,inert/* show */.WU)(branch.name)} (${branch.id}): ${why}`);
    log.group(`Kept ${(0,format/* count */.U9)(kept.length, 'branch')}`, lines);
}

// EXTERNAL MODULE: ./js/runner/metadata.js
var runner_metadata = __webpack_require__(8516);
// EXTERNAL MODULE: ./js/text/branch-name.js
var branch_name = __webpack_require__(5028);
;// CONCATENATED MODULE: ./js/prune/mentions.js

/** A pull request's number in a name or in metadata; undefined if it can't be one. */
function pullRequestNumber(text) {
    // GraphQL's integers have 32 bits.
    const number = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : 0;
    return number > 0 && number < 2 ** 31 ? number : undefined;
}
/**
 * The pull requests that a name mentions: `preview/pr-7` and `preview/pr-7-login` do, `preview/expr-7` does not. `preview/pr-7/api`
 * may be something else (not exact), but it is kept as long as that pull request is open.
 */
function mentionsIn(name) {
    return [...name.matchAll(/(?<![A-Za-z0-9])pr-(\d+)(?![A-Za-z0-9])/gi)].map((match) => ({
        number: pullRequestNumber(match[1]),
        exact: /^(-|$)/.test(name.slice(match.index + match[0].length)),
    }));
}
const prefix = (0,branch_name/* branchNameFromRef */.Jn)('x').slice(0, -1);
/**
 * Names are not taken apart: each git branch is turned into every name that could have been made from it. Other tools write
 * refs in other ways, so a name that differs only in case, punctuation or Unicode form counts as the same.
 */
function gitBranches(refs) {
    const forms = refs.flatMap((ref) => [ref.normalize('NFC'), ref.normalize('NFD'), ref]);
    const names = new Set(forms.flatMap((ref) => [(0,branch_name/* branchNameFromRef */.Jn)(`refs/heads/${ref}`), (0,branch_name/* ambiguousBranchName */.iE)(ref)]));
    const withoutPrefix = new Set([...names].map((name) => name.slice(prefix.length)));
    const slugs = new Set(forms.flatMap((ref) => [slug(ref), asciiSlug(ref)]));
    const isRef = (ref) => withoutPrefix.has(ref) || slugs.has(slug(ref));
    return { has: (name, rests) => names.has(name) || rests.some(isRef) };
}
/**
 * The refs that a name may contain, by the pattern that it matches: what the wildcards stand for comes first, then that with more
 * words of the pattern. For `preview/fix-*` and `preview/fix-login` they are `login`, `preview/fix-login` and `fix-login`.
 */
function refsIn(name, pattern) {
    const rest = pattern.rest(name) ?? '';
    const start = name.lastIndexOf(rest);
    const words = [...name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].map(({ index }) => index);
    const longer = words
        .filter((word) => word <= start)
        .flatMap((word) => [name.slice(word, start + rest.length), name.slice(word)]);
    return [...new Set([rest, ...longer])].filter((ref) => ref !== '');
}
function slug(ref) {
    const words = ref
        .normalize('NFC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-');
    return trimDashes(words);
}
/** A slug without the letters that many tools leave out. */
function asciiSlug(ref) {
    return trimDashes(ref.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
}
function trimDashes(words) {
    return words.replace(/^-|-$/g, '');
}

;// CONCATENATED MODULE: ./js/prune/rules.js





function lookupsFor(branches, rules) {
    const pullRequests = new Set();
    let gitBranches = false;
    for (const branch of branches) {
        const criterion = exemption(branch, rules) ? undefined : criterionFor(branch, rules);
        if (criterion === undefined)
            continue;
        for (const number of numbersOf(branch))
            pullRequests.add(number);
        gitBranches ||= criterion === 'name';
    }
    return { pullRequests: [...pullRequests].filter((number) => number !== undefined), gitBranches };
}
/**
 * The stale branches, whether or not they have children, and those that the rules are about but that are kept. `now` is the
 * service's clock, in milliseconds since the epoch; without it, ages are unknown. `readAt` is copied to each stale branch.
 */
function selectStale(branches, rules, state) {
    const stale = [];
    const kept = [];
    for (const branch of branches) {
        const criterion = criterionFor(branch, rules);
        if (criterion === undefined) {
            const { 'github-commit-repo': name, 'github-repository-id': id } = branch.metadata;
            const other = name || id ? keep.otherRepository(name || `with ID ${id}`) : keep.noMetadata;
            kept.push({ branch, ...(branch.default ? keep.isDefault : other) });
            continue;
        }
        const created = Date.parse(branch.created_at);
        const ageMs = Number.isNaN(created) || state.now === undefined ? undefined : Math.max(0, state.now - created);
        const judge = criterion === 'metadata' ? judgeByMetadata : judgeByName;
        const verdict = exemption(branch, rules) ?? judge({ branch, rules, state, ageMs });
        if ('why' in verdict)
            kept.push({ branch, ...verdict });
        else
            stale.push({ branch, ageMs, readAt: state.readAt, ...verdict });
    }
    return { stale, kept };
}
/** By what a branch may be stale: by its metadata if that names this repository; by its name if it names none. */
function criterionFor(branch, rules) {
    const { metadata } = branch;
    if ((0,runner_metadata/* namesRepository */.xt)(metadata, rules))
        return 'metadata';
    if (metadata['github-commit-repo'] || metadata['github-repository-id'])
        return undefined;
    return rules.pattern?.matches(branch.name) ? 'name' : undefined;
}
/** Why a branch is kept, whatever GitHub says. */
function exemption(branch, rules) {
    const { name, metadata } = branch;
    if (branch.default)
        return keep.isDefault;
    if (branch.protected)
        return keep.isProtected;
    if (rules.exclude.some((glob) => [name, name.normalize('NFC')].some(glob.matches)))
        return keep.excluded;
    if (criterionFor(branch, rules) !== 'name')
        return undefined;
    // It may belong to another repository of the project.
    if (metadata['github-pr-number'] || metadata['github-commit-ref'])
        return keep.noRepository;
    return /(^|\/)tags\//i.test(name) ? keep.isTag : undefined;
}
/** The pull requests of a branch that has metadata: the one in there or, without one, those in its name. */
function numbersOf({ name, metadata }) {
    const text = metadata['github-pr-number'] ?? '';
    return text === '' ? mentionsIn(name).map(({ number }) => number) : [pullRequestNumber(text)];
}
function judgeByMetadata({ branch, rules, state, ageMs }) {
    const text = branch.metadata['github-pr-number'] ?? '';
    const number = pullRequestNumber(text);
    if (text !== '' && number === undefined)
        return keep.unread(`pull request ${(0,inert/* show */.WU)(text)}`);
    const ref = branch.metadata['github-commit-ref']?.replace(/^refs\/heads\//, '');
    const headRefs = ref ? [ref] : [];
    if (number === undefined) {
        const pullRequests = closedMentions(branch.name, state);
        if (!Array.isArray(pullRequests))
            return pullRequests;
        const evidence = { pullRequests, headRefs, gitRefs: [] };
        return judgeAge(rules, ageMs, evidence) ?? keep.noPullRequest;
    }
    const evidence = { pullRequests: [number], headRefs, gitRefs: [] };
    const pullRequest = state.pullRequests.get(number);
    const closedBy = closedByFor(rules, state);
    const why = whyNotClosed(number, pullRequest, closedBy);
    if (!why)
        return { reason: `pull request #${number} is closed`, evidence: { ...evidence, closedBy } };
    // Closed, but not for long enough.
    const old = pullRequest && !pullRequest.open ? judgeAge(rules, ageMs, evidence) : undefined;
    return old && 'reason' in old ? old : why;
}
/** Whether `older_than` selects a branch; undefined if it is not set. */
function judgeAge({ olderThan }, ageMs, evidence) {
    if (olderThan === undefined)
        return undefined;
    if (ageMs === undefined)
        return keep.unknownAge;
    const limit = (0,format/* duration */.p0)(olderThan);
    return ageMs > olderThan ? { reason: `older than ${limit}`, evidence } : keep.notOlder(limit);
}
function judgeByName({ branch: { name }, rules, state }) {
    const pattern = rules.pattern;
    const closedBy = closedByFor(rules, state);
    const pullRequests = closedMentions(name, state, closedBy);
    if (!Array.isArray(pullRequests))
        return pullRequests;
    const refs = refsIn(name, pattern);
    const [ref = ''] = refs;
    if (!state.gitBranches)
        return keep.unreadGitBranch;
    if (state.gitBranches.has(name, refs))
        return keep.gitBranch(ref);
    const rest = pattern.rest(name);
    const used = rest ? [rest] : refs;
    const evidence = { pullRequests, headRefs: used, gitRefs: used, closedBy };
    const exact = mentionsIn(name).flatMap((mention) => (mention.exact ? mention.number : []));
    if (exact.length > 0) {
        const [noun, verb] = exact.length === 1 ? ['pull request', 'is'] : ['pull requests', 'are'];
        return { reason: `${noun} #${exact.join(' and #')} ${verb} closed`, evidence };
    }
    return rest ? { reason: `git branch ${(0,inert/* show */.WU)(ref)} does not exist`, evidence } : keep.noReference;
}
/** The pull requests that a name mentions, if all were closed by `closedBy` (or are closed at all, without it); otherwise why the branch is kept. */
function closedMentions(name, state, closedBy) {
    const numbers = [];
    for (const { number } of mentionsIn(name)) {
        if (number === undefined)
            return keep.unread(`the pull request named in ${(0,inert/* show */.WU)(name)}`);
        const why = whyNotClosed(number, state.pullRequests.get(number), closedBy);
        if (why)
            return why;
        numbers.push(number);
    }
    return numbers;
}
/** When a pull request must have been closed. */
function closedByFor({ closedFor }, { now }) {
    return closedFor === undefined ? undefined : (now ?? Number.NEGATIVE_INFINITY) - closedFor;
}
/** Why a pull request does not count as closed by a time, or at all; undefined if it does. */
function whyNotClosed(number, pullRequest, closedBy = Number.POSITIVE_INFINITY) {
    if (!pullRequest)
        return keep.unread(`pull request #${number}`);
    if (pullRequest.open)
        return keep.open(number);
    const { closedAt = Number.POSITIVE_INFINITY } = pullRequest;
    return closedAt > closedBy ? keep.closedLately(number) : undefined;
}

;// CONCATENATED MODULE: ./js/prune/recheck.js








/** How old the evidence for a deletion may be, in milliseconds. */
const longestAgeMs = 15_000;
/** Branches that are checked again together: about as many as are deleted until the evidence is too old again. */
const batchSize = 100;
/** Attempts to get evidence that is new enough. */
const maxRounds = 5;
/** What to read to check the evidence of branches. */
function queryFor(stale) {
    return {
        pullRequests: stale.flatMap(({ evidence }) => evidence.pullRequests),
        headRefs: stale.flatMap(({ evidence }) => evidence.headRefs),
        gitRefs: stale.flatMap(({ evidence }) => evidence.gitRefs),
    };
}
/** Why a branch must be kept after all: something about it has changed, or could not be read. */
function contradiction(evidence, states) {
    for (const number of evidence.pullRequests) {
        const why = whyNotClosed(number, states.pullRequests.get(number), evidence.closedBy);
        if (why)
            return why;
    }
    for (const ref of evidence.headRefs) {
        const number = states.openByHead.get(ref);
        if (number === undefined)
            return keep.unreadHead(ref);
        if (number > 0)
            return keep.openHead(number, ref);
    }
    for (const ref of evidence.gitRefs) {
        const exists = states.gitRefs.get(ref);
        if (exists === undefined)
            return keep.unreadGitBranch;
        if (exists)
            return keep.gitBranch(ref);
    }
    return undefined;
}
/** Keeps the evidence for these deletions new, with few requests: it reads that of the next branches together. */
function createRecheck(context, deletions) {
    const { clock } = context.api;
    const pending = new Set(deletions);
    const readAt = new Map(deletions.map((stale) => [stale, stale.readAt]));
    const ageOf = (stale) => clock.now() - (readAt.get(stale) ?? 0);
    const kept = new Map();
    let reading;
    let gaveUp = false;
    async function read(stale) {
        const next = [...pending].filter((one) => !kept.has(one) && ageOf(one) > longestAgeMs / 3);
        const first = [...new Set([stale, ...next])].slice(0, batchSize);
        // Branches of the same pull request must not rely on an older state of it.
        const numbers = new Set(first.flatMap(({ evidence }) => evidence.pullRequests));
        const siblings = [...pending].filter(({ evidence }) => evidence.pullRequests.some((number) => numbers.has(number)));
        const batch = [...new Set([...first, ...siblings])];
        const listedAt = clock.now();
        const [branches, states] = await Promise.all([listBranches(context), statesOf(batch)]);
        for (const one of batch) {
            const changed = (0,sighting/* whatChanged */.fl)(one.branch, branches.get(one.branch.id));
            const why = changed ? keep.changed(changed.change) : contradiction(one.evidence, states);
            if (why)
                kept.set(one, why);
            else
                readAt.set(one, listedAt);
        }
    }
    async function statesOf(batch) {
        const none = { pullRequests: new Map(), openByHead: new Map(), gitRefs: new Map(), responded: false };
        const query = queryFor(batch);
        if (gaveUp || Object.values(query).every(({ length }) => length === 0))
            return none;
        try {
            const states = await (0,connect/* withGitHub */.W)(context, (github) => readStates(github, query));
            if (!states.responded)
                giveUp(states.problem);
            return states;
        }
        catch (error) {
            if (!(error instanceof github_errors/* GitHubError */.y_))
                throw error;
            giveUp(error.what);
            return none;
        }
    }
    /** GitHub would fail for the next branches too. */
    function giveUp(problem = 'no response') {
        gaveUp = true;
        context.log.warning(`Could not check the pull requests again before deleting their branches (${problem}); keeping the branches that are left`);
    }
    return {
        async whyKeep(stale) {
            for (let round = 1; round <= maxRounds; round++) {
                const why = kept.get(stale);
                if (why)
                    return why;
                if (ageOf(stale) <= longestAgeMs)
                    return undefined;
                reading ??= read(stale).finally(() => {
                    reading = undefined;
                });
                await reading;
            }
            return kept.get(stale) ?? keep.slow;
        },
        done: (stale) => void pending.delete(stale),
    };
}
/** All branches of the project as they are now, by ID. */
async function listBranches(context) {
    const branches = new Map();
    for await (const page of (0,service_branches/* pagesOfBranches */.uh)({ ...(0,js_context/* projectOf */.v)(context), goal: 'list the branches of the project again' })) {
        for (const branch of page.items)
            branches.set(branch.id, branch);
    }
    return branches;
}

;// CONCATENATED MODULE: ./js/prune/carry-out.js










/** Deletes the branches of a plan; with `dry_run` it only reports them. */
async function carryOut(context, plan, options) {
    const { inputs, log } = context;
    const kept = plan.keptParents.map((stale) => {
        const note = whyKept(stale);
        log.info(`Kept branch ${(0,inert/* show */.WU)(stale.branch.name)} (${stale.branch.id}), although ${stale.reason}: ${note}`);
        return (0,prune_outcomes/* toPruned */.C2)(stale, 'kept', note);
    });
    if (inputs.dry_run) {
        const planned = plan.layers.flat();
        for (const { branch, reason } of planned)
            log.info(`Would delete branch ${(0,inert/* show */.WU)(branch.name)} (${branch.id}): ${reason}`);
        return { pruned: [...planned.map((stale) => (0,prune_outcomes/* toPruned */.C2)(stale, 'planned')), ...kept], operations: [] };
    }
    let operations = [];
    context.progress({ pruned: kept, operationIds: [], operations });
    const removed = await removeAll({
        context,
        plan,
        ...options,
        report: (progress) => {
            operations = progress.operations;
            context.progress({ ...progress, pruned: [...progress.pruned, ...kept] });
        },
    });
    return { pruned: [...removed, ...kept], operations };
}
function whyKept({ children }) {
    const names = (0,format/* listSome */.XT)(children.map(({ name }) => (0,inert/* show */.WU)(name)), 3);
    return children.length === 1 ? `its child branch ${names} is kept` : `its child branches ${names} are kept`;
}
/** Requests in flight. A project runs few operations at a time, so more would only meet its locks. */
const maxConcurrent = 4;
/**
 * The service allows 40 requests a second per route and 700 a minute per account. Those in flight may arrive a second later than they were
 * sent, with the next ones; and some of a minute's requests are left to others.
 */
const deletionLimits = [
    { count: 40 - maxConcurrent, ms: 1_000 },
    { count: 600, ms: 60_000 },
];
/**
 * Deletes the branches of a plan, children first. A branch that cannot be deleted does not stop the others. `report` receives
 * everything so far, after the deletions of each layer and after waiting for them.
 *
 * It waits for each layer before it deletes the parents, and with `wait: true` for the last one too. A rate limit that outlasts the
 * step fails all remaining deletions at once; it is thrown if it only kept this from waiting.
 */
async function removeAll(options) {
    const { context, plan } = options;
    const { api, log } = context;
    const outcomes = (0,prune_outcomes/* createOutcomes */.Mt)(log);
    const operationIds = [];
    const operations = [];
    const report = () => options.report({ pruned: outcomes.all(), operationIds, operations });
    const pace = createPace({ limits: deletionLimits, clock: api.clock, signal: api.deadline.signal });
    const recheck = createRecheck(context, plan.layers.flat());
    let rateLimit;
    for (const [index, layer] of plan.layers.entries()) {
        const deletions = [];
        try {
            await (0,concurrent/* forEachLimited */.v)(layer, maxConcurrent, async (stale) => {
                if (outcomes.blocked(stale))
                    return recheck.done(stale);
                // After a rate limit the client sends nothing more, so there is nothing to pace.
                if (!rateLimit)
                    await pace();
                const deletion = await deleteStale({ context, stale, date: plan.now, outcomes, recheck });
                rateLimit ??= deletion.rateLimit;
                deletions.push({ stale, operations: deletion.operations });
                operationIds.push(...deletion.operations.map(({ id }) => id));
            });
        }
        finally {
            report();
        }
        if (!options.wait && index === plan.layers.length - 1)
            break;
        try {
            operations.push(...(await waitUntilDeleted({ context, deletions, outcomes })));
        }
        catch (error) {
            if (!isRateLimit(error))
                throw error;
            rateLimit = error;
            log.info(`Stopped waiting for the deletions: ${error.message}`);
        }
        report();
    }
    const pruned = outcomes.all();
    // If branches could not be deleted, the error that names them says why.
    if (rateLimit && !pruned.some(prune_outcomes/* isFailure */.N6))
        throw rateLimit;
    return pruned;
}
/** Waits until deletions have ended, and records those that failed. Returns the operations that succeeded. */
async function waitUntilDeleted(options) {
    const { context, deletions, outcomes } = options;
    const started = deletions.flatMap(({ operations }) => operations);
    const ended = await pollManyOperations({ ...(0,js_context/* projectOf */.v)(context), operations: started });
    const existing = ended.failed.size > 0 ? await existingIds(context) : new Set();
    for (const { stale, operations } of deletions) {
        const error = operations.flatMap(({ id }) => ended.failed.get(id) ?? [])[0];
        // Some deployments forget a branch's operations along with the branch.
        const isGone = error?.unknown && !existing.has(stale.branch.id);
        if (error && !isGone)
            outcomes.failed(stale, error.message);
    }
    return ended.operations;
}
async function existingIds(context) {
    const ids = new Set();
    for await (const page of (0,service_branches/* pagesOfBranches */.uh)({ ...(0,js_context/* projectOf */.v)(context), goal: 'check whether the branches are gone' })) {
        for (const branch of page.items)
            ids.add(branch.id);
    }
    return ids;
}

;// CONCATENATED MODULE: ./js/prune/order.js
/** Puts stale branches in the order of their deletion, and leaves out every branch with a child that is not deleted. */
function orderDeletions(stale, all) {
    const children = Map.groupBy(all, (branch) => branch.parent_id);
    const deletable = new Map(stale.map((one) => [one.branch.id, one]));
    const keptParents = [];
    for (let changed = true; changed;) {
        changed = false;
        for (const [id, one] of deletable) {
            const kept = (children.get(id) ?? []).filter((child) => !deletable.has(child.id));
            if (kept.length === 0)
                continue;
            keptParents.push({ ...one, children: kept });
            deletable.delete(id);
            changed = true;
        }
    }
    const layers = [];
    const remaining = new Map(deletable);
    for (;;) {
        const layer = [...remaining.values()].filter((one) => !children.get(one.branch.id)?.some((child) => remaining.has(child.id)));
        // Nothing remains, or branches that are each other's parents: nothing is done about such a response.
        if (layer.length === 0)
            return { layers, keptParents };
        layers.push(layer);
        for (const one of layer)
            remaining.delete(one.branch.id);
    }
}
/** Whether deleting the branch frees a slot for another root branch. */
function isRoot(branch) {
    return branch.parent_id === undefined;
}
/** Only the roots of an order, and the descendants that must be deleted before them. */
function onlyRootTrees({ layers, keptParents }) {
    const included = new Set();
    const trees = [];
    // From the last layer back, so that each parent comes before its children.
    for (const layer of layers.toReversed()) {
        const part = layer.filter(({ branch }) => isRoot(branch) || included.has(branch.parent_id ?? ''));
        for (const { branch } of part)
            included.add(branch.id);
        if (part.length > 0)
            trees.unshift(part);
    }
    return { layers: trees, keptParents: keptParents.filter(({ branch }) => isRoot(branch)) };
}

;// CONCATENATED MODULE: ./js/prune/activity.js




/** When each compute endpoint of the project was last active; one that runs is active `now`. */
async function listActivity(context, now) {
    const { api, projectId } = (0,js_context/* projectOf */.v)(context);
    const { value } = await api.request({
        goal: 'list the compute endpoints of the project',
        method: 'GET',
        path: (0,project/* projectPath */.DZ)(projectId, '/endpoints'),
        read: (body) => shape/* list */.p_(shape/* object */.Ik(body, 'the response').endpoints, 'endpoints', (value, at) => readActivity(value, at, now)),
    });
    return value;
}
function readActivity(value, at, now) {
    const from = shape/* object */.Ik(value, at);
    const isRunning = from.current_state === 'active' || from.current_state === 'init';
    const lastActive = isRunning ? now : time(from.last_active);
    return { branchId: shape.id(from.branch_id, `${at}.branch_id`), lastActive };
}
function time(value) {
    return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
/**
 * Why stale branches are kept because they have been used within `unusedFor` milliseconds, by ID. `now` is the service's clock, in
 * milliseconds since the epoch; `NaN` if it is unknown.
 */
async function keptForUse(context, stale, { unusedFor, now }) {
    const byBranch = Map.groupBy(await listActivity(context, now), ({ branchId }) => branchId);
    const kept = new Map();
    for (const { branch } of stale) {
        const endpoints = byBranch.get(branch.id);
        const times = endpoints
            ? endpoints.map(({ lastActive }) => lastActive)
            : [time(branch.created_at), ...(branch.last_reset_at === undefined ? [] : [time(branch.last_reset_at)])];
        // NaN if any of them is unknown.
        const unusedMs = Math.max(0, now - Math.max(...times));
        if (Number.isNaN(unusedMs))
            kept.set(branch.id, keep.unknownUse);
        else if (unusedMs < unusedFor)
            kept.set(branch.id, endpoints ? keep.used(unusedMs) : keep.unusedSince(unusedMs));
    }
    return kept;
}

;// CONCATENATED MODULE: ./js/github/refs.js



const refs_purpose = { goal: 'list the git branches', permission: 'contents: read' };
const query = `query ($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    refs(refPrefix: "refs/heads/", first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
  }
}`;
/**
 * The names of all git branches of the repository; or why they could not all be read, because part of the list must never be taken
 * for all of it (`failed`: because GitHub did not respond, or with an error). Throws a `GitHubError` if the token may not read them.
 */
async function listGitBranches(github) {
    if (!github.hasGraphQL)
        return namesByRest(github);
    const names = [];
    const seen = new Set();
    let defaultBranch;
    let after = null;
    try {
        do {
            const response = await github.graphql(refs_purpose, query, { owner: github.owner, name: github.repo, after });
            const repository = repositoryIn(github, response, refs_purpose);
            const page = refs_readPage(repository.refs);
            if (!page)
                return { problem: response.errors[0]?.message ?? 'the response has no list of git branches' };
            names.push(...page.names);
            defaultBranch = repository.defaultBranchRef?.name;
            after = page.next;
            // A repeated cursor would loop forever.
            if (after !== null && seen.has(after))
                return { problem: 'the response repeats a page' };
            if (after !== null)
                seen.add(after);
        } while (after !== null);
        // Every repository has its default branch, so a list without it is not complete.
        if (!names.some((name) => name === defaultBranch))
            return { problem: 'the list lacks the default branch' };
        return { names };
    }
    catch (error) {
        if (!(error instanceof github_errors/* GitHubError */.y_) || error.isPermanent)
            throw error;
        return { problem: error.what, failed: true };
    }
}
async function namesByRest(github) {
    try {
        return { names: await (0,rest/* listGitBranchesByRest */.ek)(github, refs_purpose) };
    }
    catch (error) {
        if (!(error instanceof github_errors/* GitHubError */.y_) || error.isPermanent)
            throw error;
        return { problem: error.what, failed: error.kind === 'transient' };
    }
}
/** One page, or undefined if any part of it is invalid. */
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

;// CONCATENATED MODULE: ./js/prune/look-up.js








/** Reads what the rules need. Throws a `GitHubError` if nothing could be read. */
async function lookUp(context, lookups) {
    const { log } = context;
    const { pullRequests: numbers } = lookups;
    if (numbers.length === 0 && !lookups.gitBranches)
        return { pullRequests: new Map(), gitBranches: undefined };
    return (0,connect/* withGitHub */.W)(context, async (github) => {
        const states = await readStates(github, { pullRequests: numbers, headRefs: [], gitRefs: [] });
        const unread = numbers.filter((number) => !states.pullRequests.has(number)).sort((a, b) => a - b);
        if (numbers.length > 0 && unread.length === numbers.length)
            throw nothingRead(`${listed(unread)}`, states);
        if (unread.length > 0) {
            const why = states.problem === undefined ? '' : `: ${withoutPeriod(states.problem)}`;
            const which = `${(0,format/* count */.U9)(unread.length, 'pull request')} (${listed(unread)})`;
            const them = unread.length === 1 ? 'it' : 'them';
            log.warning(`Could not read the state of ${which}${why}. Treating ${them} as open.`);
        }
        const { pullRequests } = states;
        if (!lookups.gitBranches)
            return { pullRequests, gitBranches: undefined };
        const refs = await listGitBranches(github);
        if ('names' in refs)
            return { pullRequests, gitBranches: gitBranches(refs.names) };
        if (refs.failed && numbers.length === 0)
            throw nothingPruned('list the git branches', refs.problem);
        const why = withoutPeriod((0,inert/* oneLine */.TN)(refs.problem, 300));
        log.warning(`Could not list all git branches: ${why}. Branches that only \`branch_pattern\` matches are not pruned.`);
        return { pullRequests, gitBranches: undefined };
    });
}
/** Why stale branches are kept because their refs are in use, by ID. Throws a `GitHubError` if nothing could be read. */
async function keptForRefs(context, stale) {
    const kept = new Map();
    if (!stale.some(({ evidence }) => evidence.headRefs.length > 0))
        return kept;
    const states = await (0,connect/* withGitHub */.W)(context, (github) => readStates(github, queryFor(stale)));
    if (!states.responded)
        throw nothingPruned('read the pull requests of git refs', states.problem);
    for (const { branch, evidence } of stale) {
        const why = contradiction(evidence, states);
        if (why)
            kept.set(branch.id, why);
    }
    return kept;
}
function listed(numbers) {
    return (0,format/* listSome */.XT)(numbers.map((number) => `#${number}`), 10);
}
function nothingRead(pullRequests, { problem }) {
    return nothingPruned(`read the state of any pull request (${pullRequests})`, problem);
}
/** Otherwise a scheduled prune could succeed night after night without doing anything. */
function nothingPruned(goal, problem = 'no readable response') {
    return new github_errors/* GitHubError */.y_({ kind: 'transient', goal, what: `${withoutPeriod(problem)}. No branch was pruned.` });
}
function withoutPeriod(text) {
    return text.replace(/\.$/, '');
}

;// CONCATENATED MODULE: ./js/prune/plan.js









/**
 * Reads every branch of the project, looks up on GitHub what the rules need, and returns what to delete in which order. Changes
 * nothing. The branch with the ID `parentId` is never selected.
 */
async function planPrune(context, options = {}) {
    const { inputs, event, log } = context;
    const { parentId } = options;
    const readAt = context.api.clock.now();
    const { branches, now, hasMetadata } = await allBranches(context);
    log.info(`The project has ${(0,format/* count */.U9)(branches.length, 'branch')}`);
    const rules = {
        repository: event.repository,
        repositoryId: event.repositoryId,
        closedFor: inputs.closed_for,
        olderThan: inputs.older_than,
        // Without metadata, a branch of another repository looks like one that has no owner.
        pattern: hasMetadata ? inputs.branch_pattern : undefined,
        exclude: inputs.exclude_pattern ?? [],
    };
    if (inputs.branch_pattern && !hasMetadata) {
        log.warning('The service listed branches without their metadata, so `branch_pattern` is ignored');
    }
    const state = await lookUp(context, lookupsFor(branches, rules));
    const selected = selectStale(branches, rules, { ...state, now, readAt });
    const { kept } = selected;
    let { stale } = selected;
    /** Keeps those that are in the map. */
    const drop = (whys) => {
        for (const { branch } of stale) {
            const why = whys.get(branch.id);
            if (why)
                kept.push({ branch, ...why });
        }
        stale = stale.filter(({ branch }) => !whys.has(branch.id));
    };
    drop(new Map([[parentId, keep.isParent]]));
    const { unused_for: unusedFor } = inputs;
    if (unusedFor !== undefined && stale.length > 0)
        drop(await keptForUse(context, stale, { unusedFor, now: now ?? Number.NaN }));
    drop(await keptForRefs(context, stale));
    logKept(log, kept);
    return { ...orderDeletions(stale, branches), total: branches.length, now };
}
async function allBranches(context) {
    const { api, inputs } = context;
    const byId = new Map();
    let now = api.clock.now();
    let reliable = true;
    let hasMetadata = true;
    // Sorted by creation, pages don't shift while other jobs create, change and delete branches.
    const order = { sort_by: 'created_at', sort_order: 'asc' };
    const goal = 'list the branches of the project';
    for await (const page of (0,service_branches/* pagesOfBranches */.uh)({ ...(0,js_context/* projectOf */.v)(context), goal, order })) {
        for (const branch of page.items) {
            const before = byId.get(branch.id);
            byId.set(branch.id, {
                ...branch,
                // A branch that changed in the meantime is listed twice; it is kept if either entry says so.
                default: branch.default || before?.default === true,
                protected: branch.protected || before?.protected === true,
            });
        }
        hasMetadata &&= page.hasMetadata;
        now = page.date ?? now;
        reliable &&= areClocksAlike(inputs, { service: now, runner: api.clock.now() });
    }
    return { branches: [...byId.values()], now: reliable ? now : undefined, hasMetadata };
}
/** The largest difference between the service's clock and the runner's with which ages are known, in milliseconds. */
const maxSkewMs = 3_600_000;
/** Whether ages are known. Throws if an input needs them, and they are not. */
function areClocksAlike(inputs, { service, runner }) {
    if (Math.abs(service - runner) <= maxSkewMs)
        return true;
    const names = ['closed_for', 'older_than', 'unused_for'].filter((name) => inputs[name] !== undefined);
    if (names.length === 0)
        return false;
    const [at, here] = [new Date(service).toISOString(), new Date(runner).toISOString()];
    throw new service_errors/* RefusedError */.fk(`The service's clock (${at}) and the runner's (${here}) differ by more than an hour, so the ages of branches are unknown. No branch was pruned. Set the clock that is wrong, or remove ${names.map((name) => `\`${name}\``).join(', ')}.`);
}

;// CONCATENATED MODULE: ./js/prune/index.js
/** What the commands use: one chunk, because most steps never prune. */





/***/ })

};
