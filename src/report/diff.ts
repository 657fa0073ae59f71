import type { Destruction, Result } from '../result.ts';
import { countChanges } from '../schema/unified.ts';
import { count } from '../text/format.ts';
import { code, fenced, folded, plain } from './markdown.ts';

type Diff = NonNullable<Result['diff']>;

/** A longer diff is folded. */
const maxUnfoldedLines = 60;
/** Destructive changes that are listed one by one. */
const maxListed = 25;

/** What was compared, and how it differs, as a sentence. */
export function comparison(diff: Diff, branchName: string): string {
  const sides = `between ${code(branchName)} and ${code(diff.baseName)}`;
  if (diff.text === '') return `No schema difference ${sides}.`;
  const { added, removed } = countChanges(diff.text);
  return `Schema difference ${sides}: **${count(added, 'line')} added, ${removed} removed**.`;
}

/** The schema difference as Markdown. Destructive changes come first. */
export function diffSection(diff: Diff): string[] {
  if (diff.text === '') return [];
  const block = fenced(diff.text, 'diff');
  const lines = diff.text.split('\n').length - 1;
  const shown = lines > maxUnfoldedLines ? folded(`Full diff (${count(lines, 'line')})`, block) : block;
  return [...warning(diff.destructive), shown];
}

function warning(destructive: Destruction[]): string[] {
  if (destructive.length === 0) return [];
  const listed = destructive.slice(0, maxListed).map((one) => {
    const note = one.note === '' ? '' : ` — ${plain(one.note)}`;
    return `> - ${plain(one.does)} ${code(one.to)}${note}`;
  });
  const more = destructive.length > listed.length ? [`> - and ${destructive.length - listed.length} more`] : [];
  const head = destructive.length === 1 ? 'This change loses' : `These ${destructive.length} changes lose`;
  const fails = destructive.length === 1 ? 'fails' : 'fail';
  return [['> [!CAUTION]', `> **${head} data or ${fails} on existing rows:**`, '>', ...listed, ...more].join('\n')];
}
