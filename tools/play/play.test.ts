import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT, read } from '../files.ts';
import { NODE } from '../runner/runner.ts';
import { type PlayOptions, play } from './play.ts';

async function played(text: string, options: Partial<PlayOptions> = {}) {
  const lines: string[] = [];
  const succeeded = await play({
    ...{ path: 'preview.yml', text, events: ['pull_request.opened'], action: 'acme/db-branch' },
    ...{ vars: {}, secrets: {}, number: 7, compute: 'none' as const },
    ...options,
    print: (line) => lines.push(line),
  });
  return { succeeded, text: lines.join('\n') };
}

const workflow = (steps: string, more = '') => `
on: [pull_request, push]
jobs:
  preview:
    runs-on: ubuntu-latest
${more}
    steps:
${steps.replace(/^/gm, '      ')}
`;
const ours = `
- uses: acme/db-branch@v1
  with:
    project_id: \${{ vars.NEON_PROJECT }}
    api_key: \${{ secrets.NEON_KEY }}
    api_host: https://real.example
    comment: true
- run: ./deploy.sh \${{ secrets.DEPLOY }} \${{ vars.TEAM }}
`;

it('plays a workflow with any names against the local services only, and says what it does not run', async () => {
  const events = ['pull_request.opened', 'schedule', 'pull_request.closed'];
  const { succeeded, text } = await played(workflow(ours), { events, vars: { TEAM: 'shop' } });
  expect(text).toContain('Scripts, and actions other than this one, are not run');
  expect(text).toContain('secrets.DEPLOY is empty; set it with --secret DEPLOY=VALUE.');
  expect(text).not.toContain('vars.TEAM is empty');
  expect(text).toContain('success: acme/db-branch@v1');
  expect(text).toContain('Created branch "preview/pr-7"');
  expect(text).toMatch(/not run: \.\/deploy\.sh/);
  expect(text).toContain('branches: main, preview/pr-7');
  expect(text).toContain('schedule\n  This event does not start the workflow.');
  expect(text).toContain('Comment on #7:');
  expect(text).not.toContain('real.example');
  expect(succeeded).toBe(true);
});

it.each<[string, string, string | RegExp]>([
  ['the linter', workflow(ours).replace('pull_request,', 'pull_requests,'), 'preview.yml is invalid:'],
  [
    'an unknown input',
    workflow(ours.replace('comment:', 'coment:')),
    'preview.yml:14:11: coment is not an input; did you mean `comment`?',
  ],
  ['a syntax error', workflow('- run: {'), /^preview\.yml is invalid:\n {2}preview\.yml:9:1: Flow map.*$/],
  [
    'an unknown output',
    workflow(ours.replace('- uses', '- id: db\n  uses').replace('vars.TEAM', 'steps.db.outputs.db_uri')),
    'preview.yml:16:52: unknown output "db_uri"; did you mean "db_url"?',
  ],
  [
    'another action',
    workflow(ours.replace('acme/', 'other/')),
    'Set `--action` to what the workflow calls this action',
  ],
])('stops at %s', async (_, text, message) => {
  const run = await played(text);
  expect(run.text).toMatch(message);
  expect([run.succeeded, run.text.includes('branches:')]).toEqual([false, false]);
});

it('fails with a sentence if an expression fails', async () => {
  const { succeeded, text } = await played(workflow(`${ours}- run: echo \${{ fromJSON(secrets.NOTHING).x }}\n`));
  expect(text).toContain('Cannot be played to the end: empty input.');
  expect(succeeded).toBe(false);
});

it('names the events that it can play', async () => {
  const { succeeded, text } = await played(workflow(ours), { events: ['pull_request.milestoned', 'push'] });
  expect(text).toMatch(/^Cannot play pull_request\.milestoned\. These can be played:\n {2}pull_request\.opened\n/);
  expect(succeeded).toBe(false);
});

it('says which jobs it leaves out, and why', async () => {
  const text = `${workflow(ours, '    services: { redis: { image: redis } }')}
  deploy:
    uses: acme/workflows/.github/workflows/deploy.yml@v1
  test:
    runs-on: ubuntu-latest
    steps:
      - run: echo \${{ hashFiles('package-lock.json') }}
`.replace('[pull_request, push]', '{ pull_request: { branches: [main] } }');
  const { succeeded, text: said } = await played(text);
  expect(said).toContain('hashFiles() is empty.');
  expect(said).toContain('Event pull_request: its filters (branches) are not evaluated.');
  expect(said).toContain('Job preview: its services are not started.');
  expect(said).toContain('Job deploy: not played, because it calls a reusable workflow (acme/workflows/');
  expect(succeeded).toBe(true);
});

it('gives each event a run of its own, and each job its name', async () => {
  const name = `branch_name: x/${['github.run_id', 'github.run_number', 'github.job', 'matrix.n'].map((one) => `\${{ ${one} }}`).join('-')}`;
  const matrix = '    strategy: { matrix: { n: [1], include: [{ n: 2 }] } }';
  const { text } = await played(workflow(ours.replace('comment: true', name), matrix), {
    events: ['pull_request.opened', 'push'],
  });
  const names = [
    '1658821493-1-preview-1',
    '1658821493-1-preview-2',
    '1658821494-2-preview-1',
    '1658821494-2-preview-2',
  ];
  for (const one of names) expect(text).toContain(`Created branch "x/${one}"`);
});

it.each<[string, string, string | undefined]>([
  ['a comment without permission', 'permissions: { contents: read }', '`comment: true` needs `pull-requests: write`'],
  ['a comment with it', 'permissions: { pull-requests: write }', undefined],
  ['a comment without a block', '', undefined],
])('warns of %s', async (_, permissions, warning) => {
  const { text } = await played(workflow(ours, permissions && `    ${permissions}`), { events: [] });
  const said = text.split('\n').filter((line) => line.startsWith('Warning: Job'));
  expect(said).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
});

it.each([
  ['[pull_request, push]', true],
  ['{ pull_request: { types: [opened, synchronize] } }', true],
  ['{ pull_request: { types: [opened, closed] } }', false],
  ['push', false],
])('warns if `auto` does not learn that a pull request closes: %s', async (on, warns) => {
  const { text } = await played(workflow(ours).replace('[pull_request, push]', on), { events: [] });
  expect(text.includes('Warning: Event pull_request: its types lack `closed`')).toBe(warns);
});

it('says that a migration is not run before `diff`, and that the one of `rehearse` is', async () => {
  const diff = ours.replace('comment: true', 'command: diff');
  const { text } = await played(workflow(ours + diff));
  expect(text).toContain("Scripts are not run, so `diff` doesn't see what a migration script would change.");
  expect(text).not.toContain('runs on this machine');
  const rehearse = ours.replace('comment: true', 'command: rehearse\n    run: npm run migrate');
  const rehearsed = await played(workflow(rehearse), { events: [] });
  expect(rehearsed.text).toContain(
    'Warning: Job preview: the `run` of `command: rehearse` runs on this machine, in an empty folder.',
  );
});

it('fails with the file and the error if the seed fails', async () => {
  const seed = { path: 'seed.sql', sql: 'select * from nowhere' };
  const { succeeded, text } = await played(workflow(ours), { seed, compute: 'postgres' });
  expect(text).toMatch(/The SQL in seed\.sql failed:\n {2}.*relation "nowhere" does not exist$/);
  expect(succeeded).toBe(false);
});

it('says that it cannot read the seed, without a stack', async () => {
  const args = [join(ROOT, 'tools/play/index.ts'), 'examples/forks.yml', '--event', 'push', '--seed', 'none.sql'];
  const { stderr } = await promisify(execFile)(NODE, args, { cwd: ROOT }).catch((error: { stderr: string }) => error);
  expect(stderr).toMatch(/^The file for --seed cannot be read: ENOENT.*none\.sql'\n$/);
});

it('is quiet when its reader has read enough', async () => {
  const file = 'examples/preview-per-pull-request.yml';
  const play = `"${NODE}" tools/play/index.ts ${file} --event pull_request.opened --compute none`;
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', `${play} | head -n 1`], { cwd: ROOT });
  expect([stdout, stderr]).toEqual([`${file} is valid.\n`, '']);
});

it('is a command', async () => {
  const file = 'examples/preview-per-pull-request.yml';
  const args = [join(ROOT, 'tools/play/index.ts'), file, '--event', 'pull_request.opened', '--compute', 'none'];
  const { stdout } = await promisify(execFile)(NODE, args, { cwd: ROOT });
  expect(stdout).toContain(`${file} is valid.`);
  expect(stdout).toContain('job database: success');
  expect(read('package.json')).toContain('"play": "node tools/play/index.ts"');
});
