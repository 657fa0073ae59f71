import { count } from '../api/text.ts';
import type { Result } from '../result.ts';
import type { Destruction } from './destructive.ts';
import { code, fenced, folded, plain } from './markdown.ts';
import { countChanges } from './unified.ts';

/** Lines from which a diff is folded away. */
const longDiff = 60;
/** Destructive changes that are named one by one. */
const mostNamed = 25;

/** The schema difference as Markdown: what it destroys on top, then the diff itself. */
export function diffSection(diff: NonNullable<Result['diff']>, branchName: string): string {
  const sides = `database ${code(diff.database)} between ${code(branchName)} and its base ${code(diff.baseName)}`;
  if (diff.text === '') return `No schema difference in ${sides}.`;
  const { added, removed } = countChanges(diff.text);
  const block = fenced(diff.text, 'diff');
  const long = diff.text.split('\n').length > longDiff;
  return [
    `Schema difference in ${sides}: **${count(added, 'line')} added, ${removed} removed**.`,
    ...warning(diff.destructive),
    long ? folded(`The whole difference, ${count(diff.text.split('\n').length, 'line')}`, block) : block,
  ].join('\n\n');
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
