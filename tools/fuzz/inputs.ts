import fc from 'fast-check';
import { createSecrets } from '../../src/secrets/store.ts';
import type { Action, Facts } from '../../src/step/action.ts';
import { parseEvent } from '../../src/step/event.ts';
import { type CommonInputs, readInputs, unknownInputs } from '../../src/step/inputs.ts';
import { oneLine } from '../../src/text/inert.ts';
import { sourceOf } from '../../test/support/inputs.ts';
import { anyEvent } from './events.ts';
import { hostileText } from './texts.ts';

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
  ...['auto', 'create', 'get', 'reset', 'delete', 'diff', 'reuse', 'recreate', 'fail', 'skip', 'true', 'false'],
  ...['default', 'schema-only', 'masked', 'require', 'omit', '14d', '90m', '0.25', '2', '2026-03-05T05:06:07Z'],
  ...['0/1DE2850', 'fork', 'head', 'preview/*', 'shiny-wind-028834', 'br-wispy-meadow-118737', 'localhost:80'],
  ...['[{"a":1}]', '{"name":"x"}', 'role', 'branch', 'update', 'list', 'POST', '/projects/x/branches', '5m', 'a,b'],
  ...['*', 'never', 'destructive, any', 'add-index, drop-column:public.a.b', '10MB', 'octo-org/octo-repo', 'npm test'],
);

const value = fc.oneof(
  { weight: 3, arbitrary: validForSome },
  { weight: 2, arbitrary: hostileText },
  { weight: 1, arbitrary: uri },
  { weight: 1, arbitrary: fc.json() },
);

const unknown = fc.dictionary(
  fc.constantFrom('INPUT_BRANCH', 'INPUT_GITHUB-TOKEN', 'INPUT_EXPIRE_IN', 'INPUT_ A\nB', 'INPUT_', 'INPUT_API-KEY'),
  secretText,
);

export type AnyAction = Pick<Action<CommonInputs, Facts>, 'inputs' | 'check'>;

/** Any inputs of these actions are valid, or each error is a line that begins with an input, and none shows a secret. */
export function inputProperty(actions: AnyAction[]) {
  const given = fc.nat(actions.length - 1).chain((nth) =>
    fc.record({
      nth: fc.constant(nth),
      inputs: fc.dictionary(fc.constantFrom(...Object.keys(actions[nth]?.inputs ?? {})), value, { maxKeys: 12 }),
      access: fc.record(
        {
          api_key: fc.oneof(secretText, fc.constant(marker)),
          github_token: fc.oneof(secretText, fc.constant(marker)),
          project_id: fc.constant('shiny-wind-028834'),
          body: fc.constantFrom(`{"password":"${marker}"}`, `{"role":{"name":"x","token":"${marker}"}}`),
        },
        { requiredKeys: [] },
      ),
    }),
  );
  return fc.property(given, unknown, anyEvent, ({ nth, inputs, access }, env, from) => {
    const action = actions[nth];
    if (!action) throw new Error('there is no such action');
    const secrets = createSecrets();
    const source = sourceOf({ ...inputs, ...access });
    const read = readInputs(action.inputs, { source, mask: (secret) => void secrets.add(secret) });
    const event = parseEvent(from);
    const lines = [
      ...Object.values(read.errors),
      ...unknownInputs(action.inputs, env),
      ...action.check({ inputs: read.inputs as Partial<CommonInputs>, event, now }),
    ];
    for (const line of lines) {
      if (line.includes('\n')) throw new Error(`has several lines: ${line}`);
      const [name = ''] = /^`?[\w-]+/.exec(line) ?? [];
      const isNamed =
        name.replace('`', '') in action.inputs || /(is not an input|are not inputs) of this action/.test(line);
      if (!isNamed) throw new Error(`names no input: ${line}`);
      const shown = secrets.redact(oneLine(secrets.redact(line), 4_000));
      if (shown.includes(markerPart)) throw new Error(`shows a secret: ${shown}`);
    }
  });
}
