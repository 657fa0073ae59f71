/**
 * Markdown of at most `limit`. If it is longer, it is cut at the end of a line, open code blocks and `<details>` are closed, and
 * `note` is appended. `size` measures in the unit of the limit, and must be additive.
 */
export function cutToFit(
  markdown: string,
  options: { limit: number; size: (text: string) => number; note: string },
): string {
  const { limit, size, note } = options;
  if (size(markdown) <= limit) return markdown;
  /** The fence that has opened a code block, and how many `<details>` are open. */
  let fence = '';
  let details = 0;
  const ending = () => `${fence && `${fence}\n`}${'\n</details>\n'.repeat(details)}\n${note}\n`;
  const lines = markdown.split('\n');
  let used = 0;
  let kept = 0;
  let end = ending();
  for (const [index, line] of lines.entries()) {
    used += size(`${line}\n`);
    if (used > limit) break;
    const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)/s.exec(line) ?? [];
    if (fence !== '') fence = mark.startsWith(fence) && info.trim() === '' ? '' : fence;
    else if (mark !== '') fence = mark;
    else if (line.startsWith('<details>')) details++;
    else if (line.startsWith('</details>')) details = Math.max(0, details - 1);
    // There may be room again after a line that closes something.
    if (used + size(ending()) > limit) continue;
    kept = index + 1;
    end = ending();
  }
  return size(end) > limit ? '' : [...lines.slice(0, kept), end].join('\n');
}
