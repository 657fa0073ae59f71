import { crc32 } from 'node:zlib';
import { startGitHub } from '../github/index.ts';
import { client } from '../rehearse/measure.ts';
import type { ActionName } from '../runner/action.ts';
import { type GitHubEvent, pullRequest, schedule } from '../runner/events.ts';
import { runAction } from '../runner/runner.ts';
import { type AddedBranch, startService } from '../service/index.ts';

const bot = '<b>github-actions</b> <i>bot</i> commented';

export interface Picture {
  /** That of its files in docs/images. */
  name: string;
  /** Cuts the picture below its first table. */
  firstTable?: boolean;
  /** The heading above it, as on GitHub. HTML. */
  heading: string;
  markdown: string;
}

/** The summaries and comments of real runs for a pull request, and of a nightly prune. */
export async function takePictures(): Promise<Picture[]> {
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
    action: ActionName,
    inputs: Record<string, string>,
    event: GitHubEvent = pullRequest({ number: 7, title: 'Let customers log in' }),
    env: Record<string, string> = {},
  ) => {
    const access = { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl };
    const step = { action, event, inputs: { ...access, ...inputs }, env: { ...github.env, ...env } };
    const finished = await runAction(step);
    if (finished.code !== 0) throw new Error(finished.maskedLog());
    return finished;
  };
  const comment = (title: string) => {
    const found = github.state.comments.find(({ body }) => body.includes(`### ${title}`));
    if (!found) throw new Error(`There is no comment "${title}"`);
    return found.body;
  };
  try {
    github.state.addPull({ number: 7 });
    await run('lifecycle', { comment: 'true', expires_in: '14d' });
    await service.query(
      'preview/pr-7',
      `ALTER TABLE customers ADD COLUMN password_hash text, ALTER COLUMN name TYPE character varying(60);
       ALTER TABLE orders ADD COLUMN total numeric(12,2) DEFAULT 0 NOT NULL;
       ALTER TABLE orders DROP COLUMN note;
       ALTER TABLE customers DISABLE ROW LEVEL SECURITY;
       CREATE INDEX orders_customer ON orders (customer);`,
    );
    await run('diff', { comment: 'true' });
    const rehearsed = await run('rehearse', { run: client }, undefined, slowMigration);

    github.state.addPull({ number: 3, state: 'merged' });
    github.state.addPull({ number: 4, state: 'closed' });
    github.state.addPull({ number: 5 });
    await service.addBranches([
      branchOf('preview/pr-3', { 'github-pr-number': '3' }, 9),
      branchOf('preview/pr-4', { 'github-pr-number': '4' }, 2),
      branchOf('preview/pr-5', { 'github-pr-number': '5' }, 4),
      branchOf('preview/spike', {}, 41),
    ]);
    const pruned = await run('prune', { older_than: '30d', dry_run: 'true' }, schedule());
    return [
      { name: 'summary-prune', heading: 'prune summary', markdown: pruned.summary },
      { name: 'comment', heading: bot, markdown: comment('Database branch') },
      { name: 'summary-rehearse', heading: 'rehearse summary', markdown: rehearsed.summary },
      // Below it, the README's quick start must still be on the first screen.
      { name: 'comment-diff', heading: bot, markdown: comment('Schema'), firstTable: true },
    ];
  } finally {
    await service.stop();
    await github.close();
  }
}

/** Blocks a table while it fills a column of all its rows. */
const slowMigration = {
  STEPS: JSON.stringify([
    { sql: 'BEGIN' },
    // Long enough to be sampled: then the report names the statement that took the lock.
    { sql: 'ALTER TABLE visits ALTER COLUMN page TYPE bigint' },
    { sql: "ALTER TABLE visits ADD COLUMN country text NOT NULL DEFAULT 'unknown'" },
    { sql: "UPDATE visits SET country = CASE id % 3 WHEN 0 THEN 'fr' WHEN 1 THEN 'jp' ELSE 'br' END" },
    { sql: 'COMMIT' },
  ]),
};

/** A branch of this repository that is so many days old. */
function branchOf(name: string, more: Record<string, string>, days: number): AddedBranch {
  return {
    name,
    endpoint: false,
    createdAt: Date.now() - days * 86_400_000,
    annotations: { 'github-commit-repo': 'octo-org/octo-repo', 'github-commit-author-login': 'octocat', ...more },
  };
}

/** The words of a text: what differs from run to run is left out. */
export function wordsOf(markdown: string): string {
  return markdown
    .replace(/^(✅|⚠️) /gm, '')
    .replace(/\b([a-z]{2}-)?[a-z]+-[a-z]+-[a-z0-9]{8}\b/g, '$1ID')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
    .replace(/\b[0-9a-f]{7,}\b|[━─▏▎▍▌▋▊▉█]+/g, '')
    .replace(/\d+(\.\d+)?( ?(ms|s|[kM]B)\b)?/g, '0')
    .replace(/\s+/g, ' ')
    .trim();
}

const keyword = 'words';

/** A PNG that carries the words it shows, in a chunk of text before the last one, which ends it. */
export function withWords(png: Buffer, words: string): Buffer {
  const body = Buffer.from(`tEXt${keyword}\0${encodeURIComponent(words)}`, 'latin1');
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([png.subarray(0, -12), chunk, png.subarray(-12)]);
}

/** The words that a picture carries; undefined without any. */
export function wordsIn(png: Buffer): string | undefined {
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const text = png.toString('latin1', at + 4, at + 8 + png.readUInt32BE(at));
    if (text.startsWith(`tEXt${keyword}\0`)) return decodeURIComponent(text.slice(5 + keyword.length));
  }
  return undefined;
}
