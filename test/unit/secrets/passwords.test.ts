import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidePasswords } from '../../../src/secrets/passwords.ts';

describe('a text from elsewhere', () => {
  it.each([
    ['at postgres://u:never%40seen@h/db, and never@seen', 'at postgres://***@h/db, and never@seen'],
    ["COMMENT 'x://a:TABLE@h'; DROP TABLE users;", "COMMENT 'x://***@h'; DROP TABLE users;"],
    ['x://a:%0A@h\nsecond line', 'x://***@h\nsecond line'],
    ['a://u:p/w?x#y@z@h', 'a://***@h'],
    ['cut postgres://u:never-se…', 'cut postgres://***…'],
    ['redis://:pw-77@cache:6379', 'redis://***@cache:6379'],
    ['host=h password=x dbname=d', 'host=h password=*** dbname=d'],
    ["host=h password='it''s x' dbname=d", "host=h password='***' dbname=d"],
    ['sslpassword=x PGPASSWORD=abc psql', 'sslpassword=*** PGPASSWORD=*** psql'],
    ['jdbc:postgresql://h/d?user=u&password=x&a=b', 'jdbc:postgresql://h/d?user=u&password=***&a=b'],
    ["ALTER ROLE a PASSWORD 'it''s; x' VALID UNTIL 'x';", "ALTER ROLE a PASSWORD '***' VALID UNTIL 'x';"],
    ["alter role a password E'it\\'s' LOGIN", "alter role a password E'***' LOGIN"],
    ["EXECUTE 'CREATE ROLE a PASSWORD ''x y''';", "EXECUTE 'CREATE ROLE a PASSWORD ''***''';"],
    ["USING ((password = 'x'::text)) OR $$ a $$", "USING ((password = '***'::text)) OR $$ a $$"],
    ["OPTIONS (\"password\" 'x y', host 'h')", "OPTIONS (\"password\" '***', host 'h')"],
    ["CONNECTION 'host=h password=''x y'' dbname=d'", "CONNECTION 'host=h password=''***'' dbname=d'"],
    ["dblink(password => 'x', user => 'y')", "dblink(password => '***', user => 'y')"],
    ["v_password := 'x';\nRETURN 'y';", "v_password := '***';\nRETURN 'y';"],
    ["PASSWORD 'not closed\nnext 'line'", "PASSWORD '***\nnext 'line'"],
  ])('has no password: %s', (text, expected) => {
    expect(hidePasswords(text)).toBe(expected);
  });

  it.each([
    'git@github.com:octo/repo',
    'https://h:8080/path and me@example.com',
    "'postgres://h:1'; DROP TABLE users; -- @h",
    'the password is wrong, and no password was sent',
    "password text DEFAULT 'x' NOT NULL",
    "password = ''::text AND a = 'b'",
    "PASSWORD ''",
    'password varchar(100), email text',
  ])('is left alone otherwise: %s', (text) => {
    expect(hidePasswords(text)).toBe(text);
  });

  it('keeps its lines', () => {
    const piece = fc.constantFrom(
      '://',
      '@',
      "'",
      "''",
      '"',
      ' ',
      '\n',
      'password',
      '=',
      ':=',
      'x',
      '…',
      '\\',
      ';',
      ')',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        expect(hidePasswords(text).split('\n')).toHaveLength(text.split('\n').length);
      }),
      { numRuns: 500 },
    );
  });
});
