import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { limits } from '../../src/step/limits.ts';
import { compileCache, ROOT } from '../files.ts';
import { issuedSecrets } from '../service/secrets.ts';
import { type ActionName, folderOf, inputEnvironment, readAction } from './action.ts';
import { parseCommandFile } from './command-files.ts';
import { type CommandFiles, commandFiles, foldersIn, type JobFolders, stepEnvironment } from './environment.ts';
import { type GitHubEvent, workflowDispatch } from './events.ts';
import { refuseLeaks } from './leaks.ts';
import { type Annotations, type Leak, type LogLine, leaksInMarkdown, StepLog } from './log.ts';
import { Masker } from './masks.ts';
import { type Cancellation, type Ended, runProcess } from './process.ts';
import { needsOwnProcess, runReused } from './reused.ts';
import { watchSent } from './sent.ts';

export const NODE = join(ROOT, 'node_modules/.bin/node');

/**
 * Saves about a quarter of the processor time of a run: no optimizing compiler for WebAssembly, fewer garbage collections, and
 * compiled code that is kept. The script can't tell. Left out for another action.
 */
const cheapStart = {
  flags: ['--liftoff-only', '--min-semi-space-size=16'],
  env: { NODE_COMPILE_CACHE: compileCache },
};

export interface RunOptions {
  /** as in `with:`; other inputs have their defaults */
  inputs?: Record<string, string>;
  event?: GitHubEvent;
  /** in addition to the runner's variables */
  env?: Record<string, string>;
  /** runs the post step too, if the action has one, even if the main step fails, as with `post-if: always()` */
  post?: boolean;
  /** the rest of the job, between the main step and the post step */
  between?: (main: Stage) => unknown;
  /** values of `secrets` in the workflow: the runner masks them before the step starts */
  secrets?: string[];
  /** stops the main step */
  cancel?: Cancellation;
  /** how long one step may take before the test fails, in milliseconds; `Infinity` for no limit, with `ownGroup` */
  timeoutMs?: number;
  /** the folder of the runner, which the steps of a job share; by default, a new one that is deleted at the end */
  home?: string;
  /** `GITHUB_WORKSPACE`; an empty folder by default */
  workspace?: string | undefined;
  /** one of this repository's actions; by default the one at its root */
  action?: ActionName;
  /** the folder with the `action.yml` of another action */
  folder?: string;
  /** starts a process for each step, as the runner does, and keeps signals of the terminal from it */
  ownGroup?: boolean;
  /** the value of `github.token` */
  token?: string;
}

/** What one step (main or post) did. */
export interface Stage extends Ended {
  /** the runner's verdict: a malformed command file fails a step even if it exits with 0 */
  conclusion: 'success' | 'failure';
  log: LogLine[];
  outputs: Record<string, string>;
  /** variables for later steps */
  env: Record<string, string>;
  state: Record<string, string>;
  summary: string;
  masks: string[];
  annotations: Annotations;
  /** the runner's own errors */
  faults: string[];
  /** The log as GitHub shows it. */
  maskedLog(): string;
  /** The lines of that log that are not empty, without debug lines. */
  shownLog(): string[];
  /** Every place in the log, the summary and the annotations where one of the secrets can be read. */
  leaks(secrets: string[]): Leak[];
}

export interface Run extends Stage {
  post: Stage | undefined;
  /** The outputs that reach another job: the runner drops any that has a masked value in it. */
  jobOutputs: Record<string, string>;
  /** files that the action left in `RUNNER_TEMP`, by absolute path */
  files: Record<string, string>;
}

/** A folder in which a runner is installed. */
export function makeHome(): string {
  // A self-hosted runner may be installed anywhere.
  return realpathSync(mkdtempSync(join(tmpdir(), 'a runner ü ')));
}

/** Starts the action as GitHub's runner does: `main`, then `post` if requested, each as if in its own process. */
export async function runAction(options: RunOptions = {}): Promise<Run> {
  const action = readAction(options.folder ?? folderOf(options.action ?? 'lifecycle'));
  const event = options.event ?? workflowDispatch();
  const home = options.home ?? makeHome();
  // A service may be stopped before the run ends.
  const before = issuedSecrets();
  const sent = watchSent();
  try {
    const folders = foldersIn(home, options.workspace);
    makeJob(folders, event);
    const token = options.token ?? 'ghs_tokenOfThisRun';
    const inputs = inputEnvironment(action, options.inputs ?? {}, { token });
    // The runner masks its own token too.
    const secrets = [token, ...(options.secrets ?? [])];
    const start = (name: 'main' | 'post', script: string, env: Record<string, string>, earlierMasks: string[]) =>
      runStage({
        name,
        script,
        folders,
        event,
        env: { ...inputs, ...env, ...options.env },
        earlierMasks,
        secrets,
        options,
      });

    const main = await start('main', action.main, {}, []);
    await options.between?.(main);
    const post =
      options.post && action.post !== undefined
        ? await start('post', action.post, postEnvironment(main), main.masks)
        : undefined;
    const run = { ...main, post, jobOutputs: jobOutputs(main, post, secrets), files: filesIn(folders.temp) };
    // Every run of the action itself is searched for secrets; a test's own action may print anything.
    if (options.folder === undefined) {
      const sets = [...before, ...issuedSecrets()];
      refuseDroppedAnnotations(run);
      refuseLeaks(run, [...sets.flatMap((set) => [...set]), ...keysGiven(options)], sent());
    }
    return run;
  } finally {
    if (options.home === undefined) rmSync(home, { recursive: true, force: true });
  }
}

/** GitHub shows only the first ten of each kind. Ours says what it has to say in fewer. */
function refuseDroppedAnnotations(run: Run): void {
  for (const { annotations } of [run, ...(run.post ? [run.post] : [])])
    for (const [kind, messages] of Object.entries(annotations))
      if (messages.length > 10)
        throw new Error(`The step has ${messages.length} annotations of kind ${kind}, of which GitHub shows ten`);
}

/** Inputs that would come from `secrets` or `github.token`, except for short placeholders. */
function keysGiven({ inputs = {}, token }: RunOptions): string[] {
  return [inputs.api_key, inputs.github_token, token].filter(
    (key) => key !== undefined && key.length >= 12,
  ) as string[];
}

function makeJob(folders: JobFolders, event: GitHubEvent): void {
  for (const folder of [folders.workspace, folders.tools, commandFolder(folders), dirname(folders.eventPath)])
    mkdirSync(folder, { recursive: true });
  writeFileSync(folders.eventPath, JSON.stringify(event.payload));
}

function commandFolder(folders: JobFolders): string {
  return join(folders.temp, '_runner_file_commands');
}

/** Exported variables are for all later steps, the state is for the action's own post step. */
function postEnvironment(main: Stage): Record<string, string> {
  const state = Object.entries(main.state).map(([name, value]) => [`STATE_${name}`, value]);
  return { ...main.env, ...Object.fromEntries(state) };
}

async function runStage(stage: {
  name: 'main' | 'post';
  script: string;
  folders: JobFolders;
  event: GitHubEvent;
  env: Record<string, string>;
  earlierMasks: string[];
  secrets: string[];
  options: RunOptions;
}): Promise<Stage> {
  const { name, folders, options } = stage;
  const files = makeCommandFiles(commandFolder(folders), name);
  const log = new StepLog(stage.earlierMasks);
  const isOurs = options.folder === undefined;
  const start = isOurs ? cheapStart : { flags: [], env: {} };
  const variables = { ...stepEnvironment(folders, files, stage.event), ...stage.env };
  const cancel = name === 'main' ? options.cancel : undefined;
  const step = {
    file: NODE,
    args: [...start.flags, stage.script],
    cwd: folders.workspace,
    timeoutMs: options.timeoutMs ?? 150_000,
    onLine: (stream: 'stdout' | 'stderr', line: string) => log.add(stream, line),
  };
  // In `npm run test:all`, every step has a process of its own, which shows whether sharing one makes a difference.
  const mayShare = isOurs && process.env.TEST_SIZE !== 'full';
  const isShared = mayShare && !options.ownGroup && !cancel && !needsOwnProcess(variables);
  const ended = isShared
    ? await runReused({ ...step, env: variables, processEnv: { LANG: 'C.UTF-8', ...start.env } })
    : await runProcess({ ...step, env: { ...start.env, ...variables }, cancel, ownGroup: options.ownGroup });
  const { outputs, env, state, faults, ...left } = readCommandFiles(files, log);
  return {
    ...ended,
    ...left,
    conclusion: ended.code === 0 && faults.length === 0 ? 'success' : 'failure',
    log: log.lines,
    outputs,
    env,
    state,
    masks: log.masks,
    annotations: log.annotations,
    faults,
    maskedLog: () => log.masked(stage.secrets).join('\n'),
    shownLog: () =>
      log
        .masked(stage.secrets)
        .flatMap((line) => (line.startsWith('##[debug]') ? [] : line.split('\n').filter(Boolean))),
    leaks: (secrets) => [...log.leaks(secrets), ...leaksInMarkdown('summary', left.summary, secrets)],
  };
}

function makeCommandFiles(folder: string, stage: string): CommandFiles {
  const files = commandFiles.map((name) => [name, join(folder, `${name}_${stage}`)] as const);
  for (const [, path] of files) writeFileSync(path, '');
  return Object.fromEntries(files) as CommandFiles;
}

/** The runner reads the files after the process has ended. A malformed file fails the step. */
function readCommandFiles(files: CommandFiles, log: StepLog) {
  const faults = [...log.faults];
  const read = (name: 'OUTPUT' | 'ENV' | 'STATE') => {
    const { pairs, error } = parseCommandFile(readFileSync(files[`GITHUB_${name}`], 'utf8'));
    if (error) faults.push(`Unable to process file command '${name.toLowerCase()}' successfully. ${error}`);
    return Object.fromEntries(pairs);
  };
  const [outputs, env, state] = [read('OUTPUT'), read('ENV'), read('STATE')];
  if ('NODE_OPTIONS' in env) faults.push("Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.");
  const summary = readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8');
  const size = Buffer.byteLength(summary);
  if (size > limits.summaryBytes)
    faults.push(`$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${size} bytes.`);
  return { outputs, env, state, faults, summary };
}

function jobOutputs(main: Stage, post: Stage | undefined, secrets: string[]): Record<string, string> {
  const masker = new Masker();
  for (const mask of [...secrets, ...main.masks, ...(post?.masks ?? [])]) masker.add(mask);
  return Object.fromEntries(Object.entries(main.outputs).filter(([, value]) => masker.hide(value) === value));
}

function filesIn(temp: string): Record<string, string> {
  const own = ['_runner_file_commands', '_github_workflow'].map((folder) => join(temp, folder));
  const entries = readdirSync(temp, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths
      .filter((path) => !own.some((folder) => path.startsWith(folder)))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );
}
