import { describe, expect, it } from 'vitest';
import { reviewSchemas } from '../../../src/schema/review.ts';

const before = `
CREATE TABLE public.users (
    id integer NOT NULL,
    email text NOT NULL,
    g text GENERATED ALWAYS AS (lower(email)) STORED,
    CONSTRAINT users_check CHECK ((length(email) > 0))
);
CREATE TABLE public.posts (
    id integer NOT NULL,
    owner integer NOT NULL
);
CREATE SEQUENCE public.users_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;
CREATE VIEW public.v AS
 SELECT users.id,
    users.email
   FROM public.users
  WHERE (users.email <> ''::text)
UNION
 SELECT p.id,
    (p.owner)::text AS owner
   FROM (public.posts p
     JOIN public.users ON ((users.id = p.owner)));
CREATE FUNCTION public.f(u public.users) RETURNS SETOF public.users LANGUAGE sql AS $$ SELECT 1 $$;
ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email)) INCLUDE (id) WHERE (email IS NOT NULL);
CREATE TRIGGER g BEFORE UPDATE OF email ON public.users FOR EACH ROW WHEN ((new.email <> old.email)) EXECUTE FUNCTION public.g();
ALTER TABLE ONLY public.posts ADD CONSTRAINT posts_owner_fkey FOREIGN KEY (owner) REFERENCES public.users(id);
CREATE POLICY p ON public.posts USING ((EXISTS ( SELECT 1 FROM public.users WHERE ((users.id = posts.owner) AND (users.email = CURRENT_USER)))));
CREATE POLICY q ON public.users USING ((email = CURRENT_USER));
ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;
GRANT SELECT (email) ON TABLE public.users TO web;
ALTER PUBLICATION pub ADD TABLE ONLY public.users (id, email) WHERE ((email <> ''::text));
`;

/** As Postgres writes it after both renames: the view's own column, the sequence, constraints and indexes keep their names. */
const after = before
  .replaceAll(/\bemail\b/g, 'mail')
  .replaceAll(/\busers\b/g, '"People"')
  .replace('    "People".mail\n', '    "People".mail AS email\n');

const tables = new Map([['public.users', 'public."People"']]);
const columns = new Map([['public."People".email', 'public."People".mail']]);

describe('renames that are known', () => {
  it('are the only findings', async () => {
    const { findings } = await reviewSchemas({
      before,
      after,
      renames: { tables, columns, again: [] },
      signal: new AbortController().signal,
    });
    expect(findings).toEqual([
      { rule: 'rename-table', object: 'public.users', detail: 'now public."People"' },
      { rule: 'rename-column', object: 'public."People".email', detail: 'now public."People".mail' },
    ]);
  });

  it('hide nothing else', async () => {
    const changed = after.replace('mail <> ', 'mail = ').replace('"People".mail = CURRENT_USER', 'true');
    const { findings } = await reviewSchemas({
      before,
      after: changed.replace('    mail text NOT NULL', '    mail character varying(9)'),
      renames: { tables, columns, again: [] },
      signal: new AbortController().signal,
    });
    expect(findings.map(({ rule, object }) => `${rule} ${object}`)).toEqual([
      'narrow-type public."People".mail',
      'change-policy public.posts.p',
      'rename-table public.users',
      'rename-column public."People".email',
      'change-view public.v',
      'drop-not-null public."People".mail',
    ]);
  });

  it('say that a column is another one, though it has the name and the type of the old one', async () => {
    const renames = { tables: new Map(), columns: new Map(), again: ['public.posts.owner'] };
    const { findings } = await reviewSchemas({ before, after: before, renames, signal: new AbortController().signal });
    expect(findings[0]).toEqual({
      ...{ rule: 'drop-column', object: 'public.posts.owner' },
      detail: 'integer; dropped and added again',
    });
  });
});
