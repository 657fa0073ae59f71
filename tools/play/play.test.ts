import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { filesBelow, ROOT, read } from '../files.ts';
import { actionOf, OURS } from '../runner/repository.ts';
import { NODE } from '../runner/runner.ts';
import { selfSigned } from '../service/certificate.ts';
import { type PlayOptions, play } from './play.ts';
import { warningsOf } from './warnings.ts';

async function played(text: string, options: Partial<PlayOptions> = {}) {
  const lines: string[] = [];
  const succeeded = await play({
    ...{ files: [{ path: 'preview.yml', text }], events: ['pull_request.opened'], action: 'acme/db-branch' },
    ...{ vars: {}, secrets: {}, inputs: {}, outputs: {}, number: 7, compute: 'none' as const },
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
  expect(text).toContain('Scripts and other actions are not run; their outputs are empty unless set with --output.');
  expect(text).toContain('secrets.DEPLOY is empty; only steps that are not run read it.');
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
  [
    'an invalid value',
    workflow(ours.replace('comment: true', 'command: diff\n    fail_on: destructve')),
    'preview.yml:15:11: fail_on: "destructve" is invalid; expected ',
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
    "Set --action to this action's name in the workflow's `uses:`:\n  other/db-branch",
  ],
])('stops at %s', async (_, text, message) => {
  const run = await played(text);
  expect(run.text).toMatch(message);
  expect([run.succeeded, run.text.includes('branches:')]).toEqual([false, false]);
});

it('reports invalid inputs together with other errors, in their order', async () => {
  const text = workflow(ours.replace('comment:', 'coment:').replace('vars.TEAM', 'steps.none.outputs.x'));
  const run = await played(`${text}\n  last: { steps: [] }`);
  expect(run.text).toMatch(
    /^preview\.yml is invalid:\n {2}preview\.yml:14:11: coment is not an input.*\n {2}preview\.yml:15:\d+: property "none" is not defined.*\n {2}preview\.yml:18:/,
  );
  // Nothing is known of a file that has no steps.
  const broken = await played('on: push\njobs: { preview: }');
  expect(broken.text).toMatch(/^preview\.yml is invalid:\n {2}preview\.yml:2:/);
});

it('fails with a sentence if an expression fails', async () => {
  const { succeeded, text } = await played(workflow(`${ours}- run: echo \${{ fromJSON(secrets.NOTHING).x }}\n`));
  expect(text).toContain('Stopped early: empty input.');
  expect(succeeded).toBe(false);
});

it('fails a job whose matrix cannot be evaluated, and shows the others', async () => {
  const matrix = `    strategy: { matrix: { n: "${expression('fromJSON(vars.LIST)')}" } }`;
  const second = workflow('- run: echo', `    needs: preview\n${matrix}`)
    .split('jobs:\n')[1]
    ?.replace('preview:', 'second:');
  const { succeeded, text } = await played(workflow(ours) + second);
  expect(text).toContain('  job preview: success\n');
  expect(text).toMatch(/ {2}job second: failure: its `strategy\.matrix` could not be evaluated: empty input\n/);
  expect(succeeded).toBe(false);
});

it('evaluates `continue-on-error`', async () => {
  const failing = (value: string) => ours.replace('comment: true', `command: get\n  continue-on-error: ${value}`);
  for (const [value, result] of [
    ['true', 'success'],
    [expression('github.event.number == 7'), 'success'],
    [expression('github.event.number == 8'), 'failure'],
    ['false', 'failure'],
  ] as const)
    expect((await played(workflow(failing(value)))).text).toContain(`job preview: ${result}\n    failure: acme/`);
});

it('has the branches that it is told to add', async () => {
  const text = workflow(ours.replace('comment: true', 'parent_branch: production'));
  const without = await played(text);
  expect(without.text).toContain('To add branch "production" to the project, use --branch production.');
  const { succeeded, text: said } = await played(text, { branches: ['production'] });
  expect(said).toMatch(/branches: main, production, preview\/pr-7$/m);
  expect(succeeded).toBe(true);
});

it('accepts the name of the action with its version', async () => {
  const run = promisify(execFile)(NODE, [
    ...[join(ROOT, 'tools/play/index.ts'), join(ROOT, 'examples/nightly-prune.yml'), '--compute', 'none'],
    ...['--event', 'schedule', '--action', OURS],
  ]);
  expect((await run).stdout).toContain('job prune: success');
});

it('plays each event on the files that it starts, in one repository and one project', async () => {
  const files = [
    {
      path: 'preview.yml',
      text: workflow(ours).replace('[pull_request, push]', '{ pull_request: { types: [opened] } }'),
    },
    {
      path: 'prune.yml',
      text: workflow(ours.replace('comment: true', 'command: prune')).replace(
        '[pull_request, push]',
        "{ schedule: [{ cron: '17 3 * * *' }] }",
      ),
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
  expect(text).toContain('\nschedule\n  prune.yml\n  job preview: success\n');
  expect(text).toContain('Deleted branch "preview/pr-7"');
  expect(text).toContain('\n  branches: main\n');
  expect(succeeded).toBe(true);
  const broken = files.map(({ path, text }) => ({ path, text: text.replace('api_key', 'apikey') }));
  expect((await played('', { files: broken })).text).toMatch(
    /^preview\.yml is invalid:\n.*\nprune\.yml is invalid:\n.*$/,
  );
});

it('says of all values that have no effect at once what was probably meant', async () => {
  const text = workflow(
    `- id: name\n  run: make\n${ours}- run: ./use.sh ${expression('steps.name.outputs.it')}`,
  ).replace(
    '[pull_request, push]',
    '{ pull_request: null, workflow_dispatch: { inputs: { name: { type: string } } } }',
  );
  const run = await played(text, {
    ...{ vars: { team: 'shop', tean: 'shop' }, secrets: { OTHER: 'x' } },
    ...{
      inputs: { nane: 'x', name: 'y' },
      outputs: { 'nam.it': 'x', 'name.its': 'x', 'name.it': 'y' },
      events: ['schedul'],
    },
  });
  expect(run.text).toContain('Unknown event schedul; did you mean schedule? Supported events:\n');
  expect(run.text).toMatch(
    /These options have no effect:\n {2}--var tean: nothing that is played reads vars.TEAN; did you mean TEAM\?\n {2}--secret OTHER: nothing that is played reads secrets.OTHER; known: NEON_KEY, DEPLOY\n {2}--input nane: no workflow declares this input; did you mean name\?\n {2}--output nam.it: no script or other action has the ID nam; did you mean name.it\?\n {2}--output name.its: nothing that is played reads steps.name.outputs.its; did you mean name.it\?$/,
  );
  expect(run.succeeded).toBe(false);
  // Any name may be meant.
  const computed = text.replace('vars.TEAM', "vars[format('{0}', 'TEAN')]");
  expect((await played(computed, { vars: { TEAN: 'shop' }, events: [] })).succeeded).toBe(true);
});

it('gives inputs only to runs that are dispatched or called, as GitHub does', async () => {
  const names = ours.replace('comment: true', `branch_name: x/${expression("inputs.name || 'none'")}`);
  const declared = '{ inputs: { name: { type: string, default: mine } } }';
  const text = workflow(names).replace('[pull_request, push]', `{ push: null, workflow_dispatch: ${declared} }`);
  const { text: said } = await played(text, { events: ['push', 'workflow_dispatch'], inputs: { name: 'given' } });
  expect(said).toMatch(/\npush\n[\s\S]*Created branch "x\/none"[\s\S]*\nworkflow_dispatch\n[\s\S]*"x\/given"/);
  const all = text.replace('push: null', 'push: null, workflow_call: { inputs: { other: { type: string } } }');
  const values = { name: 'x', other: 'y' };
  expect((await played(all, { events: ['workflow_dispatch'], inputs: values })).text).toContain('"x/x"');
  const called = text.replace('workflow_dispatch', 'workflow_call');
  const both = await played(called, { events: ['push', 'pull_request.opened'] });
  expect(both.text).toMatch(/\npush\n[\s\S]*Created branch "x\/none"[\s\S]*\npull_request\.opened\n[\s\S]*"x\/mine"/);
});

it('plays a workflow that can also be called on its own events, and as called on all others', async () => {
  const names = ours.replace('comment: true', `branch_name: x/${expression("inputs.name || 'none'")}`);
  const inputs = '{ inputs: { name: { type: string, default: mine } } }';
  const text = workflow(names).replace('[pull_request, push]', `{ pull_request: null, workflow_call: ${inputs} }`);
  const called = 'This event does not start the workflow by itself, so it is played as if another workflow called it.';
  const { text: said } = await played(text, { events: ['pull_request.opened', 'pull_request.labeled'] });
  expect(said).toMatch(
    /\npull_request\.opened\n {2}job [\s\S]*"x\/none"[\s\S]*\npull_request\.labeled\n {2}This event/,
  );
  expect([said.split(called).length, said.includes('Created branch "x/mine"')]).toEqual([2, true]);
  expect(said).toContain('Warning: preview.yml:2:21: Event pull_request: its types lack `closed`');
  const given = { inputs: { name: 'given' } };
  expect((await played(text, { ...given, events: ['pull_request.labeled'] })).text).toContain('"x/given"');
  expect((await played(text, given)).text).toContain(
    'Warning: --input name has no effect: only a run that is called has this input, and none is.',
  );
  expect((await played(text, { events: ['workflow_call'] })).text).toMatch(
    /with an event that does not start it by itself, such as:\n {2}--event pull_request\.closed$/,
  );
});

it.each([
  ['', 'old'],
  ['false', 'old'],
  ['true', 'new'],
])('has booleans in `inputs`, and texts in the payload: "%s"', async (value, name) => {
  const named = `x/${expression("inputs.fresh && 'new' || 'old'")}-${expression('github.event.inputs.fresh')}`;
  const text = workflow(ours.replace('comment: true', `branch_name: ${named}`)).replace(
    '[pull_request, push]',
    '{ workflow_dispatch: { inputs: { fresh: { type: boolean } } } }',
  );
  const { text: said } = await played(text, { events: ['workflow_dispatch'], inputs: value ? { fresh: value } : {} });
  expect(said).toContain(`Created branch "x/${name}-${value || 'false'}"`);
});

it('names the events that it can play', async () => {
  const { succeeded, text } = await played(workflow(ours), { events: ['pull_request.milestoned', 'push'] });
  expect(text).toMatch(/^Unknown event pull_request\.milestoned\. Supported events:\n {2}pull_request\.opened\n/);
  expect(succeeded).toBe(false);
  const near = await played(workflow(ours), { events: ['pull_request.synchronized', 'shedule'] });
  expect(near.text).toMatch(
    /^Unknown events pull_request\.synchronized, shedule; did you mean pull_request\.synchronize, schedule\? Supported/,
  );
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
  expect(said).toContain('hashFiles() always returns an empty text.');
  expect(said).toContain('Event pull_request: filters are not evaluated (branches).');
  expect(said).toContain('Job preview: its services are not started.');
  expect(said).toContain('Job deploy: not played, because it calls a reusable workflow (acme/workflows/');
  expect(said).toContain('  job deploy: not played\n');
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

const pruning = ours.replace('comment: true', 'command: prune\n    branch_pattern: preview/*');
it.each<[string, string, string, string[]]>([
  ['a comment without permission', ours, '{ contents: read }', ['`comment: true` needs `pull-requests: write`']],
  [
    'two comments, each by its line',
    ours + ours,
    '{ contents: read }',
    [
      'Warning: preview.yml:14:20: `comment: true` needs `pull-requests: write`',
      'Warning: preview.yml:22:20: `comment: true` needs `pull-requests: write`',
    ],
  ],
  ['a comment with it', ours, '{ pull-requests: write }', []],
  ['a comment without a block', ours, '', []],
  ['a pattern without permission', pruning, '{ pull-requests: read }', ['`branch_pattern` needs `contents: read`']],
  ['a pattern with it', pruning, '{ pull-requests: read, contents: read }', []],
  [
    'a pattern without any',
    pruning,
    '{}',
    ['`prune` needs `pull-requests: read`', '`branch_pattern` needs `contents: read`'],
  ],
])('warns of %s', async (_, steps, permissions, warnings) => {
  const { text } = await played(workflow(steps, permissions && `    permissions: ${permissions}`), { events: [] });
  const said = text.split('\n').filter((line) => line.includes(' needs `'));
  expect(said).toEqual(warnings.map((warning) => expect.stringContaining(warning)));
});

it.each([
  ['vars.NEON_KEY', true],
  ["vars['NEON_KEY'] || secrets.NEON_KEY", true],
  ['', true],
  ['secrets.NEON_KEY', false],
  ['inputs.key', false],
  ['env.NEON_KEY', false],
])('warns if the key is no secret: "%s"', async (key, warns) => {
  const value = key === '' ? 'napi_abc123' : expression(key);
  const text = workflow(ours.replace(expression('secrets.NEON_KEY'), value)).replace(
    '[pull_request, push]',
    '{ workflow_call: { inputs: { key: { type: string } } } }',
  );
  const { text: said } = await played(text, { events: [] });
  const warning = 'Warning: preview.yml:12:20: `api_key` should come from `secrets`: anyone who can read the ';
  expect([said.includes('preview.yml is valid'), said.includes(warning)]).toEqual([true, warns]);
});

it.each([
  ['pull_request_target', 'ref', 'github.event.pull_request.head.sha', true],
  ['pull_request_target', 'ref', 'github.head_ref', true],
  ['pull_request_target', 'repository', 'github.event.pull_request.head.repo.full_name', true],
  ['pull_request_target', 'ref', 'github.sha', false],
  ['pull_request', 'ref', 'github.event.pull_request.head.sha', false],
  ['{ workflow_run: { workflows: [CI] } }', 'ref', 'github.event.workflow_run.head_sha', true],
])('warns if code from the pull request could read the key: %s, %s: %s', async (on, input, value, warns) => {
  const checkout = `- uses: actions/checkout@v4\n  with: { ${input}: "${expression(value)}" }\n`;
  const text = workflow(checkout + ours).replace('[pull_request, push]', on);
  const warning = `Warning: preview.yml:9:${19 + input.length}: Event ${on.match(/\w+/)?.[0]}: don't check out the head here: `;
  const { text: said } = await played(text, { events: [] });
  expect([said.includes('preview.yml is valid'), said.includes(warning)]).toEqual([true, warns]);
  // In another job, there is no key.
  const apart = text.replace(
    '- uses: acme',
    '- run: "true"\n  other:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: acme',
  );
  const { text: other } = await played(apart, { events: [] });
  expect([other.includes('preview.yml is valid'), other.includes('check out')]).toEqual([true, false]);
});

it.each([
  ['a job', ours, "    if: github.event.action != 'closed'", 6, 'This `if` excludes `closed`'],
  [
    'a step',
    ours.replace('  with:', "  if: github.event.action != 'closed'\n  with:"),
    '',
    10,
    'This `if` excludes `closed`',
  ],
  ['`create`', ours.replace('comment: true', 'command: create'), '', 14, '`create` deletes nothing'],
])('warns of %s that leaves the branch of a closed pull request', async (_, steps, more, line, why) => {
  const text = (all: string, types = '[opened, closed]') =>
    workflow(all, more).replace('[pull_request, push]', `{ pull_request: { types: ${types} } }`);
  const warning = (said: string) => said.includes(`Warning: preview.yml:${line}:`) && said.includes(`: ${why}`);
  expect(warning((await played(text(steps), { events: [] })).text)).toBe(true);
  expect(warning((await played(text(steps, '[opened]'), { events: [] })).text)).toBe(false);
  const both = steps + ours.replace('comment: true', 'command: delete');
  expect(warning((await played(text(both), { events: [] })).text)).toBe(false);
});

it('warns of nothing in the examples but of running what they rehearse', () => {
  const examples = filesBelow('examples', /\.ya?ml$/);
  expect(examples.length).toBeGreaterThan(0);
  expect(
    examples
      .flatMap((path) => warningsOf(read(path), path, { actionOf: ({ uses }) => actionOf(uses) }))
      .filter((warning) => !warning.includes('runs on this machine')),
  ).toEqual([]);
});

it.each([
  ['[pull_request, push]', true],
  ['{ pull_request: { types: [opened, synchronize] } }', true],
  ['{ pull_request: { types: [opened, closed] } }', false],
  ['push', false],
])('warns if `auto` does not learn that a pull request closes: %s', async (on, warns) => {
  const { text } = await played(workflow(ours).replace('[pull_request, push]', on), { events: [] });
  expect(text.includes(': Event pull_request: its types lack `closed`')).toBe(warns);
});

it('says that a migration is not run before `diff`, and that the one of `rehearse` is', async () => {
  const diff = ours.replace('comment: true', 'command: diff');
  const { text } = await played(workflow(ours + diff));
  expect(text).toContain("Scripts are not run, so `diff` doesn't see what a migration script would change.");
  expect(text).not.toContain('runs on this machine');
  const rehearse = ours.replace('comment: true', 'command: rehearse\n    run: npm run migrate');
  const rehearsed = await played(workflow(rehearse), { events: [], compute: 'postgres' });
  expect(rehearsed.text).toContain(
    'Warning: preview.yml:14:20: The `run` of a rehearsal runs on this machine, in an empty folder; `--workspace FOLDER` runs it in your checkout.',
  );
});

it('fails with the file and the error if the seed fails', async () => {
  const seed = { path: 'seed.sql', sql: 'select 1;\nselect * from nowhere' };
  const { succeeded, text } = await played(workflow(ours), { seed: [seed], compute: 'postgres' });
  expect(text).toMatch(
    /The SQL in seed\.sql failed in database neondb:\n {2}.*relation "nowhere" does not exist \(line 2: select \* from nowhere\)$/,
  );
  expect(succeeded).toBe(false);
});

it('says at once that a seed is for a database that main does not have', async () => {
  const seed = [
    { path: 'a.sql', sql: '', database: 'shop' },
    { path: 'b.sql', sql: '', database: 'blog' },
  ];
  const { succeeded, text } = await played(workflow(ours), { seed, databases: ['blog=writer'], compute: 'postgres' });
  expect(text).toBe('Main has no database for:\n  --seed shop=a.sql; add --database shop');
  expect(succeeded).toBe(false);
});

it('says that it cannot read the seed, without a stack', async () => {
  const args = [join(ROOT, 'tools/play/index.ts'), 'examples/forks.yml', '--event', 'push', '--seed', 'none.sql'];
  const { stderr } = await promisify(execFile)(NODE, args, {
    cwd: ROOT,
    env: { ...process.env, INIT_CWD: ROOT },
  }).catch((error: { stderr: string }) => error);
  expect(stderr).toMatch(/^Could not read the file for --seed: ENOENT.*none\.sql'\n$/);
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

const expression = (text: string) => `\${{ ${text} }}`;

it('says at once what needs Postgres', async () => {
  const seed = { path: 'seed.sql', sql: '' };
  const rehearse = ours.replace('comment: true', 'command: rehearse\n    run: npm run migrate');
  const checks = ours.replace('comment: true', 'check_connection: true');
  const { succeeded, text } = await played(workflow(checks + rehearse), { seed: [seed], migrate: [seed] });
  expect(text).toBe(
    'Remove `--compute none`: Postgres is needed for:\n  --seed\n  --migrate\n  a rehearsal\n  `check_connection: true`',
  );
  expect(succeeded).toBe(false);
});

describe('a rehearsal', () => {
  let workspace: string;
  beforeAll(() => (workspace = mkdtempSync(join(tmpdir(), 'workspace-'))));
  afterAll(() => rmSync(workspace, { recursive: true }));
  const rehearse = (run: string) => ours.replace('comment: true', `command: rehearse\n    run: ${run}`);

  it('runs in the workspace that is given, is cancelled like on a runner, and leaves no branch', async () => {
    const cancel = new AbortController();
    const started = join(workspace, 'started');
    const watcher = watch(workspace, () => existsSync(started) && cancel.abort());
    try {
      const { succeeded, text } = await played(workflow(rehearse('touch started; sleep 300')), {
        ...{ workspace, compute: 'postgres', cancel: cancel.signal, events: ['push', 'push'] },
      });
      expect(text).toContain(`runs on this machine, in ${workspace}.`);
      expect(text).toMatch(/job preview: cancelled\n {4}cancelled: acme/);
      expect(text).toContain('skipped: ./deploy.sh');
      expect(text.split('branches:').slice(1)).toEqual([' main']);
      expect(text).not.toMatch(/::add-mask|postgresql:\/\/\w+:(?!\*)/);
      expect(succeeded).toBe(false);
    } finally {
      watcher.close();
    }
  });

  it('verifies the certificate of the local service, as it can that of Neon, with what the caller trusts', async () => {
    const others = join(workspace, 'others.pem');
    writeFileSync(others, selfSigned().cert);
    vi.stubEnv('NODE_EXTRA_CA_CERTS', others);
    onTestFinished(() => void vi.unstubAllEnvs());
    const connect = `
      import { readFileSync } from 'node:fs';
      import pg from ${JSON.stringify(createRequire(import.meta.url).resolve('pg'))};
      const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
      await client.connect();
      await client.query('create table added (id int)');
      await client.end();
      const trusted = readFileSync(process.env.NODE_EXTRA_CA_CERTS, 'utf8');
      console.log('connected;', trusted.split('BEGIN CERTIFICATE').length - 1, 'trusted');`;
    writeFileSync(join(workspace, 'connect.mjs'), connect);
    const run = `'"${NODE}" connect.mjs'`;
    const { succeeded, text } = await played(workflow(rehearse(run)), { workspace, compute: 'postgres' });
    expect(text).toContain('connected; 2 trusted');
    expect(succeeded).toBe(true);
  });

  it.each([
    ['job', 'cancelled', workflow(rehearse('sleep 300'), '    timeout-minutes: 0.05')],
    ['step', 'failure', workflow(rehearse('sleep 300').replace('  with:', '  timeout-minutes: 0.05\n  with:'))],
  ])('ends with the time of its %s: %s', async (_, result, text) => {
    const run = await played(text, { compute: 'postgres', cancel: new AbortController().signal, events: ['push'] });
    expect(run.text).toMatch(new RegExp(`job preview: ${result}\\n {4}${result}: acme`));
    expect(run.text).toMatch(/branches: main$/);
  });
});

describe('a migration', () => {
  const diff = ours.split('- run')[0]?.replace('comment: true', 'command: diff\n    comment: true') ?? '';
  const events = ['pull_request.opened', 'pull_request.synchronize'];
  const migrated = (sql: string, text = workflow(ours + diff), more: Partial<PlayOptions> = {}) =>
    played(text, { events, migrate: [{ path: 'add.sql', sql }], compute: 'postgres', ...more });

  it('runs once on each branch, so that `diff` sees it', async () => {
    const { succeeded, text } = await migrated('create table added (id int)');
    const [opened = '', synchronize = ''] = text.split('\npull_request.synchronize');
    expect(opened).toMatch(
      /not run: \.\/deploy\.sh.*\n {6}│ Ran add\.sql in database neondb of preview\/pr-7 instead\.\n/,
    );
    expect(synchronize).toMatch(
      /deploy\.sh.*\n {6}│ add\.sql is not run in database neondb of preview\/pr-7 again, because a migration tool would not\.\n/,
    );
    expect(synchronize).not.toContain('Ran add.sql');
    expect(text).not.toContain('Scripts are not run, so');
    expect(text).toContain('lines added, 0 removed');
    expect(succeeded).toBe(true);
  });

  it('runs one statement at a time, in one session, as psql does', async () => {
    const { succeeded, text } = await migrated(`
      -- a comment; and "quotes"
      set search_path = public;
      create table shops (id int, name text); create index concurrently by_id on shops (id);
      begin; alter table shops add column é text default ';'; commit;
      do $$ begin perform 1; end $$;
      /* done */`);
    expect(text).toContain('Ran add.sql in database neondb of preview/pr-7 instead.');
    expect(text).toContain('by_id');
    expect(succeeded).toBe(true);
  });

  it('runs several files in order, up to the first one that fails', async () => {
    const file = (path: string, sql: string) => ({ path, sql });
    const [one, two] = [file('1.sql', 'create table a (id int)'), file('2.sql', 'alter table a add b int')];
    const all = await migrated('', undefined, { migrate: [one, two] });
    expect(all.text).toContain('Ran 1.sql, 2.sql in database neondb of preview/pr-7 instead.');
    expect(all.text).toContain('1.sql, 2.sql are not run in database neondb of preview/pr-7 again, because');
    expect(all.succeeded).toBe(true);
    const wrong = await migrated('', undefined, { migrate: [one, file('3.sql', 'drop table none'), two] });
    expect(wrong.text).toContain('--migrate 3.sql failed: table "none" does not exist (line 1: drop table none)');
  });

  it('links from the comment to the documents of the action that the workflow names', async () => {
    const seed = { path: 'seed.sql', sql: 'create table shops (id int)' };
    const { text } = await migrated('drop table shops', undefined, { seed: [seed], events: ['pull_request.opened'] });
    expect(text).toContain('](https://github.com/acme/db-branch/blob/v1/docs/schema-review.md#drop-table)');
  });

  it('runs on the branch that its step names, even main, and not again on a branch of it', async () => {
    const use = (id: string, inputs: string) =>
      `- id: ${id}\n  uses: acme/db-branch@v1\n  with: { project_id: "${expression('vars.P')}", api_key: "${expression('secrets.K')}", ${inputs} }\n`;
    const script = (id: string) => `- run: ./migrate\n  env: { URL: "${expression(`steps.${id}.outputs.db_url`)}" }\n`;
    const two = use('a', 'command: create, branch_name: a') + use('b', 'command: create, branch_name: b');
    const sql = 'create table added (id int)';
    const opened = { events: ['pull_request.opened'] };
    expect((await migrated(sql, workflow(two + script('a')), opened)).text).toContain(
      'Ran add.sql in database neondb of a instead.',
    );
    expect((await migrated(sql, workflow(two + script('b')), opened)).text).toContain(
      'Ran add.sql in database neondb of b instead.',
    );
    const child = use('c', 'command: create, branch_name: c, parent_branch: main') + script('c');
    const main = use('m', 'command: get, branch_name: main') + two + script('m');
    const { succeeded, text } = await migrated(sql, workflow(main + child + script('a')), opened);
    expect(text).toContain('Ran add.sql in database neondb of main instead.');
    expect(text).toContain('add.sql is not run in database neondb of c, because its parent already had it.');
    // Created before main had it.
    expect(text).toContain('Ran add.sql in database neondb of a instead.');
    expect(succeeded).toBe(true);
  });

  it('has a file for each database, and runs in each', async () => {
    const get = ours
      .split('- run')[0]
      ?.replace('- uses', '- id: db\n  uses')
      .replace('comment: true', `command: get\n    branch_name: main\n    database: "${expression('matrix.name')}"`);
    const script = `- run: ./migrate\n  env: { URL: "${expression('steps.db.outputs.db_url')}" }\n`;
    const text = workflow(`${get}${script}`, '    strategy: { matrix: { name: [neondb, shop, blog] } }');
    const { succeeded, text: said } = await migrated('', text, {
      databases: ['shop', 'blog'],
      seed: [{ path: 'seed.sql', sql: 'create table a (id int)', database: 'shop' }],
      migrate: [
        { path: 'shop.sql', sql: 'alter table a add b int', database: 'shop' },
        { path: 'blog.sql', sql: 'create table a (id int)', database: 'blog' },
      ],
      events: ['pull_request.opened'],
    });
    expect(said).toMatch(/job preview \(shop\): success\n[\s\S]*Ran shop\.sql in database shop of main instead\./);
    expect(said).toMatch(/job preview \(blog\): success\n[\s\S]*Ran blog\.sql in database blog of main instead\./);
    expect(said).toMatch(/job preview \(neondb\): success\n[\s\S]*No --migrate is for database neondb\./);
    expect(succeeded).toBe(true);
  });

  it('runs as the role of the connection, and the seed as the owner of its database', async () => {
    const as = (role: string) =>
      workflow(ours.replace('comment: true', `database: shop\n    role: ${role}`)).replace(
        '[pull_request, push]',
        'push',
      );
    const more = {
      databases: ['shop=app_owner'],
      roles: ['reader'],
      seed: [{ path: 'seed.sql', sql: 'create table a (id int)', database: 'shop' }],
      events: ['push'],
    };
    const byOwner = await migrated('alter table a add b int', as('app_owner'), more);
    expect(byOwner.text).toContain('Ran add.sql in database shop of ');
    expect(byOwner.succeeded).toBe(true);
    const byReader = await migrated('alter table a add b int', as('reader'), more);
    expect(byReader.text).toContain(
      '--migrate add.sql failed: must be owner of table a (line 1: alter table a add b int)',
    );
    expect(byReader.succeeded).toBe(false);
  });

  it('fails its step at the first error, and runs again until it has succeeded', async () => {
    const more = `- if: failure()\n  run: ./report.sh\n`;
    const { succeeded, text } = await migrated(
      'create table if not exists added (id int);\n-- typo\ncreate tabel other (id int);\ncreate table third (id int)',
      workflow(ours + diff + more),
    );
    const failure =
      /failure: \.\/deploy\.sh.*\n {6}│ --migrate add\.sql failed: syntax error at or near "tabel" \(line 3: create tabel other \(id int\)\)\n {6}│ It ran in database neondb of preview\/pr-7 instead of this script\.\n {4}skipped: acme.*\n {4}not run: \.\/report\.sh\n/g;
    expect(text.match(failure)).toHaveLength(2);
    expect(succeeded).toBe(false);
  });

  it('runs again on a branch that was reset', async () => {
    const text = workflow(ours.replace('comment: true', 'command: reset\n    if_exists: reset')).replace(
      'reset\n    if_exists: ',
      '',
    );
    const create = workflow(ours).replace('push', 'workflow_dispatch');
    const files = [
      {
        path: 'create.yml',
        text: create.replace('[pull_request, workflow_dispatch]', '{ pull_request: { types: [opened] } }'),
      },
      { path: 'reset.yml', text: text.replace('[pull_request, push]', '{ pull_request: { types: [synchronize] } }') },
    ];
    const run = await migrated('create table added (id int)', '', { files });
    expect(run.text.match(/Ran add\.sql/g)).toHaveLength(2);
    expect(run.succeeded).toBe(true);
  });

  it.each([
    ['its name', '- name: Migrate\n  run: make db', 'Migrate'],
    ['its ID', '- id: alembic\n  run: make db', 'alembic'],
    ['its script', '- run: pip install alembic\n- run: npx prisma db push', 'npx prisma db push'],
    [
      'more than its tool',
      '- name: Check migrations\n  run: npx drizzle-kit check\n- run: npm run db:migrate',
      'npm run db:migrate',
    ],
    ['its order alone', '- run: ./after.sh', 'npm ci'],
  ])('runs at the step that migrates by %s', async (_, steps, place) => {
    const text = workflow(`${ours.split('- run')[0]}- run: npm ci\n${steps}\n- run: ./last.sh`);
    const run = await migrated('create table added (id int)', text, { events: ['pull_request.opened'] });
    expect(run.text).toContain(
      `    not run: ${place}\n      │ Ran add.sql in database neondb of preview/pr-7 instead.\n`,
    );
  });

  it('has no effect if there are only rehearsals, which have their own SQL', async () => {
    const rehearsal = ours.replace('comment: true', 'command: rehearse\n    run: npm run migrate');
    const { succeeded, text } = await migrated('select 1', workflow(rehearsal));
    const advice = 'A rehearsal takes its SQL from its `run`, in the folder of `--workspace`.';
    expect(text).toBe(`These options have no effect:\n  --migrate add.sql: ${advice}`);
    expect(succeeded).toBe(false);
  });
});

it('prefers the values that it is given to those of the local service', async () => {
  const names = ours
    .replace('vars.NEON_PROJECT', "vars['neon_project']")
    .replace(
      'comment: true',
      `branch_name: ${expression("format('{0}-{1}', vars[format('{0}M', 'tea')], vars.Team)")}`,
    );
  const { text } = await played(workflow(names), { vars: { team: 'shop' } });
  expect(text).toContain('Created branch "shop-shop"');
  const skipped = workflow(ours.replace('comment: true', 'on_missing_key: skip'));
  expect((await played(skipped, { secrets: { NEON_KEY: '' } })).text).toContain('branches: main\n'.trim());
  expect((await played(skipped, { secrets: { NEON_KEY: '' } })).text).not.toContain('preview/pr-7,');
  const other = await played(workflow(ours), { vars: { NEON_PROJECT: 'other-project-1' } });
  expect(other.text).toContain('failure: acme');
});

it.each([
  ['a literal project', ours.replace(expression('vars.NEON_PROJECT'), 'shiny-wind-028834')],
  ['a computed name', ours.replace('vars.NEON_PROJECT', "vars[format('{0}_ID', 'SHOP')]")],
  ['a variable of the environment', ours.replace('secrets.NEON_KEY', 'env.NEON_KEY')],
  ['a literal in the environment', ours.replace('vars.NEON_PROJECT', 'env.ID'), 'ID: shiny-wind-028834'],
  ['a variable in the environment', ours.replace('vars.NEON_PROJECT', 'env.ID'), `ID: "${expression('vars.SHOP')}"`],
  ['a secret in the environment', ours.replace('secrets.NEON_KEY', 'env.ID'), `ID: "${expression('secrets.SHOP')}"`],
])('takes the values of the local service for %s', async (_, steps, env = 'ID: x') => {
  const { text } = await played(workflow(steps, `    env: { ${env} }`));
  expect(text).toContain('Created branch "preview/pr-7"');
  expect(text).not.toContain('SHOP is empty');
});

it('plays a called workflow on the event of its caller, with its inputs', async () => {
  const text = workflow(
    ours
      .replace('vars.NEON_PROJECT', 'inputs.project')
      .replace('comment: true', `branch_name: ${expression('inputs.name')}`),
  ).replace(
    '[pull_request, push]',
    '{ workflow_call: { inputs: { project: { type: string, required: true }, name: { type: string, default: mine } } } }',
  );
  expect((await played(text, { events: ['workflow_call'] })).text).toContain('--event pull_request.opened');
  expect((await played(text, { events: ['workflow_dispatch'] })).text).toContain('Created branch "mine"');
  expect((await played(text, { inputs: { name: 'other' } })).text).toContain('Created branch "other"');
});

it('takes the outputs of steps that it does not run, and adds databases and roles', async () => {
  const steps = `- id: name\n  run: make\n${ours.replace('comment: true', `branch_name: x/${expression('steps.name.outputs.it')}\n    database: shop`)}`;
  const without = await played(workflow(steps));
  expect(without.text).toContain('steps.name.outputs.it is empty; set it with --output name.it=VALUE.');
  expect(without.text).toContain('To add database "shop" to main, use --database shop.');
  const given = await played(workflow(steps), { outputs: { 'name.it': 'given' }, databases: ['shop'] });
  expect(given.text).toContain('Created branch "x/given"');
  expect(given.succeeded).toBe(true);
});

it('prints post steps at the end of their job, the last one first', async () => {
  const one = (name: string) =>
    ours.split('- run')[0]?.replace('comment: true', `branch_name: ${name}\n    ephemeral: true`);
  const { text } = await played(workflow(`${one('first')}${one('second')}- run: work`));
  expect(text).toMatch(
    /not run: work\n {4}post step, success: acme[\s\S]*"second"[\s\S]*post step, success: acme[\s\S]*"first"/,
  );
});

it('plays a pull request into another branch', async () => {
  const text = workflow(ours.replace('comment', `parent_branch: ${expression('github.base_ref')}\n    comment`));
  const into = await played(text, { base: 'staging', branches: ['staging'] });
  expect(into.text).toContain('| Parent | `staging` |');
  const missing = await played(text, { base: 'staging' });
  expect(missing.text).toContain('To add branch "staging" to the project, use --branch staging.');
});

describe('a pull request of a fork', () => {
  const skipping = ours.replace('comment: true', 'on_missing_key: skip\n    comment: true');
  const events = ['pull_request.opened', 'pull_request.closed'];

  it('has no secrets, and the action says why', async () => {
    const { succeeded, text } = await played(workflow(skipping), { events, from: 'fork' });
    expect(text).toContain('\npull_request.opened (from a fork: without secrets, and with a token that only reads)\n');
    expect(text).toContain("api_key is empty, because GitHub doesn't pass secrets to pull requests from forks");
    expect(text).not.toMatch(/--secret|Created branch/);
    expect(succeeded).toBe(true);
    const failing = await played(workflow(ours.replace('secrets.NEON_KEY', 'env.NEON_KEY')), { from: 'fork' });
    expect(failing.text).toContain('To succeed without a branch in such runs, set `on_missing_key: skip`');
    expect(failing.succeeded).toBe(false);
  });

  it('has a token that cannot comment', async () => {
    const run = await played(workflow(ours.replace('secrets.NEON_KEY', 'vars.NEON_KEY')), { from: 'fork' });
    expect(run.text).toContain('Created branch "preview/pr-7"');
    expect(run.text).toContain("In runs for pull requests from forks, GitHub's token is read-only");
  });

  it('needs an event of a pull request', async () => {
    const { succeeded, text } = await played(workflow(ours), { from: 'fork', events: ['push'] });
    expect(text).toBe('These options have no effect:\n  --fork: none of the events is that of a pull request');
    expect(succeeded).toBe(false);
  });

  it('has secrets if the event is of another kind', async () => {
    const text = workflow(ours).replace('[pull_request, push]', '[pull_request_target, push]');
    const both = ['pull_request_target.opened', 'push'];
    const { succeeded, text: said } = await played(text, { events: both, from: 'fork' });
    expect(said.match(/Created branch "/g)?.length).toBeGreaterThan(0);
    expect(said).not.toContain('of a fork:');
    expect(succeeded).toBe(true);
  });
});

describe("Dependabot's pull request", () => {
  const skipping = workflow(ours.replace('comment: true', 'on_missing_key: skip'));

  it('has an author that conditions name, and no secrets', async () => {
    const guard =
      "    if: github.event.pull_request.user.login != 'dependabot[bot]' && github.actor != 'dependabot[bot]'";
    const skipped = await played(workflow(ours, guard), { from: 'dependabot' });
    expect(skipped.text).toContain(
      'pull_request.opened (from Dependabot: without secrets other than those of --secret)\n  job preview: skipped',
    );
    const run = await played(skipping, { from: 'dependabot' });
    expect(run.text).toContain('api_key is empty, because Dependabot runs only get Dependabot secrets');
    expect(run.succeeded).toBe(true);
  });

  it("has Dependabot's secrets", async () => {
    const run = await played(skipping, { from: 'dependabot', secrets: { NEON_KEY: 'any' } });
    expect(run.text).toContain('Created branch "preview/pr-7"');
  });
});

it.each([
  ['once it is one', ['opened', 'converted_to_draft', 'closed'], ['success', 'skipped', 'skipped']],
  [
    'until it is ready',
    ['opened', 'synchronize', 'ready_for_review', 'closed'],
    ['skipped', 'skipped', 'success', 'success'],
  ],
  ['never otherwise', ['opened', 'closed'], ['success', 'success']],
])('has a draft: %s', async (_, actions, results) => {
  const text = workflow(ours, '    if: github.event.pull_request.draft == false').replace(
    '[pull_request, push]',
    `{ pull_request: { types: [${actions}] } }`,
  );
  const run = await played(text, { events: actions.map((action) => `pull_request.${action}`) });
  expect([...run.text.matchAll(/ {2}job preview: (\w+)/g)].map(([, result]) => result)).toEqual(results);
});

it('has a closed pull request until it is reopened', async () => {
  const actions = ['opened', 'closed', 'labeled', 'reopened'];
  const text = workflow(ours).replace('[pull_request, push]', `{ pull_request: { types: [${actions}] } }`);
  const run = await played(text, { events: actions.map((action) => `pull_request.${action}`), label: 'shipped' });
  const [, , labeled = '', reopened] = run.text.split(/\npull_request\.\w+\n/).slice(1);
  expect(labeled).toContain('Skipped: pull request #7 is closed');
  expect(labeled).toMatch(/branches: main\n?$/);
  expect(reopened).toContain('Created branch "preview/pr-7"');
});

it('has a label from the event that adds it to the one that removes it', async () => {
  const named = `x/${expression("join(github.event.pull_request.labels.*.name, '+') || 'none'")}-${expression('github.event.label.name')}-${expression('github.event.action')}`;
  const types = '[opened, labeled, synchronize, unlabeled]';
  const text = workflow(ours.replace('comment: true', `branch_name: ${named}`)).replace(
    '[pull_request, push]',
    `{ pull_request: { types: ${types} } }`,
  );
  const actions = ['opened', 'labeled', 'synchronize', 'unlabeled', 'synchronize'];
  const events = actions.map((action) => `pull_request.${action}`);
  const { text: said } = await played(text, { events, label: 'ok' });
  const names = [...said.matchAll(/branch "x\/(.*?)"/g)].map(([, name]) => name);
  expect([...new Set(names)]).toEqual([
    ...['none--opened', 'ok-ok-labeled', 'ok--synchronize', 'none-ok-unlabeled', 'none--synchronize'],
  ]);
  const without = await played(text, { events: ['pull_request.opened'], label: 'ok' });
  expect(without.text).toBe(
    'These options have no effect:\n  --label ok: none of the events adds or removes a label, as pull_request.labeled does',
  );
  expect(without.succeeded).toBe(false);
});

it.each(['unlabeled', 'ready_for_review'])('plays pull_request.%s', async (type) => {
  const text = workflow(ours).replace('[pull_request, push]', `{ pull_request: { types: [${type}] } }`);
  expect((await played(text, { events: [`pull_request.${type}`] })).text).toContain('Created branch');
});

it.each([
  ['an unknown option', ['--evnt', 'push'], /^Unknown option '--evnt'/],
  ['half a pair', ['--event', 'push', '--secret', 'KEY'], /^--secret: "KEY" is invalid; expected NAME=VALUE\n$/],
  [
    'an output without a name',
    ['--event', 'push', '--output', 'db=x'],
    /^--output: "db" is invalid; expected STEP\.NAME=VALUE\n$/,
  ],
  [
    'a folder that is not there',
    ['--event', 'push', '--workspace', 'none'],
    /^--workspace: folder none does not exist/,
  ],
  [
    'an option that is given twice',
    ['--event', 'push', '--event', 'schedule', '--migrate', 'a.sql', '--migrate', 'b.sql'],
    /^Could not read the file for --migrate/,
  ],
  [
    'a number that is given twice',
    ['--event', 'push', '--number', '7', '--number', '8'],
    /^--number is given more than once\n$/,
  ],
  [
    'two authors of pull requests',
    ['--event', 'pull_request.opened', '--fork', '--dependabot'],
    /^--fork and --dependabot are mutually exclusive\n$/,
  ],
  [
    'a command of psql',
    ['--event', 'push', '--migrate', 'PSQL'],
    /^--migrate .*psql\.sql, line 2: only SQL is run, neither commands of psql nor COPY FROM stdin\n$/,
  ],
  [
    'a folder in place of SQL',
    ['--event', 'push', '--migrate', '.'],
    /^Could not read the file for --migrate: \. is a folder; give a file\n$/,
  ],
])('says what is wrong about %s, without a stack', async (_, args, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'psql '));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'psql.sql'), 'select 1;\n\\i other.sql\n');
  const given = args.map((one) => (one === 'PSQL' ? join(folder, 'psql.sql') : one));
  const all = [join(ROOT, 'tools/play/index.ts'), 'forks.yml', ...given];
  const env = { ...process.env, INIT_CWD: join(ROOT, 'examples') };
  const { stderr } = await promisify(execFile)(NODE, all, { cwd: ROOT, env }).catch((e: { stderr: string }) => e);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain('    at ');
});

it.each([
  ['an event', ['forks.yml', 'push'], 'Missing: `--event`.', 'npm run play -- forks.yml --event '],
  ['a file', ['--event', 'push'], 'Missing: the path of a workflow file.', 'npm run play -- FILE --event '],
  ['both', [], 'Missing: the path of a workflow file and `--event`.', 'npm run play -- FILE --event '],
])('says that %s is missing, before its help', async (_, args, missing, command) => {
  const run = promisify(execFile)(NODE, [join(ROOT, 'tools/play/index.ts'), ...args], { cwd: ROOT });
  const { stdout, code } = (await run.catch((error: { stdout: string; code: number }) => error)) as {
    stdout: string;
    code?: number;
  };
  expect(code).toBe(1);
  expect(stdout).toContain(`${missing} Options need \`--\` after \`npm run play\`:\n  ${command}`);
  expect(stdout.indexOf('Missing: ')).toBe(0);
  expect(stdout).toContain('\n\nnpm run play -- FILE [FILE …]');
});

it('lints a small file before a larger one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'small '));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const small = `on: push\npermissions: {}\njobs:\n  mk:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: ${OURS}\n        with: { command: create, branch_name: production, project_id: '${expression('vars.P')}', api_key: '${expression('secrets.K')}' }\n`;
  writeFileSync(join(folder, 'mk.yml'), small);
  const args = [
    join(folder, 'mk.yml'),
    join(ROOT, 'examples/nightly-prune.yml'),
    '--event',
    'push',
    '--compute',
    'none',
  ];
  const { stdout } = await promisify(execFile)(NODE, [join(ROOT, 'tools/play/index.ts'), ...args], { cwd: ROOT });
  expect(stdout).toContain('nightly-prune.yml is valid.');
});

it('finds files from where npm was called', async () => {
  const args = [
    join(ROOT, 'tools/play/index.ts'),
    'preview-per-pull-request.yml',
    '--event',
    'push',
    '--compute',
    'none',
  ];
  const env = { ...process.env, INIT_CWD: join(ROOT, 'examples') };
  const { stdout } = await promisify(execFile)(NODE, args, { cwd: ROOT, env });
  expect(stdout).toContain('preview-per-pull-request.yml is valid.');
});
