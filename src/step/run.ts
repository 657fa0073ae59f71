import * as core from '@actions/core';
import { systemClock } from '../http/clock.ts';
import { messageOf } from '../text/format.ts';
import { type Action, createRecorder, type Facts, redacted, type Step } from './action.ts';
import { readEvent } from './event.ts';
import { explain } from './explain.ts';
import { type CommonInputs, type Given, invalidInputs, readInputs, unknownInputs, whyNoKey } from './inputs.ts';
import { fail, log, mask, redact } from './log.ts';
import { writeSummary, writeValues } from './outputs.ts';
import { withService } from './service.ts';
import { summarize } from './summary.ts';

/** Inputs → event → action → outputs and summary. An error of the action fails the step here, and nowhere else. */
export async function runAction<I extends CommonInputs, F extends Facts>(action: Action<I, F>): Promise<void> {
  const started = systemClock.now();
  const recorder = createRecorder(action.empty());
  const titleOf = (facts: F) => (typeof action.title === 'string' ? action.title : action.title(facts));
  let inputs: Given<I> = {};
  const failures: string[] = [];
  const failWith = (message: string) => {
    failures.push(message);
    fail(message);
  };
  try {
    const event = readEvent(process.env);
    const given = readInputs(action.inputs, { source: core, mask });
    inputs = given.inputs as Given<I>;
    const noKey = whyNoKey(core, event);
    if (noKey !== undefined && inputs.on_missing_key === 'skip') {
      const done = `Skipped: api_key is empty (\`on_missing_key: skip\`). ${noKey}`;
      recorder.record({ skipped: true, done } as Partial<F>);
    } else {
      if (noKey !== undefined) {
        given.errors.api_key = `api_key is required, but it is empty. ${noKey}. To succeed without it, set \`on_missing_key: skip\``;
      }
      const errors = [
        ...Object.values(given.errors),
        ...unknownInputs(action.inputs, process.env),
        ...action.check({ inputs, event, now: started }),
      ];
      if (errors.length > 0) throw invalidInputs(errors);
      const valid = inputs as I;
      await withService(valid, async (api) => {
        const step: Step<I, F> = { inputs: valid, event, api, log, mask, ...recorder };
        await action.run(step);
      });
    }
    const { done, skipped } = recorder.facts();
    log.notice(done, `Database Branch: ${skipped ? 'skipped' : titleOf(recorder.facts())}`);
  } catch (error) {
    failWith(explain(error, { apiHost: inputs.api_host }));
  }
  const facts = recorder.facts();
  try {
    writeValues('outputs', action.outputs(facts));
  } catch (error) {
    failWith(messageOf(error));
  }
  if (inputs.summary === false) return;
  const shown = redacted({ facts, failure: failures.join('\n') || undefined }, redact);
  writeSummary(
    summarize({
      title: titleOf(shown.facts),
      ...shown,
      ms: systemClock.now() - started,
      parts: action.report(shown.facts),
    }),
  );
}
