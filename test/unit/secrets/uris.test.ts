import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../src/secrets/fields.ts';
import { withStars } from '../../../src/secrets/matcher.ts';
import { hidePasswords } from '../../../src/secrets/sql.ts';
import { secretPlacesIn, secretUrisIn } from '../../../src/secrets/uris.ts';

const inBody = (body: unknown): string[] => {
  const found: string[] = [];
  maskSecrets(body, (secret) => found.push(secret));
  return found;
};
/** Each URI with a secret, followed by its secrets. */
const inText = (text: string): string[] =>
  secretUrisIn(text).flatMap(({ uri, places }) => [uri, ...places.map(([start, end]) => text.slice(start, end))]);

/** Any password. */
const password = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

describe('the secrets of a response', () => {
  it('are found at any depth', () => {
    const uri = 'postgresql://app:s3cr%2Ft@ep-1.local.test/neondb?sslmode=require';
    expect(
      new Set(
        inBody({
          branch: { id: 'br-1', name: 'main' },
          roles: [{ name: 'app', password: 'pw-of-app', protected: false }],
          connection_uris: [{ connection_uri: uri, connection_parameters: { password: 's3cr/t', host: 'ep-1' } }],
          key: 'napi_1',
          nested: [[{ api_key: 'napi_2' }], { access_token: 'tok-3', note: 'see postgresql://u:main@h/' }],
        }),
      ),
    ).toEqual(new Set(['pw-of-app', uri, 's3cr%2Ft', 's3cr/t', 'napi_1', 'napi_2', 'tok-3']));
  });

  it('are not names, IDs, flags or numbers, which would be blanked in every later log', () => {
    const body = {
      key_name: 'ci',
      name: 'neondb',
      token_id: 'abc-1',
      password_set: true,
      password: null,
      secret: '',
      keys: 3,
      host: 'ep-1.local.test',
      uri_scheme: 'postgresql',
      url: 'https://ep-1.apirest.local.test/neondb',
      api_url: 'http://127.0.0.1:8080/api@v2',
    };
    expect(inBody(body)).toEqual([]);
    expect(inBody(undefined)).toEqual([]);
    expect(inBody('plain text')).toEqual([]);
  });
});

describe('a URI with a password', () => {
  it('is found in any text', () => {
    fc.assert(
      fc.property(password, fc.constantFrom('', ' ', '"', '(', 'url='), (secret, before) => {
        const uri = `postgres://user:${encodeURIComponent(secret.toWellFormed())}@host:5432/db?a=b`;
        const found = inText(`${before}${uri}`);
        expect(found).toContain(uri);
        expect(found).toContain(encodeURIComponent(secret.toWellFormed()));
        expect(inBody({ uri })).toEqual(expect.arrayContaining([uri, secret.toWellFormed()]));
      }),
    );
  });

  it.each([
    ['https://example.com:8080/path', []],
    ['git@github.com:octo/repo', []],
    ['postgres://host/db', []],
    ['postgres://user@host/db', []],
    ['a://b:@c', ['a://b:@c', '']],
    ['1.x://b:pw-5@c', ['x://b:pw-5@c', 'pw-5']],
    ['_https://u:pw-6@h/', ['https://u:pw-6@h/', 'pw-6']],
    ['see ://u:pw@h and 1://u:pw@h', []],
    ['a://b/c://u:pw-7@h', ['c://u:pw-7@h', 'pw-7']],
    ['a://u:p@w@h', ['a://u:p@w@h', 'p@w']],
    ['a://b?x=c://d?token=t-8&y', ['a://b?x=c://d?token=t-8&y', 't-8']],
    ["a://b?sig=s-9'&token=no", ['a://b?sig=s-9', 's-9']],
    ['redis://:pw-77@cache:6379', ['redis://:pw-77@cache:6379', 'pw-77']],
    ['postgres://u:%zz@h', ['postgres://u:%zz@h', '%zz']],
    ['x postgres://u:pw-1@h/d, mysql://u:pw-2@h/d', ['postgres://u:pw-1@h/d,', 'pw-1', 'mysql://u:pw-2@h/d', 'pw-2']],
  ])('%s gives %j', (text, expected) => {
    expect(inText(text)).toEqual(expected);
  });
});

describe('what any client could read as a password', () => {
  /** The text without its secrets, as it is written anywhere. */
  const shown = (text: string) => withStars(text, secretPlacesIn(text));

  it.each([
    ['postgres://u:pa#ss@h/d', 'postgres://u:***@h/d'],
    ['postgres://u:pa?ss@h', 'postgres://u:***@h'],
    ['postgres://u:pa/ss@h/d', 'postgres://u:***@h/d'],
    ['postgres://u:my pass@h/d', 'postgres://u:***@h/d'],
    ['postgres://u@srv:pw-1@h', 'postgres://u@srv:***@h'],
    ['mysql://u:pa#s/s@h', 'mysql://u:***@h'],
    ['postgresql://h/d?%70assword=x&a=b', 'postgresql://h/d?%70assword=***&a=b'],
    ['postgresql://h/d?p%61sswor%64=x y', 'postgresql://h/d?p%61sswor%64=*** y'],
    ['postgresql://h/d?password=a#b<c"d', 'postgresql://h/d?password=***'],
    ['https://h/d?%74oken=x#top', 'https://h/d?%74oken=***#top'],
    ['host=h password=x dbname=d', 'host=h password=*** dbname=d'],
    ["host=h password = 'it\\'s x' dbname=d", "host=h password = '***' dbname=d"],
    ['host=h password=a\\ b dbname=d', 'host=h password=*** dbname=d'],
    ["password=a'b", 'password=***'],
    ['sslpassword=x', 'sslpassword=***'],
    ['PGPASSWORD=abc psql', 'PGPASSWORD=*** psql'],
    ['jdbc:postgresql:d?user=u&password=x', 'jdbc:postgresql:d?user=u&password=***'],
    ['postgres://h/d?scram_client_key=x', 'postgres://h/d?scram_client_key=***'],
  ])('%s is %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(hidePasswords(`COMMENT ON TABLE a IS '${text.replaceAll("'", "''")}';`)).not.toMatch(
      /pass@|pa[#/?]s|my |=x|=a/,
    );
  });

  it.each([
    'http://127.0.0.1:8080/api@v2',
    'https://h:443/a?b=c@d#e:f@g',
    'git@github.com:octo/repo',
    'postgres://localhost:5432/d',
    "'postgres://a:'; DROP TABLE users; -- @h",
    "'postgres://h:1'; DROP TABLE users -- @h",
    'postgres://h:1\n-- me@example.com',
    'the password is wrong, and no password was sent',
  ])('nothing else is hidden: %s', (text) => {
    expect(shown(text)).toBe(text);
  });
});
