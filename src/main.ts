import * as core from '@actions/core';
import { commands, rulesFor } from './commands/index.ts';
import type { Context } from './context.ts';
import type { Ended } from './finish.ts';
import { systemClock } from './http/clock.ts';
import { commandNames } from './inputs/commands.ts';
import { type Inputs, inputNames } from './inputs/fields.ts';
import { givenCommand, InputError, loadInputs } from './inputs/load.ts';
import { createRecorder, type Recorder } from './result.ts';
import { readEvent } from './step/event.ts';
import { hide, log, mask } from './step/log.ts';
import { runAction } from './step/run.ts';
import { withService } from './step/service.ts';

/** The actions that have a folder of their own. Each is loaded when it runs. */
const actions: Record<string, () => Promise<void>> = {
  rehearse: async () => runAction((await import('./rehearse/action.ts')).rehearse),
  diff: async () => runAction((await import('./diff/action.ts')).diff),
  manage: async () => runAction((await import('./manage/action.ts')).manage),
};

/** Runs an action; without a name the one at the root: inputs → command → outputs. `@github/local-action` calls it by this name. */
export async function run(name?: string): Promise<void> {
  const action = name === undefined ? undefined : actions[name];
  if (action) return action();
  if (!commandNames.some((one) => one === core.getInput('command'))) {
    const { lifecycle } = await import('./lifecycle/action.ts');
    // As long as `action.yml` has the inputs of other commands, too.
    for (const input of inputNames)
      if (!(input in lifecycle.inputs)) delete process.env[`INPUT_${input.toUpperCase()}`];
    return runAction(lifecycle);
  }
  const recorder = createRecorder();
  const started = systemClock.now();
  const ended: Omit<Ended, 'result'> = {
    command: 'auto',
    inputs: undefined,
    failed: undefined,
    wantsSummary: true,
    ms: () => systemClock.now() - started,
  };
  try {
    const event = readEvent(process.env);
    const rules = await rulesFor(givenCommand(core));
    const settings = loadInputs({ source: core, rules, event, env: process.env, now: started, mask, hide });
    const { command } = settings;
    ended.command = command;
    ended.wantsSummary = 'skip' in settings ? settings.summary : settings.inputs.summary;
    if ('skip' in settings) {
      const done = `Skipped: ${settings.skip}`;
      recorder.progress({ action: 'skipped', skipped: true, done });
      log.notice(done, 'Database Branch: skipped');
    } else {
      const { inputs } = settings;
      ended.inputs = inputs;
      log.info(
        `Running \`${command}\`${inputs.project_id ? ` in project ${inputs.project_id}` : ''} at ${inputs.api_host}`,
      );
      await runCommand({ command: settings.command, inputs, event, recorder });
      log.notice(recorder.result().done, `Database Branch: ${command}`);
    }
  } catch (error) {
    if (error instanceof InputError) ({ summary: ended.wantsSummary, command: ended.command } = error);
    ended.failed = { error };
  }
  const { finish } = await import('./finish.ts');
  finish({ ...ended, result: recorder.result() });
}

function runCommand(options: {
  command: Context['command'];
  inputs: Inputs;
  event: Context['event'];
  recorder: Recorder;
}): Promise<void> {
  const { command, inputs, event, recorder } = options;
  const { run } = commands[command];
  return withService(inputs, async (api) => {
    const context: Context = {
      inputs,
      command,
      event,
      api,
      log,
      mask,
      ...recorder,
      record: recorder.progress,
    };
    await run(context);
  });
}
