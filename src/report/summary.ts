import { findingsOf, parentOf, type Result, type SchemaDiff } from '../result.ts';
import { count, duration } from '../text/format.ts';
import { baseOf, diffSection } from './diff.ts';
import { code, factTable, fenced, plain, readable } from './markdown.ts';
import { operationsSection } from './operations.ts';
import { prunedSection, usageOf } from './pruned.ts';
import { rehearsalSection } from './rehearsal.ts';

/** The job summary of a run, as Markdown. It has no secrets: neither passwords nor connection URIs. */
export function summarize(options: {
  command: string;
  result: Result;
  failure: string | undefined;
  /** Duration of the step. */
  ms: number;
  /** The URL of the action's `docs` folder, if it is known. */
  docsUrl?: string;
}): string {
  const { command, result, failure, ms, docsUrl } = options;
  const parts = [`### Database branch: ${plain(command)}`];
  if (failure !== undefined) parts.push(`❌ **Failed** after ${duration(ms)}. ${asList(failure)}`);
  else parts.push(`${plain(result.done)}. Took ${duration(ms)}.`);
  const rows = factsOf(result);
  if (rows.length > 0) parts.push(factTable(rows));
  if (result.request?.payload !== undefined) parts.push(fenced(result.request.payload, 'json'));
  const { rehearsal } = result;
  if (rehearsal) parts.push(...rehearsalSection({ ...result, rehearsal }, docsUrl));
  else if (result.diff) parts.push(...diffSection(result.diff, docsUrl));
  parts.push(
    ...prunedSection(result.pruned ?? []),
    // A prune has many, and they are all alike.
    ...operationsSection(result.operations, { fold: command === 'prune' }),
  );
  if (failure === undefined) parts.push(...next(result));
  return `${parts.join('\n\n')}\n`;
}

/** A failure of several lines, such as invalid inputs, as a list below its first line. */
function asList(failure: string): string {
  const [first = '', ...items] = failure.split('\n').map((line) => plain(line.replace(/^- /, ''), 2_000));
  return [first, ...(items.length > 0 ? ['', ...items.map((item) => `- ${item}`)] : [])].join('\n');
}

function factsOf(result: Result): [string, string][] {
  const { branch, connection, diff, request, response } = result;
  const parent = parentOf(result);
  const all: [string, string | undefined][] = [
    ['Branch', branch && code(branch.name)],
    ['ID', branch && code(branch.id)],
    ['Parent', parent && code(parent)],
    ['Host', connection && code(connection.host)],
    ['Pooled host', connection && code(connection.pooledHost)],
    ['Compared with', result.rehearsal ? undefined : diff && baseOf(diff)],
    ['Database', (connection && code(connection.database)) ?? (diff && databasesOf(diff))],
    ['Role', connection && code(connection.role)],
    ['Request', request && code(`${request.method} ${request.path}`)],
    ['Note', request?.note && plain(request.note)],
    ['Status', response && plain(String(response.status))],
    ['Expires', branch && !result.deleted ? (branch.expires_at ? readable(branch.expires_at) : 'never') : undefined],
    ['Usage', usageOf(result)],
    ['Comment', result.commentUrl ? `[on the pull request](${result.commentUrl})` : undefined],
  ];
  return all.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}

function databasesOf({ all, databases }: SchemaDiff): string {
  return all ? `all (${count(databases.length, 'database')})` : code(databases[0]?.database ?? '');
}

/** What to do next. */
function next(result: Result): string[] {
  const { branch, connection, pruned = [], diff } = result;
  if (connection && branch) {
    return [
      `**Next:** connect with the outputs \`db_url_pooled\` and \`db_url\` in later steps of this job. In another job, read them with \`command: get\` and \`branch_id: ${branch.id}\`.`,
    ];
  }
  if (pruned.some((one) => one.outcome === 'planned')) {
    return ['**Next:** nothing was deleted. To delete these branches, remove `dry_run: true`.'];
  }
  if (diff && findingsOf(diff).some(({ level }) => level === 'destructive')) {
    return ['**Next:** review the destructive changes above before they reach real data.'];
  }
  return [];
}
