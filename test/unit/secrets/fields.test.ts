import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isSecretName, maskSecrets } from '../../../src/secrets/fields.ts';

type Json = Record<string, unknown>;

/** The names of all text fields in the service's published OpenAPI description. */
const folder = dirname(createRequire(import.meta.url).resolve('@neondatabase/api-client/package.json'));
const description = parse(readFileSync(join(folder, 'public-v2-for-users.gen.yaml'), 'utf8')) as Json;
const names = new Set<string>();
const sensitive = new Set<string>();
collect(description);

function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { properties, 'x-sensitive': marked } = value as { properties?: Json; 'x-sensitive'?: string[] };
  for (const [name, property] of Object.entries(properties ?? {})) {
    if ((property as Json | null)?.type === 'string') names.add(name);
  }
  if (Array.isArray(marked)) for (const name of marked) sensitive.add(name);
  for (const entry of Object.values(value)) collect(entry);
}

function masked(body: unknown): string[] {
  const found: string[] = [];
  maskSecrets(body, (secret) => found.push(secret));
  return found;
}

describe('fields of the published description', () => {
  it('are recognised as secrets if they are', () => {
    expect(names.size).toBeGreaterThan(150);
    expect([...names].filter(isSecretName).toSorted()).toEqual([
      'api_token',
      'client_secret',
      'connection_uri',
      'key',
      'password',
      'pub_client_key',
      's3_secret_access_key',
      'secret_server_key',
    ]);
  });

  it('are recognised if the description marks them as sensitive credentials', () => {
    // It also marks personal data, names and hosts.
    const keys = [...sensitive].filter(
      (name) => /key|secret|token|password|uri/.test(name) && name !== 'connection_uris',
    );
    expect(keys.filter((name) => !isSecretName(name))).toEqual([]);
    expect(keys.length).toBeGreaterThan(5);
  });
});

describe('a secret', () => {
  it.each([
    [{ apiKey: 'aaaa' }, ['aaaa']],
    [{ 'access-token': 'aaaa', client_secret: 'bbbb', dbPassword: 'cccc' }, ['aaaa', 'bbbb', 'cccc']],
    [{ private_key_pem: 'aaaa', credentials: ['bbbb'], pwd: 'cccc' }, ['aaaa', 'bbbb', 'cccc']],
    [{ token: { id: 't', value: 'aaaa' } }, ['aaaa']],
    [{ secrets: [{ name: 'n', value: 'aaaa' }] }, ['aaaa']],
    [[[{ deep: [{ key: 'aaaa' }] }]], ['aaaa']],
    [{ env: [{ name: 'POSTGRES_PASSWORD', value: 'aaaaaaaa' }] }, ['aaaaaaaa']],
    [{ vars: [{ key: 'api-key', value: 'aaaaaaaa' }] }, ['aaaaaaaa']],
    [{ connectionString: 'host=h password=p' }, ['host=h password=p']],
    [{ roles: [{ name: 'app', password: 'aaaa', protected: false }], uri: 'postgresql://u@h/d' }, ['aaaa']],
  ])('is found in %j', (body, secrets) => {
    expect(masked(body)).toEqual(secrets);
  });

  it.each(['connection_uri', 'uri', 'databaseUrl'])('is found before the URI that has it (%s)', (name) => {
    const uri = 'postgresql://app:pw%21d@h/db';
    expect(masked({ [name]: uri })).toEqual(['pw%21d', 'pw!d', uri]);
  });

  it.each([
    [{ key_name: 'main', token_id: 'abcd', secret_name: 'main', token_type: 'bearer', private_key_id: 'abcd' }],
    [{ cache_key: 'abcd', object_key: 'abcd', primary_key: 'name', public_key: 'abcd', keys: ['abcd'] }],
    [{ key: 'images/cat.png', size: 1 }],
    [{ key: 'team', value: 'blue-and-green' }],
    [{ name: 'password_encryption', value: 'scram-sha-256' }],
    [{ name: 'REQUIRE_PASSWORD', value: 'true' }],
    [{ name: 'credentials', value: { mode: 'read-only' } }],
    [{ password: '', store_passwords: true, max_tokens: 40_960_000, secret: null, token: 'no' }],
    [{ monkey: 'abcd', compass: 'north', tokenizer: 'standard', secretary: 'abcd' }],
    [{ url: 'https://h/d?limit=1', jwks_url: 'https://h/jwks', console_url: 'https://user@h/' }],
    [{ title: 'x://a:main@h', comment: 'password=main', role: 'token' }],
    ['plain text'],
    [undefined],
  ])('is not found in %j, which would be blanked in every later log', (body) => {
    expect(masked(body)).toEqual([]);
  });
});
