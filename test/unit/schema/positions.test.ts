import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

/** What has a list, an expression, a name or a query in it, so that its syntax tree says where it stood. */
const schema = `CREATE TYPE public.mood AS ENUM (
    'a',
    'b'
);

CREATE FUNCTION public.f(a integer, b text DEFAULT 'x'::text) RETURNS TABLE(n integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$ SELECT 1 $$;

CREATE TABLE public.t (
    id integer NOT NULL,
    n integer DEFAULT (1 + 2),
    s text,
    tags text[] DEFAULT ARRAY['a'::text, 'b'::text],
    g boolean GENERATED ALWAYS AS ((s = ANY (ARRAY['a'::text, 'b'::text]))) STORED,
    CONSTRAINT t_check CHECK ((s = ANY (ARRAY['a'::text, 'b'::text]))),
    CONSTRAINT t_in CHECK ((n IN (1, 2, 3)))
);

CREATE TABLE public.child (
    t integer
);

CREATE VIEW public.v AS
 SELECT t.id,
    (t.n + 1) AS more
   FROM public.t
  WHERE (t.s = ANY (ARRAY['a'::text, 'b'::text]));

ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);

CREATE INDEX t_some ON public.t USING btree (n, lower(s)) WHERE (s = ANY (ARRAY['a'::text, 'b'::text]));

CREATE TRIGGER g BEFORE UPDATE OF s ON public.t FOR EACH ROW WHEN ((new.s = ANY (ARRAY['a'::text, 'b'::text]))) EXECUTE FUNCTION public.g();

CREATE RULE r AS ON INSERT TO public.v DO INSTEAD INSERT INTO public.t (n) VALUES (new.more);

CREATE STATISTICS public.st ON id, lower(s) FROM public.t;

ALTER TABLE ONLY public.child ADD CONSTRAINT child_t_fkey FOREIGN KEY (t) REFERENCES public.t(id) ON DELETE SET NULL (t);

CREATE POLICY p ON public.t TO web, admin USING ((s = ANY (ARRAY['a'::text, 'b'::text]))) WITH CHECK ((EXISTS ( SELECT 1 FROM public.child c WHERE (c.t = t.id))));

CREATE PUBLICATION pub WITH (publish = 'insert, update');

ALTER PUBLICATION pub ADD TABLE ONLY public.t (id, n) WHERE ((n > 0));

GRANT SELECT (id, n) ON TABLE public.t TO web;

ALTER DEFAULT PRIVILEGES FOR ROLE owner IN SCHEMA public GRANT SELECT ON TABLES TO web;
`;

/** A text in front that changes nothing that both schemas have. */
const inFront = fc.oneof(
  fc.nat(300).map((length) => `-- ${'x'.repeat(length)}é😀\n`),
  fc.nat(40).map((columns) => {
    const lines = Array.from({ length: columns }, (_, n) => `    column_${n} character varying(100) DEFAULT 'é'::text`);
    return `CREATE TABLE public.fresh_${columns} (\n${lines.join(',\n')}\n);\n`;
  }),
  fc.nat(9).map((n) => `COMMENT ON TABLE public.fresh_${n} IS '${'comment; '.repeat(n * 10)}';\n`),
);

describe('what stands in front of an object', () => {
  it('makes no finding about the object, however long it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(inFront, { maxLength: 12 }),
        // The parser gets the text in chunks of 131,072 characters.
        fc.constantFrom(0, 0, 131_072 - schema.length, 131_072 - 400, 262_144 - 1_000),
        fc.nat(2_000),
        async (pieces, size, shift) => {
          const filler = size === 0 ? '' : `-- ${'y'.repeat(Math.max(0, size - shift))}\n`;
          expect(await found(schema, `${pieces.join('')}${filler}${schema}`)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('may be a column of the same table, or a longer name', async () => {
    const after = schema
      .replace('    id integer NOT NULL,', '    id integer NOT NULL,\n    n integer DEFAULT (1 + 2),')
      .replace('    n integer DEFAULT (1 + 2),\n    s', '    s');
    expect(await found(schema, after)).toEqual([]);
    expect(await found(schema, schema.replace("DEFAULT 'x'::text", "DEFAULT 'much longer'::text"))).toEqual([]);
  });
});
