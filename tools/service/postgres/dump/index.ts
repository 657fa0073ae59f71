import type pg from 'pg';
import { inDependencyOrder } from './dependencies.ts';
import type { Entry } from './entry.ts';
import { foreign } from './foreign.ts';
import { partsOfTables } from './parts.ts';
import { events, publications } from './publications.ts';
import { comments, rights } from './rights.ts';
import { routines } from './routines.ts';
import { tables } from './tables.ts';
import { namespaces, types } from './types.ts';

const SETTINGS = `--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;
`;

/**
 * The schema of a database as SQL, as `pg_dump --schema-only` of Postgres 18 writes it, which the npm package does not include: the
 * same statements, in an order in which they can run. Equal schemas give equal text, so there is no `\restrict` with a random key.
 */
export async function dumpSchema(client: Pick<pg.Client, 'query'>): Promise<string> {
  const read = async (sections: string[]) => {
    const entries: Entry[] = [];
    for (const sql of sections) entries.push(...(await client.query<Entry>(sql)).rows);
    return entries;
  };
  // With an empty search path, Postgres prints every name with its schema.
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path = ''");
  const created = await read([
    ...namespaces,
    ...types,
    ...routines,
    ...foreign,
    ...tables,
    ...partsOfTables,
    ...publications,
  ]);
  const entries = [
    ...(await inDependencyOrder(client, created)),
    ...(await read(comments)),
    ...(await read(rights)),
    ...(await read(events)),
  ];
  await client.query('ROLLBACK');
  return [SETTINGS, ...entries.map(format), '--\n-- PostgreSQL database dump complete\n--\n'].join('\n');
}

function format({ name, kind, schema, owner, sql }: Entry): string {
  return `--\n-- Name: ${oneLine(name)}; Type: ${kind}; Schema: ${oneLine(schema ?? '-')}; Owner: ${oneLine(owner ?? '-')}\n--\n\n${sql.trim()}\n\n`;
}

/** A name in a comment must not end the comment. */
function oneLine(name: string): string {
  return name.replace(/[\r\n]/g, ' ');
}
