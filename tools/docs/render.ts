/**
 * Renders job summaries and comments as images for the README, in light and dark.
 *
 *   npm run build && node tools/docs/render.ts [folder]     writes docs/images/*.png
 *
 * The texts come from real runs of the bundle against the local service. They are rendered with GitHub's style sheet in a headless
 * Chromium: `chromium` on the PATH, or the command in CHROMIUM. No test depends on this.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startGitHub } from '../github/index.ts';
import { client } from '../rehearse/measure.ts';
import { actionNames } from '../runner/action.ts';
import { type GitHubEvent, pullRequest, schedule } from '../runner/events.ts';
import { type Run, runAction } from '../runner/runner.ts';
import { type AddedBranch, startService } from '../service/index.ts';
import { rendered } from './rendered.ts';

const root = dirname(dirname(import.meta.dirname));
const width = 780;
const day = 86_400_000;
const repository = 'octo-org/octo-repo';

interface Picture {
  name: string;
  /** Cuts the picture below its first table. */
  firstTable?: boolean;
  /** The heading above it, as on GitHub. HTML. */
  heading: string;
  markdown: string;
}

/** The summaries and comments of the runs for a pull request, and of a nightly prune. */
async function takePictures(): Promise<Picture[]> {
  const github = await startGitHub();
  const service = await startService({
    operationMs: { create_branch: 740, start_compute: 310, suspend_compute: 120, delete_timeline: 460 },
    slots: 4,
    seed: `
      CREATE TABLE customers (id integer PRIMARY KEY, email text, name character varying(100));
      CREATE TABLE orders (id integer PRIMARY KEY, customer integer REFERENCES customers, note text);
      CREATE TABLE visits (id integer PRIMARY KEY, page integer NOT NULL, at timestamptz NOT NULL DEFAULT now());
      INSERT INTO visits SELECT i, i % 5000 FROM generate_series(1, 300000) i;
      ALTER TABLE customers ENABLE ROW LEVEL SECURITY;`,
  });
  const run = async (
    inputs: Record<string, string>,
    event: GitHubEvent = pullRequest({ number: 7, title: 'Let customers log in' }),
    env: Record<string, string> = {},
  ) => {
    const { command = '', ...others } = inputs;
    const action = actionNames.find((name) => name === command && name !== 'lifecycle');
    const access = { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl };
    const finished = await runAction({
      ...(action ? { action, inputs: { ...access, ...others } } : { inputs: { ...access, ...inputs } }),
      event,
      env: { ...github.env, ...env },
      token: 'ghs_tokenOfThisRun',
    });
    if (finished.code !== 0) throw new Error(finished.maskedLog());
    return finished;
  };
  const comment = (kind: string) => github.state.comments.find((one) => one.body.includes(`kind=${kind}`))?.body ?? '';
  try {
    github.state.addPull({ number: 7 });
    await run({ comment: 'true', expires_in: '14d' });
    await service.query(
      'preview/pr-7',
      `ALTER TABLE customers ADD COLUMN password_hash text, ALTER COLUMN name TYPE character varying(60);
       ALTER TABLE orders ADD COLUMN total numeric(12,2) DEFAULT 0 NOT NULL;
       ALTER TABLE orders DROP COLUMN note;
       ALTER TABLE customers DISABLE ROW LEVEL SECURITY;
       CREATE INDEX orders_customer ON orders (customer);`,
    );
    await run({ command: 'diff', comment: 'true' });
    const rehearsed = await rehearse(run);
    const comments = { branch: comment('branch'), diff: comment('diff') };

    for (const [number, state] of [
      [3, 'merged'],
      [4, 'closed'],
      [5, 'open'],
    ] as const)
      github.state.addPull({ number, state });
    await service.addBranches([
      branchOf('preview/pr-3', { 'github-pr-number': '3' }, 9),
      branchOf('preview/pr-4', { 'github-pr-number': '4' }, 2),
      { ...branchOf('preview/pr-4-shard', { 'github-pr-number': '4' }, 2), parent: 'preview/pr-4' },
      branchOf('preview/pr-5', { 'github-pr-number': '5' }, 4),
      branchOf('preview/spike', {}, 41),
    ]);
    const pruned = await run({ command: 'prune', older_than: '30d' }, schedule());
    return [
      { name: 'summary-prune', heading: 'prune summary', markdown: pruned.summary },
      { name: 'comment', heading: '<b>github-actions</b> <i>bot</i> commented', markdown: comments.branch },
      { name: 'summary-rehearse', heading: 'rehearse summary', markdown: rehearsed.summary },
      {
        name: 'comment-diff',
        heading: '<b>github-actions</b> <i>bot</i> commented',
        markdown: comments.diff,
        // below it, the README's quick start must still be on the first screen
        firstTable: true,
      },
    ];
  } finally {
    await service.stop();
    await github.close();
  }
}

/** A migration that blocks a table while it fills a column of all its rows. */
function rehearse(
  run: (inputs: Record<string, string>, event?: GitHubEvent, env?: Record<string, string>) => Promise<Run>,
): Promise<Run> {
  const steps = [
    'BEGIN',
    // Long enough to be sampled: then the report names the statement that took the lock.
    'ALTER TABLE visits ALTER COLUMN page TYPE bigint',
    "ALTER TABLE visits ADD COLUMN country text NOT NULL DEFAULT 'unknown'",
    "UPDATE visits SET country = CASE id % 3 WHEN 0 THEN 'fr' WHEN 1 THEN 'jp' ELSE 'br' END",
    'CREATE INDEX visits_country ON visits (country)',
    'COMMIT',
    'CREATE INDEX orders_customer ON orders (customer)',
  ];
  const env = { STEPS: JSON.stringify(steps.map((sql) => ({ sql }))) };
  return run({ command: 'rehearse', run: client }, undefined, env);
}

/** A branch of this repository that is so many days old. */
function branchOf(name: string, more: Record<string, string>, days: number): AddedBranch {
  return {
    name,
    endpoint: false,
    createdAt: Date.now() - days * day,
    annotations: { 'github-commit-repo': repository, ...more },
  };
}

/** The HTML with what GitHub adds: alerts, and colours in a diff. */
function toHtml(markdown: string): string {
  return rendered(markdown)
    .replace(
      /<blockquote>\s*<p>\[!(\w+)\](?:<br \/>)?\s*([\s\S]*?)<\/blockquote>/g,
      (_, kind: string, rest: string) => {
        const title = kind[0] + kind.slice(1).toLowerCase();
        return `<div class="markdown-alert markdown-alert-${kind.toLowerCase()}"><p class="markdown-alert-title">${title}</p><p>${rest}</div>`;
      },
    )
    .replace(/(<code class="language-diff">)([\s\S]*?)(<\/code>)/g, (_, open: string, text: string, close: string) => {
      const colour = (line: string, index: number) => {
        const kind =
          index < 2 || line.startsWith('@@') ? 'pl-mdr' : line[0] === '+' ? 'pl-mi1' : line[0] === '-' ? 'pl-md' : '';
        return kind ? `<span class="${kind}">${line}</span>` : line;
      };
      return `${open}${text.split('\n').map(colour).join('\n')}${close}`;
    });
}

function page({ heading, markdown, firstTable }: Picture, theme: 'light' | 'dark'): string {
  const css = readFileSync(join(root, `node_modules/github-markdown-css/github-markdown-${theme}.css`), 'utf8');
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

function shoot(picture: Picture, folder: string, scratch: string): void {
  for (const theme of ['light', 'dark'] as const) {
    const html = join(scratch, `${picture.name}-${theme}.html`);
    writeFileSync(html, page(picture, theme));
    const url = pathToFileURL(html).href;
    const height = /data-height="(\d+)"/.exec(chromium([`--window-size=${width},200`, '--dump-dom', url]))?.[1];
    if (height === undefined) throw new Error(`Could not measure ${picture.name}`);
    const file = join(folder, `${picture.name}${theme === 'dark' ? '-dark' : ''}.png`);
    chromium([`--window-size=${width},${height}`, `--screenshot=${file}`, url]);
    console.log(`${file} ${Math.round(statSync(file).size / 1024)} kB`);
  }
}

const folder = process.argv[2] ?? join(root, 'docs/images');
const scratch = mkdtempSync(join(tmpdir(), 'render-'));
try {
  mkdirSync(folder, { recursive: true });
  for (const picture of await takePictures()) shoot(picture, folder, scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
