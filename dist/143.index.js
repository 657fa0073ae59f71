export const id = 143;
export const ids = [143];
export const modules = {

/***/ 1143:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  observe: () => (/* binding */ observe)
});

// EXTERNAL MODULE: ./js/postgres/connect.js + 1 modules
var connect = __webpack_require__(3316);
// EXTERNAL MODULE: ./js/rehearse/catalog.js
var catalog = __webpack_require__(5841);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./js/rehearse/sample.js

/** How often locks are sampled, if the round trip allows it: milliseconds. */
const intervalMs = 25;
/** Modes that block other statements than changes of the schema, weakest first. */
const blockingModes = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];
const times = ['query_start', 'xact_start', 'state_change'].map((name) => `extract(epoch FROM ${name}) * 1000`);
/**
 * One round trip. Sessions without a user are the server's own, such as autovacuum; a session of another role shows nothing but its
 * process to a role without `pg_monitor`, but every role sees all locks.
 */
const sampleQuery = {
    name: 'sample',
    text: `
WITH locks AS MATERIALIZED (
  SELECT pid, virtualtransaction, relation, mode, granted FROM pg_locks
  WHERE pid <> pg_backend_pid() AND (NOT granted OR (locktype = 'relation'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND mode IN (${blockingModes.map((mode) => `'${mode}'`).join(', ')})))
)
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at,
  (SELECT coalesce(json_agg(json_build_array(pid, virtualtransaction, relation::int8, mode)), '[]') FROM locks WHERE granted) AS locks,
  (SELECT coalesce(json_agg(json_build_array(pid, pg_blocking_pids(pid))), '[]') FROM (SELECT DISTINCT pid FROM locks WHERE NOT granted) w) AS waits,
  (SELECT coalesce(json_agg(json_build_array(pid, leader_pid, state, CASE WHEN state IS NOT NULL THEN query END, ${times.join(', ')})), '[]')
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL) AS sessions`,
};
/** Takes one sample. */
async function takeSample(client) {
    const { rows } = await client.query(sampleQuery);
    const [row] = rows;
    if (!row)
        throw new Error('The server returned no sample');
    const known = (value) => value ?? undefined;
    return {
        at: row.at,
        locks: row.locks.map(([pid, transaction, relation, mode]) => ({ pid, transaction, relation, mode })),
        waits: row.waits.map(([pid, blockers]) => ({ pid, blockers })),
        sessions: row.sessions.map(([pid, leader, state, query, queryStart, transactionStart, stateChange]) => ({
            pid,
            leader: known(leader),
            state: known(state),
            query: known(query),
            queryStart: known(queryStart),
            transactionStart: known(transactionStart),
            stateChange: known(stateChange),
        })),
    };
}
/** Samples until the signal aborts, then once more. Rejects if the connection is lost. */
async function sampleUntil(options) {
    const { client, signal, onSample } = options;
    for (;;) {
        const isLast = signal.aborted;
        const started = performance.now();
        onSample(await takeSample(client));
        if (isLast)
            return;
        const rest = intervalMs - (performance.now() - started);
        // Even a slow server is left a moment, so that the sampler is not what makes it slow.
        await (0,promises_.setTimeout)(Math.max(1, rest), undefined, { signal }).catch(() => { });
    }
}

;// CONCATENATED MODULE: ./js/rehearse/locks.js


/** How long a session must wait for an idle one until it counts as waiting for itself, in milliseconds. */
const selfWaitMs = 3_000;
/** Follows the locks from sample to sample. Times are the server's; no clock of this machine matters. */
class LockTracker {
    #tables = new Map();
    #open = new Map();
    #ended = [];
    #waitingSince = new Map();
    #onSelfWait;
    #previous;
    #first;
    #samples = 0;
    #longestGapMs = 0;
    #sawSession = false;
    /** The last statements that were seen, oldest first. */
    statements = [];
    constructor(before, onSelfWait = () => { }) {
        for (const relation of before.relations.values()) {
            for (const oid of [relation.oid, ...relation.parts])
                this.#tables.set(oid, relation);
        }
        this.#onSelfWait = onSelfWait;
    }
    /** Whether any session but the sampler's was there. */
    get sawSession() {
        return this.#sawSession;
    }
    /** The mean time between two samples, in milliseconds. */
    get everyMs() {
        if (this.#first === undefined || this.#previous === undefined || this.#samples < 2)
            return 0;
        return (this.#previous.at - this.#first) / (this.#samples - 1);
    }
    /** The longest time between two samples, in milliseconds: of a lock that was shorter, nothing may have been seen. */
    get longestGapMs() {
        return this.#longestGapMs;
    }
    add(sample) {
        const sessions = new Map(sample.sessions.map((one) => [one.pid, one]));
        const seen = new Set();
        for (const lock of sample.locks) {
            const session = sessions.get(lock.pid);
            const relation = this.#tables.get(lock.relation);
            // Locks of the server's own processes are not the command's, and a parallel worker's are its leader's.
            if (!relation || !session || (session.leader !== undefined && session.leader !== session.pid))
                continue;
            for (const track of tracksOf(lock.mode)) {
                const key = `${track} ${lock.pid} ${lock.transaction} ${relation.oid}`;
                seen.add(key);
                this.#see(key, { ...lock, track, relation, session, sample });
            }
        }
        for (const [key, period] of this.#open) {
            if (!seen.has(key))
                this.#close(key, period, { at: sample.at, session: sessions.get(period.pid) });
        }
        this.#followWaits(sample, sessions);
        this.#noteStatements(sample);
        this.#first ??= sample.at;
        this.#longestGapMs = Math.max(this.#longestGapMs, sample.at - (this.#previous?.at ?? sample.at));
        this.#previous = sample;
        this.#samples++;
    }
    /** What was held, strongest mode first, then the longest. Locks that are still held end with the last sample. */
    result() {
        for (const [key, period] of this.#open)
            this.#close(key, period, { at: this.#previous?.at ?? period.lastSeen });
        const byRelation = Map.groupBy(this.#ended, ({ relation }) => relation);
        const found = [...byRelation.values()].flatMap((periods) => this.#summarize(periods));
        return found.sort((a, b) => strength(b.mode) - strength(a.mode) || b.heldMs - a.heldMs);
    }
    #see(key, seen) {
        const { track, relation, mode, transaction, session, sample } = seen;
        const previousAt = this.#previous?.at;
        let period = this.#open.get(key);
        if (!period) {
            const { pid } = session;
            const taker = takerOf({ session, relation, previousAt });
            const from = startOf({ session, at: sample.at, previousAt, tookIt: taker !== undefined });
            const base = { track, transaction, relation, mode, pid, from, taker };
            period = { ...base, lastSeen: from, until: undefined, statements: new Map() };
            this.#open.set(key, period);
        }
        // What blocks reads has a period of its own; the other one is about the weaker mode, if there was one.
        const isWeaker = track === 'writes' && period.mode === 'AccessExclusiveLock';
        const isStronger = strength(mode) > strength(period.mode) && !(track === 'writes' && mode === 'AccessExclusiveLock');
        if (isWeaker ? mode !== 'AccessExclusiveLock' : isStronger)
            period.mode = mode;
        noteStatement(period, { session, at: sample.at });
        period.lastSeen = sample.at;
    }
    #close(key, period, end) {
        this.#open.delete(key);
        period.until = endOf(period, end);
        // What ran last ran until about then.
        const last = [...period.statements.values()].at(-1);
        if (last && last.until >= period.lastSeen)
            last.until = period.until;
        this.#ended.push(period);
    }
    /** At most two entries: the longest period that blocked reads, and the longest that blocked writes if that was longer. */
    #summarize(periods) {
        const [reads, writes] = ['reads', 'writes'].map((track) => periods.filter((one) => one.track === track));
        const [strong, all] = [longestOf(reads ?? []), longestOf(writes ?? [])];
        const noise = strong ? Math.max(2 * this.everyMs, heldMs(strong) * 0.1) : 0;
        return [
            ...(strong ? [found(strong, reads?.length ?? 0)] : []),
            ...(all && (!strong || heldMs(all) > heldMs(strong) + noise) ? [found(all, writes?.length ?? 0)] : []),
        ];
    }
    #followWaits({ at, waits }, sessions) {
        const waiting = new Set();
        for (const { pid, blockers } of waits) {
            const holder = blockers.map((one) => sessions.get(one)).find((one) => one && isIdle(one));
            if (!holder)
                continue;
            waiting.add(pid);
            const since = this.#waitingSince.get(pid) ?? at;
            this.#waitingSince.set(pid, since);
            if (at - since < selfWaitMs || since < 0)
                continue;
            // Said once.
            this.#waitingSince.set(pid, Number.NEGATIVE_INFINITY);
            this.#onSelfWait({ waiting: sessions.get(pid)?.query, holder: holder.query });
        }
        for (const pid of this.#waitingSince.keys())
            if (!waiting.has(pid))
                this.#waitingSince.delete(pid);
    }
    #noteStatements({ sessions }) {
        for (const { query, queryStart } of sessions) {
            this.#sawSession = true;
            if (query === undefined || query === '' || queryStart === undefined)
                continue;
            if (this.statements.includes(query))
                continue;
            this.statements.push(query);
            if (this.statements.length > mostStatements)
                this.statements.shift();
        }
    }
}
const mostStatements = 10;
/**
 * A strong lock is followed twice, as itself and as one that blocks writes: a transaction may block writes for long, and reads only
 * at its end.
 */
function tracksOf(mode) {
    return mode === 'AccessExclusiveLock' ? ['writes', 'reads'] : ['writes'];
}
function heldMs({ from, until = from }) {
    return Math.max(0, until - from);
}
function longestOf(periods) {
    return [...periods].sort((a, b) => heldMs(b) - heldMs(a))[0];
}
function found(period, times) {
    const [longest] = [...period.statements]
        .map(([statement, { from, until }]) => ({ statement, ms: until - from }))
        .sort((a, b) => b.ms - a.ms);
    const statement = period.taker ?? longest?.statement;
    return {
        relation: (0,catalog/* factsOf */.xS)(period.relation),
        mode: period.mode,
        blocks: period.track === 'reads' ? 'reads and writes' : 'writes',
        heldMs: heldMs(period),
        statement,
        tookIt: period.taker !== undefined,
        longest: longest && longest.statement !== statement ? longest : undefined,
        times,
    };
}
function strength(mode) {
    return blockingModes.indexOf(mode);
}
function isIdle({ state }) {
    return state?.startsWith('idle in transaction') ?? false;
}
/**
 * When a lock was taken that the sample is the first one to show: not before the sample before it. If the statement or the
 * transaction began since, it began then, or a moment later.
 */
function startOf(options) {
    const { session, at, previousAt = Number.NEGATIVE_INFINITY, tookIt } = options;
    const { queryStart, transactionStart } = session;
    const [start] = [tookIt ? queryStart : undefined, transactionStart].filter((time) => time !== undefined && time > previousAt);
    return Math.min(at, start ?? at);
}
/** When it was released: before the sample that is the first without it, and before the session did anything else. */
function endOf(period, end) {
    const { session, at } = end;
    const isIdle = session?.state === 'idle';
    const events = [isIdle ? session?.stateChange : undefined, session?.transactionStart];
    const later = events.filter((time) => time !== undefined && time > period.lastSeen && time < at);
    return Math.min(at, ...later);
}
/**
 * The statement that took a lock which the sample is the first one to show, as far as it is known. It is certain if the statement ran
 * before the sample before, or is the first one of its transaction; likely if it is of a kind that takes such locks, and names the
 * relation.
 */
function takerOf(options) {
    const { session, relation, previousAt = Number.POSITIVE_INFINITY } = options;
    const { query, queryStart, transactionStart, state } = session;
    if (query === undefined || queryStart === undefined)
        return undefined;
    const isRunning = state === 'active';
    if (isRunning && (queryStart <= previousAt || queryStart === transactionStart))
        return query;
    return canLock.test(query) && names(query, relation) ? query : undefined;
}
/** A statement that takes a lock on a table by itself, and not as part of a change of rows; or several in one text. */
const canLock = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:alter|create|drop|truncate|lock|reindex|cluster|vacuum|refresh|do|call)\b/i;
function names(query, { name }) {
    const bare = name.replace(/^.*?\.(?=[^.]+$)/, '').replaceAll('"', '');
    return query.toLowerCase().includes(bare.toLowerCase());
}
/** Notes the statement that a session runs under a lock, and since when. */
function noteStatement(period, options) {
    const { session, at } = options;
    const { query, queryStart, state, stateChange } = session;
    if (query === undefined || queryStart === undefined)
        return;
    // Whatever ran in the sample before ended when this one began.
    const last = [...period.statements].at(-1);
    if (last && last[0] !== query && last[1].until >= period.lastSeen) {
        last[1].until = Math.max(last[1].until, Math.min(at, queryStart));
    }
    const until = state === 'active' ? at : Math.min(at, stateChange ?? at);
    const from = Math.max(period.from, queryStart);
    const known = period.statements.get(query);
    if (!known)
        period.statements.set(query, { from, until: Math.max(from, until) });
    else
        known.until = Math.max(known.until, until);
}

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(542);
// EXTERNAL MODULE: external "node:string_decoder"
var external_node_string_decoder_ = __webpack_require__(6193);
;// CONCATENATED MODULE: ./js/rehearse/lines.js

/** What is kept of a line, in UTF-16 units: a tool may write megabytes without a line break. */
const longestLine = 16_384;
/** Colors, cursor movements and titles of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const escapeSequence = /\u001b(?:\[[\d;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;
/**
 * Calls `onLine` for each line of a stream as it comes in, without escape sequences; resolves once the stream has closed. Lines are
 * whole, so that a secret in one can be recognized; a very long one is cut, and ends in `…`.
 */
async function readLines(stream, onLine) {
    if (!stream)
        return;
    const decoder = new external_node_string_decoder_.StringDecoder('utf8');
    let pending = '';
    let isCut = false;
    const take = (text) => {
        const lines = text.split('\n');
        for (const [index, part] of lines.entries()) {
            if (!isCut)
                pending += part;
            if (pending.length > longestLine) {
                pending = `${pending.slice(0, longestLine)}…`;
                isCut = true;
            }
            if (index === lines.length - 1)
                break;
            flush();
        }
    };
    const flush = () => {
        // A progress bar goes back to the start of its line; what counts is what was left in the end.
        const line = pending.replace(/\r+$/, '').split('\r').at(-1) ?? '';
        pending = '';
        isCut = false;
        onLine(line.replace(escapeSequence, '').trimEnd());
    };
    stream.on('data', (chunk) => take(decoder.write(chunk)));
    // A pipe that breaks has no more lines.
    stream.on('error', () => { });
    await new Promise((resolve) => stream.once('close', resolve));
    take(decoder.end());
    if (pending !== '')
        flush();
}

;// CONCATENATED MODULE: ./js/rehearse/run.js




/** How long processes have after SIGTERM, until SIGKILL, in milliseconds. */
const graceMs = 5_000;
/** How long the pipes of a command that has ended may stay open, which a process outside of its group can do, in milliseconds. */
const drainMs = 500;
const pollMs = 25;
/**
 * Runs shell commands as a `run:` step does, in a process group of its own that ends with them: once the signal aborts, or processes
 * are left behind, the group gets SIGTERM, and SIGKILL after 5 seconds. Never outlives this process.
 */
async function runCommand(options) {
    const { signal } = options;
    const child = await start(options);
    const closed = Promise.all([child.stdout, child.stderr].map((stream) => readLines(stream, options.onLine)));
    const group = groupOf(child);
    // A second signal to the action ends it at once; nothing may run on then.
    const killAtExit = () => group.send('SIGKILL');
    process.once('exit', killAtExit);
    let stopping;
    const stop = () => {
        stopping ??= group.stop();
    };
    try {
        const exited = new Promise((resolve) => {
            child.once('exit', (code, by) => resolve(code ?? 128 + (by === null ? 0 : external_node_os_.constants.signals[by])));
        });
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted)
            stop();
        const exitCode = await exited;
        const stopped = signal.aborted;
        await (stopping ?? group.stop());
        await Promise.race([closed, (0,promises_.setTimeout)(drainMs, undefined, { ref: false })]);
        return { exitCode, stopped };
    }
    finally {
        signal.removeEventListener('abort', stop);
        process.off('exit', killAtExit);
        child.stdout?.destroy();
        child.stderr?.destroy();
    }
}
/** Bash with the options of a `run:` step, else any shell. */
const shells = [
    ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'],
    ['sh', '-e', '-c'],
];
async function start(options) {
    const { script, folder, env } = options;
    let problem;
    for (const [shell = '', ...args] of shells) {
        const child = (0,external_node_child_process_.spawn)(shell, [...args, script], {
            cwd: folder,
            env,
            // Standard input is empty, so that a tool that asks a question does not wait for a response forever.
            stdio: ['ignore', 'pipe', 'pipe'],
            detached: process.platform !== 'win32',
            windowsHide: true,
        });
        try {
            await new Promise((resolve, reject) => {
                child.once('spawn', resolve);
                child.once('error', reject);
            });
            return child;
        }
        catch (error) {
            problem = error;
            if (error.code !== 'ENOENT')
                break;
        }
    }
    throw new Error(`Could not start the command (\`run\`): ${problem instanceof Error ? problem.message : problem}`);
}
function groupOf({ pid = 0 }) {
    const send = process.platform === 'win32' ? sendOnWindows : sendToGroup;
    return {
        send: (signal) => send(pid, signal),
        async stop() {
            if (!send(pid, 'SIGTERM'))
                return;
            const until = performance.now() + graceMs;
            while (performance.now() < until) {
                await (0,promises_.setTimeout)(pollMs);
                if (!send(pid, 0))
                    return;
            }
            send(pid, 'SIGKILL');
        },
    };
}
function sendToGroup(pid, signal) {
    try {
        return process.kill(-pid, signal);
    }
    catch (error) {
        // A process of another user (`sudo`) can't be ended, but it can't reach the branch once that is gone.
        return error.code === 'EPERM';
    }
}
/** Windows has no process groups; a tree of processes can only be killed while its root is there. */
function sendOnWindows(pid, signal) {
    if (signal === 0)
        return false;
    return (0,external_node_child_process_.spawnSync)('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' }).status === 0;
}

;// CONCATENATED MODULE: ./js/rehearse/observe.js





/** How many of the last lines of output are kept. */
const keptLines = 20;
/** A change of size that is worth mentioning: part of the table, and bytes. */
const noteworthy = { part: 0.1, bytes: 1_000_000 };
/** Runs a command and observes what it does to the database. The deadline's signal ends everything; then this throws its reason. */
async function observe(options) {
    const { deadline, limit, onLine } = options;
    const connector = createConnector(options);
    const output = [];
    const selfWaits = [];
    const gaps = [];
    try {
        const client = await connector.client();
        const before = await (0,catalog/* readCatalog */.uM)(client, { counts: true, measuresAll: options.measuresAll });
        const tracker = new LockTracker(before, (wait) => {
            selfWaits.push(wait);
            options.onSelfWait(wait);
        });
        const ended = new AbortController();
        const sampling = sample({ connector, tracker, signal: AbortSignal.any([ended.signal, deadline.signal]), gaps });
        const stop = new AbortController();
        const timer = setTimeout(() => stop.abort(), limit.ms);
        const started = performance.now();
        let run;
        try {
            run = await runCommand({
                ...options,
                signal: AbortSignal.any([stop.signal, deadline.signal]),
                onLine(line) {
                    output.push(line);
                    if (output.length > keptLines)
                        output.shift();
                    onLine(line);
                },
            });
        }
        finally {
            clearTimeout(timer);
            ended.abort();
        }
        const durationMs = performance.now() - started;
        await sampling;
        if (deadline.signal.aborted)
            throw deadline.signal.reason;
        const after = await readAfter(connector, gaps);
        if (deadline.signal.aborted)
            throw deadline.signal.reason;
        const rehearsal = {
            exitCode: run.exitCode,
            stoppedBy: run.stopped ? limit.by : undefined,
            durationMs,
            walBytes: after ? (0,catalog/* walBytes */.W$)(before.lsn, after.lsn) : 0,
            sampledEveryMs: tracker.everyMs,
            longestGapMs: tracker.longestGapMs,
            locks: tracker.result(),
            ...(after ? sizeChanges(before, after) : { rewritten: [], resized: [] }),
            selfWaits,
            statements: tracker.statements,
            output,
            connected: tracker.sawSession || (after !== undefined && after.sessions > before.sessions),
            gaps,
        };
        return { rehearsal, before, after };
    }
    finally {
        await connector.close();
    }
}
function createConnector(options) {
    let connection;
    const drop = async () => {
        const old = connection;
        connection = undefined;
        await old?.close();
    };
    return {
        async client() {
            if (connection)
                return connection.client;
            connection = await (0,connect/* connectWhenReady */.y2)({ ...options, feature: 'rehearse', onRetry: options.onInfo });
            // Whatever the role's or the database's own settings are; and no function of the user's may stand in for the server's.
            await connection.client.query("SET search_path = pg_catalog; SET statement_timeout = 0; SET lock_timeout = 0; SET application_name = 'database-branch-action (rehearse)'");
            return connection.client;
        },
        drop,
        close: drop,
    };
}
async function sample(options) {
    const { connector, tracker, signal, gaps } = options;
    for (let failures = 0;; failures++) {
        try {
            const client = await connector.client();
            await sampleUntil({ client, signal, onSample: (one) => tracker.add(one) });
            return;
        }
        catch (error) {
            await connector.drop();
            const isOver = signal.aborted || failures >= mostReconnects;
            if (isOver)
                gaps.push(`Locks were not sampled to the end: ${(0,connect/* describeError */.Uc)(error)}.`);
            else if (failures === 0)
                gaps.push(`Locks were not sampled for a moment: ${(0,connect/* describeError */.Uc)(error)}.`);
            if (isOver)
                return;
        }
    }
}
const mostReconnects = 5;
async function readAfter(connector, gaps) {
    for (let attempt = 1;; attempt++) {
        try {
            return await (0,catalog/* readCatalog */.uM)(await connector.client(), { counts: false });
        }
        catch (error) {
            await connector.drop();
            if (attempt < 2)
                continue;
            gaps.push(`The database could not be read after the command: ${(0,connect/* describeError */.Uc)(error)}.`);
            return undefined;
        }
    }
}
function sizeChanges(before, after) {
    const rewritten = [];
    const resized = [];
    for (const [oid, relation] of before.relations) {
        const is = after.relations.get(oid);
        if (!is || (relation.kind !== 'table' && relation.kind !== 'materialized view'))
            continue;
        const change = { relation: (0,catalog/* factsOf */.xS)(relation), sizeAfter: is.size };
        const difference = Math.abs(is.size - relation.size);
        if (relation.file !== is.file)
            rewritten.push(change);
        else if (difference > noteworthy.bytes && difference > relation.size * noteworthy.part)
            resized.push(change);
    }
    const differenceOf = ({ relation, sizeAfter }) => Math.abs(sizeAfter - relation.size);
    return {
        rewritten: rewritten.sort((a, b) => b.relation.size - a.relation.size),
        resized: resized.sort((a, b) => differenceOf(b) - differenceOf(a)),
    };
}


/***/ })

};
