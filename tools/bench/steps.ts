import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createIdKey } from '../../src/branch/metadata.ts';
import { ROOT } from '../files.ts';
import { inputEnvironment, readAction } from '../runner/action.ts';
import { NODE } from '../runner/runner.ts';
import { type RecordedRequest, type Service, type ServiceOptions, startService } from '../service/index.ts';

type Inputs = Record<string, string>;

/** Requests of a step, without polls. */
export interface Counted {
  step: string;
  requests: number;
  /** Of these, how many went one after another. */
  rounds: number;
}

const hourAgo = () => Date.now() - 3_600_000;
/** Long enough that requests side by side arrive before the first of them gets a response; a branch that was read 2 s ago is read again. */
const delayMs = 500;

/** How many requests typical steps send, and how many of them one after another. */
export async function countRequests(): Promise<Counted[]> {
  const steps: [string, Inputs, 'exists' | 'missing'][] = [
    ['create, `wait: false`', { command: 'create', wait: 'false' }, 'missing'],
    ['create, branch exists', { command: 'create' }, 'exists'],
    ['get', { command: 'get' }, 'exists'],
    ['reset', { command: 'reset' }, 'exists'],
    ['delete, by name', { command: 'delete' }, 'exists'],
    ['delete, by ID', { command: 'delete', branch_id: '?', branch_name: '' }, 'exists'],
  ];
  const counted = steps.map(([step, inputs, branch]) =>
    withService({}, async (service): Promise<Counted> => {
      const annotations = { [createIdKey]: 'of another step' };
      if (branch === 'exists') {
        const { id } = await service.addBranch({ name: 'bench', createdAt: hourAgo(), annotations });
        if (inputs.branch_id) inputs.branch_id = id;
      }
      service.faults.add({ delay: delayMs });
      await runStep(service, { branch_name: 'bench', ...inputs });
      const waits = inputs.command === 'delete' || inputs.command === 'reset';
      const isPoll = ({ path }: { path: string }) => waits && /\/operations/.test(path);
      const requests = service.requests.filter((one) => !isPoll(one));
      return { step, requests: requests.length, rounds: roundsOf(requests) };
    }),
  );
  return Promise.all(counted);
}

/**
 * How many requests a step sent one after another: requests side by side count once. The service delays every
 * response by `delayMs`, so that what does not wait for a response arrives before it.
 */
function roundsOf(requests: RecordedRequest[]): number {
  let rounds = 0;
  let began = Number.NEGATIVE_INFINITY;
  for (const { at } of requests.toSorted((one, other) => one.at - other.at)) {
    if (at < began + delayMs) continue;
    rounds++;
    began = at;
  }
  return rounds;
}

/** Milliseconds until the first request of a `create`, as multiples of a bare Node.js that is started right before, on the same machine. */
export async function measureStart(runs: number): Promise<number[]> {
  return withService({}, async (service) => {
    const ratios: number[] = [];
    for (let run = 0; run < runs; run++) {
      const bareMs = await durationOf(startNode(['/dev/null']));
      const before = service.requests.length;
      const began = Date.now();
      await durationOf(startStep(service, { branch_name: `timed-${run}`, wait: 'false' }));
      ratios.push(((service.requests[before]?.at ?? Number.NaN) - began) / bareMs);
    }
    return ratios;
  });
}

export interface Late {
  /** From the end of the last operation until the poll that found it, in milliseconds. */
  lateMs: number;
  polls: number;
}

/** How late a real step is, on a service that has done ten creates, each of whose operations took about as long. */
export async function measureLateness(options: { seconds: number; runs: number }): Promise<Late[]> {
  const { seconds, runs } = options;
  const scattered = () => Math.round(seconds * 1_000 * (0.8 + 0.4 * Math.random()));
  const operationMs: Record<string, number> = { create_branch: 1, start_compute: 1 };
  return withService({ operationMs, slots: 12 }, async (service) => {
    for (let run = 0; run < 10; run++) await runStep(service, { branch_name: `earlier-${run}`, wait: 'false' });
    await service.idle();
    const results: Late[] = [];
    for (let run = 0; run < runs; run++) {
      for (const one of service.operations()) one.total_duration_ms = scattered();
      Object.assign(operationMs, { create_branch: scattered(), start_compute: scattered() });
      const total = Object.values(operationMs).reduce((sum, ms) => sum + ms, 0);
      const before = service.requests.length;
      await runStep(service, { branch_name: `late-${run}` });
      const [create, ...polls] = service.requests.slice(before);
      const ended = (create?.at ?? Number.NaN) + total;
      results.push({ lateMs: (polls.at(-1)?.at ?? Number.NaN) - ended, polls: polls.length });
    }
    return results;
  });
}

async function withService<T>(options: ServiceOptions, work: (service: Service) => Promise<T>): Promise<T> {
  const service = await startService({ compute: 'none', operationMs: 1, check: false, ...options });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

async function runStep(service: Service, inputs: Inputs): Promise<void> {
  const step = startStep(service, inputs);
  let output = '';
  step.stdout?.on('data', (chunk) => (output += chunk));
  const [code] = await once(step, 'close');
  if (code !== 0) throw new Error(`${JSON.stringify(inputs)}: exit code ${code}\n${output}`);
}

/** The built bundle, with as little around it as possible: no code that is kept from one run to the next. */
function startStep(service: Service, inputs: Inputs): ChildProcess {
  const access = { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl };
  const action = readAction(ROOT);
  const env = {
    GITHUB_EVENT_NAME: 'workflow_dispatch',
    GITHUB_REPOSITORY: 'octo-org/octo-repo',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_OUTPUT: '/dev/null',
    ...inputEnvironment(action, { summary: 'false', ...access, ...inputs }, { token: '' }),
  };
  return startNode([action.main], env);
}

function startNode(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(NODE, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function durationOf(child: ChildProcess): Promise<number> {
  const began = performance.now();
  child.stdout?.resume();
  await once(child, 'close');
  return performance.now() - began;
}
