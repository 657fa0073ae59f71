import fc from 'fast-check';
import { type InputSource, inputNames } from '../../src/inputs/fields.ts';
import { InputError, loadInputs } from '../../src/inputs/load.ts';
import { parseEvent } from '../../src/runner/event.ts';
import { createSecrets } from '../../src/secrets/store.ts';
import { oneLine } from '../../src/text/inert.ts';
import { anyEvent } from './events.ts';
import { hostileText } from './texts.ts';

/** Stands in every secret that is handed in; not even a part of it may be read anywhere. */
const marker = 'Zq7Wv3Kx9Jt5';
const markerPart = marker.slice(0, 6);
const now = Date.parse('2026-03-04T05:06:07Z');

const secretText = fc.tuple(hostileText, hostileText).map(([before, after]) => `${before}${marker}${after}`);
const uri = fc.constantFrom(
  `postgres://someone:${marker}@host/db`,
  `see postgresql://a:${marker}%40x@host:5432/db?sslmode=require for more`,
  `https://u:${marker}@host/api/v2`,
  `https://host/path?token=${marker}`,
  `${'x'.repeat(95)} postgres://a:${marker}@host/db`,
);

/** Values that some input takes, so that the look at one beside the others is reached. */
const takenSomewhere = fc.constantFrom(
  ...['auto', 'create', 'get', 'reset', 'delete', 'diff', 'prune', 'wait', 'manage', 'reuse', 'fail', 'skip', 'true'],
  ...['false', 'default', 'schema-only', 'require', 'omit', '14d', '90m', '0.25', '2', '2026-03-05T05:06:07Z'],
  ...['0/1DE2850', 'preview/*', 'shiny-wind-028834', 'br-wispy-meadow-118737', 'localhost:80', '[{"a":1}]', '["a-b"]'],
  ...['{"name":"x"}', 'role', 'roles', 'branch', 'update', 'list', 'POST', '/projects/x/branches', '5m', 'a,b'],
);

const value = fc.oneof(
  { weight: 3, arbitrary: takenSomewhere },
  { weight: 2, arbitrary: hostileText },
  { weight: 1, arbitrary: uri },
  { weight: 1, arbitrary: fc.json() },
);

const given = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...inputNames), value, { maxKeys: 12 }),
    fc.record(
      {
        api_key: fc.oneof(secretText, fc.constant(marker)),
        github_token: fc.oneof(secretText, fc.constant(marker)),
        project_id: fc.constant('shiny-wind-028834'),
        body: fc.constantFrom(`{"password":"${marker}"}`, `{"role":{"name":"x","token":"${marker}"}}`),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([some, access]) => ({ ...some, ...access }) as Record<string, string>);

/** Whatever is given, there are settings, a skipped step, or an error of which every line names an input; and no secret in it. */
export const inputProperty = fc.property(given, anyEvent, (inputs, from) => {
  const secrets = createSecrets();
  try {
    loadInputs({ source: sourceOf(inputs), event: parseEvent(from), now, mask: (secret) => void secrets.add(secret) });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [first = '', ...lines] = error.message.split('\n');
    if (!/^(One input is|\d+ inputs are) not as (it|they) should be:$/.test(first)) throw new Error(`begins: ${first}`);
    if (lines.length === 0 || lines.length !== error.faults.length) throw new Error(`not a fault a line: ${lines}`);
    for (const line of lines) {
      const subject = /^- ([\w, /]+):/.exec(line)?.[1] ?? '';
      const named = subject.split(/ and | \/ |, /);
      if (named.length === 0 || !named.every((name) => (inputNames as string[]).includes(name)))
        throw new Error(`names no input: ${line}`);
    }
    const shown = secrets.redact(oneLine(secrets.redact(error.message), 4_000));
    if (shown.includes(markerPart)) throw new Error(`shows a secret: ${shown}`);
  }
});

/** By the runner's rules: trimmed unless told otherwise, booleans by YAML's words. */
export function sourceOf(inputs: Record<string, string>): InputSource {
  const getInput: InputSource['getInput'] = (name, options) => {
    const raw = inputs[name] ?? '';
    return options?.trimWhitespace === false ? raw : raw.trim();
  };
  return {
    getInput,
    getBooleanInput(name) {
      const raw = getInput(name);
      if (/^(true|True|TRUE)$/.test(raw)) return true;
      if (/^(false|False|FALSE)$/.test(raw)) return false;
      throw new TypeError(`${name} is no boolean`);
    },
  };
}
