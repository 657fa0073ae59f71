import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../../../tools/files.ts';
import type { GitHubEvent } from '../../../tools/runner/events.ts';
import { secretForms } from '../../../tools/runner/masks.ts';
import { type OtherStep, type PlayedWorkflow, playWorkflow } from '../../../tools/runner/workflow/play.ts';
import type { Service } from '../../../tools/service/index.ts';
import { ORGANIZATION_ID } from '../../../tools/service/objects/account.ts';

type Outputs = Record<string, string>;

/** Stands in for scripts and other actions. It may return the step's outputs. */
// biome-ignore lint/suspicious/noConfusingVoidType: most scripts return nothing
export type Script = (step: OtherStep) => Promise<Outputs | void> | Outputs | void;

export interface ExampleOptions {
  service: Service;
  event: GitHubEvent;
  script?: Script;
  runId?: string;
  /** the secrets of the run; none for a fork */
  secrets?: Record<string, string>;
  /** further variables */
  vars?: Record<string, string>;
  /** the workflow; by default the file in `examples` */
  text?: string;
  /** environment variables of each step with this action: those of the stand-in for GitHub */
  env?: Record<string, string>;
}

function readExample(name: string): string {
  return readFileSync(join(ROOT, 'examples', name), 'utf8');
}

/** Plays an example against a service. No secret may be readable anywhere. */
export async function playExample(name: string, options: ExampleOptions): Promise<PlayedWorkflow> {
  const { service, event, script, runId = '77', vars, env } = options;
  const { apiKey, projectId } = service;
  const played = await playWorkflow(options.text ?? readExample(name), {
    event,
    vars: { NEON_PROJECT_ID: projectId, ORG_ID: ORGANIZATION_ID, ...vars },
    secrets: options.secrets ?? { NEON_API_KEY: apiKey },
    inputs: { api_host: service.baseUrl },
    ...(env && { env }),
    runId,
    reusable: { 'my-org/workflows/.github/workflows/database-preview.yml@v1': readExample('organization-preview.yml') },
    script: async (step) => (await script?.(step)) ?? undefined,
  });
  if (!played) throw new Error(`${name} is not started by ${event.name}`);
  const secrets = [...service.secrets];
  const forms = secrets.flatMap((secret) => [...secretForms(secret).keys()]);
  for (const { outputs, steps } of played.jobs) {
    for (const stage of steps.flatMap(({ run, post }) => [run, post])) expect(stage?.leaks(secrets) ?? []).toEqual([]);
    expect(Object.values(outputs).filter((value) => forms.some((form) => value.includes(form)))).toEqual([]);
  }
  expect(service.violations).toEqual([]);
  return played;
}

/** `job: result`, for each job. */
export const results = (played: PlayedWorkflow) => played.jobs.map(({ id, result }) => `${id}: ${result}`);

/** `step name: outcome`, for each step. */
export const outcomes = (played: PlayedWorkflow) =>
  played.jobs.flatMap((job) => job.steps.map(({ name, outcome }) => `${name}: ${outcome}`));
