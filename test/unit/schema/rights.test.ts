import { describe, expect, it } from 'vitest';
import { reviewSchemas } from '../../../src/schema/review.ts';

const signal = new AbortController().signal;
async function found(before: string, after: string): Promise<string[]> {
  const { findings } = await reviewSchemas({ before, after, signal });
  return findings.map(({ rule, object, detail }) => `${rule} ${object}${detail && `: ${detail}`}`);
}

const table = 'CREATE TABLE public.t (\n    id integer,\n    "ssn (us)" text\n);\n';
const server = 'CREATE SERVER s FOREIGN DATA WRAPPER w;\nALTER SERVER s OWNER TO app;\n';

describe('a right that is new', () => {
  it.each([
    [table, 'GRANT SELECT ("ssn (us)") ON TABLE public.t TO PUBLIC;', 'grant public.t: SELECT ("ssn (us)") to PUBLIC'],
    [
      'CREATE SCHEMA "my app";',
      'ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA "my app" GRANT SELECT ON TABLES TO dev;',
      'grant future tables in schema "my app" of app: SELECT to dev',
    ],
    [server, 'GRANT ALL ON FOREIGN SERVER s TO PUBLIC;', 'grant foreign server s: USAGE to PUBLIC'],
    [table, 'GRANT ALL ON LANGUAGE plv8 TO dev;', 'grant language plv8: USAGE to dev'],
  ])('is found on what has it: %s%s', async (object, grant, finding) => {
    expect(await found(object, `${object}${grant}`)).toEqual([finding]);
    expect(await found(`${object}${grant}`, object)).toEqual([]);
  });

  it('on a column is none if the table was granted, or the column is new', async () => {
    const all = `${table}GRANT SELECT ON TABLE public.t TO dev;`;
    const one = `${table}GRANT SELECT ("ssn (us)") ON TABLE public.t TO dev;`;
    expect(await found(all, one)).toEqual([]);
    expect(await found('CREATE TABLE public.t (\n    id integer\n);', one)).toEqual([]);
  });

  it('on a new foreign server is none', async () => {
    expect(await found('', `${server}GRANT ALL ON FOREIGN SERVER s TO PUBLIC;`)).toEqual([]);
  });
});

describe('the owner of the schema public', () => {
  const owned = 'ALTER SCHEMA public OWNER TO dev;';

  it('is found, although a schema leaves it out as long as it is the initial one', async () => {
    expect(await found(table, table + owned)).toEqual(['change-owner public: its initial owner → dev']);
    expect(await found(table + owned, table)).toEqual(['change-owner public: dev → its initial owner']);
    expect(await found(owned, table + owned)).toEqual([]);
  });
});

describe("a view's security_invoker", () => {
  const view = (options: string) => `CREATE VIEW public.v${options} AS\n SELECT 1 AS a;`;
  const words = ["='t'", "='TRUE'", "='yes'", '=on', '=1', ''].map((value) => ` WITH (security_invoker${value})`);

  it.each(words)('is read as Postgres reads it:%s', async (options) => {
    expect(await found(view(options), view(" WITH (security_invoker='true')"))).toEqual([]);
    expect(await found(view(options), view(" WITH (security_invoker='f')"))).toHaveLength(1);
  });
});
