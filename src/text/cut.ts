/** What is open at the end of a line: a block of code, and parts that are folded away. */
interface Open {
  fence: string;
  folded: number;
}

/**
 * Markdown that is no larger than `limit`: a longer one is cut at the end of a line, what the cut leaves open is closed, and
 * `note` says that it was cut. `size` measures in what the limit counts, and must be additive.
 */
export function cutToFit(
  markdown: string,
  options: { limit: number; size: (text: string) => number; note: string },
): string {
  const { limit, size, note } = options;
  if (size(markdown) <= limit) return markdown;
  const lines = markdown.split('\n');
  let open: Open = { fence: '', folded: 0 };
  let used = 0;
  let kept = 0;
  let end = ending(open, note);
  for (const [index, line] of lines.entries()) {
    used += size(`${line}\n`);
    if (used > limit) break;
    open = after(open, line);
    const closing = ending(open, note);
    // A line that leaves no room for the note may be followed by none that does.
    if (used + size(closing) > limit) continue;
    kept = index + 1;
    end = closing;
  }
  if (size(end) > limit) return '';
  return [...lines.slice(0, kept), end].join('\n');
}

/** What closes everything that is open, and the note. */
function ending({ fence, folded }: Open, note: string): string {
  return [fence && `${fence}\n`, '\n</details>\n'.repeat(folded), `\n${note}\n`].join('');
}

function after({ fence, folded }: Open, line: string): Open {
  const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (fence !== '') {
    const closes =
      mark && mark[1]?.[0] === fence[0] && (mark[1]?.length ?? 0) >= fence.length && mark[2]?.trim() === '';
    return { fence: closes ? '' : fence, folded };
  }
  if (mark?.[1]) return { fence: mark[1], folded };
  if (line.startsWith('<details>')) return { fence, folded: folded + 1 };
  return { fence, folded: line.startsWith('</details>') ? Math.max(0, folded - 1) : folded };
}
