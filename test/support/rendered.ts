import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** Markdown as HTML, with GitHub's extensions. Raw HTML is kept, so tests can find it. */
export function rendered(markdown: string): string {
  return micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
}

/** The visible text, without zero-width characters. */
export function seen(html: string): string {
  return textOf(html).replace(/[\u200b\u2060]/g, '');
}

/** The rendered text as GitHub's filters for mentions and references see it. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}

/** What GitHub turns into links by itself: mentions, references to issues, and URLs. Commits and emoji do no harm. */
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
