import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { reviewSchemas } from '../../src/schema/review.ts';
import { table } from './figures.ts';

/** Measures time and memory of the schema review. Each size has a process of its own, because memory is measured at its peak. */
export function reviewed(sizes = [100, 1_000, 10_000]): string {
  const rows = sizes.map((size) => {
    const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), String(size)], { encoding: 'utf8' });
    const { kB, ms, memory } = JSON.parse(output) as { kB: number; ms: number; memory: number };
    return [`${size} tables`, kB, ms, memory];
  });
  return table(['schema review', 'schema, kB', 'time, ms', 'memory, MB'], rows);
}

/** A table with what tables usually have, as pg_dump writes it. */
function tableSql(n: number, type: string): string {
  const entry = (name: string, kind: string, sql: string) =>
    `--\n-- Name: ${name}; Type: ${kind}; Schema: public; Owner: app\n--\n\n${sql}\n\n\n`;
  const name = `table_${n}`;
  return [
    entry(
      name,
      'TABLE',
      `CREATE TABLE public.${name} (\n    id bigint NOT NULL,\n    owner_id bigint NOT NULL,\n    name character varying(100) DEFAULT 'new'::character varying NOT NULL,\n    amount ${type},\n    created_at timestamp with time zone DEFAULT now() NOT NULL,\n    CONSTRAINT ${name}_check CHECK ((length((name)::text) > 0))\n);\n\n\nALTER TABLE public.${name} OWNER TO app;`,
    ),
    entry(
      `${name} pkey`,
      'CONSTRAINT',
      `ALTER TABLE ONLY public.${name}\n    ADD CONSTRAINT ${name}_pkey PRIMARY KEY (id);`,
    ),
    entry(`${name}_owner`, 'INDEX', `CREATE INDEX ${name}_owner ON public.${name} USING btree (owner_id);`),
    entry(`TABLE ${name}`, 'ACL', `GRANT SELECT,INSERT,UPDATE ON TABLE public.${name} TO web;`),
  ].join('');
}

const size = Number(process.argv[2]);
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const schema = (type: string) =>
    Array.from({ length: size }, (_, n) => tableSql(n, n === size - 1 ? type : 'integer')).join('');
  const [before, after] = [schema('integer'), schema('smallint')];
  const start = performance.now();
  const { findings } = await reviewSchemas({ before, after, signal: new AbortController().signal });
  const ms = Math.round(performance.now() - start);
  if (findings.length !== 1) throw new Error(`expected one finding: ${JSON.stringify(findings)}`);
  const memory = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ kB: Math.round(after.length / 1000), ms, memory }));
}
