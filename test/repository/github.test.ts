import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesBelow, read } from '../../tools/files.ts';
import { faultsOf, misuses } from './checks.ts';
import type { Workflow } from './workflows.ts';

const paths = filesBelow('.github/workflows', /\.ya?ml$/);

it('there is a workflow that runs the check', () => {
  const runs = paths.flatMap((path) => steps(path).map((step) => step.run ?? ''));
  expect(runs).toContain('.ci/run');
});

describe.each(paths)('%s', (path) => {
  it('is a workflow that GitHub accepts', async () => {
    expect(await faultsOf(read(path), path)).toEqual([]);
  });

  it('pins every action to a commit, with its version beside it', () => {
    const uses = read(path)
      .split('\n')
      .filter((line) => /^\s*(- )?uses:/.test(line) && !line.includes('uses: ./'));
    expect(uses.filter((line) => !/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('uses only inputs and outputs of this action that exist', () => {
    expect(misuses(read(path), path)).toEqual([]);
  });

  it('has no permissions at the top, and says in each job what one is for', () => {
    expect((parse(read(path)) as Workflow).permissions).toEqual({});
    const granted = read(path)
      .split('\n')
      .filter((line) => /^ {6}[a-z-]+: (read|write)\b/.test(line));
    expect(granted.filter((line) => !/ # [a-z].{8,}$/.test(line))).toEqual([]);
    const listed = jobs(path).flatMap(({ permissions }) => Object.keys((permissions ?? {}) as object));
    expect(granted).toHaveLength(listed.length);
  });

  it('ends a run that hangs, and runs once at a time', () => {
    expect(jobs(path).filter((job) => job.steps !== undefined && !(Number(job['timeout-minutes']) <= 45))).toEqual([]);
    expect((parse(read(path)) as Workflow).concurrency).toBeDefined();
  });

  it('gives a secret only to the step that needs it', () => {
    const { jobs: all, ...top } = parse(read(path)) as Workflow;
    const around = Object.values(all).map(({ steps: _, ...job }) => job);
    expect(JSON.stringify([top, around])).not.toMatch(/secrets\.|github\.token/);
  });

  it('puts no expression into a script', () => {
    expect(steps(path).filter((step) => step.run?.includes('${{'))).toEqual([]);
  });

  it('leaves no credentials in the clone', () => {
    const checkouts = steps(path).filter((step) => step.uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });
});

it('the last job of the check needs every other one', () => {
  const { all, ...others } = (parse(read('.github/workflows/check.yml')) as Workflow).jobs;
  expect([all?.needs ?? []].flat().sort()).toEqual(Object.keys(others).sort());
});

it('Dependabot waits before it proposes a new version, and groups what belongs together', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as {
    updates: { cooldown?: { 'default-days'?: number }; groups?: object }[];
  };
  expect(updates.filter(({ cooldown }) => !((cooldown?.['default-days'] ?? 0) >= 7))).toEqual([]);
  expect(updates.filter(({ groups }) => groups === undefined)).toEqual([]);
});

function jobs(path: string) {
  return Object.values((parse(read(path)) as Workflow).jobs);
}

function steps(path: string) {
  return jobs(path).flatMap((job) => job.steps ?? []);
}
