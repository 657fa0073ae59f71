import { existsSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Point } from '../compute.ts';
import type { Cluster } from './cluster.ts';
import { segments } from './copy.ts';

/*
 * Point-in-time recovery. Servers never delete WAL segments, and every cluster has hard links to the segments of its
 * ancestors. Any earlier state is therefore recovered by replaying these segments on a copy of the template.
 */

const walOf = (cluster: Cluster): string => join(cluster.data, 'pg_wal');
const historyOf = (cluster: Cluster): string => join(cluster.folder, 'history');

/** Links the WAL segments of the source, up to those that the new cluster has itself. */
export function inheritHistory(from: Cluster, to: Cluster): void {
  const history = historyOf(to);
  if (!existsSync(history)) to.workspace.makeFolder(history);
  const existing = segments(walOf(to));
  const last = segmentPosition(existing.at(-1));
  for (const folder of [historyOf(from), walOf(from)]) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      const needed = name.endsWith('.history') || (/^[0-9A-F]{24}$/.test(name) && segmentPosition(name) <= last);
      // Complete segments never change, so a link is enough.
      if (needed && !existing.includes(name) && !existsSync(join(history, name)))
        linkSync(join(folder, name), join(history, name));
    }
  }
}

/** The position of a segment, regardless of its timeline. */
const segmentPosition = (name: string | undefined): string => (name ?? '').slice(8);

/**
 * Adds a commit after everything so far, and flushes it. Recovery stops at the first commit after its target, so there must be one
 * in the files. A transaction that has written nothing is never flushed at its commit, so this one writes a message.
 */
async function commitMarker(source: Cluster): Promise<string> {
  return source.session('postgres', async (client) => {
    await client.query('SET synchronous_commit = on');
    await client.query("SELECT pg_logical_emit_message(true, 'end of history', '')");
    const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
    return rows[0]?.lsn ?? '';
  });
}

const quoted = (path: string): string => `"${path}"`;

/** Fills `target` with the state of `source` at an earlier point. Returns the LSN. */
export async function recoverTo(source: Cluster, target: Cluster, point: Point): Promise<string> {
  const { workspace } = source;
  await commitMarker(source);
  await workspace.newCluster(target.data);
  const copyCommands = [walOf(source), historyOf(source)].map(
    (folder) => `cp ${quoted(`${folder}/%f`)} "%p" 2>/dev/null`,
  );
  const targetSetting =
    point.lsn === undefined
      ? `recovery_target_time = '${point.timestamp?.replace('Z', '+00')}'`
      : `recovery_target_lsn = '${point.lsn}'`;
  const settings = [
    `restore_command = '${copyCommands.join(' || ')}'`,
    targetSetting,
    'recovery_target_action = promote',
    'hot_standby = off',
  ];
  workspace.write(join(target.data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`, 0o600);
  workspace.write(join(target.data, 'recovery.signal'), '', 0o600);
  await target.start();
  const reached = await target.session('postgres', async (client) => {
    const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
    return rows[0]?.lsn ?? '';
  });
  await target.stop();
  workspace.write(join(target.data, 'postgresql.auto.conf'), '', 0o600);
  return point.lsn ?? reached;
}
