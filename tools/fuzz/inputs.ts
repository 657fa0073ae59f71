import fc from 'fast-check';
import { rulesFor } from '../../src/commands/index.ts';
import { commandNames } from '../../src/inputs/commands.ts';
import { inputNames } from '../../src/inputs/fields.ts';
import { InputError, loadInputs } from '../../src/inputs/load.ts';
import { createSecrets } from '../../src/secrets/store.ts';
import { parseEvent } from '../../src/step/event.ts';
import { oneLine } from '../../src/text/inert.ts';
import { sourceOf } from '../runner/inputs.ts';
import { anyEvent } from './events.ts';
import { hostileText } from './texts.ts';

const rules = await rulesFor('manage');

/** Part of every secret in the inputs. No message may have even the first half of it. */
const marker = 'Zq7Wv3Kx9Jt5';
const markerPart = marker.slice(0, 6);
const now = Date.parse('2026-03-04T05:06:07Z');

const secretText = fc.tuple(hostileText, hostileText).map(([before, after]) => `${before}${marker}${after}`);
const uri = fc.constantFrom(
  `postgres://someone:${marker}@host/db`,
  `see postgresql://a:${marker}%40x@host:5432/db?sslmode=require for more`,
  `https://u:${marker}@host/api/v2`,
  `${'x'.repeat(95)} postgres://a:${marker}@host/db`,
);

/** Values that are valid for some input, so that checks of combinations are reached. */
const validForSome = fc.constantFrom(
  ...['auto', ...commandNames, 'reuse', 'fail', 'skip', 'true', 'false'],
  ...['default', 'schema-only', 'masked', 'require', 'omit', '14d', '90m', '0.25', '2', '2026-03-05T05:06:07Z'],
  ...['0/1DE2850', 'preview/*', 'shiny-wind-028834', 'br-wispy-meadow-118737', 'localhost:80', '[{"a":1}]', '["a-b"]'],
  ...['{"name":"x"}', 'role', 'roles', 'branch', 'update', 'list', 'POST', '/projects/x/branches', '5m', 'a,b'],
  ...['*', 'never', 'destructive, any', 'add-index, drop-column:public.a.b', '10MB'],
);

const value = fc.oneof(
  { weight: 3, arbitrary: validForSome },
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

const unknown = fc.dictionary(
  fc.constantFrom(
    'INPUT_BRANCH',
    'INPUT_GITHUB-TOKEN',
    'INPUT_EXPIRE_IN',
    'INPUT_ A\nB',
    'INPUT_',
    'INPUT_API-KEY',
    'HOME',
  ),
  secretText,
);

/** Any inputs result in settings, a skipped step, or an error. Every line of an error begins with an input, and none shows a secret. */
export const inputProperty = fc.property(given, unknown, anyEvent, (inputs, env, from) => {
  const secrets = createSecrets();
  try {
    const mask = (secret: string) => void secrets.add(secret);
    loadInputs({ source: sourceOf(inputs), rules, event: parseEvent(from), env, now, mask });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [first = '', ...lines] = error.message.split('\n');
    if (!/^(Invalid input|\d+ invalid inputs):$/.test(first)) throw new Error(`starts with: ${first}`);
    if (lines.length === 0 || lines.length !== error.errors.length)
      throw new Error(`does not have one error per line: ${lines}`);
    for (const line of lines) {
      if (/^- [\w-]+ is not an input; /.test(line)) continue;
      const subject = /^- (?:either )?([\w, `]+?)(?::| \(| is | must | can't be |,? are )/.exec(line)?.[1] ?? '';
      const named = subject.split(/,? and | or | with |, /).map((name) => name.replaceAll('`', ''));
      if (!named.every((name) => (inputNames as string[]).includes(name))) throw new Error(`names no input: ${line}`);
    }
    const shown = secrets.redact(oneLine(secrets.redact(error.message), 4_000));
    if (shown.includes(markerPart)) throw new Error(`shows a secret: ${shown}`);
  }
});
