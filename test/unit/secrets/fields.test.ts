import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { maskSecrets, withoutSecrets } from '../../../src/secrets/fields.ts';
import { isSecretName } from '../../../src/secrets/names.ts';

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
      'uri',
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
    [{ 'access-token': 'aaaa' }, ['aaaa']],
    [{ connectionString: 'host=h password=p' }, ['host=h password=p']],
    [{ admin_passwords: ['aaaa', 'bbbb'] }, ['aaaa', 'bbbb']],
    [{ token: { id: 't', value: 'aaaa' } }, ['aaaa']],
    [{ secrets: [{ name: 'n', value: 'aaaa' }] }, ['aaaa']],
    [[[{ deep: [{ key: 'aaaa' }] }]], ['aaaa']],
    [{ url: 'postgresql://u:p%40ss@h/d' }, ['postgresql://u:p%40ss@h/d', 'p%40ss', 'p@ss']],
    [{ APIKey: 'aaaa', apikey: 'bbbb', 'api key': 'cccc' }, ['aaaa', 'bbbb', 'cccc']],
    [{ secret_value: 'aaaa', pwd: 'bbbb', passkey: 'cccc' }, ['aaaa', 'bbbb', 'cccc']],
    [{ private_key_pem: 'aaaa', credentials: 'bbbb', smtp_pass: 'cccc' }, ['aaaa', 'bbbb', 'cccc']],
    [{ Authorization: 'Bearer aaaa' }, ['Bearer aaaa', 'aaaa']],
    [{ password: 12_345 }, ['12345']],
    [{ secret: { user: 'app', more: { first: 'aaaa', list: ['bbbb'] } } }, ['aaaa', 'bbbb']],
    [{ config: '{"db": {"password": "aaaa"}, "size": 2}' }, ['aaaa']],
    [{ settings: "host=h user=u password='aa aa'" }, ['aa aa']],
    [{ connection: 'Server=h;Password=aaaa;' }, ['aaaa']],
    [
      { url: 'https://s3/x?X-Amz-Date=1&X-Amz-Signature=aaaa' },
      ['https://s3/x?X-Amz-Date=1&X-Amz-Signature=aaaa', 'aaaa'],
    ],
    [{ portal: 'https://b/view?token=aa%2Fa' }, ['https://b/view?token=aa%2Fa', 'aa%2Fa', 'aa/a']],
    [{ jdbc: 'jdbc:postgresql://h/d?user=u&password=aaaa' }, ['postgresql://h/d?user=u&password=aaaa', 'aaaa']],
    [
      { jdbc: 'jdbc:sqlserver://h:1433;user=u;password=aa&aa;encrypt=true' },
      ['sqlserver://h:1433;user=u;password=aa&aa;encrypt=true', 'aa&aa'],
    ],
    [{ jdbc: 'jdbc:sqlserver://h;Password={a;b=c};x=y' }, ['sqlserver://h;Password={a;b=c};x=y', '{a;b=c}']],
    [{ jdbc: 'jdbc:sqlserver://h;password={aa;bb' }, ['sqlserver://h;password={aa;bb', '{aa;bb']],
    [{ env: [{ name: 'POSTGRES_PASSWORD', value: 'aaaaaaaa' }] }, ['aaaaaaaa']],
    [
      {
        vars: [
          { key: 'password', value: 'aaaaaaaa' },
          { Name: 'apiKey', Value: 'bbbbbbbb' },
        ],
      },
      ['aaaaaaaa', 'bbbbbbbb'],
    ],
    [{ primary_key_secret: 'aaaa', object_key_password: 'bbbb' }, ['aaaa', 'bbbb']],
    [{ dbpass: 'aaaa', PGPASS: 'bbbb', root_userpwd: 'cccc' }, ['aaaa', 'bbbb', 'cccc']],
    [{ headers: 'Accept: */*\nAuthorization: Bearer aaaaaaaa' }, ['Bearer aaaaaaaa', 'aaaaaaaa']],
    [{ header: 'proxy-authorization:Basic bbbbbbbb\r\nHost: h' }, ['Basic bbbbbbbb', 'bbbbbbbb']],
  ])('is found in %j', (body, secrets) => {
    expect(new Set(masked(body))).toEqual(new Set(secrets));
    for (const secret of secrets) expect(JSON.stringify(withoutSecrets(body))).not.toContain(secret);
  });

  it('is found before the URI that has it, because some runners show the commands that register masks', () => {
    const uri = 'postgresql://app:pw%21d@h/db';
    expect(masked({ connection_uri: uri }).slice(0, 3)).toEqual(['pw%21d', 'pw!d', uri]);
  });

  it.each([
    [{ key_name: 'ci', token_id: 't', token_id_short: 'tt', cache_key: 'c', object_key: 'o', primary_key: 'id' }],
    [{ key: 'images/cat.png', size: 1, etag: 'e' }],
    [{ key: 'team', value: 'blue' }],
    [{ name: 'max_connections', value: '100', public_key: 'k', public_key_pem: 'p', primary_key_value: '7' }],
    [{ name: 'value', value: 'main' }],
    [{ key: 'key', value: 'main' }],
    [{ name: 'password_encryption', value: 'scram-sha-256' }],
    [{ name: 'password', size: 'large', values: ['main'] }],
    [
      {
        settings: [
          { name: 'REQUIRE_PASSWORD', value: 'true' },
          { key: 'password', value: 'required' },
        ],
      },
    ],
    [
      {
        settings: [
          { name: 'max_tokens', value: 40_960_000 },
          { key: 'secret', value: 'neondb' },
        ],
      },
    ],
    [{ name: 'access token', value: 'a long description' }],
    [{ name: 'credentials', value: { mode: 'read-only' } }],
    [
      {
        content: 'Authorization: required',
        usage: 'Authorization: Bearer $NEON_API_KEY',
        form: 'Authorization: Bearer',
      },
    ],
    [{ name: { password: 1 }, value: 'blue' }],
    [{ scope: 'token:read', headers: 'Accept: text', bypass: 'x', trespass: 'y' }],
    [{ url: 'https://h/a;v=1;page=2' }],
    [{ password: '', store_passwords: true, passwordless_access: true, token: 7, secret: null }],
    [{ password_set: true, secret_name: 'n', token_type: 'bearer', private_key_id: 'k', tokens: 5_000 }],
    [{ passwordless: 'yes', monkey: 'm', keys: ['a'], turnkey: 'x', compass: 'N' }],
    [{ connection_uris: [{ connection_parameters: { database: 'd', role: 'r', host: 'h' } }] }],
    [{ settings: 'a=b', config: '{"size": 2}', broken: '{"password": ', text: 'x = y' }],
    [{ url: 'https://h/d?limit=1', jwks_url: 'https://h/jwks', text: 'https://user@h/' }],
  ])('is not found in %j', (body) => {
    expect(masked(body)).toEqual([]);
    expect(withoutSecrets(body)).toEqual(body);
  });

  it.each(['title', 'database', 'comment', 'message', 'sql', 'diff', 'note'])(
    'is never found in free text (%s)',
    (name) => {
      for (const text of ['x://a:main@h', 'see x://a:main@h', '{"password": "main"}', 'password=main']) {
        expect(masked({ [name]: text })).toEqual([]);
        expect(masked({ database: { [name]: text } })).toEqual([]);
      }
      expect(withoutSecrets({ [name]: 'see x://a:main@h' })).toEqual({ [name]: 'see x://a:***@h' });
    },
  );

  it('is replaced by stars in a copy of the body', () => {
    const body = { team: { name: 'blue', client_secret: 's"e\\c', links: ['x postgres://u:pw@h/d y', 1] } };
    expect(withoutSecrets(body)).toEqual({
      team: { name: 'blue', client_secret: '***', links: ['x postgres://u:***@h/d y', 1] },
    });
    expect(body.team.client_secret).toBe('s"e\\c');
  });
});
