import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { faultsOf } from './checks.ts';
import { filesBelow, read } from './files.ts';
import type { Workflow } from './workflows.ts';

const paths = filesBelow('.github/workflows', /\.ya?ml$/);

it('there is a workflow that runs the check', () => {
  const runs = paths.flatMap((path) => steps(path).map((step) => step.run ?? ''));
  expect(runs).toContain('.ci/run');
});

describe.each(paths)('%s', (path) => {
  it('is what GitHub takes', async () => {
    expect(await faultsOf(read(path), path)).toEqual([]);
  });

  it('pins every action to a commit, with its version beside it', () => {
    const uses = read(path)
      .split('\n')
      .filter((line) => /^\s*(- )?uses:/.test(line) && !line.includes('uses: ./'));
    expect(uses.filter((line) => !/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('asks for nothing but reading at the top', () => {
    const { permissions } = parse(read(path)) as Workflow;
    expect(Object.values((permissions ?? { all: 'write' }) as object).filter((level) => level !== 'read')).toEqual([]);
  });

  it('puts no expression into a script', () => {
    expect(steps(path).filter((step) => step.run?.includes('${{'))).toEqual([]);
  });

  it('leaves no credentials in the clone', () => {
    const checkouts = steps(path).filter((step) => step.uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });
});

function steps(path: string) {
  return Object.values((parse(read(path)) as Workflow).jobs).flatMap((job) => job.steps ?? []);
}
