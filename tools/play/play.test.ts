import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, ROOT, read } from '../files.ts';
import { NODE } from '../runner/runner.ts';
import { type PlayOptions, play } from './play.ts';
import { warningsOf } from './warnings.ts';

async function played(text: string, options: Partial<PlayOptions> = {}) {
  const lines: string[] = [];
  const succeeded = await play({
    ...{ files: [{ path: 'preview.yml', text }], events: ['pull_request.opened'], action: 'acme/db-branch' },
    ...{ vars: {}, secrets: {}, inputs: {}, outputs: {}, compute: 'none' as const },
    ...options,
    print: (line) => lines.push(line),
  });
  return { succeeded, text: lines.join('\n') };
}

const expression = (text: string) => `\${{ ${text} }}`;
const workflow = (steps: string, more = '', on = '[pull_request, push]') => `
on: ${on}
jobs:
  preview:
    runs-on: ubuntu-latest
${more}
    steps:
${steps.replace(/^/gm, '      ')}
`;
const step = (inputs = '', action = '') => `
- id: db
  uses: acme/db-branch${action}@v1
  with:
    project_id: \${{ vars.NEON_PROJECT_ID }}
    api_key: \${{ secrets.NEON_API_KEY }}
${inputs.replace(/^(?=.)/gm, '    ')}
`;
const deploy = `- run: ./deploy.sh \${{ secrets.DEPLOY }} \${{ vars.TEAM }}\n`;
const ours = step('api_host: https://real.example\ncomment: true') + deploy;
/** Events of a pull request, as `types:` and for `--event`. */
const pulls = (...actions: string[]) => ({
  on: `{ pull_request: { types: [${actions}] } }`,
  events: actions.map((action) => `pull_request.${action}`),
});

it('plays a workflow against the local services only, and says what it did', async () => {
  const events = ['pull_request.opened', 'schedule', 'pull_request.closed'];
  const { succeeded, text } = await played(workflow(ours), { events, vars: { team: 'shop' } });
  expect(text).toContain(
    'Scripts and other actions are not run, and count as successful; their outputs are empty unless set with --output.',
  );
  expect(text).toContain('secrets.DEPLOY is empty; set it with --secret DEPLOY=VALUE.');
  expect(text).not.toContain('vars.TEAM is empty');
  expect(text).toMatch(/success: acme\/db-branch@v1[\s\S]*│ .*Created branch "preview\/pr-7"/);
  expect(text).toMatch(/\n {6}outputs: .*\bbranch_id\b.*\bdb_url\b/);
  expect(text).toMatch(/\n {6}summary:\n {8}\S/);
  expect(text).toMatch(/not run: \.\/deploy\.sh/);
  expect(text).toContain('branches: main, preview/pr-7');
  expect(text).toContain('schedule\n  This event does not start the workflow.');
  expect(text).toContain('Comment on #7:');
  expect(text).not.toMatch(/real\.example|postgresql:\/\/\w+:(?!\*)/);
  expect(succeeded).toBe(true);
});

it.each<[string, string, string | RegExp]>([
  ['the linter', workflow(ours, '', '[pull_requests]'), 'preview.yml is invalid:'],
  ['an invalid value', workflow(step('comment: maybe')), 'preview.yml:14:11: comment: "maybe" is invalid'],
  ['an unknown action', workflow(step('', '/purge')), /has only the actions .*:\n {2}acme\/db-branch\/purge$/],
  [
    'another action',
    workflow(ours.replace('acme/', 'other/')),
    "Set --action to this action's name in the workflow's `uses:`:\n  other/db-branch",
  ],
  [
    'a secret without a value',
    workflow(ours.replace('NEON_API_KEY', 'NEON_KEY')),
    /These are not set.*:\n {2}preview\.yml: secrets\.NEON_KEY; set it with --secret NEON_KEY=VALUE$/,
  ],
  [
    'a step that needs Postgres',
    workflow(step('check_connection: true')),
    /^A rehearsal, .* leave out `--compute none`\.$/,
  ],
])('stops at %s', async (_, text, message) => {
  const run = await played(text);
  expect(run.text).toMatch(message);
  expect([run.succeeded, run.text.includes('branches:')]).toEqual([false, false]);
});

it('says what is wrong with options', async () => {
  const { succeeded, text } = await played(workflow(ours), {
    ...{ events: ['pull_request.synchronized', 'shedule'], inputs: { nane: 'x' } },
  });
  expect(text).toMatch(/^Unknown event pull_request\.synchronized, shedule\. Supported events:\n {2}pull/);
  expect(text).toContain('None of the runs has these inputs:\n  nane');
  expect(succeeded).toBe(false);
});

it('fails with a sentence if an expression cannot be evaluated', async () => {
  const run = await played(workflow(`${ours}- run: echo ${expression('fromJSON(vars.LIST)')}\n`));
  expect([run.succeeded, run.text]).toEqual([false, expect.stringContaining('Stopped early: empty input.')]);
});

it('plays each event on the files that it starts, in one repository and one project', async () => {
  const files = [
    { path: 'preview.yml', text: workflow(ours, '', pulls('opened').on) },
    {
      path: 'prune.yml',
      text: workflow(step('timeout: 5m', '/prune'), '', "{ schedule: [{ cron: '17 3 * * *' }] }"),
    },
  ];
  const events = ['pull_request.opened', 'pull_request.closed', 'schedule'];
  const { succeeded, text } = await played('', { files, events });
  expect(text).toContain('preview.yml is valid.\nprune.yml is valid.\n');
  expect(text).toContain('Warning: preview.yml:2:21: Event pull_request: its types lack `closed`');
  expect(text).toContain('\npull_request.opened\n  preview.yml\n  job preview: success\n');
  expect(text).toContain(
    'pull_request.closed\n  This event does not start any of these workflows.\n  branches: main, pr',
  );
  expect(text).toMatch(
    /\nschedule\n {2}prune\.yml\n[\s\S]*Deleted branch "preview\/pr-7"[\s\S]*\n {2}branches: main\n/,
  );
  expect(succeeded).toBe(true);
});

it('gives inputs only to runs that are dispatched, with booleans in `inputs` and texts in the payload', async () => {
  const name = `x/${expression("inputs.fresh && 'new' || 'old'")}-${expression('github.event.inputs.fresh')}${expression('inputs.name')}`;
  const on =
    '{ push: null, workflow_dispatch: { inputs: { fresh: { type: boolean }, name: { type: string, default: "-mine" } } } }';
  const text = workflow(step(`branch_name: ${name}`), '', on);
  const { text: said } = await played(text, { events: ['push', 'workflow_dispatch'], inputs: { fresh: 'true' } });
  const names = [...said.matchAll(/Created branch "x\/(.*?)"/g)].map(([, one]) => one);
  expect([...new Set(names)]).toEqual(['old-', 'new-true-mine']);
});

it('plays a reusable workflow of the same repository with its caller, and no other', async () => {
  const called = workflow(
    step(`branch_name: x/${expression('inputs.name')}`),
    `    outputs: { id: "${expression('steps.db.outputs.branch_id')}" }`,
    `{ workflow_call: { inputs: { name: { type: string } }, secrets: { api_key: { required: true } }, outputs: { id: { value: "${expression('jobs.preview.outputs.id')}" } } } }`,
  ).replace('NEON_API_KEY', 'api_key');
  const caller = `
on: pull_request
jobs:
  call: { uses: ./.github/workflows/called.yml, with: { name: mine }, secrets: { api_key: "${expression('secrets.NEON_API_KEY')}" } }
  use: { needs: call, if: "startsWith(needs.call.outputs.id, 'br-')", runs-on: ubuntu-latest, steps: [{ run: echo }] }
  other: { uses: acme/workflows/.github/workflows/deploy.yml@v1 }
`;
  const readCalled = (uses: string) => ({ path: uses.slice(2), text: called });
  const { succeeded, text } = await played(caller, { readCalled });
  expect(text).toMatch(/job call: success\n {4}success: acme[\s\S]*Created branch "x\/mine"/);
  expect(text).toContain('job use: success');
  expect(text).toContain('job other: not played, because it calls acme/workflows/.github/workflows/deploy.yml@v1');
  expect(succeeded).toBe(true);
  const broken = await played(caller, {
    readCalled: (uses) => ({ path: uses.slice(2), text: called.replace('branch_name', 'branchname') }),
  });
  expect(broken.text).toMatch(/^\.github\/workflows\/called\.yml is invalid:\n/);
});

it('knows an action by its URL, as Gitea does, and fails at a script that does nothing else', async () => {
  const own = ours.replace('acme/', 'https://git.example.com/acme/');
  const { text, succeeded } = await played(workflow(`${own}\n- { name: Gate, run: exit 1 }\n- run: "true"`));
  expect(text).toMatch(/Created branch[\s\S]*failure: Gate\n.*does nothing but fail\.\n {4}skipped: true/);
  expect(succeeded).toBe(false);
});

it('says what it leaves out', async () => {
  const more = `${workflow(ours, '    services: { redis: { image: redis } }\n    environment: review', '{ pull_request: { branches: [main] } }')}
  test: { runs-on: ubuntu-latest, steps: [{ run: "echo ${expression("hashFiles('package-lock.json')")}" }] }
`;
  const { text } = await played(more, { events: [] });
  expect(text).toContain('hashFiles() always returns an empty text.');
  expect(text).toContain('Event pull_request: filters are not evaluated (branches).');
  expect(text).toContain('Job preview: its services are not started.');
  expect(text).toContain('Job preview: its environment needs no approval here.');
});

describe('warnings', () => {
  const warnings = (text: string) => warningsOf(text, 'preview.yml', { repositories: ['acme/db-branch'] });

  it.each([
    ["vars['KEY'] || secrets.KEY", true],
    ['env.KEY', false],
  ])('about a key that is no secret: "%s"', (key, warns) => {
    const said = warnings(workflow(ours.replace('secrets.NEON_API_KEY', key))).join('\n');
    expect(said.includes('`api_key` should come from `secrets`')).toBe(warns);
  });

  it('about connection URIs that a script cuts', () => {
    const url = expression('steps.db.outputs.db_url');
    const said = warnings(
      workflow(`${step('command: get')}
- run: echo DATABASE_URL=${url} >> .env
- run: |
    export A="${url}"
    export DATABASE_URL=${url}
- run: echo "DIRECT_URL=${expression('steps.db.outputs.db_url_pooled')}?sslmode=require" >> .env
- run: psql '${url}' && echo ${expression('steps.db.outputs.db_host')}
`),
    );
    expect(said.filter((line) => line.includes('The URI'))).toEqual([
      expect.stringMatching(/:16:\d+: The URI has `&` in it/),
      expect.stringMatching(/:19:1: The URI has `&` in it/),
      expect.stringMatching(/:20:\d+: The URI already has parameters/),
    ]);
  });

  it('are none for the examples but of running what they rehearse', () => {
    const said = filesBelow('examples', /\.ya?ml$/).flatMap((path) => warningsOf(read(path), path));
    expect(said.filter((warning) => !warning.includes('runs on this machine'))).toEqual([]);
  });
});

describe('a rehearsal', () => {
  let workspace: string;
  beforeAll(() => (workspace = mkdtempSync(join(tmpdir(), 'workspace-'))));
  afterAll(() => rmSync(workspace, { recursive: true }));
  const rehearse = (run: string) => step(`run: ${run}`, '/rehearse') + deploy;

  it('runs in the workspace that is given, trusts the local service, is cancelled like on a runner, and leaves no branch', async () => {
    // `pg` verifies the certificate
    const connect = `
      import pg from ${JSON.stringify(createRequire(import.meta.url).resolve('pg'))};
      const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
      await client.connect();
      await client.end();`;
    writeFileSync(join(workspace, 'connect.mjs'), connect);
    const cancel = new AbortController();
    const started = join(workspace, 'started');
    const watcher = watch(workspace, () => existsSync(started) && cancel.abort());
    try {
      const text = workflow(rehearse(`'"${NODE}" connect.mjs && touch started && sleep 300'`));
      const run = await played(text, {
        ...{ workspace, compute: 'postgres', cancel: cancel.signal, events: ['push', 'push'] },
      });
      expect(run.text).toContain(`runs on this machine, in ${workspace}.`);
      expect(run.text).toMatch(/job preview: cancelled\n {4}cancelled: acme/);
      expect(run.text).toContain('skipped: ./deploy.sh');
      expect(run.text.split('branches:').slice(1)).toEqual([' main']);
      expect(run.succeeded).toBe(false);
    } finally {
      watcher.close();
    }
  });
});

describe('a migration', () => {
  const diff = step('', '/diff').replace('id: db', 'id: diff');
  const events = ['pull_request.opened', 'pull_request.synchronize'];
  const migrated = (sql: string, text = workflow(ours + diff), more: Partial<PlayOptions> = {}) =>
    played(text, { events, migrate: [{ path: 'add.sql', sql }], compute: 'postgres', ...more });

  it('runs once on each branch, one statement at a time, so that `diff` sees it', async () => {
    const { succeeded, text } = await migrated(`
      -- a comment; and "quotes"
      set search_path = public;
      create table shops (id int, name text); create index concurrently by_id on shops (id);
      begin; alter table shops add column é text default ';'; commit;
      /* done */`);
    const [opened = '', synchronize = ''] = text.split('\npull_request.synchronize');
    expect(opened).toContain('│ Ran add.sql in database neondb of preview/pr-7.\n');
    expect(synchronize).toContain(
      '│ add.sql did not run in database neondb of preview/pr-7, because it had run before.',
    );
    expect(text).toContain('by_id');
    expect(succeeded).toBe(true);
    const without = await played(workflow(ours + diff));
    expect(without.text).toContain("Scripts are not run, so `diff` doesn't see what a migration script would change.");
  });

  it('has files for each database, run as the role of the connection up to the first that fails; the seed runs as the owner', async () => {
    const get = step(`branch_name: x\ndatabase: ${expression('matrix.name')}\nrole: app_owner`);
    const { succeeded, text } = await migrated('', workflow(get, '    strategy: { matrix: { name: [shop, blog] } }'), {
      databases: ['shop=app_owner', 'blog=app_owner'],
      seed: [{ path: 'seed.sql', sql: 'create table a (id int)', database: 'shop' }],
      migrate: [
        { path: 'shop.sql', sql: 'alter table a add b int', database: 'shop' },
        { path: '1.sql', sql: 'create table b (id int);\n-- typo\ncreate tabel other (id int);' },
        { path: '2.sql', sql: 'select 1' },
      ],
      events: ['pull_request.opened'],
    });
    expect(text).toMatch(/job preview \(shop\): success\n[\s\S]*Ran shop\.sql in database shop of x\./);
    expect(text).toMatch(
      /job preview \(blog\): failure\n[\s\S]*│ --migrate 1\.sql failed in database blog of x: syntax error at or near "tabel" \(line 3: create tabel other \(id int\)\)\n/,
    );
    expect(succeeded).toBe(false);
  });
});

it('takes the outputs of steps that it does not run, and adds databases and branches', async () => {
  const name = expression('steps.name.outputs.it');
  const text = workflow(
    `- id: name\n  run: make\n${step(`branch_name: x/${name}\ndatabase: shop\nparent_branch: staging`)}`,
  );
  const without = await played(text);
  expect(without.text).toContain('steps.name.outputs.it is empty; set it with --output name.it=VALUE.');
  const more = { databases: ['shop'], branches: ['staging'] };
  const given = await played(text, { outputs: { 'name.it': 'given' }, ...more });
  expect(given.text).toContain('Created branch "x/given"');
  expect(given.text).toContain('branches: main, staging, x/given');
  expect(given.succeeded).toBe(true);
});

it("has the permissions of the job's token", async () => {
  const { text } = await played(workflow(step('comment: true'), '    permissions: { contents: read }'));
  expect(text).toContain('set `permissions: { pull-requests: write }` on the job');
  const prune = (permissions: string) =>
    played(workflow(step() + step('', '/prune').replace('id: db', 'id: prune'), `    permissions: ${permissions}`));
  expect((await prune('{}')).text).toContain('set `permissions: { pull-requests: read }` on the job');
  expect((await prune('read-all')).succeeded).toBe(true);
});

it('has no secrets for a pull request from a fork, and a token that cannot comment', async () => {
  const skipping = step('on_missing_key: skip\ncomment: true');
  const { succeeded, text } = await played(workflow(skipping), { fork: true });
  expect(text).toContain('\npull_request.opened (from a fork: without secrets, and with a token that only reads)\n');
  expect(text).toContain("GitHub doesn't pass secrets to pull requests from forks");
  expect(text).not.toContain('Created branch');
  expect(succeeded).toBe(true);
  const run = await played(workflow(step('comment: true').replace('secrets.NEON_API_KEY', 'vars.KEY')), {
    ...{ fork: true, vars: { KEY: 'x' } },
  });
  expect(run.text).toContain('Created branch "preview/pr-7"');
  expect(run.text).toContain('the token lacks a permission');
});

it('knows whether a pull request is closed, also when it is commented on', async () => {
  const on = '{ pull_request: { types: [opened, closed, labeled, reopened] }, issue_comment: null }';
  const events = ['opened', 'closed', 'labeled', 'reopened'].map((action) => `pull_request.${action}`);
  const { text } = await played(workflow(step(), '', on), {
    events: [...events.toSpliced(2, 0, 'issue_comment'), 'issue_comment'],
    label: 'shipped',
  });
  const [, , commented, labeled, reopened, again] = text.split(/\n(?:pull_request\.\w+|issue_comment)\n/).slice(1);
  for (const one of [commented, labeled]) expect(one).toMatch(/pull request #7 is closed[\s\S]*branches: main\n?$/);
  expect(reopened).toContain('Created branch "preview/pr-7"');
  expect(again).toContain('preview/pr-7');
});

it('has a label until the event that removes it', async () => {
  const name = `x/${expression("join(github.event.pull_request.labels.*.name, '+') || 'none'")}-${expression('github.event.label.name')}-${expression('github.base_ref')}`;
  const { on, events } = pulls('labeled', 'synchronize', 'unlabeled');
  const { text } = await played(workflow(step(`branch_name: ${name}`), '', on), {
    events,
    label: 'ok',
    base: 'staging',
  });
  const names = [...text.matchAll(/Created branch "x\/(.*?)"/g)].map(([, one]) => one);
  expect([...new Set(names)]).toEqual(['ok-ok-staging', 'ok--staging', 'none-ok-staging']);
});

describe('npm run play', () => {
  const run = (args: string[]) =>
    promisify(execFile)(NODE, [join(ROOT, 'tools/play/index.ts'), ...args], {
      cwd: ROOT,
      env: { ...process.env, INIT_CWD: join(ROOT, 'examples') },
    }).catch((error: { stdout: string; stderr: string; code: number }) => error);

  it('finds files from where npm was called', async () => {
    const { stdout } = await run('preview-per-pull-request.yml --event pull_request.opened --compute none'.split(' '));
    expect(stdout).toContain('preview-per-pull-request.yml is valid.');
    expect(stdout).toContain('job database: success');
  });

  it('says what is wrong in a sentence, without a stack', async () => {
    const { stderr } = await run(['nightly-prune.yml', '--event', 'push', '--secret', 'KEY']);
    expect(stderr).toBe('--secret: "KEY" is invalid; expected NAME=VALUE\n');
  });
});
