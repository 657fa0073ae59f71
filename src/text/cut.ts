/** What is open at the end of a line: a code block, and `<details>` elements. */
interface Open {
  /** The fence that opened the code block; empty if there is none. */
  fence: string;
  details: number;
}

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
  const lines = markdown.split('\n');
  let open: Open = { fence: '', details: 0 };
  let used = 0;
  let kept = 0;
  let end = ending(open, note);
  for (const [index, line] of lines.entries()) {
    used += size(`${line}\n`);
    if (used > limit) break;
    open = after(open, line);
    const closing = ending(open, note);
    // There may be room again after a line that closes something.
    if (used + size(closing) > limit) continue;
    kept = index + 1;
    end = closing;
  }
  if (size(end) > limit) return '';
  return [...lines.slice(0, kept), end].join('\n');
}

/** Closes everything that is open, and adds the note. */
function ending({ fence, details }: Open, note: string): string {
  return [fence && `${fence}\n`, '\n</details>\n'.repeat(details), `\n${note}\n`].join('');
}

function after({ fence, details }: Open, line: string): Open {
  const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)/s.exec(line) ?? [];
  if (fence !== '') return { fence: mark.startsWith(fence) && info.trim() === '' ? '' : fence, details };
  if (mark !== '') return { fence: mark, details };
  if (line.startsWith('<details>')) return { fence, details: details + 1 };
  return { fence, details: line.startsWith('</details>') ? Math.max(0, details - 1) : details };
}
