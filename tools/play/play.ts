import { delimiter } from 'node:path';
import { faultsOf, misuses } from '../../test/repository/checks.ts';
import { ROOT } from '../files.ts';
import { startGitHub } from '../github/index.ts';
import type { Access, Permissions } from '../github/response.ts';
import type { Stage } from '../runner/runner.ts';
import { isTriggered, readWorkflow, type StepFile } from '../runner/workflow/file.ts';
import { type OtherStep, type PlayedJob, playWorkflow, ScriptFailed } from '../runner/workflow/play.ts';
import { type Service, startService } from '../service/index.ts';
import { ORGANIZATION_ID } from '../service/objects/account.ts';
import { eventNames, lacksSecrets, makeEvent, withStates } from './events.ts';
import { Migration, runSql, type SqlFile } from './migration.ts';
import { warningsOf } from './warnings.ts';
import { actionIn, commandOf, type Source, type Workflow, workflowOf } from './workflow.ts';

export interface PlayOptions {
  /** Workflow files of one repository. */
  files: { path: string; text: string }[];
  /** Reads a reusable workflow of the same repository, as in `uses: ./…` of this file. */
  readCalled?: (uses: string, by: string) => { path: string; text: string };
  /** Played in this order, such as `pull_request.opened`. */
  events: string[];
  /** What the workflow calls the repository of these actions: `owner/name`, or `./`. */
  action: string;
  vars: Record<string, string>;
  secrets: Record<string, string>;
  /** Of the workflows. */
  inputs: Record<string, string>;
  /** Of steps that are not run, as `step.name`. */
  outputs: Record<string, string>;
  /** The folder in which a rehearsal runs its command; an empty one by default. */
  workspace?: string | undefined;
  /** Whether pull requests are from a fork. */
  fork?: boolean;
  label?: string | undefined;
  base?: string | undefined;
  compute: 'postgres' | 'none';
  /** SQL to run in main first. */
  seed?: SqlFile[];
  /** SQL to run on each branch that a job gets, after the step that gets it. */
  migrate?: SqlFile[];
  /** Further ones in main, as `NAME` or `NAME=OWNER`. */
  databases?: string[];
  /** Further branches of main. */
  branches?: string[];
  roles?: string[];
  /** Cancels the run, and plays no further event. */
  cancel?: AbortSignal;
  print: (line: string) => void;
}

/** The ID of the first run. */
const FIRST_RUN = 1_658_821_493;
const TOKEN = 'ghs_tokenOfThisRun';

/** What has a value by itself: the names of Neon's integration with GitHub, that of the examples, and GitHub's own. */
const known: Record<Source, string[]> = {
  vars: ['NEON_PROJECT_ID', 'ORG_ID'],
  secrets: ['NEON_API_KEY', 'GITHUB_TOKEN'],
  outputs: [],
};

/** What is wrong: a line, and a list below it. */
type Failure = [head: string, items: string[]];

/**
 * Lints workflows, then plays each event on those that it starts, with the built action, against the local service and a stand-in for
 * GitHub's API. Returns whether everything succeeded.
 */
export async function play(options: PlayOptions): Promise<boolean> {
  const { print, action, workspace } = options;
  const { files, reusable, failures } = withCalled(options);
  const workflows: Workflow[] = [];
  for (const { path, text } of files) {
    const failure = await failureOf(path, text, action);
    if (failure) failures.push(failure);
    else workflows.push(workflowOf(path, text, action));
  }
  if (failures.length === 0) {
    const used = workflows.flatMap(({ actions }) => actions.map((one) => one.replace(/^https:\/\/[^/]+\/|@.*/g, '')));
    const noUse = `No step uses ${action}. Set --action to this action's name in the workflow's \`uses:\`:`;
    const unknown = used.filter((one) => one.startsWith(`${action}/`));
    if (unknown.length > 0)
      failures.push([`${action} has only the actions diff, rehearse, prune and manage:`, unknown]);
    else if (workflows.every(({ ours }) => ours.length === 0)) failures.push([noUse, used]);
    else failures.push(...optionFailures(options, workflows));
  }
  for (const [head, items] of failures) failed(print, head, items);
  if (failures.length > 0) return false;
  for (const { path } of workflows) print(`${path} is valid.`);
  print(
    'Scripts and other actions are not run, and count as successful; their outputs are empty unless set with --output.',
  );
  for (const { path, text, limits } of workflows) {
    for (const limit of limits) print(workflows.length > 1 ? `${path}: ${limit}` : limit);
    for (const warning of warningsOf(text, path, { repositories: [action], workspace })) print(`Warning: ${warning}`);
  }
  for (const source of ['vars', 'secrets', 'outputs'] as const)
    for (const name of new Set(workflows.flatMap((workflow) => unset(source, workflow, options))))
      print(`${nameOf(source, name)} is empty; set it with --${optionOf[source]} ${name}=VALUE.`);
  return playAll(options, workflows.slice(0, options.files.length), reusable);
}

/** The files with the reusable workflows of this repository that they call. */
function withCalled({ files, readCalled }: PlayOptions) {
  const all = [...files];
  const reusable: Record<string, string> = {};
  const failures: Failure[] = [];
  for (const { path, text } of all) {
    for (const uses of callsIn(text).filter((one) => !(one in reusable))) {
      try {
        const called = readCalled?.(uses, path);
        if (!called) continue;
        reusable[uses] = called.text;
        if (!all.some((one) => one.path === called.path)) all.push(called);
      } catch (error) {
        failures.push([`${path} calls ${uses}, which can't be read:`, [(error as Error).message]]);
      }
    }
  }
  return { files: all, reusable, failures };
}

/** The reusable workflows that jobs call by a path; none if the file is invalid, which is reported later. */
function callsIn(text: string): string[] {
  try {
    return Object.values(readWorkflow(text).jobs).flatMap(({ uses }) => (uses?.startsWith('./') ? [uses] : []));
  } catch {
    return [];
  }
}

async function failureOf(path: string, text: string, action: string): Promise<Failure | undefined> {
  const faults = (await faultsOf(text, path)).filter(
    (fault) => !/label ".*" is unknown|specifying action "https:/.test(fault),
  );
  try {
    faults.push(...misuses(text, path, (step) => actionIn(step, action)));
  } catch (error) {
    // An invalid file may not even have jobs and steps.
    if (faults.length === 0) throw error;
  }
  const sorted = faults.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return faults.length > 0 ? [`${path} is invalid:`, sorted] : undefined;
}

function failed(print: PlayOptions['print'], head: string, items: string[]): false {
  print(head);
  for (const item of items) print(`  ${item}`);
  return false;
}

/** Where a value comes from on the command line. */
const optionOf: Record<Source, string> = { vars: 'var', secrets: 'secret', outputs: 'output' };

const nameOf = (source: Source, name: string) =>
  source === 'outputs' ? `steps.${name.replace('.', '.outputs.')}` : `${source}.${name}`;

/** The names that a workflow reads and that have no value. Those of variables and secrets are not case-sensitive. */
function unset(source: Source, { reads }: Workflow, options: PlayOptions): string[] {
  const given = [...known[source], ...Object.keys(source === 'outputs' ? options.outputs : upper(options[source]))];
  return [...reads[source].keys()].filter((name) => !given.includes(name));
}

function upper(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toUpperCase(), value]));
}

function optionFailures(options: PlayOptions, workflows: Workflow[]): Failure[] {
  const failures: Failure[] = [];
  const unknown = options.events.filter(
    (name) => !eventNames.some((one) => one === name || one.startsWith(`${name}.`)),
  );
  if (unknown.includes('workflow_call'))
    failures.push(["A reusable workflow gets its caller's event; play its caller.", []]);
  else if (unknown.length > 0) failures.push([`Unknown event ${unknown.join(', ')}. Supported events:`, eventNames]);
  const connects = ({ with: given, ...step }: StepFile) =>
    actionIn(step, options.action) === 'rehearse' || String(given?.check_connection) === 'true';
  const needsPostgres = options.seed?.length || workflows.some(({ ours }) => ours.some(connects));
  if (options.compute === 'none' && needsPostgres)
    failures.push(['A rehearsal, `check_connection` and --seed need Postgres: leave out `--compute none`.', []]);
  const nameless = workflows.flatMap((workflow) =>
    (['vars', 'secrets'] as const).flatMap((source) =>
      unset(source, workflow, options)
        .filter((name) => workflow.reads[source].get(name)?.byOurs)
        .map((name) => `${workflow.path}: ${nameOf(source, name)}; set it with --${optionOf[source]} ${name}=VALUE`),
    ),
  );
  if (nameless.length > 0) failures.push(['These are not set, so an input would be empty:', [...new Set(nameless)]]);
  const undeclared = Object.keys(options.inputs).filter((name) =>
    workflows.every(({ inputsOn }) => options.events.every((event) => !(name in inputsOn(event)))),
  );
  if (undeclared.length > 0) failures.push(['None of the runs has these inputs:', undeclared]);
  return failures;
}

async function playAll(
  options: PlayOptions,
  workflows: Workflow[],
  reusable: Record<string, string>,
): Promise<boolean> {
  const { print, compute, seed = [], migrate = [], cancel, workspace, action, fork } = options;
  const owners = new Map((options.databases ?? []).map((one) => splitPair(one, 'neondb_owner')));
  const roles = new Set([...(options.roles ?? []), ...owners.values()]);
  roles.delete('neondb_owner');
  const databases = [...owners].map(([name, owner]) => ({ name, owner }));
  const service = await startService({ compute, databases, roles: [...roles] });
  const github = await startGitHub();
  try {
    for (const { path, sql, database = 'neondb' } of seed) {
      const wrong = await runSql(service, { branch: 'main', database, role: owners.get(database), sql });
      if (wrong) return failed(print, `The SQL in ${path} failed in database ${database}:`, [wrong]);
    }
    // From main as the seed has left it.
    for (const name of options.branches ?? []) await service.addBranch({ name, annotations: {} });
    const own = { GITHUB_TOKEN: TOKEN };
    const vars = { NEON_PROJECT_ID: service.projectId, ORG_ID: ORGANIZATION_ID, ...upper(options.vars) };
    const withSecrets = { NEON_API_KEY: service.apiKey, ...upper(options.secrets), ...own };
    // PATH as for `run:` steps on a runner, without what npm puts before it.
    const PATH = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(ROOT));
    const env: Record<string, string> = { ...github.env, PATH: PATH.join(delimiter) };
    // `pg` verifies the certificate even with `sslmode=require`: that of the local service, as it can Neon's.
    if (service.certificateFile !== undefined) env.NODE_EXTRA_CA_CERTS = service.certificateFile;
    const migration = migrate.length > 0 ? new Migration(service, migrate) : undefined;
    const script = (step: OtherStep) => {
      if (/^\s*exit [1-9]\d*\s*$/.test(step.run ?? '')) throw new ScriptFailed('It does nothing but fail.');
      return outputsOf(step, options.outputs);
    };
    let succeeded = true;
    let runs = 0;
    for (const { name, closed } of withStates(options.events)) {
      if (cancel?.aborted) break;
      const hasSecrets = !fork || !lacksSecrets(name);
      print(`\n${name}${hasSecrets ? '' : ' (from a fork: without secrets, and with a token that only reads)'}`);
      let ofJob: Permissions;
      const runsBefore = runs;
      for (const workflow of workflows) {
        const { texts, typed } = inputsOf(workflow, name, options.inputs);
        const event = makeEvent(name, { ...options, closed, inputs: texts }, github.state);
        if (!event || cancel?.aborted || !isTriggered(readWorkflow(workflow.text), event)) continue;
        if (workflows.length > 1) print(`  ${workflow.path}`);
        const played = await playWorkflow(workflow.text, {
          ...{ event, vars, secrets: hasSecrets ? withSecrets : own, values: typed },
          ...{ script, workspace, env, reusable, repositories: [action], inputs: {} },
          permit: (declared) => {
            ofJob = permissionsIn(declared, hasSecrets ? 'write' : 'read');
          },
          adapt: (inputs) => {
            // The token of an App has its own permissions.
            const isOfJob = [undefined, TOKEN].includes(inputs.github_token);
            Object.assign(github.permissions, isOfJob ? ofJob : permissionsIn());
            return adapted(inputs, service);
          },
          after: (step) => migration?.runAfter(step),
          runId: String(FIRST_RUN + runs),
          ...(cancel && { cancel }),
        }).catch((error: Error) => error);
        runs += 1;
        // Only the first line: others may be the raw output of a step.
        if (played instanceof Error) print(`  Stopped early: ${played.message.split('\n')[0]}.`);
        const jobs = played && 'jobs' in played ? played.jobs : [];
        for (const job of jobs) printJob(job, options);
        if (played instanceof Error || jobs.some(({ result }) => result === 'failure' || result === 'cancelled'))
          succeeded = false;
        await service.idle();
      }
      if (runs === runsBefore)
        print(`  This event does not start ${workflows.length > 1 ? 'any of these workflows' : 'the workflow'}.`);
      const names = service.branches().map((branch) => branch.name);
      print(`  branches: ${names.join(', ')}`);
    }
    for (const { issue, body } of github.state.comments) print(`\nComment on #${issue}:\n${body}`);
    return succeeded && !cancel?.aborted;
  } finally {
    await Promise.all([service.stop(), github.close()]);
  }
}

/** The permissions of a job's token: as declared, but `most` at most; all if that is up to the repository's settings. */
function permissionsIn(all: unknown = 'write-all', most: Access = 'write'): Permissions {
  const accessTo = (name: string): Access => {
    const given = typeof all === 'string' ? all.replace('-all', '') : (all as Record<string, Access> | null)?.[name];
    return given === 'write' ? most : given === 'read' ? 'read' : 'none';
  };
  return { contents: accessTo('contents'), issues: accessTo('issues'), pullRequests: accessTo('pull-requests') };
}

/** The inputs of a step, which must reach the local services and nothing else. What is empty stays empty. */
function adapted(inputs: Record<string, string>, { baseUrl, projectId, apiKey }: Service): Record<string, string> {
  return {
    ...inputs,
    api_host: baseUrl,
    ...(inputs.project_id && { project_id: projectId }),
    ...(inputs.api_key && { api_key: apiKey }),
    ...(inputs.github_token !== undefined && { github_token: TOKEN }),
  };
}

/** The inputs of a run, as its workflow declares them. As on GitHub, `inputs` has booleans where the event's payload has texts. */
function inputsOf({ inputsOn }: Workflow, event: string, given: Record<string, string>) {
  const all = Object.entries(inputsOn(event)).map(
    ([name, { default: standard, isBoolean }]) => [name, given[name] ?? standard, isBoolean] as const,
  );
  const texts = Object.fromEntries(all.map(([name, text]) => [name, text]));
  const typed = Object.fromEntries(all.map(([name, text, isBoolean]) => [name, isBoolean ? text === 'true' : text]));
  return { texts, typed };
}

/** `NAME=VALUE` in its parts; only a name has the standard value. */
function splitPair(pair: string, standard: string): [string, string] {
  const [name = '', value = standard] = pair.split('=');
  return [name, value];
}

function outputsOf({ id }: OtherStep, given: Record<string, string>): Record<string, string> {
  const own = Object.entries(given).filter(([name]) => name.startsWith(`${id}.`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(name.indexOf('.') + 1), value]));
}

function printJob({ id, result, steps, problem, matrix = [] }: PlayedJob, { print, migrate }: PlayOptions): void {
  const name = matrix.length > 0 ? `${id} (${matrix.join(', ')})` : id;
  print(`  job ${name}: ${problem ?? result}`);
  const printStep = (head: string, log: string[], run?: Stage) => {
    print(`    ${head}`);
    for (const line of log) print(`      │ ${line}`);
    const outputs = Object.keys(run?.outputs ?? {});
    if (outputs.length > 0) print(`      outputs: ${outputs.join(', ')}`);
    const summary = run?.summary.trimEnd();
    if (summary) print(`      summary:\n${summary.replace(/^(?=.)/gm, '        ')}`);
  };
  for (const { name, outcome, run, said = [] } of steps) {
    const did = run ? outcome : outcome === 'success' ? 'not run' : outcome;
    printStep(`${did}: ${name}`, [...(run?.shownLog() ?? []), ...said], run);
  }
  for (const { name, post } of steps.toReversed()) {
    const log = post?.shownLog() ?? [];
    if (log.length > 0) printStep(`post step, ${post?.conclusion}: ${name}`, log);
  }
  const diffs = steps.some(
    ({ run, action, inputs }) => run && action && commandOf({ with: inputs }, action) === 'diff',
  );
  if (!migrate?.length && diffs)
    print(
      "    Scripts are not run, so `diff` doesn't see what a migration script would change. Pass its SQL with --migrate FILE.",
    );
}
