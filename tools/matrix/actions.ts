import { pullRequest } from '../runner/events.ts';
import { type Run, runAction } from '../runner/runner.ts';
import { type RecordedRequest, type Service, startService } from '../service/index.ts';
import { expected, type FaultKind, faultKinds, type Mode, type Place, type Policy, wrongCount } from './faults.ts';
import { type Situation, situations, target } from './situations.ts';

/** Branches whose names contain the target's or are part of it; they must never change. */
const neighbours = ['preview/pr-71', 'old/preview/pr-7', 'preview/pr'];

/** A fault in one kind of request of a situation; without, nothing fails. */
interface Fault {
  request: string;
  kind: FaultKind;
  mode: Mode;
  policy: Policy;
}

const named = (name: string) => faultKinds.filter((kind) => kind.name === name);
const [expired] = named('401');
const [busy] = named('503');
const [lost] = named('500 acted');

const lookedUp = ['POST /branches', 'POST /branch_anonymized', 'POST /branches/{branch_id}/restore'];

/**
 * Every situation without a fault, with three faults in each of its requests, and with every fault in those whose effect is looked up after a lost response. That a request is sent
 * again or not is proven in `requests.ts`; here, a step must end with the right result, or with an error and without connection details.
 */
export const actionCells = situations.flatMap((situation) => {
  const cell = (fault?: Fault) => ({
    name: [situation.name, fault?.request, fault?.kind.name, fault?.mode].filter(Boolean).join(' / '),
    mode: fault?.mode ?? ('once' as const),
    play: (place: Place) => play(situation, place, fault),
  });
  const faults = situation.requests.flatMap((request): Fault[] => {
    const [method = ''] = request.split(' ');
    const change = lookedUp.includes(request) ? 'look up' : 'give up';
    const policy: Policy = method === 'GET' ? 'again' : method === 'DELETE' ? 'until gone' : change;
    if (request === situation.everyFault) {
      const modes = ['once', 'always'] as const;
      return faultKinds.flatMap((kind) => modes.map((mode) => ({ request, kind, mode, policy })));
    }
    return [
      ...(expired ? [{ request, kind: expired, mode: 'always' as const, policy }] : []),
      ...[busy, lost].flatMap((kind) => (kind ? [{ request, kind, mode: 'once' as const, policy }] : [])),
    ];
  });
  return [cell(), ...faults.map(cell)];
});

/** How long a step may run beyond its `timeout`, in milliseconds: for startup and reporting on a busy machine. */
const graceMs = 20_000;
const timeoutMs = { once: 60_000, always: 5_000 };

async function play(situation: Situation, place: Place, fault?: Fault): Promise<string[]> {
  const service = await startService({ compute: 'none', operationMs: 50, ...situation.service });
  const others = await situation.others?.();
  try {
    await service.addBranches(neighbours.map((name) => ({ name, createdAt: Date.now() - 7_200_000 })));
    await situation.prepare?.(service);
    await service.idle();
    const bystanders = photograph(service);
    const before = service.requests.length;
    if (fault) {
      service.faults.add({
        when: (request) => keyOf(request) === fault.request,
        ...(fault.mode === 'once' && { nth: 1 }),
        ...fault.kind.action(place),
      });
    }
    const limit = timeoutMs[fault?.kind.meaning === 'refused' ? 'once' : (fault?.mode ?? 'once')];
    const run = await runAction({
      action: situation.action,
      inputs: {
        api_key: service.apiKey,
        project_id: service.projectId,
        api_host: service.baseUrl,
        // An attempt may take a quarter of it.
        timeout: `${(fault?.kind.hangs && fault.mode === 'once' ? 24_000 : limit) / 1_000}s`,
        ...situation.inputs,
      },
      event: pullRequest({ number: 7, action: situation.closed ? 'closed' : 'opened' }),
      env: { ...others?.env },
    });
    await service.idle();
    const keys = service.requests.slice(before).map(keyOf);
    return [
      ...compareRun({ situation, fault, run, service, keys }),
      ...(run.durationMs > limit + graceMs ? [`it took ${Math.round(run.durationMs)} ms`] : []),
      ...(photograph(service) === bystanders ? [] : ['another branch was touched']),
      ...service.violations,
    ];
  } finally {
    await others?.close();
    await service.stop();
  }
}

/** `GET /branches/{branch_id}/endpoints` */
function keyOf({ method, template = '' }: RecordedRequest): string {
  return `${method} ${template.replace('/projects/{project_id}', '')}`;
}

/** All branches and endpoints except the target's, as JSON. */
function photograph(service: Service): string {
  const branches = service.branches().filter(({ name }) => name !== target);
  const ids = new Set(branches.map(({ id }) => id));
  return JSON.stringify([branches, service.endpoints().filter(({ branch_id }) => ids.has(branch_id))]);
}

function compareRun(options: {
  situation: Situation;
  fault: Fault | undefined;
  run: Run;
  service: Service;
  keys: string[];
}): string[] {
  const { situation, fault, run, service, keys } = options;
  const { ok, sent } = fault ? expected(fault.policy, fault.kind, fault.mode) : { ok: true, sent: 1 };
  const wrong: string[] = [];
  const check = (what: string, actual: unknown, wanted: unknown) => {
    if (actual !== wanted) wrong.push(`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`);
  };
  const message = run.annotations.error.join('\n');

  check('conclusion', run.conclusion, ok ? 'success' : 'failure');
  check('stderr', run.stderr, '');
  check('errors', run.annotations.error.length, ok ? 0 : 1);
  if (/Bug in this action|Unexpected error/.test(message)) wrong.push(message);
  if (!ok && fault && !fault.kind.says.test(message)) wrong.push(`it does not say ${fault.kind.says}: ${message}`);
  if (fault === undefined) {
    check('requests', [...new Set(keys)].sort().join(', '), [...situation.requests].sort().join(', '));
  } else if (fault.policy === 'look up') {
    wrong.push(...wrongCount(fault.kind, keys.filter((key) => key === fault.request).length, sent));
  }
  const branches = service.branches().filter(({ name }) => name === target);
  if (ok) check('branches of the name', branches.length, situation.after ? 1 : 0);
  else if (branches.length > 1) wrong.push('there are two branches of the name');
  if (ok && situation.connects) {
    check('branch_id', run.outputs.branch_id, branches[0]?.id);
    check('db_url', run.outputs.db_url, service.uri(target));
    check('db_url_pooled', run.outputs.db_url_pooled, service.uri(target, { pooled: true }));
    check('endpoints', service.endpoints(target).length, 1);
  } else {
    for (const name of ['db_url', 'db_url_pooled', 'db_host', 'password']) check(name, run.outputs[name] ?? '', '');
  }
  return wrong;
}
