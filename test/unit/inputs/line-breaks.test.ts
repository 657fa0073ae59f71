import { expect, it } from 'vitest';
import { rulesFor } from '../../../src/commands/index.ts';
import { loadInputs } from '../../../src/inputs/load.ts';
import { parseEvent } from '../../../src/step/event.ts';
import { schedule, workflowDispatch } from '../../../tools/runner/events.ts';
import { defaults, sourceOf } from '../../../tools/runner/inputs.ts';

const rules = await rulesFor('manage');

function inputsFrom(given: Record<string, string>) {
  const access = { api_key: 'napi_secret99', project_id: 'shiny-wind-028834' };
  const settings = loadInputs({
    source: sourceOf({ ...defaults, ...access, ...given }),
    rules,
    event: parseEvent(given.command === 'prune' ? schedule() : workflowDispatch()),
    env: {},
    now: Date.parse('2026-03-04T05:06:07Z'),
    mask: () => {},
    hide: () => {},
  });
  if ('skip' in settings) throw new Error('The step was skipped');
  return settings.inputs;
}

/** A workflow file that was checked out on Windows, or a value from a Windows tool, has CR LF. */
it.each<[string, Record<string, string>]>([
  ['a list of globs', { command: 'prune', exclude_pattern: 'staging-*\nrelease/*\n' }],
  ['JSON', { command: 'manage', resource: 'role', verb: 'create', branch_name: 'x', body: '{\n  "name": "app"\n}\n' }],
  ['masking rules', { command: 'create', branch_name: 'x', masking_rules: '[\n]\n' }],
  ['one value', { command: 'create\n', branch_name: 'preview/x\n', expires_in: '12h\n', api_key: 'napi_secret99\n' }],
])('%s means the same with CR LF as with LF', (_, given) => {
  const windows = Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, text.replaceAll('\n', '\r\n')]),
  );
  // without functions, which are never equal
  const values = (inputs: unknown) => JSON.parse(JSON.stringify(inputs)) as unknown;
  expect(values(inputsFrom(windows))).toEqual(values(inputsFrom(given)));
});
