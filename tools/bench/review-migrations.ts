import { createReadStream, createWriteStream, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import pg from 'pg';
import { parseSchema } from '../../src/schema/parser.ts';
import { reviewSchemas } from '../../src/schema/review.ts';
import { startService } from '../service/index.ts';
import { dumpSchema } from '../service/postgres/dump/index.ts';
import { type Catalog, readCatalog } from './migrations/catalog.ts';
import { factsOf } from './migrations/facts.ts';
import { type Played, score } from './migrations/score.ts';
import { stepsIn } from './migrations/steps.ts';

/**
 * Plays real migrations on a real Postgres, and compares what the schema review says with what really happened.
 *
 *   node tools/bench/review-migrations.ts FOLDER…               each folder has the migrations of one project
 *   node tools/bench/review-migrations.ts FOLDER… --keep DIR    also keeps each step's schemas and facts
 *   node tools/bench/review-migrations.ts --from DIR            reviews what was kept, without Postgres
 *   …                                     --details             also lists each mistake
 *   …                                     --postgres17          reviews schemas as Postgres 17 writes them
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'string' },
    from: { type: 'string' },
    details: { type: 'boolean' },
    postgres17: { type: 'boolean' },
  },
});

/** The database after a step, and what Postgres said meanwhile. The first one is before all steps. */
interface State {
  step: string;
  schema: string;
  catalog: Catalog;
  messages: string[];
}

const signal = new AbortController().signal;

async function review(project: string, was: State, is: State): Promise<Played> {
  const { findings, incomplete } = await reviewSchemas({
    before: written(was.schema),
    after: written(is.schema),
    signal,
  });
  if (incomplete !== undefined) console.error(`${project} ${is.step}: ${incomplete}`);
  return { project, step: is.step, findings, facts: factsOf(was.catalog, is.catalog, is.messages) };
}

/** Before Postgres 18, NOT NULL constraints had no names. */
function written(schema: string): string {
  if (values.postgres17 !== true) return schema;
  const unnamed = schema.replace(/ CONSTRAINT (?:"(?:[^"]|"")+"|[\w$]+) NOT NULL/g, ' NOT NULL');
  return `-- Dumped from database version 17.0\n${unnamed.replace(/^-- Dumped from database version.*$/m, '')}`;
}

/** Runs a migration: whole, as one transaction, or else statement by statement, without those that fail. Returns their errors. */
async function run(client: pg.Client, sql: string): Promise<string[]> {
  const end = () => client.query('COMMIT').catch(() => {});
  try {
    await client.query(sql);
    // It may have left its transaction open.
    await end();
    return [];
  } catch {
    await client.query('ROLLBACK').catch(() => {});
  }
  const errors: string[] = [];
  for (const { start, end } of await parseSchema({ text: sql, signal }).catch(() => [])) {
    const statement = sql.slice(start, end);
    if (/^\s*(?:BEGIN|COMMIT|START TRANSACTION|ROLLBACK|END)\b/i.test(statement)) continue;
    await client.query(statement).catch((error: Error) => errors.push(error.message));
  }
  await end();
  return errors;
}

async function* play(folder: string, client: pg.Client): AsyncGenerator<State> {
  const project = basename(folder);
  const messages: string[] = [];
  client.on('notice', ({ message }) => messages.push(message ?? ''));
  const state = async (step: string): Promise<State> => {
    const said = [...messages];
    await client.query('RESET ALL');
    return { step, schema: await dumpSchema(client), catalog: await readCatalog(client), messages: said };
  };
  yield await state('');
  const steps = stepsIn(folder);
  let failed = 0;
  for (const { name, sql } of steps) {
    await client.query('SET client_min_messages = debug1');
    messages.length = 0;
    const errors = await run(client, sql);
    if (errors.length > 0) failed++;
    for (const error of errors) console.error(`${project} ${name}: ${error}`);
    yield await state(name);
  }
  console.error(`${project}: ${steps.length} steps, ${failed} failed`);
}

async function playAll(folders: string[]): Promise<Played[]> {
  const service = await startService({ operationMs: 0 });
  const all: Played[] = [];
  try {
    await service.query('main', 'ALTER ROLE neondb_owner SUPERUSER', { role: 'cloud_admin' });
    for (const [index, folder] of folders.entries()) {
      const database = `project_${index}`;
      await service.query('main', `CREATE DATABASE ${database}`);
      const url = new URL(service.uri('main'));
      url.pathname = `/${database}`;
      url.search = '';
      const ssl = { ca: service.certificate ?? '', servername: 'localhost' };
      const client = new pg.Client({ connectionString: url.href, ssl });
      await client.connect();
      try {
        all.push(...(await reviewAll(basename(folder), keep(basename(folder), play(folder, client)))));
      } finally {
        await client.end();
      }
    }
  } finally {
    await service.stop();
  }
  return all;
}

async function reviewAll(project: string, states: AsyncIterable<State>): Promise<Played[]> {
  const played: Played[] = [];
  let was: State | undefined;
  for await (const is of states) {
    if (was) played.push(await review(project, was, is));
    was = is;
  }
  return played;
}

/** Writes each state to a file, one a line, if that was asked for. */
async function* keep(project: string, states: AsyncIterable<State>): AsyncGenerator<State> {
  const pack = createGzip();
  if (values.keep !== undefined) {
    mkdirSync(values.keep, { recursive: true });
    pack.pipe(createWriteStream(join(values.keep, `${project}.gz`)));
  }
  for await (const state of states) {
    if (values.keep !== undefined) pack.write(`${JSON.stringify(state)}\n`);
    yield state;
  }
  pack.end();
}

async function* kept(file: string): AsyncGenerator<State> {
  for await (const line of createInterface(createReadStream(file).pipe(createGunzip())))
    yield JSON.parse(line) as State;
}

async function reviewKept(folder: string): Promise<Played[]> {
  const all: Played[] = [];
  for (const file of readdirSync(folder).sort()) {
    all.push(...(await reviewAll(basename(file, '.gz'), kept(join(folder, file)))));
  }
  return all;
}

const played = values.from === undefined ? await playAll(positionals) : await reviewKept(values.from);
const { table, mistakes } = score(played);
if (values.details) console.log(mistakes.join('\n'));
const quiet = played.filter(({ findings, facts }) => facts.length === 0 && findings.length > 0).length;
console.log(
  `${played.length} steps of ${new Set(played.map(({ project }) => project)).size} projects; ${quiet} with findings where nothing happened\n`,
);
console.log(table);
