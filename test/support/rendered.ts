import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** Markdown as HTML, with GitHub's extensions; raw HTML comes through, so that a test can see it. */
export function rendered(markdown: string): string {
  return micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
}

/** The text that a reader sees; characters of no width are left out. */
export function seen(html: string): string {
  return textOf(html).replace(/[\u200b\u2060]/g, '');
}

/** The text of the rendered page as GitHub's own filters see it, which make mentions and references after the Markdown. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}

/** What GitHub makes of the text by itself: mentions, references to issues and addresses. */
export function livingIn(html: string): string[] {
  const text = textOf(html);
  const patterns = [
    /(?<![\w`])@[a-z\d]/i,
    /#\d/,
    /\bGH-\d/i,
    /\b(https?|ftp):\/\/\S/i,
    /\bwww\.\S/i,
    /[\w.+-]@[\w-]+\.\w/,
  ];
  return patterns.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
}
