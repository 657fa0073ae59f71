import { type PrunedBranch, parentOf, type Result } from '../result.ts';
import type { Operation } from '../service/types.ts';
import { count, duration } from '../text/format.ts';
import { code, factTable, folded, plain, readable, sentence, table } from '../text/markdown.ts';

/** The job summary of a run, as Markdown. It has no secrets: neither passwords nor connection URIs. */
export function summarize(options: {
  command: string;
  result: Result;
  failure: string | undefined;
  /** Duration of the step. */
  ms: number;
}): string {
  const { command, result, failure, ms } = options;
  const parts = [`### Database branch: ${plain(command)}`];
  if (failure !== undefined) parts.push(`❌ **Failed** after ${duration(ms)}. ${asList(failure)}`);
  else {
    parts.push(`${sentence(result.done.replace(/\.$/, ''))}. The step took ${duration(ms)}.`);
  }
  const rows = factsOf(result);
  if (rows.length > 0) parts.push(factTable(rows));
  parts.push(
    ...prunedSection(result.pruned ?? []),
    // A prune has many, and they are all alike.
    ...operationsSection(result.operations, { fold: command === 'prune' }),
  );
  if (failure === undefined) parts.push(...next(result));
  return `${parts.join('\n\n')}\n`;
}

/** A failure of several lines, such as invalid inputs, as a list below its first line. After a list, what to do next is a paragraph. */
function asList(failure: string): string {
  const [first = '', ...rest] = failure.split('\n');
  const next = rest.length > 1 && rest[0]?.startsWith('- ') && !rest.at(-1)?.startsWith('- ') ? rest.pop() : undefined;
  const items = rest.map((line) => `- ${sentence(line.replace(/^- /, ''))}`);
  const paragraphs = [sentence(first), items.join('\n'), next === undefined ? '' : sentence(next)];
  return paragraphs.filter(Boolean).join('\n\n');
}

function factsOf(result: Result): [string, string][] {
  const { branch, connection } = result;
  const parent = parentOf(result);
  const all: [string, string | undefined][] = [
    ['Branch', branch && code(branch.name)],
    ['ID', branch && code(branch.id)],
    ['Parent', parent && code(parent)],
    ['Host', connection && code(connection.host)],
    ['Pooled host', connection && code(connection.pooledHost)],
    ['Database', connection && code(connection.database)],
    ['Role', connection && code(connection.role)],
    ['Expires', branch && !result.deleted ? (branch.expires_at ? readable(branch.expires_at) : 'never') : undefined],
    ['Comment', result.commentUrl ? `[on the pull request](${result.commentUrl})` : undefined],
  ];
  return all.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}

/** What to do next. */
function next(result: Result): string[] {
  const { branch, connection, pruned = [] } = result;
  if (connection && branch) {
    const later = result.endsWithJob
      ? 'The branch is deleted when the job ends.'
      : `In another job, read them with \`command: get\` and \`branch_id: ${branch.id}\`.`;
    return [`**Next:** connect with the outputs \`db_url_pooled\` and \`db_url\` in later steps of this job. ${later}`];
  }
  if (pruned.some((one) => one.outcome === 'planned')) {
    return ['Nothing was deleted. **Next:** to delete these branches, remove `dry_run: true`.'];
  }
  return [];
}

/** Longest bar, in characters. */
const barLength = 20;
/** A table with more operations is folded. */
const maxUnfolded = 12;

/** The operations that were waited for, with their durations as numbers and bars. */
function operationsSection(operations: Operation[], options: { fold?: boolean } = {}): string[] {
  if (operations.length === 0) return [];
  const longest = Math.max(1, ...operations.map((one) => one.total_duration_ms));
  const bar = (ms: number) => '━'.repeat(Math.max(1, Math.round((ms / longest) * barLength)));
  const all = table({
    head: ['Operation', 'Status', 'Duration', ''],
    body: operations.map((one) => [
      code(one.action),
      plain(one.status),
      duration(one.total_duration_ms),
      bar(one.total_duration_ms),
    ]),
  });
  return [options.fold || operations.length > maxUnfolded ? folded(count(operations.length, 'operation'), all) : all];
}

/** A longer table is folded. */
const maxUnfoldedRows = 50;

const labels: Record<PrunedBranch['outcome'], string> = {
  failed: '❌ not deleted',
  unsure: '❔ may still exist',
  kept: 'kept',
  planned: 'would be deleted',
  gone: 'already gone',
  deleted: 'deleted',
};

/** What needs attention comes first. */
const order = Object.keys(labels) as PrunedBranch['outcome'][];

/** The stale branches and what became of them, as a table. */
function prunedSection(pruned: PrunedBranch[]): string[] {
  if (pruned.length === 0) return [];
  const rows = [...pruned].sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const all = table({
    head: ['Branch', 'Age', 'Reason', 'Result'],
    body: rows.map((one) => [
      code(one.name),
      one.ageMs === undefined ? '' : duration(roundDown(one.ageMs)),
      plain(one.reason),
      one.note === undefined ? labels[one.outcome] : `${labels[one.outcome]}: ${sentence(one.note, 500)}`,
    ]),
  });
  const counts = order.flatMap((outcome) => {
    const number = rows.filter((one) => one.outcome === outcome).length;
    return number > 0 ? [`${number} ${labels[outcome].replace(/^[❌❔] /u, '')}`] : [];
  });
  return [rows.length > maxUnfoldedRows ? folded(counts.join(', '), all) : all];
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** An age in whole days, hours or minutes. */
function roundDown(ms: number): number {
  const unit = ms >= 2 * day ? day : ms >= 2 * hour ? hour : ms >= minute ? minute : 1_000;
  return Math.floor(ms / unit) * unit;
}
