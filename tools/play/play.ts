import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { listOf, listSome } from '../../src/text/format.ts';
import { nearest } from '../../src/text/nearest.ts';
import { faultsOf, misuses } from '../../test/repository/checks.ts';
import { ROOT } from '../files.ts';
import { startGitHub } from '../github/index.ts';
import type { Stage } from '../runner/runner.ts';
import { isTriggered, readWorkflow } from '../runner/workflow/file.ts';
import { type OtherStep, type PlayedJob, playWorkflow } from '../runner/workflow/play.ts';
import { type Service, startService } from '../service/index.ts';
import { ORGANIZATION_ID } from '../service/objects/account.ts';
import { changesLabel, eventNames, everyEvent, type From, lacksSecrets, makeEvent, withStates } from './events.ts';
import { Migration, runSql, type SqlFile } from './migration.ts';
import {
  actionIn,
  commandOf,
  localVariable,
  type Prepared,
  type Purpose,
  prepare,
  type Source,
  type Step,
} from './prepare.ts';
import { warningsOf } from './warnings.ts';

export interface PlayOptions {
  /** Workflow files of one repository. */
  files: { path: string; text: string }[];
  /** Played in this order, such as `pull_request.opened`. */
  events: string[];
  /** What the workflow calls this action: `owner/name`, or `./`. */
  action: string;
  vars: Record<string, string>;
  secrets: Record<string, string>;
  /** Of the workflows. */
  inputs: Record<string, string>;
  /** Of steps that are not run, as `step.name`. */
  outputs: Record<string, string>;
  /** The folder in which a rehearsal runs its command; an empty one by default. */
  workspace?: string | undefined;
  number: number;
  /** The target branch of pull requests. */
  base?: string;
  /** Who pull requests are from; default: someone who can push to the repository. */
  from?: From | undefined;
  label?: string | undefined;
  compute: 'postgres' | 'none';
  /** SQL to run in main first. */
  seed?: SqlFile[];
  /** SQL to run on each branch that a job gets, instead of the script after it that migrates. */
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
/** Names that are listed if none of them is near. */
const mostNamed = 5;

/** What runs for pull requests from them don't have. */
const limitsOf: Record<From, string> = {
  fork: ' (from a fork: without secrets, and with a token that only reads)',
  dependabot: ' (from Dependabot: without secrets other than those of --secret)',
};

/** A workflow file that is ready to be played, and how often it has run. */
interface Played extends Prepared {
  path: string;
  /** Of the file, as it is. */
  original: string;
  runs: number;
}

/** What is wrong: a line, and a list below it. */
type Failure = [head: string, items: string[]];

/**
 * Lints workflows, then plays each event on those that it starts, with the built action, against the local service and a stand-in for
 * GitHub's API. Returns whether everything succeeded.
 */
export async function play(options: PlayOptions): Promise<boolean> {
  const { print, files, action } = options;
  const workflows: Played[] = [];
  const failures: Failure[] = [];
  for (const { path, text } of files) {
    const failure = await failureOf(path, text, action);
    if (failure) failures.push(failure);
    else workflows.push({ path, original: text, runs: 0, ...prepare(text, action, everyEvent) });
  }
  // What an option is for is known once every file can be read.
  if (failures.length === 0) failures.push(...optionFailures(options, workflows));
  for (const [head, items] of failures) failed(print, head, items);
  if (failures.length > 0) return false;
  for (const { path } of workflows) print(`${path} is valid.`);
  print('Scripts and other actions are not run; their outputs are empty unless set with --output.');
  for (const workflow of workflows) {
    const of = workflows.length > 1 ? `${workflow.path}: ` : '';
    for (const limit of workflow.limits) print(`${of}${limit}`);
    const { workspace } = options;
    const actionOf = (step: Step) => actionIn(step, action);
    for (const warning of warningsOf(workflow.original, workflow.path, { actionOf, workspace }))
      print(`Warning: ${warning}`);
  }
  for (const warning of inputsWithoutRun(options, workflows)) print(`Warning: ${warning}`);
  return playAll(options, workflows);
}

async function failureOf(path: string, text: string, action: string): Promise<Failure | undefined> {
  const faults = (await faultsOf(text, path)).filter((fault) => !/label ".*" is unknown/.test(fault));
  if (faults.length > 0) {
    const all = [...faults, ...misusesIfReadable(text, path, action)];
    return [`${path} is invalid:`, all.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))];
  }
  const { ours, actions } = prepare(text, action, everyEvent);
  if (ours.length === 0) {
    const used = actions.map((one) => one.replace(/@.*/, ''));
    return [`No step in ${path} uses ${action}. Set --action to this action's name in the workflow's \`uses:\`:`, used];
  }
  const wrong = misusesOf(text, path, action);
  return wrong.length > 0 ? [`${path} is invalid:`, wrong] : undefined;
}

function misusesOf(text: string, path: string, action: string): string[] {
  return misuses(text, path, (step) => actionIn(step, action));
}

/** Of a file that is invalid: it may not even have jobs and steps. */
function misusesIfReadable(text: string, path: string, action: string): string[] {
  try {
    return misusesOf(text, path, action);
  } catch {
    return [];
  }
}

function failed(print: PlayOptions['print'], head: string, items: string[]): boolean {
  print(head);
  for (const item of items) print(`  ${item}`);
  return false;
}

function optionFailures(options: PlayOptions, workflows: Played[]): Failure[] {
  const failures: Failure[] = [];
  const unknown = options.events.filter(
    (name) => !eventNames.some((one) => one === name || one.startsWith(`${name}.`)),
  );
  if (unknown.includes('workflow_call')) {
    // One on which the workflows are called: any other would start them by itself.
    const event = eventNames.find((name) => workflows.every(({ startsOn }) => !startsOn(name)));
    failures.push([
      "A reusable workflow gets its caller's event. Play it with an event that does not start it by itself, such as:",
      [`--event ${event ?? 'pull_request.opened'}`],
    ]);
  } else if (unknown.length > 0) {
    const meant = unknown.flatMap((name) => nearest(name, eventNames) ?? []);
    const advice = meant.length > 0 ? `; did you mean ${meant.join(', ')}?` : '.';
    const noun = unknown.length > 1 ? 'events' : 'event';
    failures.push([`Unknown ${noun} ${unknown.join(', ')}${advice} Supported events:`, eventNames]);
  }
  const unused = unusedValues(options, workflows);
  if (unused.length > 0) failures.push(['These options have no effect:', unused]);
  const known = ['neondb', ...(options.databases ?? []).map((one) => splitPair(one, '')[0])];
  const unseeded = (options.seed ?? []).filter(({ database = 'neondb' }) => !known.includes(database));
  if (unseeded.length > 0)
    failures.push([
      'Main has no database for:',
      unseeded.map(({ path, database }) => `--seed ${database}=${path}; add --database ${database}`),
    ]);
  const needs = options.compute === 'none' ? needsOfPostgres(options, workflows) : [];
  if (needs.length > 0) failures.push(['Remove `--compute none`: Postgres is needed for:', needs]);
  return failures;
}

/** Values that no workflow reads, with the name that was probably meant. */
function unusedValues(options: PlayOptions, workflows: Played[]): string[] {
  const unused = (source: Source, known: string[], why: (name: string) => string, nameOf = keyOf(source)) =>
    Object.keys(options[source]).flatMap((given) => {
      const name = nameOf(given);
      if (known.includes(name) || workflows.some(({ computes }) => computes.has(source))) return [];
      const near = nearest(name, known);
      const others = known.length > 0 ? `; known: ${listSome(known, mostNamed)}` : '';
      return `--${optionOf[source]} ${given}: ${why(name)}${near === undefined ? others : `; did you mean ${near}?`}`;
    });
  const read = (source: Source) => [...readBy(workflows, source).keys()];
  const inputs = workflows.flatMap(({ declares }) => Object.keys(declares));
  const steps = workflows.flatMap(({ others }) => [...others]);
  return [
    ...unused('vars', read('vars'), (name) => `nothing that is played reads vars.${name}`),
    ...unused('secrets', read('secrets'), (name) => `nothing that is played reads secrets.${name}`),
    ...unused('inputs', [...new Set(inputs)], () => 'no workflow declares this input'),
    ...unused('outputs', read('outputs'), (name) => {
      const [step = '', output = ''] = name.split('.');
      return steps.includes(step)
        ? `nothing that is played reads steps.${step}.outputs.${output}`
        : `no script or other action has the ID ${step}`;
    }),
    ...(options.from && !options.events.some((event) => event.startsWith('pull_request'))
      ? [`--${options.from}: none of the events is that of a pull request`]
      : []),
    ...(options.label !== undefined && !options.events.some(changesLabel)
      ? [`--label ${options.label}: none of the events adds or removes a label, as pull_request.labeled does`]
      : []),
    ...(options.migrate ?? [])
      .filter(() => workflows.every(({ ours }) => ours.every(isRehearsal)))
      .map(({ path }) => `--migrate ${path}: ${sqlOfRehearsal}`),
  ];
}

/** Inputs that are declared, but that none of the runs has. */
function inputsWithoutRun({ events, inputs }: PlayOptions, workflows: Played[]): string[] {
  return Object.keys(inputs).flatMap((name) => {
    if (workflows.some(({ inputsOn }) => events.some((event) => Object.hasOwn(inputsOn(event), name)))) return [];
    const how = listOf([...new Set(workflows.flatMap(({ declares }) => declares[name] ?? []))], 'or');
    return [`--input ${name} has no effect: only a run that is ${how} has this input, and none is.`];
  });
}

function isRehearsal({ command }: Prepared['ours'][number]): boolean {
  return command === 'rehearse';
}

function connects({ step }: Prepared['ours'][number]): boolean {
  return String(step.with?.check_connection) === 'true';
}

const sqlOfRehearsal = 'A rehearsal takes its SQL from its `run`, in the folder of `--workspace`.';

function needsOfPostgres({ seed, migrate }: PlayOptions, workflows: Played[]): string[] {
  return [
    seed?.length && '--seed',
    migrate?.length && '--migrate',
    workflows.some(({ ours }) => ours.some(isRehearsal)) && 'a rehearsal',
    workflows.some(({ ours }) => ours.some(connects)) && '`check_connection: true`',
  ].filter((need) => typeof need === 'string');
}

async function playAll(options: PlayOptions, workflows: Played[]): Promise<boolean> {
  const {
    print,
    compute,
    seed = [],
    migrate = [],
    cancel,
    workspace,
    action,
    label,
    number,
    base = 'main',
    from,
    databases = [],
    branches = [],
    roles = [],
  } = options;
  const owners = Object.fromEntries(databases.map((one) => splitPair(one, 'neondb_owner')));
  const allRoles = new Set([...roles, ...Object.values(owners)]);
  allRoles.delete('neondb_owner');
  const service = await startService({
    compute,
    databases: Object.entries(owners).map(([name, owner]) => ({ name, owner })),
    roles: [...allRoles],
  });
  const github = await startGitHub();
  try {
    for (const { path, sql, database = 'neondb' } of seed) {
      const wrong = await runSql(service, { branch: 'main', database, role: owners[database], sql });
      if (wrong) return failed(print, `The SQL in ${path} failed in database ${database}:`, [wrong]);
    }
    // From main as the seed has left it.
    for (const name of branches) await service.addBranch({ name });
    const { projectId, apiKey, baseUrl } = service;
    const local = { project: projectId, organization: ORGANIZATION_ID, key: apiKey, token: TOKEN };
    const needs = new Set(workflows.flatMap((workflow) => [...workflow.needs]));
    const values = new Values(options, local, needs);
    const ofService = Object.entries(local).map(([purpose, value]) => [localVariable(purpose as Purpose), value]);
    const vars = values.of('vars', readBy(workflows, 'vars'), Object.fromEntries(ofService));
    const hasSecrets = (event: string) => from === undefined || !lacksSecrets(event);
    // Nobody needs to set what no run gets.
    const secrets = options.events.some(hasSecrets) ? values.of('secrets', readBy(workflows, 'secrets')) : {};
    const ofDependabot = from === 'dependabot' ? values.given('secrets') : {};
    for (const [name, purpose] of readBy(workflows, 'secrets'))
      if (purpose && ofDependabot[name]) ofDependabot[name] = local[purpose];
    const withoutSecrets = {
      vars: { ...vars, [localVariable('key')]: '' },
      secrets: { ...ofDependabot, GITHUB_TOKEN: TOKEN },
    };
    const permissions = { ...github.permissions };
    const outputs = values.of('outputs', readBy(workflows, 'outputs'));
    // PATH as for `run:` steps on a runner, without what npm puts before it. The rest overrides whatever the workflow says.
    const PATH = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(ROOT));
    const env = { ...github.env, ...trust(service), PATH: PATH.join(delimiter), INPUT_API_HOST: baseUrl };
    const migration = migrate.length > 0 ? new Migration(service, migrate) : undefined;
    let events = 0;
    const script = async (step: OtherStep) => {
      await migration?.runInPlaceOf(step, events);
      return outputsOf(step, outputs);
    };
    let succeeded = true;
    let runs = 0;
    for (const { name, state } of withStates(options.events)) {
      if (cancel?.aborted) break;
      events += 1;
      print(`\n${name}${from === undefined || hasSecrets(name) ? '' : limitsOf[from]}`);
      const onlyReads = from === 'fork' && !hasSecrets(name);
      Object.assign(github.permissions, onlyReads ? { contents: 'read', pullRequests: 'read' } : permissions);
      const runsBefore = runs;
      for (const workflow of workflows) {
        const inputs = values.inputsOn(workflow, name);
        const event = makeEvent(name, { number, base, label, state, from, inputs: inputs.texts }, github.state);
        if (!event || cancel?.aborted || !isTriggered(readWorkflow(workflow.text), event)) continue;
        if (workflows.length > 1) print(`  ${workflow.path}`);
        if (workflow.isCalledOn(name) && workflow.startsAtAll)
          print(
            '  This event does not start the workflow by itself, so it is played as if another workflow called it.',
          );
        workflow.runs += 1;
        const played = await playWorkflow(workflow.text, {
          ...(hasSecrets(name) ? { vars, secrets } : withoutSecrets),
          ...{ event, values: inputs.typed, inputs: {}, script, workspace },
          env: { ...env, ...referenceOf(workflow, action) },
          ...{ runId: String(FIRST_RUN + runs), runNumber: String(workflow.runs) },
          path: `.github/workflows/${basename(workflow.path)}`,
          ...(cancel && { cancel }),
        }).catch((error: Error) => error);
        runs += 1;
        // Only the first line: others may be the raw output of a step.
        if (played instanceof Error) print(`  Stopped early: ${played.message.split('\n')[0]}.`);
        const jobs = played && 'jobs' in played ? played.jobs : [];
        for (const job of jobs) printJob(job, workflow, options);
        if (played instanceof Error || jobs.some(({ result }) => result === 'failure' || result === 'cancelled'))
          succeeded = false;
        await service.idle();
      }
      if (runs === runsBefore)
        print(`  This event does not start ${workflows.length > 1 ? 'any of these workflows' : 'the workflow'}.`);
      const left = service.branches().map((branch) => branch.name);
      print(`  branches: ${left.join(', ')}`);
    }
    for (const { issue, body } of github.state.comments) print(`\nComment on #${issue}:\n${body}`);
    if (migration?.wasTried === false) {
      const rehearsal = workflows.some(({ ours }) => ours.some(isRehearsal)) ? ` ${sqlOfRehearsal}` : '';
      print(
        `\n${listOf(
          migrate.map(({ path }) => path),
          'and',
        )} was not run: no \`run:\` step ran after a step that got a branch.${rehearsal}`,
      );
    }
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

/** The action as the workflow calls it, which links to its documents name; nothing for `./`, as on GitHub. */
function referenceOf({ ref }: Prepared, action: string): Record<string, string> {
  const repository = action.split('/').slice(0, 2).join('/');
  const isLocal = action.startsWith('.');
  return { GITHUB_ACTION_REPOSITORY: isLocal ? '' : repository, GITHUB_ACTION_REF: isLocal ? '' : ref };
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

/** Where a value comes from on the command line. */
const optionOf: Record<Source, string> = { vars: 'var', secrets: 'secret', inputs: 'input', outputs: 'output' };

/** The names of variables and secrets are not case-sensitive. */
function keyOf(source: Source): (name: string) => string {
  return source === 'vars' || source === 'secrets' ? (name) => name.toUpperCase() : (name) => name;
}

/** What workflows read from a source. What one of them uses for some purpose is meant for it in all. */
function readBy(workflows: Played[], source: Source): Prepared['reads'][Source] {
  const all: Prepared['reads'][Source] = new Map();
  for (const { reads } of workflows)
    for (const [name, purpose] of reads[source]) all.set(name, all.get(name) ?? purpose);
  return all;
}

/** The values that workflows read: given ones, else those of the local services. Says which of them are empty, each only once. */
class Values {
  private readonly options: PlayOptions;
  private readonly local: Record<Purpose, string>;
  private readonly needs: Set<string>;
  private readonly told = new Set<string>();

  constructor(options: PlayOptions, local: Record<Purpose, string>, needs: Set<string>) {
    this.options = options;
    this.local = local;
    this.needs = needs;
  }

  /** The values from the command line, by name. */
  given(source: Source): Record<string, string> {
    const key = keyOf(source);
    return Object.fromEntries(Object.entries(this.options[source]).map(([name, value]) => [key(name), value]));
  }

  of(source: Source, reads: Prepared['reads'][Source], standard: Record<string, string> = {}): Record<string, string> {
    const given = this.given(source);
    const values: Record<string, string> = { ...standard };
    for (const [name, purpose] of reads) {
      if (purpose) values[name] ||= this.local[purpose];
      if (given[name] === undefined && !values[name]) {
        const what = source === 'outputs' ? `steps.${name.replace('.', '.outputs.')}` : `${source}.${name}`;
        const advice = this.needs.has(`${source}.${name}`)
          ? `set it with --${optionOf[source]} ${name}=VALUE`
          : 'only steps that are not run read it';
        this.tell(`${what} is empty; ${advice}.`);
      }
      values[name] ??= '';
    }
    return { ...values, ...given };
  }

  /**
   * The inputs of a run: those that its workflow declares for the event, and no others. As on GitHub, `inputs` has booleans where the
   * event's payload has texts.
   */
  inputsOn(
    { inputsOn, reads }: Played,
    name: string,
  ): { texts: Record<string, string>; typed: Record<string, unknown> } {
    const declared = inputsOn(name);
    const standard = Object.fromEntries(Object.entries(declared).map(([input, one]) => [input, one.default]));
    const read = new Map([...reads.inputs].filter(([input]) => Object.hasOwn(declared, input)));
    const texts = Object.fromEntries(
      Object.entries(this.of('inputs', read, standard)).filter(([input]) => Object.hasOwn(declared, input)),
    );
    const typed = Object.entries(texts).map(([input, text]) => [
      input,
      declared[input]?.isBoolean ? text === 'true' : text,
    ]);
    return { texts, typed: Object.fromEntries(typed) };
  }

  private tell(line: string): void {
    if (!this.told.has(line)) this.options.print(line);
    this.told.add(line);
  }
}

function printJob(
  { id, result, steps, problem, matrix = [] }: PlayedJob,
  { calls }: Prepared,
  { print, migrate }: PlayOptions,
): void {
  const name = matrix.length > 0 ? `${id} (${matrix.join(', ')})` : id;
  print(
    `  job ${name}: ${calls.has(id) && result === 'success' ? 'not played' : result}${problem === undefined ? '' : `: ${problem}`}`,
  );
  const printStep = (head: string, log: string[]) => {
    print(`    ${head}`);
    for (const line of log) print(`      │ ${line}`);
  };
  for (const { name, outcome, run, said = [] } of steps) {
    const did = run ? outcome : outcome === 'success' ? 'not run' : outcome;
    printStep(`${did}: ${name}`, run ? logOf(run) : said);
  }
  for (const { name, post } of steps.toReversed()) {
    const log = post ? logOf(post) : [];
    if (log.length > 0) printStep(`post step, ${post?.conclusion}: ${name}`, log);
  }
  const errors = steps.flatMap(({ run }) => run?.annotations.error ?? []);
  for (const [, kind, name] of errors.join('\n').matchAll(/ has no (database|role) "(.+?)"/g))
    print(`    To add ${kind} "${name}" to main, use --${kind} ${name}.`);
  for (const [, name] of errors.join('\n').matchAll(/The project has no branch with the name or ID "(.+?)"/g))
    print(`    To add branch "${name}" to the project, use --branch ${name}.`);
  if (
    !migrate?.length &&
    steps.some(({ run, action, inputs = {} }) => run && action && commandOf({ with: inputs }, action) === 'diff')
  )
    print(
      "    Scripts are not run, so `diff` doesn't see what a migration script would change. Pass its SQL with --migrate FILE.",
    );
}

function logOf(stage: Stage): string[] {
  return stage
    .maskedLog()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('##[debug]'));
}
