import { pullRequest } from '../runner/events.ts';
import { type Run, runAction, type Stage } from '../runner/runner.ts';
import type { RecordedRequest, Service } from '../service/index.ts';
import { startService } from '../service/index.ts';
import type { FaultKind, Place } from './faults.ts';
import { type Column, type Mode, type Outcome, outcomeOf, parseOutcome } from './outcomes.ts';
import { neighbours, type Play, target } from './play.ts';

/** A play with a fault in one of its requests. */
export interface Cell {
  play: Play;
  /** A key of `play.requests`; undefined for the play without a fault. */
  request?: string;
  fault?: FaultKind;
  mode: Mode;
}

export function nameOf({ play, request, fault, mode }: Cell): string {
  return [play.name, request, fault?.name, request && mode].filter(Boolean).join(' / ');
}

/** How long a step may run beyond its `timeout`, in milliseconds: for startup and reporting on a busy machine. */
const graceMs = 6_000;
/** `timeout` of a step that retries until it times out; each attempt may take a quarter of it. */
const lastingTimeout = '6s';
/** The minimum timeout of the post step. */
const postTimeout = '40s';

/** Plays a cell and returns every deviation from the expected outcome. */
export async function playCell(cell: Cell, place: Place & { heard: () => number }): Promise<string[]> {
  const { play, request, fault, mode } = cell;
  const service = await startService({ compute: 'none', operationMs: 1, ...play.service });
  const others = await play.others?.();
  try {
    await service.addBranches(neighbours.map((name) => ({ name, createdAt: Date.now() - 7_200_000 })));
    const prepared = (await play.prepare?.(service)) ?? {};
    await service.idle();
    const bystanders = photograph(service);
    const heard = place.heard();
    const keys = new Map<RecordedRequest, string>();
    const keyOf = (one: RecordedRequest) => keys.get(one) ?? remember(keys, one, keyNamed(service, one));
    let before = 0;
    const begin = async () => {
      await service.idle();
      before = service.requests.length;
      if (play.also) service.faults.add(play.also);
      // The situation's own fault takes precedence; this one strikes the requests that are left.
      if (!request || !fault) return;
      const when = (one: RecordedRequest) => keyOf(one) === request;
      service.faults.add({ when, ...(mode === 'once' && { nth: 1 }), ...fault.action(place) });
    };
    if (!play.post) await begin();
    const waits = expectation(cell).outcome.sent === 'many';
    const timeout = waits ? lastingTimeout : (fault?.timeout ?? '20s');
    const inputs = {
      api_key: service.apiKey,
      project_id: service.projectId,
      api_host: service.baseUrl,
      timeout,
      ...play.inputs,
      ...prepared,
    };
    const run = await runAction({
      inputs,
      event: pullRequest({ number: 7 }),
      env: { RUNNER_DEBUG: '1', ...others?.env },
      ...(play.post && { post: true, between: begin }),
    });
    await service.idle();
    const requests = service.requests.slice(before);
    return [
      ...compareRequests({ cell, keys: requests.map(keyOf) }),
      ...compareEnd({ cell, run, service }),
      ...compareTime(run.post ? { run: run.post, timeout: postTimeout } : { run, timeout }),
      ...(photograph(service) === bystanders ? [] : ['another branch was touched']),
      ...(place.heard() === heard ? [] : ['another origin got a request']),
      ...service.violations,
    ];
  } finally {
    await others?.close();
    await service.stop();
  }
}

function remember(keys: Map<RecordedRequest, string>, request: RecordedRequest, key: string): string {
  keys.set(request, key);
  return key;
}

/** A key of `play.requests`, such as `GET branch/endpoints`, `GET base/schema` (of main) or `GET operation start_compute`. */
function keyNamed(service: Service, { method, template = '', path, query }: RecordedRequest): string {
  const which = path.includes(`/branches/${service.main.id}`) ? 'base' : 'branch';
  const route = template.replace('/projects/{project_id}/', '').replace('branches/{branch_id}', which);
  if (route !== 'operations/{operation_id}') {
    const past = (query.lsn ?? query.timestamp) ? ' past' : '';
    return `${method} ${route.replace('{database_name}', 'database')}${query.pooled === 'true' ? ' pooled' : ''}${past}`;
  }
  const operation = service.operations().find(({ id }) => path.endsWith(id));
  return `${method} operation ${operation?.action}`;
}

/** All branches and endpoints except the target's, as JSON. */
function photograph(service: Service): string {
  const branches = service.branches().filter(({ name }) => name !== target);
  const ids = new Set(branches.map(({ id }) => id));
  const endpoints = service.endpoints().filter(({ branch_id }) => ids.has(branch_id));
  return JSON.stringify([branches, endpoints]);
}

/** The cell's column in the table of outcomes; undefined for the play without a fault. */
export function columnOf({ play, request }: Cell): Column | undefined {
  const entry = request === undefined ? undefined : play.requests[request];
  return typeof entry === 'object' ? entry.column : entry;
}

/** How often the request must be sent, and whether the step must succeed. */
export function expectedOutcome(cell: Cell): Outcome {
  return expectation(cell).outcome;
}

function expectation(cell: Cell): { column?: Column; outcome: Outcome } {
  const { play, request, fault, mode } = cell;
  const column = columnOf(cell);
  if (!request || !column || !fault) return { outcome: { ok: true, sent: 1 } };
  const entry = play.requests[request];
  const exception = typeof entry === 'object' ? entry[mode]?.[fault.name] : undefined;
  return { column, outcome: exception ? parseOutcome(exception) : outcomeOf({ fault: fault.name, column, mode }) };
}

/** Whether the request polls operations. */
function polls(play: Play, request: string): boolean {
  const entry = play.requests[request];
  return entry === 'poll' || (typeof entry === 'object' && (entry.column === 'poll' || entry.polls === true));
}

function compareRequests({ cell, keys }: { cell: Cell; keys: string[] }): string[] {
  const { play, request } = cell;
  const { outcome } = expectation(cell);
  const wrong: string[] = [];
  const sent = (key: string) => keys.filter((one) => one === key).length;
  if (request) {
    const times = sent(request);
    const least = outcome.sent === 'many' ? 2 : outcome.sent;
    // An unfinished operation is polled again.
    const most = outcome.sent === 'many' || (outcome.ok && polls(play, request)) ? Number.POSITIVE_INFINITY : least;
    const right = times >= least && times <= most;
    if (!right) wrong.push(`${request} was sent ${times} times`);
  } else {
    const extra = new Set(keys.filter((key) => !(key in play.requests) && key !== play.change));
    const missing = Object.keys(play.requests).filter((key) => sent(key) === 0);
    for (const key of extra)
      wrong.push(`${key} was sent, and is not in \`requests\` of this situation in tools/matrix/plays.ts`);
    for (const key of missing) wrong.push(`${key} was not sent`);
    for (const key of Object.keys(play.requests))
      if (sent(key) > 1 && !polls(play, key)) wrong.push(`${key} was sent ${sent(key)} times`);
  }
  const entry = request && play.requests[request];
  const again = typeof entry === 'object' ? entry.again : undefined;
  const changes = new Set(keys.filter((key) => !key.startsWith('GET ') && key !== request && key !== again));
  for (const key of changes) if (sent(key) > 1) wrong.push(`${key}, which did not fail, was sent ${sent(key)} times`);
  return wrong;
}

/** Checks the conclusion, message, outputs and final state of the service. */
function compareEnd({ cell, run, service }: { cell: Cell; run: Run; service: Service }): string[] {
  const { play, request, mode } = cell;
  const { outcome } = expectation(cell);
  const stage = run.post ?? run;
  // The post step never fails the job; it warns, and names the branch's ID.
  const failures = stage.annotations[run.post ? 'warning' : 'error'];
  const message = failures.join('\n');
  const fails = !outcome.ok && !run.post;
  const there = hasChanged(cell, outcome) ? play.after : play.before;
  const { wrong, check } = checks();

  check('conclusion', stage.conclusion, fails ? 'failure' : 'success');
  check('exit code', stage.code, fails ? 1 : 0);
  check('stderr', stage.stderr, '');
  check('failures', failures.length, outcome.ok ? 0 : 1);
  check('errors', stage.annotations.error.length, fails ? 1 : 0);
  check('branches of the name', service.branches().filter(({ name }) => name === target).length, there ? 1 : 0);
  if (run.post && !outcome.ok) check('ID in the warning', message.includes(run.outputs.branch_id ?? ''), true);
  if (!run.post) wrong.push(...compareOutputs({ cell, run, service }));
  wrong.push(...compareMessage({ cell, outcome, message }));
  if (wrong.length > 0 && request) wrong.push(`(${mode}) ${message || stage.annotations.notice.join(' ')}`);
  return wrong;
}

function compareOutputs({ cell, run, service }: { cell: Cell; run: Run; service: Service }): string[] {
  const { play, request } = cell;
  const { outcome } = expectation(cell);
  const { outputs } = run;
  const changed = hasChanged(cell, outcome);
  const known = changed && (outcome.ok || request === undefined || request !== play.learns);
  const { wrong, check } = checks();

  check('created', outputs.created, String(known && play.says === 'created'));
  // A branch is only reported as deleted once it is.
  if (outcome.ok) check('deleted', outputs.deleted, String(changed && play.says === 'deleted'));
  else if (play.says !== 'deleted') check('deleted', outputs.deleted, 'false');
  const branch = service.branch(target);
  if (branch && outputs.branch_id !== undefined) check('branch_id', outputs.branch_id, branch.id);

  if (outcome.ok && play.connects && !isUnknown(cell)) {
    const database = play.inputs.database ?? 'neondb';
    check('db_url', outputs.db_url, service.uri(target, { database }));
    check('db_url_pooled', outputs.db_url_pooled, service.uri(target, { database, pooled: true }));
    check('db_host', outputs.db_host, service.endpoints(target)[0]?.host);
    check('endpoints', service.endpoints(target).length, 1);
  } else {
    for (const name of ['db_url', 'db_url_pooled', 'db_host', 'password']) check(name, outputs[name], undefined);
  }
  return wrong;
}

function checks() {
  const wrong: string[] = [];
  const check = (what: string, actual: unknown, expected: unknown) => {
    if (actual !== expected) wrong.push(`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
  };
  return { wrong, check };
}

function compareMessage(options: { cell: Cell; outcome: Outcome; message: string }): string[] {
  const { outcome, message } = options;
  const { fault } = options.cell;
  if (/Bug in this action|Unexpected error/.test(message)) return [message];
  if (outcome.ok || !fault) return [];
  // If the step times out during a request or a wait, the error names that instead.
  const stopped = outcome.sent === 'many' && /Timed out after .* while /.test(message);
  return fault.says.test(message) || stopped ? [] : [`the error does not say ${fault.says}: ${message}`];
}

/** Whether the service keeps responding that the branch does not exist; some commands succeed without it. */
function isUnknown({ request, fault, mode }: Pick<Cell, 'request' | 'fault' | 'mode'>): boolean {
  return request === 'GET branch' && fault?.name === '404' && mode === 'always';
}

/** Whether the play's change, if any, has been made at the end: the step got that far, and the fault did not prevent it. */
function hasChanged({ play, request, fault, mode }: Cell, outcome: Outcome): boolean {
  if (play.change === undefined) return false;
  const order = Object.keys(play.requests);
  const { change } = play;
  if (request === undefined || fault === undefined) return true;
  if (isUnknown({ request, fault, mode })) return false;
  if (request === change) return fault.acts || (outcome.ok && fault.name !== '404');
  // A change that is not in `requests` is part of the situation, and was made first.
  return outcome.ok || order.indexOf(request) > order.indexOf(change);
}

function compareTime({ run, timeout }: { run: Stage; timeout: string }): string[] {
  const most = Number.parseInt(timeout, 10) * 1000 + graceMs;
  return run.durationMs > most ? [`it took ${Math.round(run.durationMs)} ms`] : [];
}
