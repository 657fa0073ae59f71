import type { Destruction, Result } from '../result.ts';
import { countChanges } from '../schema/unified.ts';
import { count } from '../text/format.ts';
import { code, fenced, folded, plain } from './markdown.ts';

type Diff = NonNullable<Result['diff']>;

/** Lines from which a diff is folded away. */
const longDiff = 60;
/** Destructive changes that are named one by one. */
const mostNamed = 25;

/** What was compared, and whether it differs, as a sentence. */
export function comparison(diff: Diff, branchName: string): string {
  const sides = `between ${code(branchName)} and its base ${code(diff.baseName)}`;
  if (diff.text === '') return `No schema difference ${sides}.`;
  const { added, removed } = countChanges(diff.text);
  return `Schema difference ${sides}: **${count(added, 'line')} added, ${removed} removed**.`;
}

/** The schema difference as Markdown: what it destroys on top, then the diff itself, folded away where it is long. */
export function diffSection(diff: Diff): string[] {
  if (diff.text === '') return [];
  const block = fenced(diff.text, 'diff');
  const lines = diff.text.split('\n').length - 1;
  const shown = lines > longDiff ? folded(`The whole difference, ${count(lines, 'line')}`, block) : block;
  return [...warning(diff.destructive), shown];
}

function warning(found: Destruction[]): string[] {
  if (found.length === 0) return [];
  const named = found.slice(0, mostNamed).map((one) => {
    const note = one.note === '' ? '' : ` — ${plain(one.note)}`;
    return `> - ${one.does} ${code(one.to)}${note}`;
  });
  const more = found.length > named.length ? [`> - and ${found.length - named.length} more`] : [];
  const head =
    found.length === 1 ? 'One change destroys data, or may fail' : `${found.length} changes destroy data, or may fail`;
  return [['> [!CAUTION]', `> **${head} where there are rows:**`, '>', ...named, ...more].join('\n')];
}
