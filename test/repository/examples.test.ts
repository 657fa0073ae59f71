import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesBelow, read } from '../../tools/files.ts';
import { isOurs } from './workflows.ts';

/** What every example keeps to, because people copy it. GitHub's parser and the linter check the rest, in documents.test.ts. */
interface Example {
  on: object;
  permissions: object;
  concurrency?: unknown;
  jobs: Record<string, ExampleJob>;
}
interface ExampleJob {
  uses?: string;
  concurrency?: unknown;
  'timeout-minutes'?: number;
  steps?: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

const examples = filesBelow('examples', /\.ya?ml$/).map((path) => {
  const text = read(path);
  const workflow = parse(text) as Example;
  const jobs = Object.values(workflow.jobs);
  return { path, text, workflow, jobs, steps: jobs.flatMap((job) => job.steps ?? []) };
});
const pathsOf = (those: typeof examples) => those.map(({ path }) => path);

it('there are at most 30 examples: more would hide each other', () => {
  expect(examples.length).toBeLessThanOrEqual(30);
});

it('the examples have no permissions at the top, and a reason for each one in a job', () => {
  expect(pathsOf(examples.filter(({ workflow }) => Object.keys(workflow.permissions).length > 0))).toEqual([]);
  const unexplained = examples.flatMap(({ path, text }) =>
    [...text.matchAll(/^ +[\w-]+: (?:read|write)$/gm)].map(([line]) => `${path}: ${line.trim()}`),
  );
  expect(unexplained).toEqual([]);
});

it('the examples limit the time of each job', () => {
  const endless = examples.filter(({ jobs }) => jobs.some((job) => !job.uses && !job['timeout-minutes']));
  expect(pathsOf(endless)).toEqual([]);
});

it('the examples for pull requests have a concurrency group', () => {
  const unordered = examples.filter(
    ({ workflow, jobs }) =>
      'pull_request' in workflow.on &&
      workflow.concurrency === undefined &&
      jobs.some((job) => job.concurrency === undefined),
  );
  expect(pathsOf(unordered)).toEqual([]);
});

it('the examples leave no branch: neither a label nor a late run creates one after the close, or replaces the run that deletes it', () => {
  const events = ({ workflow }: (typeof examples)[number]) =>
    workflow.on as Record<string, { types?: string[] } | null>;
  const labeled = examples.filter((one) => {
    const types = events(one).pull_request?.types ?? [];
    return types.includes('labeled') && types.includes('closed');
  });
  expect(pathsOf(labeled)).toEqual(['examples/preview-on-schema-change.yml']);
  // Every label starts the workflow, so the group must be on a job, which is skipped for all but one label of an open pull request.
  const unguarded = labeled.filter(
    ({ workflow, text }) =>
      workflow.concurrency !== undefined || !/action != 'labeled' \|\|[^#]*pull_request\.state == 'open'/.test(text),
  );
  expect(pathsOf(unguarded)).toEqual([]);
  const late = examples.filter((one) => 'workflow_run' in events(one));
  expect(pathsOf(late.filter(({ text }) => !text.includes('workflow_run.pull_requests[0] != null')))).toEqual([]);
});

it('the examples pin the actions of others to a commit, with its version', () => {
  const uses = examples.flatMap(({ text }) =>
    [...text.matchAll(/^ +(?:- )?uses: (.*)$/gm)].map(([, used = '']) => used),
  );
  const known = /^(actions\/[\w-]+@v\d+|my-org\/workflows\/.*@v1)$/;
  const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v?\d+\.\d+\.\d+$/;
  const others = uses.filter((used) => !isOurs({ uses: used }) && !known.test(used));
  expect(others.filter((used) => !pinned.test(used))).toEqual([]);
});

it('the examples put no expression into a script', () => {
  expect(pathsOf(examples.filter(({ steps }) => steps.some(({ run }) => run?.includes('${{'))))).toEqual([]);
});

it('the examples leave no credentials in the clone', () => {
  const careless = examples.filter(({ steps }) =>
    steps.some(
      ({ uses, with: given }) => uses?.startsWith('actions/checkout@') && given?.['persist-credentials'] !== false,
    ),
  );
  expect(pathsOf(careless)).toEqual([]);
});

// On Windows, the first `bash` may be that of WSL, without a distribution.
it.skipIf(process.platform === 'win32')('bash can parse the scripts of the examples', () => {
  const scripts = examples.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const all = 'for script; do bash --norc -n -c "$script" || exit 1; done';
  execFileSync('bash', ['--norc', '-c', all, 'bash', ...scripts], { stdio: 'pipe' });
});
