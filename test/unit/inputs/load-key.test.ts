import { describe, expect, it } from 'vitest';
import { inputNames, secretInputs } from '../../../src/inputs/fields.ts';
import * as events from '../../../tools/runner/events.ts';
import { load, messages } from './loaded.ts';

describe('what looks like a key', () => {
  const keys = {
    'an API key': `napi_${'k3y'.repeat(20)}`,
    'a short API key': 'napi_secret99',
    'a token of GitHub': `ghs_${'T0k3n'.repeat(7)}`,
    'a JSON Web Token': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'a long random word': 'q9w8e7r6t5z4u3i2o1p0a1s2d3f4g5h6j7k8l9y0x1c2v3b4n5m6q7w8e9r0t1z2',
  };

  it.each(Object.entries(keys))('is not shown in a message about any input: %s', (_, key) => {
    const others = inputNames.filter((name) => !secretInputs.some((secret) => secret === name));
    for (const name of others) {
      for (const raw of [key, `${key}/x`, `"${key}"`]) {
        // An input that takes any text, or any JSON, takes a key too.
        if (messages({ [name]: raw.replace(key, 'a b') }).length === 0) continue;
        const found = messages({ [name]: raw });
        expect({ name, messages: found.length > 0 }).toEqual({ name, messages: true });
        expect(found.join('\n')).not.toContain(key.slice(0, 12));
      }
    }
    const objects: Record<string, string>[] = [
      { resource: key, verb: 'list' },
      { resource: 'role', verb: 'get', resource_id: `${key}/..` },
    ];
    for (const given of objects)
      expect(messages({ command: 'manage', ...given }).join('\n')).not.toContain(key.slice(0, 12));
    expect(messages({ command: 'manage', method: 'GET', path: `//${key}?a` }).join('\n')).not.toContain(
      key.slice(0, 12),
    );
  });

  it.each([
    ['preview/napi_abcdefgh1234', 'napi_abcdefgh1234'],
    ['x-napi_abcdefgh1234', 'napi_abcdefgh1234'],
    ['x_ghp_0123456789abcdefghij y', 'ghp_0123456789abcdefghij'],
  ])('is hidden inside a longer value: %s', (branch_name, key) => {
    const { hidden, masked } = load({ branch_name });
    expect(hidden).toContain(key);
    expect(masked).not.toContain(key);
  });

  it('is hidden from then on if it is a whole input, but never masked', () => {
    for (const key of Object.values(keys).slice(0, 4)) {
      const { masked, hidden } = load({ branch_name: key });
      expect(hidden).toContain(key);
      expect(masked).toEqual(['napi_secret99', 'ghs_token']);
    }
    expect(load({ branch_name: 'preview/0123456789abcdef0123456789abcdef01234567' }).hidden).toEqual(['napi_secret99']);
  });

  it('may be in project_id because that and api_key were swapped', () => {
    expect(messages({ api_key: 'shiny-wind-028834', project_id: 'napi_secret99' })).toEqual([
      "project_id: a value that looks like a key (not shown) is invalid; expected the project's ID from its settings, such as shiny-wind-028834; are `project_id` and `api_key` swapped?",
    ]);
    expect(messages({ project_id: '0123456789abcdef0123456789abcdef' })).toEqual([]);
  });
});

describe('a missing api_key', () => {
  const missing = { api_key: ' ' };

  it.each([
    ['a fork', events.pullRequest({ fork: 'someone/octo-repo' }), /pull requests from forks.*`on_missing_key: skip`$/m],
    [
      'Dependabot',
      events.pullRequest({ author: 'dependabot[bot]' }),
      /Dependabot runs only get Dependabot secrets.*Secrets and variables > Dependabot.*`on_missing_key: skip`/,
    ],
    [
      'a fork with secrets',
      events.pullRequest({ fork: 'someone/octo-repo', target: true }),
      /^api_key is required, but it is empty\. Check/,
    ],
    ['another run', events.push(), /^api_key is required, but it is empty\. Check the name of the secret/],
  ])('is explained for %s', (_, event, said) => {
    const found = messages(missing, event);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(said);
  });

  it('is reported with other errors', () => {
    expect(messages({ ...missing, timeout: 'x' })).toHaveLength(2);
  });

  const unexplained =
    'api_key is empty (`on_missing_key: skip`). Check the name of the secret, and that this repository, environment or reusable workflow has access to it';
  it.each([
    [
      events.pullRequest({ fork: 'someone/octo-repo' }),
      {},
      'create',
      "api_key is empty, because GitHub doesn't pass secrets to pull requests from forks (`on_missing_key: skip`)",
    ],
    [
      events.pullRequest({ action: 'closed', author: 'dependabot[bot]' }),
      {},
      'delete',
      'api_key is empty, because Dependabot runs only get Dependabot secrets (`on_missing_key: skip`)',
    ],
    [events.push(), { command: 'get' }, 'get', unexplained],
    [events.schedule(), {}, 'auto', unexplained],
    [events.push(), { command: 'nonsense' }, 'auto', unexplained],
  ])('skips the step with `on_missing_key: skip` (%#)', (event, given, command, skip) => {
    const { settings } = load({ ...missing, on_missing_key: 'skip', ...given }, event);
    expect(settings).toEqual({ skip, command, summary: true });
  });

  it('has a summary even if `summary` is invalid', () => {
    const skipped = (summary: string) => load({ ...missing, on_missing_key: 'skip', summary }).settings;
    expect(skipped('nonsense')).toMatchObject({ summary: true });
    expect(skipped('false')).toMatchObject({ summary: false });
  });

  it('is not assumed with `on_missing_key: skip` alone', () => {
    expect('skip' in load({ on_missing_key: 'skip' }).settings).toBe(false);
  });
});
