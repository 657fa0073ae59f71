import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NODE } from '../../support/runner.ts';
import { ROOT } from './files.ts';

const ACTION = `
inputs:
  key: { description: Taken as it is., required: true }
  mode:
    description: |
      Either \`a|b\` or
      nothing.

      - one
      - two
    default: a|b
outputs:
  id: { description: The ID. }
`;
const MARKED =
  '# T\n<!-- inputs:start -->\nold\n<!-- inputs:end -->\nmid\n<!-- outputs:start --><!-- outputs:end -->\nend\n';

describe('the tables in the documents', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'docs-'));
    mkdirSync(join(folder, 'scripts'));
    mkdirSync(join(folder, 'docs'));
    cpSync(join(ROOT, 'scripts/docs.ts'), join(folder, 'scripts/docs.ts'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'action.yml'), ACTION);
    writeFileSync(join(folder, 'README.md'), MARKED);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const docs = (...args: string[]) => spawnSync(NODE, ['scripts/docs.ts', ...args], { cwd: folder, encoding: 'utf8' });
  const readme = () => readFileSync(join(folder, 'README.md'), 'utf8');

  it('are written from action.yml, and nothing else is touched', () => {
    expect(docs()).toMatchObject({ status: 0, stdout: 'written: README.md\n' });
    expect(readme()).toBe(
      [
        '# T',
        '<!-- inputs:start -->',
        '',
        '| Input | Default | Meaning |',
        '| --- | --- | --- |',
        '| `key` | **required** | Taken as it is. |',
        '| `mode` | `a\\|b` | Either `a\\|b` or nothing.<br>- one<br>- two |',
        '',
        '<!-- inputs:end -->',
        'mid',
        '<!-- outputs:start -->',
        '',
        '| Output | Meaning |',
        '| --- | --- |',
        '| `id` | The ID. |',
        '',
        '<!-- outputs:end -->',
        'end',
        '',
      ].join('\n'),
    );
    expect(docs('--check')).toMatchObject({ status: 0, stdout: 'the documents agree with action.yml\n' });
  });

  it('are checked without writing', () => {
    docs();
    writeFileSync(join(folder, 'docs/inputs.md'), '<!-- inputs:start --><!-- inputs:end -->');
    const { status, stderr } = docs('--check');
    expect(status).toBe(1);
    expect(stderr).toBe('out of date with action.yml: docs/inputs.md\nRun `npm run docs` and commit what it writes.\n');
    expect(readFileSync(join(folder, 'docs/inputs.md'), 'utf8')).toBe('<!-- inputs:start --><!-- inputs:end -->');
  });

  it.each([
    ['no markers', '# T\n', 'are missing'],
    ['one marker', MARKED.replace('<!-- inputs:end -->', ''), 'one is missing'],
    ['a marker twice', MARKED + MARKED, 'more than once'],
  ])('say what is wrong with %s', (_, text, message) => {
    writeFileSync(join(folder, 'README.md'), text);
    const { status, stderr } = docs();
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(message) });
    expect(readme()).toBe(text);
  });
});
