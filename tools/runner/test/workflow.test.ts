import { describe, expect, it } from 'vitest';
import { deleteRef, pullRequest, push } from '../events.ts';
import { combinations, isTriggered, readWorkflow } from '../workflow/file.ts';
import { type OtherStep, playWorkflow, ScriptFailed } from '../workflow/play.ts';

/** GitHub's `${{ … }}`. */
const expression = (text: string) => `\${{ ${text} }}`;

describe('a workflow file', () => {
  const on = (text: string) => readWorkflow(`on: ${text}\njobs: {}`);

  it.each([
    ['push', push(), true],
    ['[push, delete]', deleteRef(), true],
    ['push', deleteRef(), false],
    ['pull_request', pullRequest({ action: 'closed' }), false],
    ['{ pull_request: { types: [closed] } }', pullRequest({ action: 'closed' }), true],
    ['{ pull_request: { types: closed } }', pullRequest({ action: 'opened' }), false],
    ['{ pull_request: { branches: [main] } }', pullRequest({ action: 'synchronize' }), true],
  ])('on: %s', (text, event, started) => {
    expect(isTriggered(on(text), event)).toBe(started);
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
  forgiven: { steps: [{ run: fail, continue-on-error: "${expression("github.ref_name == 'main'")}" }, { run: on }] }`;
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
