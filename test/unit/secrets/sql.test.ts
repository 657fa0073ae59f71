import { describe, expect, it } from 'vitest';
import { hidePasswords } from '../../../src/secrets/sql.ts';

/** SQL in which every secret is written between `‹` and `›`, which are no part of it. */
function expectHidden(marked: string): void {
  const shown = marked.replace(/‹([^›]*)›/g, (_, secret: string) =>
    secret
      .split('\n')
      .map((line) => (line === '' ? '' : '***'))
      .join('\n'),
  );
  expect(hidePasswords(marked.replace(/[‹›]/g, ''))).toBe(shown);
}

const inBody = (body: string) => `CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\n${body}\n$$;`;
const inLiteral = (sql: string) =>
  `CREATE FUNCTION f() RETURNS void AS '${sql.replaceAll("'", "''")}' LANGUAGE plpgsql;`;

describe('a password in SQL', () => {
  it.each([
    "ALTER ROLE a PASSWORD '‹S3cret›';",
    "ALTER ROLE a PASSWORD\n    '‹S3cret›';",
    "ALTER ROLE a PASSWORD/**/'‹S3cret›';",
    "ALTER ROLE a PASSWORD -- it's a comment\n '‹S3cret›';",
    "ALTER ROLE a PASSWORD /* a /* nested */ 'one' */ '‹S3cret›';",
    "ALTER ROLE a PASSWORD U&'‹S3cret\\0041›';",
    "ALTER ROLE a PASSWORD E'‹S3\\'cr\\\\et›';",
    'ALTER ROLE a PASSWORD $$‹S3cret›$$;',
    "ALTER ROLE a PASSWORD $tag$‹S3$$'cret›$tag$;",
    "ALTER ROLE a PASSWORD '‹S3''cret›' VALID UNTIL '2030-01-01';",
    "CREATE USER MAPPING FOR v SERVER s OPTIONS (\"user\" 'v', password '‹S3\ncr''et\n›', host 'h');",
    'CREATE USER MAPPING FOR v SERVER s OPTIONS (\n    "client-secret" \'‹S3cret›\'\n);',
    'CREATE SERVER s FOREIGN DATA WRAPPER f OPTIONS (config \'{"type": "x", "private_key": "‹-----BEGIN\\nabc›"}\');',
    "CREATE SERVER s FOREIGN DATA WRAPPER f OPTIONS (password 'a'‹›);".replace("'a'‹›", "'‹a\\›'"),
    "ALTER DATABASE d SET app.secret TO '‹S3cret›';",
    'ALTER DATABASE d SET "app.jwt_secret" TO \'‹S3cret›\';',
    "SET password = '‹S3cret›';",
    "CREATE TABLE a (\n    id integer,\n    password character varying(255) DEFAULT '‹S3cret›'::character varying NOT NULL,\n    note text DEFAULT 'x'::text\n);",
    "ALTER TABLE ONLY public.a ALTER COLUMN password SET DEFAULT '‹S3cret›'::text;",
    "ALTER TABLE a ADD COLUMN IF NOT EXISTS api_key text NOT NULL DEFAULT '‹S3cret›';",
    "CREATE FUNCTION f(id integer, IN pw text DEFAULT '‹S3cret›'::text) RETURNS void;",
    "SELECT f(password => '‹S3cret›', name => 'x');",
    "SELECT dblink_connect('host=h password=‹S3cret› dbname=d');",
    'CREATE TABLE a (config jsonb DEFAULT \'{"apiKey": "‹S3cret›", "key": "x"}\'::jsonb);',
    "SELECT U&'password=‹x›', 'a';",
  ])('is hidden, however it is written: %s', expectHidden);

  it.each([
    "DECLARE pw text := '‹S3cret›'; other text := 'x'; BEGIN END",
    "DECLARE\n  password text := '‹S3cret›';\n  n int := 1;\nBEGIN\n  pw := '‹S3cret›';\n  status := 'x';\nEND",
    "DECLARE pw CONSTANT varchar(20) DEFAULT '‹S3cret›'; BEGIN END",
    "DECLARE pw users.password%TYPE = '‹S3cret›'; BEGIN END",
    "BEGIN IF x THEN NEW.password := '‹S3cret›'; ELSE api_token = ('‹S3cret›'); END IF; END",
    "BEGIN pw := '‹S3›' || '‹cret›'::text || x || 'y'; END",
    "BEGIN pw := E'‹S3\\ncret›'; pw := $a$‹S3cret›$a$; pw := U&'‹S3cret›'; END",
    "BEGIN IF NEW.password <> '‹S3cret›' AND NEW.status = 'x' THEN RETURN 'y'; END IF; END",
    "BEGIN -- pw := '‹S3cret›'\n x := 'y'; END",
    "BEGIN EXECUTE 'ALTER ROLE a PASSWORD ''‹S3cret›'''; END",
  ])('is hidden in a function: %s', (body) => {
    expectHidden(inBody(body));
    expectHidden(inLiteral(body));
    expectHidden(`CREATE PROCEDURE p() AS $outer$ BEGIN EXECUTE $inner$ ${inBody(body)} $inner$; END $outer$;`);
  });

  it.each([
    "CREATE TYPE auth AS ENUM (\n    'password',\n    'token',\n    'magic'\n);",
    "CREATE TABLE a (kind text DEFAULT 'password'::text, key text DEFAULT 'x', sort_key text DEFAULT 'y');",
    "ALTER TABLE a ADD CONSTRAINT c CHECK ((token_type = ANY (ARRAY['access'::text, 'refresh'::text])));",
    "CREATE TABLE a (password text, status text DEFAULT 'new'::text);",
    "CREATE TABLE a (password text DEFAULT ''::text, status text DEFAULT 'new'::text);",
    "CREATE TABLE a (credentials jsonb DEFAULT '{}'::jsonb, tokens jsonb DEFAULT '[]'::jsonb);",
    "CREATE FOREIGN TABLE a (id integer OPTIONS (key 'true')) SERVER s;",
    "COMMENT ON COLUMN a.password IS 'Hashed; never shown.';",
    "COMMENT ON TABLE a IS 'The password''s hash: don''t show it';",
    inBody("BEGIN IF grant_type = 'password' THEN RAISE EXCEPTION 'no password'; END IF; END"),
    inBody("BEGIN SELECT password INTO pw FROM users WHERE name = 'x'; RETURN pw || ':' || 'x'; END"),
    inBody("BEGIN PERFORM f(password, 'x'); INSERT INTO a (password, name) VALUES (pw, 'x'); END"),
    inBody("BEGIN IF length(password) < 8 AND role = 'admin' THEN UPDATE a SET token = NULL, state = 'x'; END IF; END"),
    inBody(
      "BEGIN RAISE EXCEPTION 'The token ''%'' is invalid', t; EXECUTE format('ALTER ROLE a PASSWORD ''%s''', pw); END",
    ),
    "CREATE INDEX i ON a USING btree (token) WHERE (status = 'active'::text);",
    "CREATE POLICY p ON a USING (((token IS NOT NULL) AND (role = 'x'::text)));",
    "SELECT 'it is not closed, password",
    'SELECT "not closed',
    'SELECT $not$ closed',
    '/* not closed',
  ])('nothing else is hidden: %s', expectHidden);

  it('may have any length', () => {
    // Less than the full size still has more parts than a call has room for.
    const size = process.env.TEST_SIZE === 'full' ? 600_000 : 150_000;
    // Enough to overflow the stack of a regular expression.
    const long = 'x'.repeat(12_000_000);
    const bits = ["x''", "''''", '\\a', "x\\''", "''x", 'é ', '\n'].map((bit) => bit.repeat(size / bit.length));
    for (const value of bits) {
      for (const before of [
        "OPTIONS (password '",
        "OPTIONS (password E'",
        'pw := $a$',
        "'password=",
        "'password = ''",
      ]) {
        const end = before.endsWith('$') ? '$a$' : "'";
        expect(() => hidePasswords(`${before}${value}${end};`)).not.toThrow();
      }
    }
    expect(hidePasswords(`OPTIONS (password '${long}')`)).toBe("OPTIONS (password '***')");
    expect(hidePasswords(`password=${"x''x\\a".repeat(2 * size)}`)).toBe('password=***');
  }, 120_000);
});
