import { describeOwner } from '../branch/owner.ts';
import { count } from '../text/format.ts';
import { code, folded, plain, sentence, table } from '../text/markdown.ts';
import type { Outcome } from './prune.ts';

/** Rows of a table: GitHub shows no summary that is too large. */
const maxRows = 300;

/** The branches that were deleted, or were not although they should have been; then those that are kept, folded. */
export function report({ outcomes }: { outcomes: Outcome[] }): string[] {
  const kept = outcomes.filter(({ outcome, branch }) => outcome === 'kept' && !branch.default);
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed');
  const others = outcomes.filter(({ outcome }) => outcome !== 'kept' && outcome !== 'failed');
  const stale = [...failed, ...others];
  return [
    ...(outcomes.length > 0 ? [`The project has ${count(outcomes.length, 'branch')}.`] : []),
    ...(stale.length > 0 ? [tableOf(stale, 'Result')] : []),
    ...(kept.length > 0 ? [folded(`Kept ${count(kept.length, 'branch')}`, tableOf(kept, 'Kept because'))] : []),
  ];
}

function tableOf(outcomes: Outcome[], what: string): string {
  const body = outcomes.slice(0, maxRows).map((one) => {
    const { id, name, metadata } = one.branch;
    const author = metadata['github-commit-author-login'] ?? '';
    return [`${code(name)} (${code(id)})`, plain(describeOwner(one.branch)), plain(author), resultOf(one)];
  });
  const more = outcomes.length > maxRows ? `\n\nand ${outcomes.length - maxRows} more; the log has them all.` : '';
  return table({ head: ['Branch', 'Belongs to', 'Author', what], body }) + more;
}

const results: Partial<Record<Outcome['outcome'], string>> = {
  deleted: 'deleted: ',
  planned: 'would be deleted: ',
  failed: 'not deleted: ',
};

function resultOf({ outcome, reason, note }: Outcome): string {
  return sentence(`${results[outcome] ?? ''}${note ?? reason}`);
}
