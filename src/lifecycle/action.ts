import type { Connection } from '../service/connection.ts';
import { consoleUrl } from '../service/project.ts';
import { type Action, noFacts } from '../step/action.ts';
import { writeValues } from '../step/outputs.ts';
import { type CommandName, decide } from './auto.ts';
import { writeComment } from './comment.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import type { LifecycleFacts, Outcome, Step } from './facts.ts';
import { get } from './get.ts';
import { whyClosed } from './github.ts';
import { check, type Inputs, inputs } from './inputs.ts';
import { outputs } from './outputs.ts';
import { aboutBranch } from './report.ts';
import { reset } from './reset.ts';

const commands: Record<CommandName, (step: Step) => Promise<Outcome>> = { create, get, reset, delete: remove };

export const lifecycle: Action<Inputs, LifecycleFacts> = {
  title: ({ command }) => command,
  inputs,
  check,
  empty: () => ({ ...noFacts(), command: 'auto', created: false, deleted: false }),
  outputs,
  report: (facts) => aboutBranch(facts),

  async run(step) {
    const { inputs, event, log } = step;
    const { command, nothing = await whyClosed(step) } = decide(event, inputs);
    // The check of the inputs has refused what is invalid.
    if (command === undefined || nothing !== undefined) {
      step.record({ skipped: true, done: `Skipped: ${nothing}` });
      return;
    }
    step.record({ command, ...(command === 'get' ? {} : { operationIds: [] }) });
    log.info(`Running \`${command}\` in project ${inputs.project_id} at ${inputs.api_host}`);
    const outcome = await commands[command](step);
    const { branch, connection, action, notReady } = outcome;
    const done = `${outcome.done}${notReady ? '. It is not ready yet (`wait: false`); `command: get` waits until it is' : ''}`;
    const facts = {
      ...outcome,
      done,
      consoleUrl: branch && command !== 'delete' ? consoleUrl(inputs, branch) : undefined,
    };
    step.record(facts);
    if (action !== 'read' && action !== 'kept') await writeComment(step, facts);
    if (inputs.export_env && connection) writeValues('environment variables', environmentOf(connection));
  },
};

function environmentOf(connection: Connection): Record<string, string> {
  return {
    DATABASE_URL: connection.pooledUri,
    DATABASE_URL_UNPOOLED: connection.uri,
    PGHOST: connection.pooledHost,
    PGHOST_UNPOOLED: connection.host,
    PGPORT: connection.port,
    PGUSER: connection.role,
    PGDATABASE: connection.database,
    PGPASSWORD: connection.password,
  };
}
