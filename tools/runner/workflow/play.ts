import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { ActionName } from '../action.ts';
import { foldersIn, githubVariables, runnerVariables } from '../environment.ts';
import type { GitHubEvent } from '../events.ts';
import { Masker } from '../masks.ts';
import { cancelSignals } from '../process.ts';
import { actionOf } from '../repository.ts';
import { makeHome, type Run, type RunOptions, runAction, type Stage } from '../runner.ts';
import { holds, interpolate, interpolateAll, resolve, type Scope, type Status } from './expressions.ts';
import {
  combinations,
  inOrder,
  inputsOfCall,
  isTriggered,
  type JobFile,
  needsOf,
  outputsOfCall,
  readWorkflow,
  type StepFile,
  type WorkflowFile,
} from './file.ts';

export interface WorkflowOptions {
  event: GitHubEvent;
  vars: Record<string, string>;
  secrets: Record<string, string>;
  /** `inputs` of the workflow; by default, those of the event, as texts */
  values?: Record<string, unknown>;
  /** inputs of each step with this action that the workflow does not set: `api_host` of the local service */
  inputs: Record<string, string>;
  /** changes the inputs of such a step, once they have been evaluated */
  adapt?: (inputs: Record<string, string>) => Record<string, string>;
  /** called after such a step: it returns what it did, or throws a `ScriptFailed` to fail the step */
  after?: (step: PlayedStep) => Promise<string | undefined> | undefined;
  /** what the workflow calls the repository of the actions; by default its name, or `.` */
  repositories?: string[];
  /** environment variables of each step with this action, in addition to the runner's */
  env?: Record<string, string>;
  runId?: string;
  /** `GITHUB_WORKSPACE`; an empty folder by default */
  workspace?: string | undefined;
  /** Cancels the run, as a user can. With it, steps may take any time, and each has a process of its own. */
  cancel?: AbortSignal;
  /** the texts of reusable workflows, by the `uses` of the jobs that call them; others are not played */
  reusable?: Record<string, string>;
  /** of the job that calls the workflow */
  permissions?: unknown;
  /** called before each job, with its `permissions`; undefined if neither it nor its workflow has any */
  permit?: (permissions: unknown) => void;
  /** replaces scripts and other actions: it returns their outputs, or throws to fail the step */
  script?: (step: OtherStep) => Record<string, string> | undefined | Promise<Record<string, string> | undefined>;
}

/** A script or another action, when the runner would start it. */
export interface OtherStep {
  id: string | undefined;
  job: string;
  name: string;
  run: string | undefined;
  uses: string | undefined;
  with: Record<string, string>;
  env: Record<string, string>;
}

export interface PlayedStep {
  name: string;
  outcome: Status;
  outputs: Record<string, string>;
  /** a step with one of this repository's actions: which, with which inputs, and its run */
  action?: ActionName;
  inputs?: Record<string, string>;
  run?: Stage;
  post?: Stage;
  /** why a stand-in failed the step, or what was done after it */
  said?: string[];
}

export interface PlayedJob {
  id: string;
  result: Status;
  /** as other jobs get them */
  outputs: Record<string, string>;
  steps: PlayedStep[];
  /** The values of its combination, if it has a matrix. */
  matrix?: string[];
  /** Why it has no steps. */
  problem?: string;
}

export interface PlayedWorkflow {
  /** `concurrency.group`, and whether the job cancels others in it */
  concurrency: { group: string; cancelInProgress: boolean } | undefined;
  /** each job, or each combination of its matrix */
  jobs: PlayedJob[];
}

const TOKEN = 'ghs_tokenOfThisRun';

/** Runs a workflow job by job, with the built action. Undefined if the event does not start it. */
export async function playWorkflow(text: string, options: WorkflowOptions): Promise<PlayedWorkflow | undefined> {
  const file = readWorkflow(text);
  if (!isTriggered(file, options.event)) return undefined;
  const { inputs } = options.event.payload as { inputs?: Record<string, string> | null };
  return playFile(file, options.values ?? inputs ?? {}, options);
}

async function playFile(
  file: WorkflowFile,
  inputs: Record<string, unknown>,
  options: WorkflowOptions,
): Promise<PlayedWorkflow> {
  const variables = variablesOf(file, options);
  const base = {
    github: githubContext(variables, options.event),
    inputs,
    vars: options.vars,
    secrets: options.secrets,
  };
  const env = interpolateAll(file.env, { contexts: base, status: 'success' });
  const jobs: PlayedJob[] = [];
  for (const [id, job] of inOrder(file.jobs)) {
    const needed = needsOf(job).map((name) => together(name, jobs));
    const needs = Object.fromEntries(needed.map((one) => [one.id, { result: one.result, outputs: one.outputs }]));
    const status = options.cancel?.aborted ? 'cancelled' : worstOf(needed);
    const contexts = { ...base, needs, env };
    const permissions = job.permissions ?? file.permissions ?? options.permissions;
    options.permit?.(permissions);
    if (!holds(job.if, { contexts, status })) jobs.push({ id, result: 'skipped', outputs: {}, steps: [] });
    else if (job.uses !== undefined)
      jobs.push(await playCall({ id, job, scope: { contexts, status }, options: { ...options, permissions } }));
    else {
      const all = combinations(resolve(job.strategy?.matrix, { contexts, status }));
      const played = all.map((matrix, index) => {
        const strategy = { 'job-index': index, 'job-total': all.length };
        return new JobPlay({ id, job, contexts: { ...contexts, matrix, strategy }, variables, options }).play();
      });
      jobs.push(...(await Promise.all(played)));
    }
  }
  return { concurrency: concurrencyOf(file.concurrency, { contexts: base, status: 'success' }), jobs };
}

/** A job that calls a reusable workflow. The called workflow has the caller's event, but only the secrets it is given. */
async function playCall(of: { id: string; job: JobFile; scope: Scope; options: WorkflowOptions }): Promise<PlayedJob> {
  const { id, job, scope, options } = of;
  const text = options.reusable?.[job.uses ?? ''];
  if (text === undefined) {
    const problem = `not played, because it calls ${job.uses}`;
    return { id, result: 'success', outputs: {}, steps: [], problem };
  }
  const file = readWorkflow(text);
  const inputs = inputsOfCall(file, interpolateAll(job.with, scope));
  const secrets = job.secrets === 'inherit' ? options.secrets : interpolateAll(job.secrets, scope);
  const { jobs } = await playFile(file, inputs, { ...options, secrets });
  const worst = worstOf(jobs);
  const result = worst === 'skipped' ? 'success' : worst;
  const byId = Object.fromEntries(jobs.map((one) => [one.id, together(one.id, jobs)]));
  const outputs = interpolateAll(outputsOfCall(file), { contexts: { jobs: byId }, status: result });
  return { id, result, outputs, steps: jobs.flatMap((one) => one.steps) };
}

/** The `GITHUB_*` variables of the run. */
function variablesOf({ name }: WorkflowFile, options: WorkflowOptions): Record<string, string> {
  const { event, runId } = options;
  const run: Record<string, string> = runId === undefined ? {} : { GITHUB_RUN_ID: runId };
  return { ...githubVariables(event), ...run, GITHUB_WORKFLOW: name ?? '.github/workflows/preview.yml' };
}

function githubContext(variables: Record<string, string>, { payload }: GitHubEvent): Record<string, unknown> {
  return { ...asContext(variables), event: payload, token: TOKEN };
}

/** `GITHUB_REF_NAME` is `github.ref_name` in expressions. */
function asContext(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name.replace(/^[A-Z]+_/, '').toLowerCase(), value]),
  );
}

function concurrencyOf(given: unknown, scope: Scope): PlayedWorkflow['concurrency'] {
  if (given === undefined) return undefined;
  const { group, ...rest } = typeof given === 'string' ? { group: given } : (given as { group: string });
  const cancel = (rest as Record<string, unknown>)['cancel-in-progress'] ?? false;
  return { group: interpolate(group, scope), cancelInProgress: interpolate(cancel, scope) === 'true' };
}

/** A job that another job needs; all combinations of a matrix count as one. */
function together(id: string, jobs: PlayedJob[]): PlayedJob {
  const all = jobs.filter((job) => job.id === id);
  return { id, result: worstOf(all), outputs: Object.assign({}, ...all.map((job) => job.outputs)), steps: [] };
}

function worstOf(jobs: PlayedJob[]): Status {
  return (
    (['failure', 'cancelled', 'skipped'] as const).find((result) => jobs.some((job) => job.result === result)) ??
    'success'
  );
}

class JobPlay {
  private readonly id: string;
  private readonly job: JobFile;
  private readonly contexts: Record<string, unknown>;
  private readonly variables: Record<string, string>;
  private readonly options: WorkflowOptions;
  private readonly home = makeHome();
  private readonly masker = new Masker();
  private readonly steps: PlayedStep[] = [];
  private readonly byId: Record<string, { outcome: string; conclusion: string; outputs: Record<string, string> }> = {};
  private env: Record<string, string>;
  private status: Status = 'success';

  constructor(of: {
    id: string;
    job: JobFile;
    contexts: Record<string, unknown>;
    variables: Record<string, string>;
    options: WorkflowOptions;
  }) {
    const { id, job, contexts, variables, options } = of;
    this.id = id;
    this.job = job;
    const folders = foldersIn(this.home, options.workspace);
    const github = { ...(contexts.github as object), job: id, workspace: folders.workspace };
    this.contexts = { ...contexts, github, runner: asContext(runnerVariables(folders)) };
    this.variables = { ...variables, GITHUB_JOB: id };
    this.options = options;
    this.env = contexts.env as Record<string, string>;
    for (const secret of Object.values(options.secrets)) this.masker.add(secret);
  }

  async play(): Promise<PlayedJob> {
    try {
      this.env = { ...this.env, ...interpolateAll(this.job.env, this.scope()) };
      await this.playFrom(0);
      const outputs = Object.entries(interpolateAll(this.job.outputs, this.scope()));
      const travelling = outputs.filter(([, value]) => this.masker.hide(value) === value);
      const matrix = Object.values(this.contexts.matrix ?? {}).map((value) =>
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      );
      return { id: this.id, result: this.status, outputs: Object.fromEntries(travelling), steps: this.steps, matrix };
    } finally {
      rmSync(this.home, { recursive: true, force: true });
    }
  }

  private scope(env: Record<string, string> = this.env): Scope {
    const job = { status: this.status };
    return { contexts: { ...this.contexts, env, job, steps: this.byId }, status: this.status };
  }

  /** Runs the rest of the job's steps. For a step with this action, they run between its main and its post step. */
  private async playFrom(index: number): Promise<void> {
    const step = this.job.steps?.[index];
    if (!step) return;
    if (this.options.cancel?.aborted) this.status = 'cancelled';
    const rest = () => this.playFrom(index + 1);
    const env = { ...this.env, ...interpolateAll(step.env, this.scope()) };
    const name = step.name ?? step.uses ?? step.run?.split('\n')[0] ?? '';
    if (!holds(step.if, this.scope(env))) {
      this.note(step, { name, outcome: 'skipped', outputs: {} });
      await rest();
      return;
    }
    const action = actionOf(step.uses, this.options.repositories);
    if (action) await this.playOurs({ action, step, name, env, rest });
    else {
      await this.playOther({ step, name, env });
      await rest();
    }
  }

  private note(step: StepFile, played: PlayedStep): void {
    const forgiven = played.outcome === 'failure' && resolve(step['continue-on-error'], this.scope()) === true;
    const conclusion = forgiven ? 'success' : played.outcome;
    this.steps.push(played);
    if (conclusion === 'failure' || conclusion === 'cancelled') this.status = conclusion;
    if (step.id !== undefined) this.byId[step.id] = { outcome: played.outcome, conclusion, outputs: played.outputs };
  }

  private async playOurs(of: {
    action: ActionName;
    step: StepFile;
    name: string;
    env: Record<string, string>;
    rest: () => Promise<void>;
  }): Promise<void> {
    const { action, step, name, env, rest } = of;
    const { options } = this;
    const given = interpolateAll(step.with, this.scope(env));
    const inputs = options.adapt?.(given) ?? given;
    const played: PlayedStep = { name, outcome: 'success', outputs: {}, action, inputs };
    const run: Run = await runAction({
      ...this.limits(),
      action,
      event: options.event,
      inputs: { ...options.inputs, ...inputs },
      env: { ...env, ...this.variables, ...options.env },
      home: this.home,
      workspace: options.workspace,
      secrets: Object.values(options.secrets),
      token: TOKEN,
      post: true,
      between: async (main) => {
        const outcome = main.sent.length > 0 && options.cancel?.aborted ? 'cancelled' : main.conclusion;
        Object.assign(played, { outcome, outputs: main.outputs, run: main });
        for (const mask of main.masks) this.masker.add(mask);
        this.env = { ...this.env, ...main.env };
        try {
          const did = await options.after?.(played);
          if (did !== undefined) played.said = [did];
        } catch (error) {
          Object.assign(played, { outcome: 'failure', said: linesOf(error) });
        }
        this.note(step, played);
        await rest();
      },
    });
    if (run.post) {
      played.post = run.post;
      if (run.post.conclusion === 'failure' && this.status !== 'cancelled') this.status = 'failure';
    }
  }

  /** How a step with this action is stopped. One that runs although the job is cancelled has all the time it needs. */
  private limits(): Pick<RunOptions, 'cancel' | 'ownGroup' | 'timeoutMs'> {
    const { cancel } = this.options;
    if (!cancel) return {};
    const stop = { at: () => once(cancel, 'abort'), signals: cancelSignals() };
    return { timeoutMs: Number.POSITIVE_INFINITY, ownGroup: true, ...(!cancel.aborted && { cancel: stop }) };
  }

  private async playOther(of: { step: StepFile; name: string; env: Record<string, string> }): Promise<void> {
    const { step, name, env } = of;
    const given = interpolateAll(step.with, this.scope(env));
    // Scripts are not run, but their expressions must be valid.
    const run = step.run === undefined ? undefined : interpolate(step.run, this.scope(env));
    const { id, uses } = step;
    try {
      const outputs = await this.options.script?.({ id, job: this.id, name, run, uses, with: given, env });
      this.note(step, { name, outcome: 'success', outputs: outputs ?? {} });
    } catch (error) {
      this.note(step, { name, outcome: 'failure', outputs: {}, said: linesOf(error) });
    }
  }
}

/** Why a stand-in failed a step. Any other error is that of the test. */
function linesOf(error: unknown): string[] {
  if (!(error instanceof ScriptFailed)) throw error;
  return error.message.split('\n').filter(Boolean);
}

/** Thrown by a stand-in for a script that fails. */
export class ScriptFailed extends Error {}
