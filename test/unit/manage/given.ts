import { manage } from '../../../src/manage/action.ts';
import type { ManageInputs } from '../../../src/manage/inputs.ts';
import type { ManageFacts } from '../../../src/manage/report.ts';
import { createRecorder } from '../../../src/step/action.ts';
import { parseEvent, type RunEvent } from '../../../src/step/event.ts';
import { readInputs } from '../../../src/step/inputs.ts';
import { pullRequest } from '../../../tools/runner/events.ts';
import { Account, projectId } from '../../support/account.ts';
import { sourceOf } from '../../support/inputs.ts';
import { mockApi, type Sent } from '../../support/mock-api.ts';

/** Inputs as the step has read them; those that are not given are not set. */
export function given(inputs: Partial<ManageInputs>): Partial<ManageInputs> {
  const { inputs: unset } = readInputs(manage.inputs, { source: sourceOf({}), mask: () => {} });
  return { ...(unset as Partial<ManageInputs>), project_id: 'p', ...inputs };
}

const event = (env: NodeJS.ProcessEnv): RunEvent => parseEvent({ env, payload: {} });
export const onPush = event({ GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/feature/x' });
export const onSchedule = event({ GITHUB_EVENT_NAME: 'schedule' });

/** Runs a step for pull request 7 to its end, in this process. */
export async function run({ inputs, account = new Account() }: { inputs: Record<string, string>; account?: Account }) {
  const { api, clock, sent, masked } = mockApi(account.respond, { timeoutMs: 120_000 });
  account.now = clock.now;
  const mask = (secret: string) => void masked.push(secret);
  const access = { api_key: 'napi_secretkey', project_id: projectId };
  const read = readInputs(manage.inputs, { source: sourceOf({ ...access, ...inputs }), mask });
  const valid = read.inputs as ManageInputs;
  const at = parseEvent(pullRequest({ number: 7 }));
  const errors = [...Object.values(read.errors), ...manage.check({ inputs: valid, event: at, now: clock.now() })];
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const recorder = createRecorder<ManageFacts>(manage.empty());
  const lines: string[] = [];
  const warnings: string[] = [];
  const log = {
    ...{ info: (line: string) => void lines.push(line), debug: () => {}, notice: () => {}, group: () => {} },
    warning: (line: string) => void warnings.push(line),
  };
  const error: unknown = await manage
    .run({ inputs: valid, event: at, api, log, mask, ...recorder })
    .catch((thrown: unknown) => thrown);
  return {
    ...{ sent, masked, lines, warnings, facts: recorder.facts() },
    outputs: manage.outputs(recorder.facts()),
    message: error instanceof Error ? error.message : undefined,
    calls: () => sent.map(Account.route).filter((call) => !/^GET \/operations/.test(call)),
    bodies: (route: string) => sent.filter((one: Sent) => Account.route(one) === route).map(({ body }) => body),
  };
}
