import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url));

interface Started {
  child: ChildProcess;
  output: () => string;
  exited: Promise<number | null>;
}

/** Starts the service like `npm run service`. It ends with the test, whatever fails. */
async function startCli(args: string[] = []): Promise<Started> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  while (!output.includes('Run the action')) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the service ended: ${output}`);
    await sleep(10);
  }
  return { child, output: () => output, exited };
}

const field = (output: string, name: string): string => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(output)?.[1] ?? '';

/** The IDs of other processes that have this text in their command line. */
function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(join('/proc', name, 'cmdline'), 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}

async function folderOf(uri: string): Promise<{ folder: string; client: pg.Client }> {
  const url = new URL(uri);
  url.search = '';
  const client = new pg.Client({ connectionString: url.href, ssl: { rejectUnauthorized: false } });
  client.on('error', () => {});
  await client.connect();
  // The database owner may read this setting, and the certificate is in the service's folder.
  const { rows } = await client.query("SELECT setting FROM pg_settings WHERE name = 'ssl_cert_file'");
  return { folder: dirname(rows[0].setting), client };
}

/** Resolves once a condition holds, which ends the test if it never does. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

it.runIf(process.platform === 'linux').each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
  'leaves no process and no file when it is stopped with %s',
  async (signal) => {
    const { child, output, exited } = await startCli();
    const { folder } = await folderOf(field(output(), 'main'));
    expect(readdirSync(folder).some((name) => existsSync(join(folder, name, 'data/PG_VERSION')))).toBe(true);
    expect(processesWith(folder).length).toBeGreaterThanOrEqual(2);
    child.kill(signal);
    expect(await exited).toBe(signal === 'SIGKILL' ? null : 0);
    await until(() => !existsSync(folder) && processesWith(folder).length === 0);
  },
);

it.runIf(process.platform === 'linux')('starts a new reaper if it is killed, and still leaves nothing', async () => {
  const { child, output, exited } = await startCli();
  const { folder } = await folderOf(field(output(), 'main'));
  const reapers = (): string[] =>
    processesWith('reaper.ts').filter((pid) => readFileSync(join('/proc', pid, 'cmdline'), 'utf8').includes(folder));
  const [first] = reapers();
  process.kill(Number(first), 'SIGKILL');
  await until(() => reapers().some((pid) => pid !== first));
  child.kill('SIGKILL');
  await exited;
  await until(() => !existsSync(folder) && processesWith(folder).length === 0);
});

it.runIf(process.platform === 'linux')('leaves nothing if it is killed while it is starting', async () => {
  const child = spawn(process.execPath, [CLI], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const folders = (): string[] =>
    processesWith('reaper.ts').flatMap((pid) => {
      try {
        const [, , folder = ''] = readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split('\0');
        const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(join('/proc', pid, 'status'), 'utf8'))?.[1];
        return parent === String(child.pid) ? [folder] : [];
      } catch {
        return [];
      }
    });
  await until(() => folders().length > 0);
  const [folder = ''] = folders();
  await sleep(150);
  child.kill('SIGKILL');
  await until(() => !existsSync(folder) && processesWith(folder).length === 0);
});

it('accepts the given API key', async () => {
  const { child, output, exited } = await startCli(['--compute', 'none', '--key', 'my-own-key']);
  expect(field(output(), 'base URL')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v2$/);
  expect(field(output(), 'API key')).toBe('my-own-key');
  const response = await fetch(`${field(output(), 'base URL')}/projects/${field(output(), 'project ID')}`, {
    headers: { authorization: 'Bearer my-own-key' },
  });
  expect(response.status).toBe(200);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});
