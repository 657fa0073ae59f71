import { afterAll, beforeAll, expect } from 'vitest';
import { type Run, type RunOptions, runAction, type Stage } from '../../tools/runner/runner.ts';
import { type RecordedRequest, type Service, type ServiceOptions, startService } from '../../tools/service/index.ts';

/** One step that was run against a service. */
export interface Played extends Run {
  /** The requests of this step, in order of arrival. */
  requests: RecordedRequest[];
  /** The same as `POST /branches 201`: method, route below the project, status. Consecutive polls of operations are one entry. */
  calls: string[];
  /** The one error annotation of a failed step. */
  message: string;
}

export interface Play extends RunOptions {
  /** `api_key`, `project_id` and `api_host` come from the service unless they are set here. */
  inputs?: Record<string, string>;
}

/** A service, and the bundle to run against it. Each step is searched for leaked secrets. */
export class Scenario {
  readonly service: Service;

  constructor(service: Service) {
    this.service = service;
  }

  /** Inputs that lead to the service. */
  get access(): Record<string, string> {
    const { apiKey, projectId, baseUrl } = this.service;
    return { api_key: apiKey, project_id: projectId, api_host: baseUrl };
  }

  /** Runs a step that may fail. It must leak no secret, and its traffic must match the OpenAPI description. */
  async play(options: Play = {}): Promise<Played> {
    const { service } = this;
    const before = service.requests.length;
    const inputs = { ...this.access, ...options.inputs };
    const token = options.token ?? 'ghs_secretTokenOfThisRun';
    const run = await runAction({ ...options, inputs, token });
    const requests = service.requests.slice(before);
    // A wrong key is secret too.
    const keys = [token, inputs.github_token, ...(inputs.api_key ?? '').split(/\s+/)];
    const secrets = [...service.secrets, ...(options.secrets ?? []), ...keys];
    expectNoLeaks(run, [...new Set(secrets.filter((one) => one !== undefined && one.length >= 4))] as string[]);
    expect(service.violations).toEqual([]);
    return { ...run, requests, calls: callsOf(requests), message: run.annotations.error.join('\n') };
  }

  /** Runs a step that must succeed. */
  async succeeds(options: Play = {}): Promise<Played> {
    const run = await this.play(options);
    expect({ code: run.code, errors: run.annotations.error, faults: run.faults, stderr: run.stderr }).toEqual({
      code: 0,
      errors: [],
      faults: [],
      stderr: '',
    });
    return run;
  }

  /** Runs a step that must fail with one error. */
  async fails(options: Play = {}): Promise<Played> {
    const run = await this.play(options);
    expect({ code: run.code, errors: run.annotations.error.length, faults: run.faults, stderr: run.stderr }).toEqual({
      code: 1,
      errors: 1,
      faults: [],
      stderr: '',
    });
    return run;
  }
}

/** A service for all tests of a file or `describe`. They must use different branch names. */
export function scenario(options: ServiceOptions = { compute: 'none' }): Scenario {
  let service: Service | undefined;
  beforeAll(async () => {
    service = await startService(options);
  });
  afterAll(async () => {
    await service?.stop();
  });
  return new Scenario(
    new Proxy({} as Service, {
      get: (_, name) => {
        if (!service) throw new Error('The service only exists during tests');
        return Reflect.get(service, name);
      },
    }),
  );
}

/** Starts a service for one test, and stops it afterwards. */
export async function withScenario<T>(options: ServiceOptions, test: (scene: Scenario) => Promise<T>): Promise<T> {
  const service = await startService({ compute: 'none', ...options });
  try {
    return await test(new Scenario(service));
  } finally {
    await service.stop();
  }
}

/** In both steps, and in job outputs: an output that holds a secret must be masked. */
function expectNoLeaks(run: Run, secrets: string[]): void {
  const stages: Stage[] = run.post ? [run, run.post] : [run];
  for (const stage of stages) expect(stage.leaks(secrets)).toEqual([]);
  const travelling = Object.entries(run.jobOutputs).filter(([, value]) => secrets.some((one) => value.includes(one)));
  expect(travelling).toEqual([]);
}

function callsOf(requests: RecordedRequest[]): string[] {
  const calls = requests.map(({ method, template, path, status }) => {
    const route = (template ?? path).replace('/projects/{project_id}', '').replace(/\{(\w+?)(_id|_name)\}/g, '{$1}');
    return `${method} ${route === '' ? '/projects/{project}' : route} ${status}`;
  });
  const poll = /^GET \/operations(\/\{operation\})? 200$/;
  return calls.filter((call, index) => !(poll.test(call) && call === calls[index - 1]));
}
