import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Service } from '../../service/index.ts';
import { ORGANIZATION_ID } from '../../service/objects/account.ts';
import type { GitHubEvent } from '../../support/events.ts';
import { type OtherStep, type PlayedWorkflow, playWorkflow } from '../../support/workflow/play.ts';
import { ROOT } from '../../unit/repository/files.ts';

export type Script = (step: OtherStep) => Promise<void> | void;

/** Plays a workflow of `examples/` against a service. No secret may be readable anywhere. */
export async function playExample(
  name: string,
  options: { service: Service; event: GitHubEvent; script?: Script; runId?: string },
): Promise<PlayedWorkflow> {
  const { service, event, script, runId = '77' } = options;
  const played = await playWorkflow(readFileSync(join(ROOT, 'examples', name), 'utf8'), {
    event,
    vars: { PROJECT_ID: service.projectId, ORG_ID: ORGANIZATION_ID },
    secrets: { API_KEY: service.apiKey },
    inputs: { api_host: service.baseUrl },
    runId,
    script: async (step) => {
      await script?.(step);
      return undefined;
    },
  });
  if (!played) throw new Error(`${name} is not started by ${event.name}`);
  for (const { run, post } of played.jobs.flatMap((job) => job.steps)) {
    for (const stage of [run, post]) expect(stage?.leaks([...service.secrets]) ?? []).toEqual([]);
  }
  expect(service.violations).toEqual([]);
  return played;
}

/** `step name: outcome`, for each step. */
export const outcomes = (played: PlayedWorkflow) =>
  played.jobs.flatMap((job) => job.steps.map(({ name, outcome }) => `${name}: ${outcome}`));
