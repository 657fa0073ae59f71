import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ruleNames } from '../../src/schema/rules.ts';
import { ROOT } from '../files.ts';
import { NODE } from '../runner/runner.ts';

const ACTION = `
inputs:
  key: { description: The key. Masked., required: true }
  mode:
    description: |
      Either \`a|b\` or
      nothing. Used by \`get\`.
    default: a|b
  ids: { description: The IDs. Required for \`get\`. }
  force: { description: '\`true\` goes on.', default: 'false' }
  from: { description: 'The start. Default: the parent, or for \`get\` the IDs.' }
outputs:
  id: { description: The ID. From all commands that create something. }
`;
const MARKED =
  '# T\n<!-- inputs:start -->\nold\n<!-- inputs:end -->\nmid\n<!-- outputs:start --><!-- outputs:end -->\nend\n';

describe('the inputs and outputs in the documents', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'docs-'));
    mkdirSync(join(folder, 'tools/docs'), { recursive: true });
    mkdirSync(join(folder, 'docs'));
    for (const script of ['docs.ts', 'repository.ts'])
      cpSync(join(ROOT, 'tools/docs', script), join(folder, 'tools/docs', script));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module","repository":"github:octo-org/database-branch"}');
    writeFileSync(join(folder, 'action.yml'), ACTION);
    writeFileSync(join(folder, 'README.md'), '# T\n');
    writeFileSync(join(folder, 'docs/reference.md'), MARKED);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const docs = (...args: string[]) =>
    spawnSync(NODE, ['tools/docs/docs.ts', ...args], { cwd: folder, encoding: 'utf8' });
  const text = (path: string) => readFileSync(join(folder, path), 'utf8');

  it('are written from action.yml, by command, and the rest of the text stays the same', () => {
    expect(docs()).toMatchObject({ status: 0, stdout: 'written: docs/reference.md\n' });
    expect(text('docs/reference.md')).toBe(
      [
        '# T',
        '<!-- inputs:start -->',
        '',
        '### All commands',
        '',
        '- `key` (required): The key. Masked.',
        '- `force`: `true` goes on.',
        '- `from`: The start. Default: the parent, or for `get` the IDs.',
        '',
        '### `get`',
        '',
        '- `mode` (default `a|b`): Either `a|b` or nothing.',
        '- `ids`: The IDs. Required.',
        '',
        '<!-- inputs:end -->',
        'mid',
        '<!-- outputs:start -->',
        '',
        '- `id`: The ID.',
        '',
        '<!-- outputs:end -->',
        'end',
        '',
      ].join('\n'),
    );
    expect(docs('--check')).toMatchObject({ status: 0, stdout: 'the documents match action.yml and package.json\n' });
  });

  it('are a short table of the names in the marker, in its order', () => {
    writeFileSync(join(folder, 'README.md'), '<!-- inputs:start mode key from -->\nold\n<!-- inputs:end -->\n');
    expect(docs()).toMatchObject({ status: 0, stdout: 'written: README.md, docs/reference.md\n' });
    expect(text('README.md')).toBe(
      [
        '<!-- inputs:start mode key from -->',
        '',
        '| Input | Default | Meaning |',
        '| --- | --- | --- |',
        '| `mode` | `a\\|b` | Either `a\\|b` or nothing. |',
        '| `key` | **required** | The key. |',
        '| `from` | the parent | The start. |',
        '',
        '<!-- inputs:end -->',
        '',
      ].join('\n'),
    );
  });

  it('come with a section for each rule of the schema review, by level', () => {
    mkdirSync(join(folder, 'src/schema'), { recursive: true });
    for (const file of ['rules.ts', 'rule-texts.ts'])
      cpSync(join(ROOT, 'src/schema', file), join(folder, 'src/schema', file));
    writeFileSync(join(folder, 'docs/rules.md'), 'before\n<!-- rules:start -->\nold\n<!-- rules:end -->\nafter\n');
    expect(docs()).toMatchObject({ status: 0, stdout: 'written: docs/reference.md, docs/rules.md\n' });
    const written = text('docs/rules.md');
    expect(written).toMatch(/^before\n<!-- rules:start -->\n\n## `destructive`: .*\n\n### drop-schema\n\n/);
    expect(written).toMatch(/\n<!-- rules:end -->\nafter\n$/);
    expect([...written.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(ruleNames);
    expect(written.match(/^\*\*Safer:\*\* ./gm)).toHaveLength(ruleNames.length);
  });

  it('are those of the action that a page is named after', () => {
    mkdirSync(join(folder, 'own'));
    writeFileSync(join(folder, 'own/action.yml'), ACTION.replace('The key. Masked.', 'Its own key.'));
    writeFileSync(join(folder, 'docs/own.md'), '<!-- inputs:start key -->\n<!-- inputs:end -->\n');
    expect(docs().status).toBe(0);
    expect(text('docs/own.md')).toContain('| `key` | **required** | Its own key. |');
  });

  it('are checked without writing', () => {
    docs();
    writeFileSync(join(folder, 'docs/inputs.md'), '<!-- inputs:start --><!-- inputs:end -->');
    const { status, stderr } = docs('--check');
    expect(status).toBe(1);
    expect(stderr).toBe('out of date: docs/inputs.md\nRun `npm run docs` and commit the result.\n');
    expect(text('docs/inputs.md')).toBe('<!-- inputs:start --><!-- inputs:end -->');
  });
});
