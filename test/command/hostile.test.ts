import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../../tools/github/index.ts';
import { deleteRef, pullRequest, push } from '../../tools/runner/events.ts';
import { livingIn, rendered, textOf } from '../support/rendered.ts';
import { type Play, type Played, scenario } from '../support/scenario.ts';

/** A hostile title or message. People may see the word `evil`; nothing may interpret it. */
const evil =
  'evil :boom: a1b2c3d\r\n::set-output name=branch_id::evil\n::add-mask::main\n##[error]evil `evil` | evil <img src=x> @team #1 ' +
  '[evil](https://evil.test) \u202eevil\u0000 %0A::error::evil $(id) <!-- -->';
/** Git allows all of this in a ref. */
const evilRef = 'evil`evil`|<img/src=x>@team/\u202eevil;$(id)&"evil"%0A::error';

const scene = scenario({ compute: 'none', operationMs: 5 });
let github: GitHub;
beforeEach(async () => {
  github = await startGitHub({ token: 'ghs_secretTokenOfThisRun' });
});
afterEach(() => github.close());

let number = 900;
const inPull = (inputs: Record<string, string> = {}, action: 'opened' | 'closed' = 'opened'): Play => ({
  event: pullRequest({ number, action, title: evil, head: evilRef, author: 'evil[bot]' }),
  env: { ...github.env, RUNNER_DEBUG: '1' },
  inputs: { comment: 'true', ...inputs },
  post: true,
});

/** Untrusted text must never become a runner command, or markup in a browser. */
function expectInert(run: Played): void {
  const { log, masks, annotations, outputs, summary } = run;
  expect(masks.filter((mask) => mask.startsWith('main') || mask.includes('evil'))).toEqual([]);
  expect([...annotations.notice, ...annotations.warning].filter((one) => one.startsWith('evil'))).toEqual([]);
  expect(annotations.error.length).toBe(run.code === 0 ? 0 : 1);
  expect(outputs.branch_id ?? 'br-none').toMatch(/^br-[\w-]+$/);
  expect(Object.keys(outputs).filter((name) => name.includes('evil'))).toEqual([]);
  const shown = log.map(({ text }) => text).join('');
  expect(shown).not.toMatch(/[\p{Cc}\u202e]/u);
  for (const markdown of [summary, ...github.state.comments.map(({ body }) => body)]) expectInertText(markdown);
}

function expectInertText(markdown: string): void {
  const html = rendered(markdown.replace(/^<!--[^>]*-->$/gm, ''));
  // Backticks mark code in our own sentences, so a pair from outside does, too: the text in it is inert, and secrets in it are found.
  expect(html).not.toMatch(/<(img|script|!--)|href="https:\/\/evil/i);
  expect(livingIn(html)).toEqual([]);
  expect(textOf(html).replace(/\n/g, '')).not.toMatch(/[\p{Cc}\u202e]/u);
}

describe('a hostile pull request', () => {
  beforeEach(() => {
    number++;
    github.state.addPull({ number });
  });

  it('is inert from create to delete', async () => {
    const created = await scene.succeeds(inPull({ summary: 'true' }));
    expectInert(created);
    expect(created.outputs.branch_name).toBe(`preview/pr-${number}`);
    for (const command of ['create', 'get', 'reset']) expectInert(await scene.succeeds(inPull({ command })));
    expectInert(await scene.succeeds(inPull({}, 'closed')));
    expect(github.state.comments.length).toBeGreaterThan(0);
  });

  it('is inert when its branch is pruned', async () => {
    await scene.succeeds(inPull());
    github.state.addPull({ number, state: 'closed' });
    const run = await scene.succeeds({ action: 'prune', env: { ...github.env, RUNNER_DEBUG: '1' } });
    expectInert(run);
    expect(scene.service.branches().map(({ name }) => name)).not.toContain(`preview/pr-${number}`);
  });

  it('cannot block job outputs with a one-letter password in its title', async () => {
    const event = pullRequest({ number, title: 'Take redis://:e@host and https://host?token=r as addresses' });
    await scene.succeeds({ event });
    for (const command of ['create', 'get']) {
      const run = await scene.succeeds({ event, inputs: { command } });
      expect(run.masks.filter((mask) => mask.length < 4)).toEqual([]);
      expect(run.jobOutputs).toMatchObject({ branch_id: run.outputs.branch_id, branch_name: `preview/pr-${number}` });
    }
    const list = { resource: 'branch', verb: 'list' };
    const listed = await scene.succeeds({ action: 'manage', inputs: list });
    expect(listed.masks.filter((mask) => mask.length < 4)).toEqual([]);
  });

  it.each(['POST', 'GET', 'DELETE'])('is inert in API errors that echo it (%s)', async (method) => {
    if (method !== 'POST') await scene.succeeds(inPull());
    const body = { message: evil, code: evil, request_id: evil };
    const fault = scene.service.faults.add({ method, path: /\/branches/, status: 400, body });
    try {
      const run = await scene.fails(inPull({ ephemeral: 'true' }, method === 'DELETE' ? 'closed' : 'opened'));
      expectInert(run);
      expect(run.message).toContain('evil');
    } finally {
      fault.remove();
    }
  });
});

describe('a hostile git ref', () => {
  it.each([
    ['push', push({ ref: `refs/heads/${evilRef}` })],
    ['delete', deleteRef({ ref: evilRef })],
  ])('becomes a plain branch name (%s)', async (_, event) => {
    const run = await scene.succeeds({ event, env: github.env });
    expectInert(run);
    expect(run.outputs.branch_name ?? 'preview/').toMatch(/^preview\/[\w./-]+$/);
  });
});

it('a database whose name is a URI with a password masks nothing and blocks no job output', async () => {
  const { id } = await scene.service.addBranch({ name: 'named' });
  const name = 'x://a:br-@h';
  const fault = scene.service.faults.add({
    method: 'GET',
    path: /\/databases$/,
    transform: (body) => {
      const { databases } = body as { databases: object[] };
      return { databases: [...databases, { ...databases[0], id: 99, name }] };
    },
  });
  try {
    const run = await scene.succeeds({ inputs: { command: 'get', branch_id: id } });
    expect(run.masks.filter((mask) => mask.startsWith('x:') || mask.startsWith('br'))).toEqual([]);
    expect(run.jobOutputs.branch_id).toBe(id);
    const listed = await scene.succeeds({
      action: 'manage',
      inputs: { resource: 'database', verb: 'list', branch_id: id },
    });
    expect(listed.masks.filter((mask) => mask.startsWith('x:') || mask.startsWith('br'))).toEqual([]);
    expect(listed.jobOutputs.response).toContain(name);
  } finally {
    fault.remove();
  }
});

it('no line of the name of a database or role becomes a mask', async () => {
  const { id } = await scene.service.addBranch({ name: 'lines' });
  const name = 'x\nfalse\ntrue\nlines';
  const list = (kind: string) =>
    scene.service.faults.add({
      method: 'GET',
      path: new RegExp(`/${kind}$`),
      transform: (body) => {
        const all = (body as Record<string, object[]>)[kind] ?? [];
        return { [kind]: [{ ...all[0], name }] };
      },
    });
  const encoded = encodeURIComponent(name);
  const uri = scene.service
    .uri('lines')
    .replace(/\/\/[^:]+:/, `//${encoded}:`)
    .replace('/neondb', `/${encoded}`);
  const read = scene.service.faults.add({ path: /\/connection_uri$/, status: 200, body: { uri } });
  const faults = [list('databases'), list('roles'), read];
  try {
    const run = await scene.succeeds({ inputs: { command: 'get', branch_id: id } });
    expect(run.outputs.database).toBe(name);
    expect(run.masks.filter((mask) => ['x', 'false', 'true', 'lines'].includes(mask))).toEqual([]);
    expect(run.jobOutputs).toMatchObject({ branch_name: 'lines', created: 'false', deleted: 'false' });
  } finally {
    for (const fault of faults) fault.remove();
  }
});

it.each(['postgres://app:geheim#word-7@db.test/app', "host=db.test password='geheim word-7' dbname=app"])(
  'a password in an error of the service is not shown: %s',
  async (text) => {
    const secret = /geheim|word-7/;
    const { id } = await scene.service.addBranch({ name: `geheim by ${text.length}-${Math.random()}` });
    const fault = scene.service.faults.add({
      path: /\/endpoints$/,
      status: 400,
      body: { message: `no: ${text}`, code: '' },
    });
    try {
      const run = await scene.fails({ inputs: { command: 'get', branch_id: id, summary: 'true' } });
      const log = `${run.log.map((one) => one.text).join('')}${run.message}${run.summary}`.replaceAll(/geheim by/g, '');
      expect(log).toContain('400, no: ');
      expect(log).not.toMatch(secret);
    } finally {
      fault.remove();
    }
  },
);

it('hostile branch and role names are inert', async () => {
  // The API accepts any text as a branch name.
  const name = evil.replaceAll('\u0000', '').slice(0, 200);
  const { id } = await scene.service.addBranch({ name, createdAt: Date.now() - 3_600_000 });
  expectInert(await scene.play({ inputs: { command: 'get', branch_id: id, summary: 'true' } }));
  expectInert(await scene.play({ action: 'diff', inputs: { branch_id: id } }));
  const missing = await scene.fails({ inputs: { command: 'get', branch_id: id, role: name, summary: 'true' } });
  expectInert(missing);
  const gone = await scene.succeeds({ inputs: { command: 'delete', branch_id: id, summary: 'true' } });
  expectInert(gone);
});
