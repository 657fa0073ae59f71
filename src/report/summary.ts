import type { Result } from '../result.ts';
import { duration } from '../text/format.ts';
import { diffSection } from './diff.ts';
import { code, factTable, fenced, plain, readable } from './markdown.ts';
import { operationsSection } from './operations.ts';
import { prunedSection } from './pruned.ts';

/** The job summary of a run, as Markdown. It holds no secret: neither a password nor a connection URI. */
export function summarize(options: {
  command: string;
  result: Result;
  failure: string | undefined;
  ms: number;
}): string {
  const { command, result, failure, ms } = options;
  const parts = [`### Database branch: ${plain(command)}`];
  if (failure !== undefined) parts.push(`❌ **Failed** after ${duration(ms)}: ${lines(failure)}`);
  else parts.push(`${plain(result.done)} in ${duration(ms)}.`);
  const rows = factsOf(result);
  if (rows.length > 0) parts.push(factTable(rows));
  if (result.request?.payload !== undefined) parts.push(fenced(result.request.payload, 'json'));
  if (result.diff) parts.push(...diffSection(result.diff));
  parts.push(
    ...prunedSection(result.pruned ?? []),
    // After a prune they are many, and all alike.
    ...operationsSection(result.operations, { fold: command === 'prune' }),
  );
  if (failure === undefined) parts.push(...next(command, result));
  return `${parts.join('\n\n')}\n`;
}

/** A failure of several lines, such as all faults of the inputs, as a list below its first one. */
function lines(failure: string): string {
  const [first = '', ...items] = failure.split('\n').map((line) => plain(line.replace(/^- /, ''), 2_000));
  return [first, ...(items.length > 0 ? ['', ...items.map((item) => `- ${item}`)] : [])].join('\n');
}

function factsOf(result: Result): [string, string][] {
  const { branch, connection, diff, request, response } = result;
  const all: [string, string | undefined][] = [
    ['Branch', branch && code(branch.name)],
    ['ID', branch && code(branch.id)],
    ['Parent', result.parentName ? code(result.parentName) : branch?.parent_id && code(branch.parent_id)],
    ['Host', connection && code(connection.host)],
    ['Pooled host', connection && code(connection.pooledHost)],
    ['Compared with', diff && code(diff.baseName)],
    ['Database', (connection && code(connection.database)) ?? (diff && code(diff.database))],
    ['Role', connection && code(connection.role)],
    ['Request', request && code(`${request.method} ${request.path}`)],
    ['Where', request?.note && plain(request.note)],
    ['Status', response && plain(String(response.status))],
    ['Expires', branch && !result.deleted ? (branch.expires_at ? readable(branch.expires_at) : 'never') : undefined],
    ['Comment', result.commentUrl ? `[on the pull request](${result.commentUrl})` : undefined],
  ];
  return all.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}

/** What to do next with what is there now. */
function next(command: string, result: Result): string[] {
  const { branch, connection, pruned = [], diff } = result;
  if (connection && branch) {
    return [
      `**Next:** later steps of this job connect with the outputs \`db_url_pooled\` and \`db_url\`. Another job gets them with \`command: get\` and \`branch_id: ${branch.id}\`.`,
    ];
  }
  if (pruned.some((one) => one.outcome === 'planned')) {
    return ['**Next:** nothing was deleted. Run it without `dry_run: true` to delete them.'];
  }
  if (command === 'diff' && diff && diff.destructive.length > 0) {
    return ['**Next:** look at the changes above that destroy before they reach a branch whose rows matter.'];
  }
  return [];
}
