import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIdKey } from '../../src/branch/metadata.ts';
import { ROOT } from '../files.ts';
import { inputEnvironment, readAction } from '../runner/action.ts';
import { NODE } from '../runner/runner.ts';
import { type Service, type ServiceOptions, startService } from '../service/index.ts';
import { roundsOf } from './rounds.ts';

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
      return { step, requests: requests.length, rounds: roundsOf(requests, delayMs) };
    }),
  );
  return Promise.all(counted);
}

export interface Start {
  /** Milliseconds until the first request, and megabytes at most of a step that waits, each as a multiple of a bare Node.js. */
  firstRequest: number;
  memory: number;
}

/** Starts a bare Node.js and a `create` in turn, so that both meet the same machine. */
export async function measureStart(runs: number): Promise<Start[]> {
  return withService({}, async (service) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'));
    const empty = join(folder, 'empty.mjs');
    writeFileSync(empty, '');
    try {
      const results: Start[] = [];
      for (let run = 0; run < runs; run++) {
        const create = (name: string, inputs: Inputs = {}, flags: string[] = []) =>
          startStep(service, { branch_name: `${name}-${run}`, ...inputs }, flags);
        const bareMs = await durationOf(startNode([empty]));
        const before = service.requests.length;
        const began = Date.now();
        await durationOf(create('timed', { wait: 'false' }));
        const firstMs = (service.requests[before]?.at ?? Number.NaN) - began;
        const memory = [
          await memoryOf(create('sized', {}, tellMemory)),
          await memoryOf(startNode([...tellMemory, empty])),
        ];
        results.push({ firstRequest: firstMs / bareMs, memory: (memory[0] ?? 0) / (memory[1] ?? 1) });
      }
      return results;
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

export interface Late {
  /** Duration of each of the two operations, in seconds. */
  seconds: number;
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
      results.push({ seconds, lateMs: (polls.at(-1)?.at ?? Number.NaN) - ended, polls: polls.length });
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
  step.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(step, 'close');
  if (code !== 0) throw new Error(`${JSON.stringify(inputs)}: exit code ${code}\n${output}`);
}

function startStep(service: Service, inputs: Inputs, flags: string[] = []): ChildProcess {
  const access = { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl };
  return startAction({ ...access, ...inputs }, flags);
}

/** The built bundle, with as little around it as possible: no code that is kept from one run to the next. */
function startAction(inputs: Inputs, flags: string[]): ChildProcess {
  const action = readAction(ROOT);
  const env = {
    GITHUB_EVENT_NAME: 'workflow_dispatch',
    GITHUB_REPOSITORY: 'octo-org/octo-repo',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_OUTPUT: '/dev/null',
    ...inputEnvironment(action, { summary: 'false', ...inputs }, { token: '' }),
  };
  return startNode([...flags, action.main], env);
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

/** Lets a process print, as its last line, the most memory that it had, in kilobytes. */
const tellMemory = [
  '--import',
  "data:text/javascript,process.on('exit',()=>process.stdout.write('\\n'+process.resourceUsage().maxRSS))",
];

async function memoryOf(child: ChildProcess): Promise<number> {
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return Number(output.split('\n').at(-1));
}
