import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import type { Workspace } from './workspace.ts';

const SEGMENT = /^[0-9A-F]{24}$/;
/** Files of the running server rather than its data. The WAL is copied separately. */
const EXCLUDED = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'backup_label', 'recovery.signal', 'log']);
const REFLINK = process.platform === 'linux' ? ['-a', '--reflink=auto'] : ['-Rp'];

/** Copies a data directory without its WAL. Files may be deleted in the meantime, as in any base backup. */
export async function copyData(workspace: Workspace, from: string, to: string): Promise<void> {
  const entries = readdirSync(from).filter((name) => !EXCLUDED.has(name));
  workspace.makeFolder(to);
  const { code, stderr } = await workspace.run('cp', [...REFLINK, ...entries.map((name) => join(from, name)), to]);
  const errors = stderr.split('\n').filter((line) => line !== '' && !line.endsWith('No such file or directory'));
  if (code !== 0 && errors.length > 0) throw new Error(`could not copy the data directory: ${errors.join('; ')}`);
  for (const name of ['pg_wal', 'pg_wal/archive_status', 'pg_wal/summaries']) workspace.makeFolder(join(to, name));
}

/** The names of WAL segments, oldest first. */
export const segments = (wal: string): string[] =>
  readdirSync(wal)
    .filter((name) => SEGMENT.test(name))
    .sort();

/** Copies the WAL segments from `first` on, and the timeline history files. */
export function copyWal(workspace: Workspace, from: string, to: string, first: string): void {
  const names = readdirSync(from).filter((name) => (SEGMENT.test(name) && name >= first) || name.endsWith('.history'));
  // A few megabytes: another process would take longer to start.
  for (const name of names) workspace.copy(join(from, name), join(to, name));
}

/** Takes a base backup of a cluster. Returns its LSN. */
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
      copyWal(workspace, join(from.data, 'pg_wal'), join(to.data, 'pg_wal'), first);
      workspace.write(join(to.data, 'backup_label'), labelfile, 0o600);
      return lsn;
    });
  });
}
