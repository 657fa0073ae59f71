/**
 * Renders job summaries and comments as images for the README, in light and dark.
 *
 *   npm run build && npm run pictures     writes docs/images/*.png
 *
 * The texts come from real runs of the bundle against the local service. They are rendered with GitHub's style sheet in a headless
 * Chromium: `chromium` on the PATH, or the command in CHROMIUM. Each picture carries its words, which a test compares with today's.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rendered } from '../../test/support/rendered.ts';
import { ROOT } from '../files.ts';
import { type Picture, takePictures, withWords, wordsOf } from './pictures.ts';

const width = 780;

/** The HTML with GitHub's alerts. */
function toHtml(markdown: string): string {
  return rendered(markdown).replace(
    /<blockquote>\s*<p>\[!(\w+)\](?:<br \/>)?\s*([\s\S]*?)<\/blockquote>/g,
    (_, kind: string, rest: string) => {
      const title = kind[0] + kind.slice(1).toLowerCase();
      return `<div class="markdown-alert markdown-alert-${kind.toLowerCase()}"><p class="markdown-alert-title">${title}</p><p>${rest}</div>`;
    },
  );
}

function page({ heading, markdown, firstTable }: Picture, theme: 'light' | 'dark'): string {
  const css = readFileSync(join(ROOT, `node_modules/github-markdown-css/github-markdown-${theme}.css`), 'utf8');
  const [back, edge, head, ink] =
    theme === 'light' ? ['#ffffff', '#d1d9e0', '#f6f8fa', '#59636e'] : ['#0d1117', '#3d444d', '#151b23', '#9198a1'];
  return `<!doctype html><meta charset="utf-8"><style>${css}
    body { margin: 0; padding: 16px; background: ${back}; }
    .box { border: 1px solid ${edge}; border-radius: 6px; overflow: hidden; }
    .frame { padding: 8px 16px; background: ${head}; border-bottom: 1px solid ${edge}; color: ${ink}; font: 14px "Noto Sans", "Liberation Sans", Arial, sans-serif; }
    .frame i { font-style: normal; font-size: 12px; border: 1px solid ${edge}; border-radius: 2em; padding: 0 6px; }
    .markdown-body { padding: 16px; }
  </style><div class="box"><div class="frame">${heading}</div><article class="markdown-body">${toHtml(markdown)}</article></div>
  <script>
    const table = ${firstTable ? "document.querySelector('table')" : 'null'};
    document.documentElement.dataset.height = Math.ceil(table ? table.getBoundingClientRect().bottom + 10 : document.body.scrollHeight);
  </script>`;
}

function chromium(args: string[]): string {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--force-device-scale-factor=1.5'];
  return execFileSync(process.env.CHROMIUM ?? 'chromium', [...flags, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function shoot(picture: Picture, scratch: string): void {
  for (const theme of ['light', 'dark'] as const) {
    const html = join(scratch, `${picture.name}-${theme}.html`);
    writeFileSync(html, page(picture, theme));
    const url = pathToFileURL(html).href;
    const height = /data-height="(\d+)"/.exec(chromium([`--window-size=${width},200`, '--dump-dom', url]))?.[1];
    if (height === undefined) throw new Error(`Could not measure ${picture.name}`);
    const file = join(ROOT, 'docs/images', `${picture.name}${theme === 'dark' ? '-dark' : ''}.png`);
    chromium([`--window-size=${width},${height}`, `--screenshot=${file}`, url]);
    writeFileSync(file, withWords(readFileSync(file), wordsOf(picture.markdown)));
    console.log(`${file} ${Math.round(statSync(file).size / 1024)} kB`);
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'render-'));
try {
  for (const picture of await takePictures()) shoot(picture, scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
