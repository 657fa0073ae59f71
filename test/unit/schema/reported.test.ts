import { expect, it } from 'vitest';
import { found } from './found.ts';

/** Changes that were once reviewed wrongly, as pg_dump writes both schemas. */
const reported: { change: string; before: string; after: string; expected: string[] }[] = [
  {
    change: `a foreign key on a new column that is NULL`,
    before: `CREATE TABLE public.team (id integer NOT NULL);
ALTER TABLE ONLY public.team ADD CONSTRAINT team_pkey PRIMARY KEY (id);
CREATE TABLE public.member (id integer NOT NULL);`,
    after: `CREATE TABLE public.team (id integer NOT NULL);
ALTER TABLE ONLY public.team ADD CONSTRAINT team_pkey PRIMARY KEY (id);
CREATE TABLE public.member (id integer NOT NULL, team_id integer);
ALTER TABLE ONLY public.member ADD CONSTRAINT member_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.team(id);`,
    expected: [
      `add-foreign-key public.member.member_team_id_fkey: (team_id)`,
      `foreign-key-without-index public.member.member_team_id_fkey: (team_id)`,
    ],
  },
  {
    change: `an index, perhaps built concurrently`,
    before: `CREATE TABLE public.t (id integer NOT NULL, state text);`,
    after: `CREATE TABLE public.t (id integer NOT NULL, state text);
CREATE INDEX t_state_idx ON public.t USING btree (state);`,
    expected: [`add-index public.t_state_idx: on public.t (state); blocks writes unless created CONCURRENTLY`],
  },
  {
    change: `a time zone, in UTC or not`,
    before: `CREATE TABLE public.t (id integer NOT NULL, made_at timestamp without time zone DEFAULT now() NOT NULL);`,
    after: `CREATE TABLE public.t (id integer NOT NULL, made_at timestamp with time zone DEFAULT now() NOT NULL);`,
    expected: [
      `rewrite-type public.t.made_at: timestamp without time zone → timestamp with time zone; rewrites the table unless the session's time zone is UTC`,
    ],
  },
  {
    change: `a text that is a domain now`,
    before: `CREATE DOMAIN public.code AS text CONSTRAINT code_len CHECK ((length(VALUE) = 6));
CREATE TABLE public.voucher (id integer NOT NULL, code text NOT NULL);`,
    after: `CREATE DOMAIN public.code AS text CONSTRAINT code_len CHECK ((length(VALUE) = 6));
CREATE TABLE public.voucher (id integer NOT NULL, code public.code NOT NULL);`,
    expected: [`rewrite-type public.voucher.code: text → public.code`],
  },
  {
    change: `a sequence of no column with another name`,
    before: `CREATE SEQUENCE public.case_seq START WITH 1000000 INCREMENT BY 50;`,
    after: `CREATE SEQUENCE public.matter_seq START WITH 1000000 INCREMENT BY 50;`,
    expected: [`drop-sequence public.case_seq: possibly renamed to public.matter_seq`],
  },
  {
    change: `a primary key in place of a unique index`,
    before: `CREATE TABLE public.tagging (tag_id integer NOT NULL, post_id integer NOT NULL);
CREATE UNIQUE INDEX tagging_uq ON public.tagging USING btree (tag_id, post_id);`,
    after: `CREATE TABLE public.tagging (tag_id integer NOT NULL, post_id integer NOT NULL);
ALTER TABLE ONLY public.tagging ADD CONSTRAINT tagging_pkey PRIMARY KEY (tag_id, post_id);`,
    expected: [
      `add-primary-key public.tagging.tagging_pkey: (tag_id, post_id); built anew unless it took over the index tagging_uq`,
    ],
  },
  {
    change: `a table that was renamed, and replaced`,
    before: `CREATE TABLE public.doc (
    id bigint NOT NULL,
    body text,
    title text NOT NULL,
    made timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.doc
    ADD CONSTRAINT doc_pkey PRIMARY KEY (id);`,
    after: `CREATE TABLE public.doc (
    id bigint CONSTRAINT doc_id_not_null1 NOT NULL,
    made timestamp with time zone DEFAULT now() CONSTRAINT doc_made_not_null1 NOT NULL
);
CREATE TABLE public.doc_text (
    id bigint CONSTRAINT doc_id_not_null NOT NULL,
    body text,
    title text CONSTRAINT doc_title_not_null NOT NULL,
    made timestamp with time zone DEFAULT now() CONSTRAINT doc_made_not_null NOT NULL
);
ALTER TABLE ONLY public.doc
    ADD CONSTRAINT doc_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.doc_text
    ADD CONSTRAINT doc_text_pkey PRIMARY KEY (id);`,
    expected: [`rename-table public.doc: now public.doc_text`],
  },
  {
    change: `a table that was dropped and created again`,
    before: `CREATE TABLE public.request (
    id bigint NOT NULL,
    kind text NOT NULL,
    note text,
    made_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT request_pkey PRIMARY KEY (id);`,
    after: `CREATE TABLE public.request (
    id bigint NOT NULL,
    place text NOT NULL,
    kind text NOT NULL,
    made_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.request
    ADD CONSTRAINT request_pkey PRIMARY KEY (id);`,
    expected: [`drop-table public.request: dropped and created again`],
  },
  {
    change: `row-level security that is new`,
    before: `CREATE TABLE public.note (id integer NOT NULL, body text);
GRANT SELECT,INSERT ON TABLE public.note TO app;`,
    after: `CREATE TABLE public.note (id integer NOT NULL, body text);
GRANT SELECT,INSERT ON TABLE public.note TO app;
ALTER TABLE public.note ENABLE ROW LEVEL SECURITY;`,
    expected: [`enable-rls public.note: without a policy, so other roles see no rows`],
  },
  {
    change: `rights that are taken away`,
    before: `CREATE TABLE public.note (id integer NOT NULL, body text);
GRANT SELECT,INSERT ON TABLE public.note TO app;`,
    after: `CREATE TABLE public.note (id integer NOT NULL, body text);`,
    expected: [`revoke public.note: SELECT, INSERT from app`],
  },
  {
    change: `arguments with other names`,
    before: `CREATE FUNCTION public.metrics(p_org uuid, p_from date) RETURNS integer LANGUAGE sql AS $$select 1$$;`,
    after: `CREATE FUNCTION public.metrics(org uuid, "from" date) RETURNS integer LANGUAGE sql AS $$select 1$$;`,
    expected: [`change-function public.metrics(uuid, date): arguments renamed: (p_org, p_from) → (org, "from")`],
  },
  {
    change: `a policy that is only evaluated once`,
    before: `CREATE TABLE public.t (id integer, who uuid);
ALTER TABLE public.t ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON public.t USING ((who = auth.uid()));`,
    after: `CREATE TABLE public.t (id integer, who uuid);
ALTER TABLE public.t ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON public.t USING ((who = ( SELECT auth.uid() AS uid)));`,
    expected: [],
  },
  {
    change: `json that is jsonb now`,
    before: `CREATE TABLE public.ticket (id integer NOT NULL, data json);`,
    after: `CREATE TABLE public.ticket (id integer NOT NULL, data jsonb);`,
    expected: [`rewrite-type public.ticket.data: json → jsonb; the order of keys and duplicate keys are not kept`],
  },
];

it.each(reported)('$change', async ({ before, after, expected }) => {
  expect(await found(before, after)).toEqual(expected);
});
