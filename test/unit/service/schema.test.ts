import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countChanges } from '../../../src/schema/unified-diff.ts';
import { hidePasswords } from '../../../src/secrets/sql.ts';
import { normalizeDiff } from '../../../src/service/schema.ts';

/** The diff as shown by the action. */
const shown = (text: string) => hidePasswords(normalizeDiff(text));

const head = '--- a/neondb\n+++ b/neondb\n';

describe('a diff from the service', () => {
  it.each([
    ['an empty diff', '', ''],
    ['blank lines', '\n\n', ''],
    ['only the file names', head, head],
    ['one line', `${head}@@ -1 +1 @@\n-a\n+b`, `${head}@@ -1 +1 @@\n-a\n+b\n`],
    ['CR LF', `${head}@@ -1 +1 @@\n-a\n+b\n`.replaceAll('\n', '\r\n'), `${head}@@ -1 +1 @@\n-a\n+b\n`],
    ['a CR within a function', `${head}@@ -1 +1 @@\n-a\r\n+a\n`, `${head}@@ -1 +1 @@\n-a\r\n+a\n`],
    [
      'lines that differ in every dump',
      `${head}@@ -1,3 +1,3 @@\n--- x\n+-- x\n`.replace('--- x\n+-- x', '-\\restrict aB1\n+\\restrict cD2\n x'),
      '',
    ],
    ['no file names', '@@ -1 +1 @@\n-\\restrict a\n+\\restrict b', ''],
    ['several line feeds at its end', `${head}@@ -1 +1 @@\n-a\n+b\n\n\n`, `${head}@@ -1 +1 @@\n-a\n+b\n`],
    ['empty lines without a mark', `${head}@@ -1,2 +1,2 @@\n\n-a\n+b\n`, `${head}@@ -1,2 +1,2 @@\n \n-a\n+b\n`],
    [
      'lines that differ in every dump, next to others with a minus',
      `${head}@@ -1,2 +1,2 @@\n x - y\n-\\restrict a\n+\\restrict b\n`,
      '',
    ],
    [
      'such a line on one side only',
      `${head}@@ -1 +1,2 @@\n x\n+\\restrict b\n`,
      `${head}@@ -1 +1,2 @@\n x\n+\\restrict b\n`,
    ],
    [
      'such lines next to a change',
      `${head}@@ -1,3 +1,3 @@\n-\\restrict a\n+\\restrict b\n \n-x\n+y\n@@ -9,1 +9,1 @@\n--- Dumped by pg_dump version 17.5\n+-- Dumped by pg_dump version 17.6\n`,
      `${head}@@ -1,3 +1,3 @@\n \\restrict b\n \n-x\n+y\n`,
    ],
    [
      'passwords',
      `${head}@@ -0,0 +1,3 @@\n+CREATE USER MAPPING FOR a SERVER s OPTIONS ("user" 'u', password 'it''s secret');\n+CREATE SUBSCRIPTION s CONNECTION 'host=h password=geheim dbname=d';\n+-- postgres://u:pa55@h/d\n`,
      `${head}@@ -0,0 +1,3 @@\n+CREATE USER MAPPING FOR a SERVER s OPTIONS ("user" 'u', password '***');\n+CREATE SUBSCRIPTION s CONNECTION 'host=h password=*** dbname=d';\n+-- postgres://u:***@h/d\n`,
    ],
    [
      'a column named password',
      `${head}@@ -0,0 +1 @@\n+    password text DEFAULT 'x',\n`,
      `${head}@@ -0,0 +1 @@\n+    password text DEFAULT 'x',\n`,
    ],
  ])('%s', (_, given, expected) => {
    expect(shown(given)).toBe(expected);
  });

  it.each([
    [`CONNECTION 'host=h user=u password=''my pass'''`, `CONNECTION 'host=h user=u password=''***'''`],
    [`CONNECTION 'password = ''my pass'' host=h'`, `CONNECTION 'password = ''***'' host=h'`],
    [`CONNECTION 'password=''it\\''s my pass'' host=h'`, `CONNECTION 'password=''***'' host=h'`],
    [`CONNECTION E'password=''it\\\\''s my pass'' host=h'`, `CONNECTION E'password=''***'' host=h'`],
    [`CONNECTION 'password=abc\\ def host=h'`, `CONNECTION 'password=*** host=h'`],
    [`CONNECTION E'password=abc\\\\ def host=h'`, `CONNECTION E'password=*** host=h'`],
    [`CONNECTION 'password=it''s host=h'`, `CONNECTION 'password=*** host=h'`],
    [`CONNECTION 'password=it\\''s host=h'`, `CONNECTION 'password=*** host=h'`],
    [`CONNECTION 'host=h password=last'`, `CONNECTION 'host=h password=***'`],
    [`CONNECTION 'sslpassword=abc password='''' host=h'`, `CONNECTION 'sslpassword=*** password='''' host=h'`],
    [`CONNECTION 'password=''my pass`, `CONNECTION 'password=''***`],
    [`OPTIONS ("password" 'hunter22', "user" 'u')`, `OPTIONS ("password" '***', "user" 'u')`],
    [`OPTIONS (password E'a\\\\b''c', host 'h')`, `OPTIONS (password E'***', host 'h')`],
    [`OPTIONS (password 'a\\', host 'h')`, `OPTIONS (password '***', host 'h')`],
    [
      `OPTIONS ("Password" 'a', api_key 'b', aws_secret_access_key 'c')`,
      `OPTIONS ("Password" '***', api_key '***', aws_secret_access_key '***')`,
    ],
    [`OPTIONS (password '')`, `OPTIONS (password '')`],
    [`EXECUTE 'CREATE ROLE r PASSWORD ''hunter22'' LOGIN';`, `EXECUTE 'CREATE ROLE r PASSWORD ''***'' LOGIN';`],
    [`PERFORM connect(password => 'hunter22', host => 'h');`, `PERFORM connect(password => '***', host => 'h');`],
    [`-- password='my pass', password = hunter22`, `-- password='***', password = ***`],
    [`CHECK ((password <> ''::text))`, `CHECK ((password <> ''::text))`],
    [`WHERE (password = ''::text)`, `WHERE (password = ''::text)`],
    [`id integer OPTIONS (key 'true')`, `id integer OPTIONS (key 'true')`],
    [`COMMENT ON COLUMN t.password IS 'a hash';`, `COMMENT ON COLUMN t.password IS 'a hash';`],
    [`password_hash text DEFAULT 'x' NOT NULL,`, `password_hash text DEFAULT 'x' NOT NULL,`],
  ])('is without the password: %s', (line, expected) => {
    const diff = (text: string) => `${head}@@ -0,0 +1 @@\n+${text}\n`;
    expect(shown(diff(line))).toBe(diff(expected));
    expect(shown(diff(expected))).toBe(diff(expected));
  });

  it('has no password, however libpq and SQL quote it', () => {
    const secret = fc
      .string({ unit: fc.constantFrom(...`xyz7 '"\\\\,)&`), minLength: 1, maxLength: 12 })
      .map((text) => `Q${text}Q`);
    fc.assert(
      fc.property(secret, fc.boolean(), fc.boolean(), fc.boolean(), (password, quoted, escaped, option) => {
        const slashed = (text: string, characters: RegExp) => text.replace(characters, '\\$&');
        const value = quoted ? `'${slashed(password, /['\\]/g)}'` : slashed(password, /[\s'\\]/g);
        const plain = option ? password : `host=h password=${value} dbname=d`;
        const doubled = plain.replaceAll("'", "''");
        const literal = escaped ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
        const line = option ? `    password ${literal}` : `CONNECTION ${literal} PUBLICATION p;`;
        expect(shown(`${head}@@ -0,0 +1 @@\n+${line}\n`).slice(head.length)).not.toMatch(/[Qxyz7]/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is normalized only once', () => {
    const line = fc
      .tuple(fc.constantFrom(' ', '+', '-', '@@ -1 +1 @@', '\\ No newline', ''), fc.string())
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const once = normalizeDiff(lines.join('\n'));
        return normalizeDiff(once) === once;
      }),
    );
  });
});

describe('a unified diff', () => {
  it('is counted by the counts in its hunk headers', () => {
    const diff = `${head}@@ -1,3 +1,2 @@ x\n--- y\n a\n-b\n+c\n\\ No newline at end of file\n@@ -9 +8,2 @@\n z\n+++ w\n+ignored\n`;
    // `-- y`, a comment, does not count.
    expect(countChanges(diff)).toEqual({ added: 2, removed: 1 });
  });
});
