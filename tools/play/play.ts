import { basename } from 'node:path';
import { faultsOf, misuses } from '../../test/repository/checks.ts';
import { startGitHub } from '../github/index.ts';
import { type PlayedStep, playWorkflow } from '../runner/workflow/play.ts';
import { startService } from '../service/index.ts';
import { ORGANIZATION_ID } from '../service/objects/account.ts';
import { eventNames, makeEvent } from './events.ts';
import { isUseOf, type Prepared, type Purpose, prepare } from './prepare.ts';
import { warningsOf } from './warnings.ts';

export interface PlayOptions {
  path: string;
  text: string;
  /** Played in this order, such as `pull_request.opened`. */
  events: string[];
  /** What the workflow calls this action: `owner/name`, or `./`. */
  action: string;
  vars: Record<string, string>;
  secrets: Record<string, string>;
  number: number;
  label?: string | undefined;
  compute: 'postgres' | 'none';
  /** SQL to run in main first, and the file that it comes from. */
  seed?: { path: string; sql: string } | undefined;
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
  const { print, path, text, action } = options;
  const faults = (await faultsOf(text, path)).filter((fault) => !/label ".*" is unknown/.test(fault));
  if (faults.length > 0) return failed(print, `${path} is invalid:`, faults);
  const prepared = prepare(text, action);
  if (!prepared.usesOurs) {
    const used = prepared.actions.map((one) => one.replace(/@.*/, ''));
    return failed(print, `No step uses ${action}. Set \`--action\` to what the workflow calls this action:`, used);
  }
  const wrong = misuses(text, path, ({ uses = '' }) => isUseOf(uses, action));
  if (wrong.length > 0) return failed(print, `${path} is invalid:`, wrong);
  const unknown = options.events.filter(
    (name) => !eventNames.some((one) => one === name || one.startsWith(`${name}.`)),
  );
  if (unknown.length > 0) return failed(print, `Cannot play ${unknown.join(', ')}. These can be played:`, eventNames);
  print(`${path} is valid.`);
  print('Scripts, and actions other than this one, are not run: their outputs are empty.');
  for (const limit of prepared.limits) print(limit);
  for (const warning of warningsOf(prepared.text)) print(`Warning: ${warning}`);
  return playAll(options, prepared);
}

function failed(print: PlayOptions['print'], head: string, items: string[]): boolean {
  print(head);
  for (const item of items) print(`  ${item}`);
  return false;
}

async function playAll(options: PlayOptions, prepared: Prepared): Promise<boolean> {
  const { print, compute, seed, label, number } = options;
  const service = await startService({ compute });
  const github = await startGitHub();
  try {
    const wrong =
      seed &&
      (await service.query('main', seed.sql).then(
        () => undefined,
        (error: Error) => error,
      ));
    if (wrong) return failed(print, `The SQL in ${seed.path} failed:`, [wrong.message]);
    const { projectId, apiKey, baseUrl } = service;
    const values: Record<Purpose, string> = {
      project: projectId,
      organization: ORGANIZATION_ID,
      key: apiKey,
      token: TOKEN,
    };
    const [vars, secrets] = [valuesOf('var', prepared, options, values), valuesOf('secret', prepared, options, values)];
    // Overrides whatever the workflow says.
    const env = { ...github.env, INPUT_API_HOST: baseUrl };
    const workflowPath = `.github/workflows/${basename(options.path)}`;
    let succeeded = true;
    for (const [index, name] of options.events.entries()) {
      print(`\n${name}`);
      const event = makeEvent(name, { number, label }, github.state);
      const run = { runId: String(FIRST_RUN + index), runNumber: String(index + 1), path: workflowPath };
      const given = event && { event, vars, secrets, inputs: {}, env, ...run };
      const played = given && (await playWorkflow(prepared.text, given).catch((error: Error) => error));
      if (!played) print('  This event does not start the workflow.');
      else if (played instanceof Error) print(`  Cannot be played to the end: ${played.message}.`);
      const jobs = played && 'jobs' in played ? played.jobs : [];
      for (const { id, result, steps } of jobs) {
        print(`  job ${id}: ${result}`);
        for (const step of steps) for (const line of linesOf(step)) print(`    ${line}`);
        if (steps.some(({ run, inputs }) => run && inputs?.command === 'diff'))
          print("    Scripts are not run, so `diff` doesn't see what a migration script would change.");
      }
      if (played instanceof Error || jobs.some(({ result }) => result === 'failure')) succeeded = false;
      await service.idle();
      print(
        `  branches: ${service
          .branches()
          .map(({ name }) => name)
          .join(', ')}`,
      );
    }
    for (const { issue, body } of github.state.comments) print(`\nComment on #${issue}:\n${body}`);
    return succeeded;
  } finally {
    await Promise.all([service.stop(), github.close()]);
  }
}

/** The values of the workflow's variables or secrets. Says which of them are empty. */
function valuesOf(
  kind: 'var' | 'secret',
  prepared: Prepared,
  options: PlayOptions,
  values: Record<Purpose, string>,
): Record<string, string> {
  const context = `${kind}s` as const;
  const given = options[context];
  return Object.fromEntries(
    [...prepared[context]].map(([name, purpose]) => {
      const value = purpose === undefined ? given[name] : values[purpose];
      if (value === undefined) options.print(`${context}.${name} is empty; set it with --${kind} ${name}=VALUE.`);
      return [name, value ?? ''];
    }),
  );
}

function linesOf({ name, outcome, run, post }: PlayedStep): string[] {
  if (!run) return [`${outcome === 'skipped' ? 'skipped' : 'not run'}: ${name}`];
  const log = [run, post].flatMap((stage) => stage?.maskedLog().split('\n') ?? []);
  const shown = log.filter((line) => line !== '' && !line.startsWith('##[debug]'));
  return [`${outcome}: ${name}`, ...shown.map((line) => `  │ ${line}`)];
}
