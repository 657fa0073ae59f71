/**
 * Rehearses every kind of migration on a real Postgres, and compares each measured lock with the server's own log.
 *
 *   npm run rehearsals                       a table of all kinds, on a million rows
 *   npm run rehearsals -- --rows 100000 index   only those with `index` in their name
 */
import { parseArgs } from 'node:util';
import { type Measured, measure } from './measure.ts';
import { migrations, tables } from './migrations.ts';
import { LoggedPostgres } from './postgres.ts';

const { values, positionals } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' } },
  allowPositionals: true,
});
const chosen = migrations.filter(({ name }) => positionals.every((part) => name.includes(part)));
const template = 'template_big';
const postgres = await LoggedPostgres.start();
let failed = 0;
try {
  await postgres.query('postgres', `CREATE DATABASE ${template} OWNER app`);
  await postgres.query(template, `SET ROLE app; ${tables(Number(values.rows))}`);
  console.log('| migration | table | mode | measured | by the log | error |\n| --- | --- | --- | ---: | ---: | ---: |');
  for (const migration of chosen) report(migration.name, await measure({ postgres, template, migration }));
} finally {
  await postgres.stop();
}
console.log(`\n${chosen.length - failed} of ${chosen.length} kinds are measured as the server's log has them`);
process.exitCode = failed > 0 ? 1 : 0;

function report(name: string, result: Measured): void {
  const { comparisons, observed } = result;
  const problems = [...result.problems, ...result.inaccuracies];
  const every = `every ${observed.sampledEveryMs.toFixed(0)} ms`;
  for (const { table, expected, truthMs, found, errorMs } of comparisons) {
    const measured = found ? `${found.heldMs.toFixed(0)} ms` : 'not seen';
    const cells = [name, table, expected.mode, measured, `${truthMs.toFixed(0)} ms`, `${errorMs.toFixed(0)} ms`];
    console.log(`| ${cells.join(' | ')} |`);
  }
  if (comparisons.length === 0) console.log(`| ${name} | | none | | | |`);
  for (const problem of problems) console.log(`  ✗ ${name} (${every}): ${problem}`);
  if (problems.length > 0) failed++;
}
