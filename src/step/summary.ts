import type { Operation } from '../service/types.ts';
import { count, duration } from '../text/format.ts';
import { code, folded, plain, sentence, table } from '../text/markdown.ts';
import type { Facts } from './action.ts';

/** The job summary of a step, as Markdown: how it ended, the action's own parts, and the operations that it waited for. */
export function summarize(options: {
  title: string;
  facts: Facts;
  failure: string | undefined;
  /** Duration of the step. */
  ms: number;
  parts: string[];
}): string {
  const { title, facts, failure, ms, parts } = options;
  const head =
    failure === undefined
      ? `${sentence(facts.done.replace(/\.$/, ''))}. The step took ${duration(ms)}.`
      : `❌ **Failed** after ${duration(ms)}. ${asList(failure)}`;
  const all = [`### Database branch: ${plain(title)}`, head, ...parts, ...operationsSection(facts.operations)];
  return `${all.join('\n\n')}\n`;
}

/** A failure of several lines, such as invalid inputs, as a list below its first line. */
function asList(failure: string): string {
  const [first = '', ...rest] = failure.split('\n');
  const lines = rest.map((line) =>
    line.startsWith('- ') ? `- ${sentence(line.slice('- '.length))}` : `\n${sentence(line)}`,
  );
  return [sentence(first), lines.join('\n')].filter(Boolean).join('\n\n');
}

/** Longest bar, in characters. */
const barLength = 20;
/** A table with more operations is folded. */
const maxUnfolded = 12;

/** The operations that were waited for, with their durations as numbers and bars. */
function operationsSection(operations: Operation[]): string[] {
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
  return [operations.length > maxUnfolded ? folded(count(operations.length, 'operation'), all) : all];
}
