import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jdbcUri, parseUri, withHost, withParameters, withPrisma, withSsl } from '../../../src/postgres/uri.ts';
import { decode } from '../../../src/text/url.ts';

/** Part of a URI before it is percent-encoded, which libraries do differently. */
const word = fc.string({
  unit: fc.constantFrom(...'abcXYZ019-._~!*\'();:@&=+$,/?#[]%ü€ "\\<>|^`{}'),
  minLength: 1,
  maxLength: 12,
});
const encodings = [
  encodeURIComponent,
  (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
  (text: string) => encodeURIComponent(text).toLowerCase(),
];
const encoded = fc.tuple(word, fc.constantFrom(...encodings)).map(([text, encode]) => encode(text));
const host = fc.constantFrom(
  'ep-cool-rain-1.eu.local.test',
  'ep-cool-rain-1-pooler.eu.local.test',
  '127.0.0.1',
  '[::1]',
  'db',
);
const own: fc.Arbitrary<string> = fc.constantFrom(
  'channel_binding=require',
  'options=endpoint%3Dep-1',
  'application_name=a%26b',
  'a=b=c',
  'flag',
  'x=',
);
const parts = fc.record({
  scheme: fc.constantFrom('postgres', 'postgresql'),
  user: encoded,
  password: encoded,
  host,
  port: fc.option(fc.integer({ min: 1, max: 65_535 }).map(String)),
  database: encoded,
  query: fc.uniqueArray(own),
});

function write(from: typeof parts extends fc.Arbitrary<infer T> ? T : never, over: Partial<typeof from> = {}): string {
  const { scheme, user, password, host: at, port, database, query } = { ...from, ...over };
  const parameters = query.length > 0 ? `?${query.join('&')}` : '';
  return `${scheme}://${user}:${password}@${at}${port === null ? '' : `:${port}`}/${database}${parameters}`;
}

const parameter = (uri: string, name: string) => parseUri(uri).parameters.find(([one]) => one === name)?.[1];

describe('a connection URI', () => {
  it('is split into its parts, decoded, whatever the password', () => {
    fc.assert(
      fc.property(parts, (from) => {
        const { user, password, host: at, port, database } = from;
        const decoded = { user: decode(user), password: decode(password), database: decode(database) };
        expect(parseUri(write(from))).toMatchObject({ ...decoded, host: at, port: port ?? '5432' });
      }),
    );
  });

  it.each([
    ['postgres://u@host/db', { user: 'u', password: '', port: '5432', database: 'db' }],
    ['postgres://:pw@host/db', { user: '', password: 'pw', database: 'db' }],
    ['postgres://host', { user: '', password: '', host: 'host', database: '' }],
    ['postgres://u:a:b@c@host/db', { user: 'u', password: 'a:b@c', host: 'host' }],
    ['postgres://u:@host:5433/', { user: 'u', password: '', port: '5433', database: '' }],
  ])('%s has these parts', (uri, expected) => {
    expect(parseUri(uri)).toMatchObject(expected);
  });

  it.each([
    'https://u:secret99@host/db',
    'postgres:/u:secret99@host',
    'u:secret99@host',
    '',
    'postgres://u:sec/ret99@host/db#x',
  ])('is rejected but not shown if it is invalid (%j)', (uri) => {
    expect(() => parseUri(uri)).toThrow('is not a PostgreSQL URI');
    expect(() => parseUri(uri)).not.toThrow(/ret99/);
  });

  it('gets another host, and nothing else changes', () => {
    fc.assert(
      fc.property(parts, host, (from, at) => {
        expect(withHost(write(from), at)).toBe(write(from, { host: at }));
      }),
    );
  });

  it('gets another host without credentials too, and is rejected if it is invalid', () => {
    expect(withHost('postgres://a/db', 'b')).toBe('postgres://b/db');
    expect(withHost('postgres://a@a:1/a', 'b')).toBe('postgres://a@b:1/a');
    expect(() => withHost('https://u:secret99@a/db', 'b')).toThrow('is not a PostgreSQL URI');
  });

  it('keeps replacement patterns such as $& in a password', () => {
    expect(withHost("postgres://u:$&$1$`$'@a/db", 'b')).toBe("postgres://u:$&$1$`$'@b/db");
  });
});

describe('parameters', () => {
  const value = word;
  const name = fc.constantFrom('sslmode', 'connect_timeout', 'x', 'flag', 'options');

  it('are set, and nothing else changes or moves', () => {
    fc.assert(
      fc.property(parts, name, value, (from, key, text) => {
        const before = write(from);
        const after = withParameters(before, { [key]: text });
        const kept = from.query.filter((one) => one.split('=')[0] !== key);
        expect(after).toBe(write(from, { query: [...kept, `${key}=${encodeURIComponent(text)}`] }));
        expect(parameter(after, key)).toBe(text);
        // Setting a parameter is idempotent, and removing it undoes that.
        expect(withParameters(after, { [key]: text })).toBe(after);
        expect(withParameters(after, { [key]: undefined })).toBe(write(from, { query: kept }));
      }),
    );
  });

  it('may be empty', () => {
    expect(withParameters('postgres://h/d?', {})).toBe('postgres://h/d');
    expect(withParameters('postgres://h/d?a=1&&b=2&', { c: '3' })).toBe('postgres://h/d?a=1&b=2&c=3');
    expect(jdbcUri('postgres://u:p@h/d?a=1&&b=2', { pooled: false })).toMatch(/\?user=u&password=p&a=1&b=2$/);
  });

  it('are read in any encoding, even an invalid one', () => {
    expect(parameter('postgres://h/d?a=1&sslmode=verify%2Dfull', 'sslmode')).toBe('verify-full');
    expect(parameter('postgres://h/d?sslmode=%zz', 'sslmode')).toBe('%zz');
    expect(parameter('postgres://h/d?sslmode', 'sslmode')).toBe('');
    expect(parameter('postgres://h/d?xsslmode=1', 'sslmode')).toBeUndefined();
    expect(parameter('postgres://h/d', 'sslmode')).toBeUndefined();
  });
});

describe('sslmode', () => {
  const at = 'postgresql://u:p@host/db';
  it.each([
    ['', 'require', '?sslmode=require'],
    ['', 'verify-ca', '?sslmode=verify-ca'],
    ['', 'verify-full', '?sslmode=verify-full'],
    ['', 'omit', ''],
    ['?sslmode=require', 'require', '?sslmode=require'],
    ['?sslmode=require&a=1', 'require', '?sslmode=require&a=1'],
    ['?sslmode=require', 'verify-full', '?sslmode=verify-full'],
    ['?sslmode=verify-full', 'require', '?sslmode=verify-full'],
    ['?sslmode=prefer', 'require', '?sslmode=require'],
    ['?sslmode=disable', 'require', '?sslmode=require'],
    ['?sslmode=nonsense', 'require', '?sslmode=require'],
    ['?sslmode=', 'require', '?sslmode=require'],
    ['?sslmode=require', 'omit', ''],
    ['?sslmode=require&channel_binding=require', 'omit', ''],
    ['?channel_binding=require&a=1', 'omit', '?a=1'],
    ['?%73slmode=require&channel%5Fbinding=require&a=1', 'omit', '?a=1'],
    ['?%73slmode=disable', 'require', '?sslmode=require'],
    // libpq takes the last one, others the first.
    ['?sslmode=require&sslmode=disable', 'require', '?sslmode=require'],
    ['?sslmode=disable&sslmode=verify-full', 'require', '?sslmode=verify-full'],
    ['?sslmode=require&channel_binding=require', 'verify-ca', '?channel_binding=require&sslmode=verify-ca'],
    ['?channel_binding=require', 'require', '?channel_binding=require&sslmode=require'],
  ] as const)('%j with ssl: %s is %j', (query, ssl, expected) => {
    expect(withSsl(at + query, ssl)).toBe(at + expected);
  });

  it("is never weaker than the input or the service's URI", () => {
    const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
    fc.assert(
      fc.property(
        parts,
        fc.constantFrom(...modes),
        fc.constantFrom('require', 'verify-ca', 'verify-full'),
        (from, given, ssl) => {
          const uri = withSsl(write(from, { query: [...from.query, `sslmode=${given}`] }), ssl);
          const rank = modes.indexOf(parameter(uri, 'sslmode') ?? '');
          expect(rank).toBe(Math.max(modes.indexOf(given), modes.indexOf(ssl)));
          for (const one of from.query) expect(uri).toContain(one);
        },
      ),
    );
  });
});

describe('prisma', () => {
  it('adds its parameters, and those for a pooler only to the pooled URI', () => {
    const uri = 'postgresql://u:p%3F@host/db?sslmode=require&channel_binding=require';
    expect(withPrisma(uri, { pooled: false })).toBe(`${uri}&connect_timeout=30`);
    expect(withPrisma(uri, { pooled: true })).toBe(`${uri}&connect_timeout=30&pool_timeout=30&pgbouncer=true`);
  });
});

describe('the URI for the JVM', () => {
  const uri = 'postgresql://app:p%2Fw%40rd@ep-1.host.test/neondb?sslmode=require&channel_binding=require';

  it('has the credentials and the parameters under the names of its driver', () => {
    expect(jdbcUri(uri, { pooled: false })).toBe(
      'jdbc:postgresql://ep-1.host.test:5432/neondb?user=app&password=p%2Fw%40rd&sslmode=require&channelBinding=require',
    );
    expect(jdbcUri(withPrisma(uri, { pooled: true }), { pooled: true })).toBe(
      'jdbc:postgresql://ep-1.host.test:5432/neondb?user=app&password=p%2Fw%40rd&sslmode=require&channelBinding=require&connectTimeout=30&prepareThreshold=0',
    );
    expect(jdbcUri('postgres://u:p@[::1]:1/d?options=endpoint%3Dep-1', { pooled: false })).toBe(
      'jdbc:postgresql://[::1]:1/d?user=u&password=p&options=endpoint%3Dep-1',
    );
  });

  it('has every value as in the original, whatever is in it', () => {
    fc.assert(
      fc.property(parts, (from) => {
        const jdbc = jdbcUri(write(from), { pooled: false });
        const [, at, database = '', query = ''] = /^jdbc:postgresql:\/\/([^/]+)\/([^/?]*)\?(.*)$/.exec(jdbc) ?? [];
        expect(at).toBe(`${from.host}:${from.port ?? '5432'}`);
        // The driver decodes as forms do: a `+` is a space.
        const read = new URLSearchParams(query);
        expect([read.get('user'), read.get('password')]).toEqual([from.user, from.password].map(decodeURIComponent));
        expect(new URLSearchParams(`d=${database}`).get('d')).toBe(decodeURIComponent(from.database));
      }),
    );
  });
});
