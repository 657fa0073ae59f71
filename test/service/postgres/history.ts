import { existsSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Point } from '../compute.ts';
import type { Cluster } from './cluster.ts';
import { copyData, copyLog, segments } from './copy.ts';

/*
 * Points in time. No server ever throws a log segment away, and every cluster keeps, beside its own log, links to the part
 * of its ancestors' log that leads up to it. So any state since the template is reached by replaying that log on a fresh
 * copy of the template, up to the point.
 */

const logOf = (cluster: Cluster): string => join(cluster.data, 'pg_wal');
const pastOf = (cluster: Cluster): string => join(cluster.folder, 'history');

/** Gives a new cluster the past of the one it was made from: all segments before those it has itself. */
export function inheritHistory(from: Cluster, to: Cluster): void {
  const past = pastOf(to);
  if (!existsSync(past)) to.workspace.makeFolder(past);
  const own = segments(logOf(to));
  const last = position(own.at(-1));
  for (const folder of [pastOf(from), logOf(from)]) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      const wanted = name.endsWith('.history') || (/^[0-9A-F]{24}$/.test(name) && position(name) <= last);
      // Segments are never written to again once the next one is begun, so a link is as good as a copy.
      if (wanted && !own.includes(name) && !existsSync(join(past, name)))
        linkSync(join(folder, name), join(past, name));
    }
  }
}

/** Where a segment stands, whatever its timeline. */
const position = (name: string | undefined): string => (name ?? '').slice(8);

/** Everything that is asked for must be committed before it can be reached; this is one more commit to stop at. */
async function markHead(source: Cluster): Promise<string> {
  return source.session('postgres', async (client) => {
    await client.query('SET synchronous_commit = on');
    await client.query('SELECT pg_current_xact_id()');
    const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
    return rows[0]?.lsn ?? '';
  });
}

const quoted = (path: string): string => `"${path}"`;

/** Fills `target` with the state of `source` at a point in its past, and answers the log position of it. */
export async function recoverTo(source: Cluster, target: Cluster, point: Point): Promise<string> {
  const { workspace } = source;
  await markHead(source);
  await copyData(workspace, workspace.template, target.data);
  await copyLog(workspace, join(workspace.template, 'pg_wal'), logOf(target), '');
  const fetch = [logOf(source), pastOf(source)].map((folder) => `cp ${quoted(`${folder}/%f`)} "%p" 2>/dev/null`);
  const goal =
    point.lsn === undefined
      ? `recovery_target_time = '${point.timestamp?.replace('Z', '+00')}'`
      : `recovery_target_lsn = '${point.lsn}'`;
  const settings = [
    `restore_command = '${fetch.join(' || ')}'`,
    goal,
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
