import { describe, expect, it } from 'vitest';
import { deleteRef, pullRequest, push } from '../events.ts';
import { evaluate, holds, interpolate } from '../workflow/expressions.ts';
import { combinations, inOrder, isTriggered, readWorkflow } from '../workflow/file.ts';
import { type OtherStep, playWorkflow, ScriptFailed } from '../workflow/play.ts';

/** GitHub's `${{ … }}`. */
const expression = (text: string) => `\${{ ${text} }}`;

describe('expressions', () => {
  const contexts = {
    github: { event: { number: 7 }, ref: 'refs/heads/main' },
    steps: { db: { outputs: { url: '' } } },
  };
  const scope = { contexts, status: 'success' as const };

  it('are evaluated inside a text', () => {
    expect(interpolate(`preview/${expression('github.event.number')}`, scope)).toBe('preview/7');
    expect(interpolate(expression("steps.db.outputs.url || 'none'"), scope)).toBe('none');
    expect(interpolate(expression('steps.other.outputs.url'), scope)).toBe('');
  });

  it('must be complete', () => {
    expect(() => evaluate('github.', scope)).toThrow();
    expect(() => evaluate('nothing.at.all', scope)).toThrow('nothing');
  });

  it.each([
    [undefined, true, false],
    ["github.ref == 'refs/heads/main'", true, false],
    [expression("github.ref == 'refs/heads/main'"), true, false],
    ['github.event.number == 8', false, false],
    ['always()', true, true],
    ['failure()', false, true],
    ["!cancelled() && github.ref == 'refs/heads/main'", true, true],
    [false, false, false],
  ])('if: %s', (condition, afterSuccess, afterFailure) => {
    expect(holds(condition, scope)).toBe(afterSuccess);
    expect(holds(condition, { ...scope, status: 'failure' })).toBe(afterFailure);
  });
});

describe('a workflow file', () => {
  const on = (text: string) => readWorkflow(`on: ${text}\njobs: {}`);

  it.each([
    ['push', push(), true],
    ['[push, delete]', deleteRef(), true],
    ['push', deleteRef(), false],
    ['pull_request', pullRequest({ action: 'opened' }), true],
    ['pull_request', pullRequest({ action: 'closed' }), false],
    ['{ pull_request: { types: [closed] } }', pullRequest({ action: 'closed' }), true],
    ['{ pull_request: { types: closed } }', pullRequest({ action: 'opened' }), false],
    ['{ pull_request: { branches: [main] } }', pullRequest({ action: 'synchronize' }), true],
  ])('on: %s', (text, event, started) => {
    expect(isTriggered(on(text), event)).toBe(started);
  });

  it('orders its jobs by what they need', () => {
    const job = (needs?: string[]) => ({ steps: [], ...(needs && { needs }) });
    expect(inOrder({ c: job(['b', 'a']), b: job(['a']), a: job() }).map(([id]) => id)).toEqual(['a', 'b', 'c']);
    expect(() => inOrder({ a: job(['b']) })).toThrow('b');
  });

  it('combines a matrix', () => {
    expect(combinations()).toEqual([{}]);
    expect(combinations({ os: ['a', 'b'], shard: [1, 2] })).toHaveLength(4);
  });

  it('adds and removes combinations of a matrix', () => {
    const include = [{ shard: 2, slow: true }, { os: 'c', shard: 3 }, { all: 1 }];
    expect(combinations({ os: ['a', 'b'], shard: [1, 2], exclude: [{ os: 'a', shard: 1 }], include })).toEqual([
      { os: 'a', shard: 2, slow: true, all: 1 },
      { os: 'b', shard: 1, all: 1 },
      { os: 'b', shard: 2, slow: true, all: 1 },
      { os: 'c', shard: 3 },
    ]);
    expect(combinations({ include: [{ a: 1 }, { a: 2 }] })).toEqual([{ a: 1 }, { a: 2 }]);
  });
});

describe('a run of a workflow', () => {
  const play = (text: string, script: (step: OtherStep) => Record<string, string> | undefined = () => undefined) =>
    playWorkflow(text, { event: push(), vars: { V: 'v' }, secrets: { S: 'hidden' }, inputs: {}, script });
  const results = (played: Awaited<ReturnType<typeof play>>) => played?.jobs.map(({ id, result }) => `${id} ${result}`);

  it('needs an event that starts it', async () => {
    expect(await play('on: pull_request\njobs: { a: { steps: [{ run: "true" }] } }')).toBeUndefined();
  });

  it('passes outputs between steps and jobs, but no secrets between jobs', async () => {
    const seen: Record<string, string>[] = [];
    const text = `
on: push
env: { A: '1' }
jobs:
  first:
    outputs: { x: '${expression('steps.one.outputs.x')}', s: 'has ${expression('secrets.S')}' }
    steps: [{ id: one, run: make }]
  second:
    needs: first
    steps: [{ run: use, env: { X: '${expression('needs.first.outputs.x')}', S: '${expression('needs.first.outputs.s')}', B: '${expression('env.A')}${expression('vars.V')}' } }]`;
    const played = await play(text, ({ run, env }) => {
      if (run === 'make') return { x: 'made' };
      seen.push(env);
      return undefined;
    });
    expect(results(played)).toEqual(['first success', 'second success']);
    expect(seen).toEqual([{ A: '1', X: 'made', S: '', B: '1v' }]);
  });

  it('continues after a failure only if a condition says so', async () => {
    const ran: string[] = [];
    const text = `
on: push
jobs:
  broken: { steps: [{ run: fail }, { run: never }, { run: tidy, if: always() }] }
  after: { needs: broken, steps: [{ run: never }] }
  later: { needs: after, if: failure(), steps: [{ run: never }] }
  anyway: { needs: broken, if: failure(), steps: [{ run: report }] }
  forgiven: { steps: [{ run: fail, continue-on-error: true }, { run: on }] }`;
    const played = await play(text, ({ run = '' }) => {
      ran.push(run);
      if (run === 'fail') throw new ScriptFailed();
      return undefined;
    });
    expect(results(played)).toEqual([
      'broken failure',
      'after skipped',
      'later skipped',
      'anyway success',
      'forgiven success',
    ]);
    expect(ran).toEqual(['fail', 'tidy', 'report', 'fail', 'on']);
  });

  it('has the values of its own run, job and runner in expressions', async () => {
    const seen: (string | undefined)[] = [];
    const all =
      'github.job, github.workflow, github.run_id, github.run_number, github.repository_owner, runner.os, job.status';
    const text = (name: string) => `${name}
on: push
jobs:
  first:
    steps:
      - run: see
        env: { ALL: "${expression(`format('{0} {1} {2} {3} {4} {5} {6}{7}', ${all}, hashFiles('**'))`)}" }`;
    const run = (name: string) =>
      playWorkflow(text(name), {
        ...{
          event: push(),
          vars: {},
          secrets: {},
          inputs: {},
          runId: '99',
          runNumber: '8',
          path: '.github/workflows/x.yml',
        },
        script: ({ env }) => void seen.push(env.ALL),
      });
    await run('name: Mine');
    await run('');
    expect(seen).toEqual([
      'first Mine 99 8 octo-org Linux success',
      'first .github/workflows/x.yml 99 8 octo-org Linux success',
    ]);
  });

  it('takes a matrix from an expression', async () => {
    const text = `
on: push
jobs: { test: { strategy: { matrix: "${expression(`fromJSON('{ "n": [1, 2] }')`).replaceAll('"', '\\"')}" }, steps: [{ run: 'echo ${expression('matrix.n')}' }] } }`;
    const ran: (string | undefined)[] = [];
    await play(text, ({ run }) => void ran.push(run));
    expect(ran).toEqual(['echo 1', 'echo 2']);
  });

  describe('that calls a reusable one', () => {
    const called = `
      on:
        workflow_call:
          inputs: { name: { required: true, type: string }, size: { type: string, default: small } }
          secrets: { key: { required: false } }
          outputs:
            text: { value: "${expression('jobs.work.outputs.text')}" }
            key: { value: "${expression('jobs.work.outputs.key')}" }
      jobs:
        work:
          outputs: { text: "${expression('steps.a.outputs.text')}", key: "${expression('secrets.key')}" }
          steps:
            - id: a
              run: call
              env: { ALL: "${expression("format('{0} {1} {2}{3}', inputs.name, inputs.size, github.event_name, secrets.other)")}" }`;
    const caller = (inputs: string) => `
      on: push
      jobs:
        call:
          uses: org/repo/called.yml@v1
          with: ${inputs}
          secrets: { key: "${expression('secrets.api_key')}" }
        after:
          needs: call
          steps:
            - run: after
              env: { GOT: "${expression("format('{0}{1}', needs.call.outputs.text, needs.call.outputs.key)")}" }`;
    const play = async (inputs: string, script: (step: OtherStep) => Record<string, string> | undefined) =>
      playWorkflow(caller(inputs), {
        event: push(),
        vars: {},
        secrets: { api_key: 'hidden-value', other: 'not-passed-on' },
        inputs: {},
        reusable: { 'org/repo/called.yml@v1': called },
        script,
      });

    it('passes inputs and secrets in, and outputs but no secrets back', async () => {
      const seen: (string | undefined)[] = [];
      const played = await play('{ name: shop }', ({ run, env }) => {
        seen.push(run === 'call' ? env.ALL : env.GOT);
        return run === 'call' ? { text: 'done' } : undefined;
      });
      expect(seen).toEqual(['shop small push', 'done']);
      expect(played?.jobs.map(({ id, result }) => [id, result])).toEqual([
        ['call', 'success'],
        ['after', 'success'],
      ]);
    });

    it('fails with the called workflow', async () => {
      const played = await play('{ name: shop }', () => {
        throw new ScriptFailed();
      });
      expect(played?.jobs.map(({ result }) => result)).toEqual(['failure', 'skipped']);
    });

    it.each([
      ['{}', 'requires the input name'],
      ['{ name: shop, colour: red }', 'no input colour'],
    ])('checks the inputs %s', async (inputs, message) => {
      await expect(play(inputs, () => undefined)).rejects.toThrow(message);
    });
  });

  it('runs each combination of a matrix, and records its concurrency group', async () => {
    const text = `
on: push
concurrency: { group: 'g-${expression('github.ref_name')}', cancel-in-progress: "${expression("github.event_name == 'push'")}" }
jobs: { test: { strategy: { matrix: { n: [1, 2] } }, steps: [{ run: 'echo ${expression('matrix.n')}${expression('strategy.job-index')}' }] } }`;
    const ran: (string | undefined)[] = [];
    const played = await play(text, ({ run }) => void ran.push(run));
    expect(ran).toEqual(['echo 10', 'echo 21']);
    expect(played?.concurrency).toEqual({ group: 'g-main', cancelInProgress: true });
  });
});
