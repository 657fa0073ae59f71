import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { nearest } from '../../src/text/nearest.ts';
import { faultsOf, misuses } from '../../test/repository/checks.ts';
import { ROOT } from '../files.ts';
import { startGitHub } from '../github/index.ts';
import type { Stage } from '../runner/runner.ts';
import { type OtherStep, type PlayedJob, playWorkflow, ScriptFailed } from '../runner/workflow/play.ts';
import { type Service, startService } from '../service/index.ts';
import { ORGANIZATION_ID } from '../service/objects/account.ts';
import { eventNames, everyEvent, makeEvent } from './events.ts';
import { isUseOf, localVariable, type Prepared, type Purpose, prepare, type Source } from './prepare.ts';
import { warningsOf } from './warnings.ts';

interface SqlFile {
  path: string;
  sql: string;
}

export interface PlayOptions {
  path: string;
  text: string;
  /** Played in this order, such as `pull_request.opened`. */
  events: string[];
  /** What the workflow calls this action: `owner/name`, or `./`. */
  action: string;
  vars: Record<string, string>;
  secrets: Record<string, string>;
  /** Of the workflow. */
  inputs: Record<string, string>;
  /** Of steps that are not run, as `step.name`. */
  outputs: Record<string, string>;
  /** The folder in which `command: rehearse` runs its command; an empty one by default. */
  workspace?: string | undefined;
  number: number;
  label?: string | undefined;
  compute: 'postgres' | 'none';
  /** SQL to run in main first. */
  seed?: SqlFile | undefined;
  /** SQL to run on each branch that a job gets, in place of the first script after it. */
  migrate?: SqlFile | undefined;
  /** Further ones in main. */
  databases?: string[];
  roles?: string[];
  /** Cancels the run, and plays no further event. */
  cancel?: AbortSignal;
  print: (line: string) => void;
}

/** The ID of the first run. */
const FIRST_RUN = 1_658_821_493;
const TOKEN = 'ghs_tokenOfThisRun';

/**
 * Lints a workflow, then plays it for each event, with the built action, against the local service and a stand-in for GitHub's API.
 * Returns whether everything succeeded.
 */
export async function play(options: PlayOptions): Promise<boolean> {
  const { print, path, text, action, compute } = options;
  const faults = (await faultsOf(text, path)).filter((fault) => !/label ".*" is unknown/.test(fault));
  if (faults.length > 0) return failed(print, `${path} is invalid:`, faults);
  const prepared = prepare(text, action, everyEvent);
  if (prepared.ours.length === 0) {
    const used = prepared.actions.map((one) => one.replace(/@.*/, ''));
    return failed(print, `No step uses ${action}. Set \`--action\` to what the workflow calls this action:`, used);
  }
  const wrong = misuses(text, path, ({ uses = '' }) => isUseOf(uses, action));
  if (wrong.length > 0) return failed(print, `${path} is invalid:`, wrong);
  const unknown = options.events.filter(
    (name) => !eventNames.some((one) => one === name || one.startsWith(`${name}.`)),
  );
  if (unknown.includes('workflow_call'))
    return failed(print, 'A called workflow has the event of its caller. Play it on that event, such as:', [
      '--event pull_request.opened',
    ]);
  if (unknown.length > 0) {
    const meant = unknown.flatMap((name) => nearest(name, eventNames) ?? []);
    const advice = meant.length > 0 ? `; did you mean ${meant.join(', ')}?` : '.';
    return failed(print, `Cannot play ${unknown.join(', ')}${advice} These can be played:`, eventNames);
  }
  const needs = compute === 'none' ? needsOfPostgres(options, prepared) : [];
  if (needs.length > 0) return failed(print, 'Without `--compute none`, because Postgres is needed for:', needs);
  print(`${path} is valid.`);
  print('Scripts, and actions other than this one, are not run: their outputs are empty.');
  for (const limit of prepared.limits) print(limit);
  for (const warning of warningsOf(prepared.text, options.workspace)) print(`Warning: ${warning}`);
  return playAll(options, prepared);
}

function failed(print: PlayOptions['print'], head: string, items: string[]): boolean {
  print(head);
  for (const item of items) print(`  ${item}`);
  return false;
}

function needsOfPostgres({ seed, migrate }: PlayOptions, { ours }: Prepared): string[] {
  return [
    seed && '--seed',
    migrate && '--migrate',
    ours.some((step) => step.with?.command === 'rehearse') && '`command: rehearse`',
  ].filter((need) => typeof need === 'string');
}

async function playAll(options: PlayOptions, prepared: Prepared): Promise<boolean> {
  const { print, compute, seed, migrate, cancel, workspace, label, number, databases = [], roles = [] } = options;
  const service = await startService({ compute, databases, roles });
  const github = await startGitHub();
  try {
    const wrong = seed && (await problemOf(service.query('main', seed.sql)));
    if (wrong) return failed(print, `The SQL in ${seed.path} failed:`, [wrong]);
    const { projectId, apiKey, baseUrl } = service;
    const local = { project: projectId, organization: ORGANIZATION_ID, key: apiKey, token: TOKEN };
    const { vars, secrets, inputs, outputs } = valuesOf(prepared, options, local);
    // PATH as for `run:` steps on a runner, without what npm puts before it. The rest overrides whatever the workflow says.
    const PATH = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(ROOT));
    const env = { ...github.env, ...trust(service), PATH: PATH.join(delimiter), INPUT_API_HOST: baseUrl };
    const migration = migrate && new Migration(service, migrate, print);
    const script = async (step: OtherStep) => {
      await migration?.runInPlaceOf(step);
      return outputsOf(step, outputs);
    };
    const file = `.github/workflows/${basename(options.path)}`;
    let succeeded = true;
    for (const [index, name] of options.events.entries()) {
      if (cancel?.aborted) break;
      print(`\n${name}`);
      const event = makeEvent(name, { number, label, inputs }, github.state);
      const run = { runId: String(FIRST_RUN + index), runNumber: String(index + 1), path: file, workspace };
      const given = event && {
        event,
        vars,
        secrets,
        values: inputs,
        inputs: {},
        env,
        script,
        ...run,
        ...(cancel && { cancel }),
      };
      const played = given && (await playWorkflow(prepared.text, given).catch((error: Error) => error));
      if (!played) print('  This event does not start the workflow.');
      // Only the first line: others may be the raw output of a step.
      else if (played instanceof Error) print(`  Cannot be played to the end: ${played.message.split('\n')[0]}.`);
      const jobs = played && 'jobs' in played ? played.jobs : [];
      for (const job of jobs) printJob(job, options);
      if (played instanceof Error || jobs.some(({ result }) => result === 'failure' || result === 'cancelled'))
        succeeded = false;
      await service.idle();
      const branches = service.branches().map((branch) => branch.name);
      print(`  branches: ${branches.join(', ')}`);
    }
    for (const { issue, body } of github.state.comments) print(`\nComment on #${issue}:\n${body}`);
    if (migration?.done.size === 0)
      print(`\n${migrate?.path} was not run: no script comes after a step that gets a branch.`);
    return succeeded && !cancel?.aborted;
  } finally {
    await Promise.all([service.stop(), github.close()]);
  }
}

/**
 * Lets Node.js verify the local service's certificate, as it can Neon's: `pg` does so even with `sslmode=require`. What the caller's
 * variable trusts stays trusted.
 */
function trust({ certificate = '', certificateFile }: Service): Record<string, string> {
  if (certificateFile === undefined) return {};
  const callers = process.env.NODE_EXTRA_CA_CERTS ?? '';
  const all = [certificate, existsSync(callers) ? readFileSync(callers, 'utf8') : ''];
  // Is deleted with the service.
  const file = join(dirname(certificateFile), 'trusted.pem');
  writeFileSync(file, all.join('\n'));
  return { NODE_EXTRA_CA_CERTS: file };
}

async function problemOf(query: Promise<unknown>): Promise<string | undefined> {
  return query.then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** Runs SQL once on each branch: as migrations do, which know what they have run. */
class Migration {
  readonly done = new Set<string>();
  private readonly service: Service;
  private readonly file: SqlFile;
  private readonly print: PlayOptions['print'];

  constructor(service: Service, file: SqlFile, print: PlayOptions['print']) {
    this.service = service;
    this.file = file;
    this.print = print;
  }

  async runInPlaceOf({ name, run, earlier }: OtherStep): Promise<void> {
    const { branch_id: id = '', database } = earlier.findLast(({ outputs }) => outputs.branch_id)?.outputs ?? {};
    const branch = this.service.branch(id);
    if (run === undefined || !branch || branch.default || this.done.has(id)) return;
    this.done.add(id);
    const problem = await problemOf(this.service.query(id, this.file.sql, database ? { database } : {}));
    const { path } = this.file;
    if (problem !== undefined)
      throw new ScriptFailed(`--migrate ${path} failed: ${problem} (on ${branch.name}, in place of this script)`);
    this.print(`  Ran ${path} on ${branch.name} in place of "${name}".`);
  }
}

function outputsOf({ id }: OtherStep, given: Record<string, string>): Record<string, string> {
  const own = Object.entries(given).filter(([name]) => name.startsWith(`${id}.`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(name.indexOf('.') + 1), value]));
}

/** Where a value comes from on the command line. */
const optionOf: Record<Source, string> = { vars: 'var', secrets: 'secret', inputs: 'input', outputs: 'output' };

/** The values that the workflow reads: given ones, else those of the local services. Says which of them are empty. */
function valuesOf(
  { reads, inputs }: Prepared,
  options: PlayOptions,
  local: Record<Purpose, string>,
): Record<Source, Record<string, string>> {
  const valuesFrom = (source: Source, standard: Record<string, string> = {}) => {
    // The names of variables and secrets are not case-sensitive.
    const key = (name: string) => (source === 'vars' || source === 'secrets' ? name.toUpperCase() : name);
    const given = Object.fromEntries(Object.entries(options[source]).map(([name, value]) => [key(name), value]));
    const values: Record<string, string> = { ...standard };
    for (const [name, purpose] of reads[source]) {
      if (purpose) values[name] ||= local[purpose];
      if (given[name] === undefined && !values[name])
        options.print(
          `${source === 'outputs' ? `steps.${name.replace('.', '.outputs.')}` : `${source}.${name}`} is empty; set it with --${optionOf[source]} ${name}=VALUE.`,
        );
      values[name] ??= '';
    }
    return { ...values, ...given };
  };
  const ofService = Object.entries(local).map(([purpose, value]) => [localVariable(purpose as Purpose), value]);
  return {
    vars: valuesFrom('vars', Object.fromEntries(ofService)),
    secrets: valuesFrom('secrets'),
    inputs: valuesFrom('inputs', inputs),
    outputs: valuesFrom('outputs'),
  };
}

function printJob({ id, result, steps }: PlayedJob, { print, migrate }: PlayOptions): void {
  print(`  job ${id}: ${result}`);
  const printStep = (head: string, log: string[]) => {
    print(`    ${head}`);
    for (const line of log) print(`      │ ${line}`);
  };
  for (const { name, outcome, run, problem = '' } of steps) {
    const did = run ? outcome : outcome === 'success' ? 'not run' : outcome;
    printStep(`${did}: ${name}`, run ? logOf(run) : problem.split('\n').filter(Boolean));
  }
  for (const { name, post } of steps.toReversed()) {
    const log = post ? logOf(post) : [];
    if (log.length > 0) printStep(`post step, ${post?.conclusion}: ${name}`, log);
  }
  const errors = steps.flatMap(({ run }) => run?.annotations.error ?? []);
  for (const [, kind, name] of errors.join('\n').matchAll(/ has no (database|role) "(.+?)"/g))
    print(`    Add it to main with --${kind} ${name}.`);
  if (!migrate && steps.some(({ run, inputs }) => run && inputs?.command === 'diff'))
    print(
      "    Scripts are not run, so `diff` doesn't see what a migration script would change. Give its SQL: --migrate FILE.",
    );
}

function logOf(stage: Stage): string[] {
  return stage
    .maskedLog()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('##[debug]'));
}
