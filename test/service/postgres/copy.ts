import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import type { Workspace } from './workspace.ts';

const SEGMENT = /^[0-9A-F]{24}$/;
/** What belongs to a running server, not to its data. The log is copied apart. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'backup_label', 'recovery.signal', 'log']);
const REFLINK = process.platform === 'linux' ? ['-a', '--reflink=auto'] : ['-Rp'];

/** Copies a data directory as it lies there, without its log; files may vanish meanwhile, as in any base backup. */
export async function copyData(workspace: Workspace, from: string, to: string): Promise<void> {
  const entries = readdirSync(from).filter((name) => !LEFT_OUT.has(name));
  workspace.makeFolder(to);
  const { code, stderr } = await workspace.run('cp', [...REFLINK, ...entries.map((name) => join(from, name)), to]);
  const serious = stderr.split('\n').filter((line) => line !== '' && !line.endsWith('No such file or directory'));
  if (code !== 0 && serious.length > 0) throw new Error(`copying the data failed: ${serious.join('; ')}`);
  for (const name of ['pg_wal', 'pg_wal/archive_status', 'pg_wal/summaries']) workspace.makeFolder(join(to, name));
}

/** Names of segments, oldest first. */
export const segments = (wal: string): string[] =>
  readdirSync(wal)
    .filter((name) => SEGMENT.test(name))
    .sort();

/** Copies log segments, from the named one on, and the files that tell where timelines part. */
export async function copyLog(workspace: Workspace, from: string, to: string, first: string): Promise<void> {
  const names = readdirSync(from).filter((name) => (SEGMENT.test(name) && name >= first) || name.endsWith('.history'));
  const { code, stderr } = await workspace.run('cp', [...REFLINK, ...names.map((name) => join(from, name)), to]);
  if (code !== 0) throw new Error(`copying the log failed: ${stderr}`);
}

/**
 * A copy of a cluster at this moment, as a base backup of a running server (or a plain copy of one that is stopped);
 * answers the log position where it is taken.
 */
export async function copyCluster(from: Cluster, to: Cluster): Promise<string> {
  const { workspace } = from;
  return from.exclusively(async () => {
    await from.start();
    return from.session('postgres', async (client) => {
      const started = await client.query<{ first: string }>(
        "SELECT pg_walfile_name(pg_backup_start('branch', true)) AS first",
      );
      const first = started.rows[0]?.first ?? '';
      await copyData(workspace, from.data, to.data);
      const stopped = await client.query<{ lsn: string; labelfile: string }>(
        'SELECT lsn, labelfile FROM pg_backup_stop(false)',
      );
      const { lsn = '', labelfile = '' } = stopped.rows[0] ?? {};
      await copyLog(workspace, join(from.data, 'pg_wal'), join(to.data, 'pg_wal'), first);
      workspace.write(join(to.data, 'backup_label'), labelfile, 0o600);
      return lsn;
    });
  });
}
