import { count, duration, size } from '../text/format.ts';
import { code, folded, plain, sentence, table } from '../text/markdown.ts';
import { isFailure, type Outcome } from './prune.ts';
import { timeOf } from './rules.ts';

/** Rows of a table: GitHub shows no summary that is too large. */
const maxRows = 300;

/** The branches that were deleted, or were not although they should have been; then those that are kept, folded. */
export function report({ outcomes, date }: { outcomes: Outcome[]; date: number }): string[] {
  if (outcomes.length === 0) return [];
  const isKept = ({ outcome, branch }: Outcome) => outcome === 'kept' && !branch.default;
  const kept = outcomes.filter(isKept);
  const stale = outcomes
    .filter((one) => one.outcome !== 'kept')
    .sort((a, b) => Number(isFailure(b)) - Number(isFailure(a)));
  return [
    `The project has ${count(outcomes.length, 'branch')}.`,
    ...(stale.length > 0 ? [tableOf(stale, { date, what: 'Result' })] : []),
    ...(kept.length > 0
      ? [folded(`Kept ${count(kept.length, 'branch')}`, tableOf(kept, { date, what: 'Kept because' }))]
      : []),
  ];
}

function tableOf(outcomes: Outcome[], { date, what }: { date: number; what: string }): string {
  const body = outcomes.slice(0, maxRows).map((one) => {
    const { id, name, metadata, created_at, logical_size } = one.branch;
    const { 'github-commit-repo': repository = '', 'github-pr-number': number = '' } = metadata;
    const ageMs = date - timeOf(created_at);
    return [
      `${code(name)} (${code(id)})`,
      plain(repository),
      number === '' ? '' : plain(`#${number}`),
      plain(metadata['github-commit-author-login'] ?? ''),
      Number.isNaN(ageMs) ? '' : duration(Math.max(0, ageMs)),
      logical_size === undefined ? '' : size(logical_size),
      resultOf(one),
    ];
  });
  const head = ['Branch', 'Repository', 'Pull request', 'Author', 'Age', 'Size', what];
  const more = outcomes.length > maxRows ? `\n\nand ${outcomes.length - maxRows} more; the log has them all.` : '';
  return table({ head, body }) + more;
}

const results: Partial<Record<Outcome['outcome'], string>> = {
  deleted: 'deleted: ',
  planned: 'would be deleted: ',
  failed: 'not deleted: ',
};

function resultOf({ outcome, reason, note }: Outcome): string {
  return sentence(`${results[outcome] ?? ''}${note ?? reason}`);
}
