// Runs a migration as a tool would: connects with DATABASE_URL, and runs the steps in STEPS, one after another. A step that does not
// wait lets the next one start on another connection. Ends with 1 at the first error.
import pg from 'pg';
import type { Step } from './migrations.ts';

const steps = JSON.parse(process.env.STEPS ?? '[]') as Step[];
const url = new URL(process.env.DATABASE_URL ?? '');
// As libpq does with `sslmode=require`; this driver would verify the certificate.
const ssl = url.searchParams.get('sslmode') === 'disable' ? false : { rejectUnauthorized: false };
url.search = '';
const clients = new Map<string, pg.Client>();
const running: Promise<unknown>[] = [];
try {
  for (const { on = 'a', sql, waits = true, mayFail = false } of steps) {
    let client = clients.get(on);
    if (!client) {
      client = new pg.Client({ connectionString: url.href, ssl, enableChannelBinding: ssl !== false });
      client.on('error', () => {});
      await client.connect();
      clients.set(on, client);
    }
    const done = client.query(sql).catch((error: Error) => {
      if (!mayFail) throw error;
    });
    if (waits) await done;
    else running.push(done);
  }
  await Promise.all(running);
  await Promise.all([...clients.values()].map((client) => client.end()));
} catch (error) {
  console.error(`ERROR: ${(error as Error).message}`);
  process.exit(1);
}
