import { convertActionTemplate, parseAction } from '@actions/workflow-parser/actions/index';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
import { describe, expect, it } from 'vitest';
import { diff } from '../../src/diff/action.ts';
import { lifecycle } from '../../src/lifecycle/action.ts';
import { manage } from '../../src/manage/action.ts';
import { prune } from '../../src/prune/action.ts';
import { rehearse } from '../../src/rehearse/action.ts';
import type { Action, Facts } from '../../src/step/action.ts';
import type { CommonInputs } from '../../src/step/inputs.ts';
import { filesBelow, ROOT, read } from '../../tools/files.ts';
import { actionNames, folderOf, readAction } from '../../tools/runner/action.ts';

const { context, value } = parseAction(
  { name: 'action.yml', content: read('action.yml') },
  new NoOperationTraceWriter(),
);
const action = readAction(ROOT);

describe('action.yml', () => {
  it('is valid', () => {
    expect(context.errors.getErrors().map((error) => error.message)).toEqual([]);
    if (!value) throw new Error('action.yml could not be read');
    const template = convertActionTemplate(context, value);
    expect(context.errors.count).toBe(0);
    expect(template.name).toBe('Database Branch');
    expect(template.runs).toMatchObject({ using: 'node24', main: 'dist/index.js', post: 'dist/post.js' });
  });

  it('always runs the post step', () => {
    // always() is GitHub's default
    expect(read('action.yml')).not.toMatch(/post-if:(?!\s*always\(\))/);
  });

  it("has the job's own token as the default of `github_token`", () => {
    expect(action.inputs.get('github_token')?.replaceAll(' ', '')).toMatch(/^\$\{\{github\.token\}\}$/);
  });

  it('describes every input and output', () => {
    if (!value) throw new Error('action.yml could not be read');
    const { inputs = [], outputs = [] } = convertActionTemplate(context, value);
    const silent = [...inputs, ...outputs].filter((entry) => (entry.description ?? '').trim().length < 10);
    expect(silent.map((entry) => entry.id)).toEqual([]);
  });
});

describe('the sources', () => {
  it.each(actionNames)('read exactly the inputs, and write exactly the outputs, of the action.yml of %s', (name) => {
    const { inputs, outputs } = readAction(folderOf(name));
    const action = { lifecycle, diff, rehearse, prune, manage }[name] as Action<CommonInputs, Facts>;
    expect(Object.keys(action.inputs).sort()).toEqual([...inputs.keys()].toSorted());
    expect(Object.keys(action.outputs(action.empty())).sort()).toEqual(outputs.toSorted());
  });

  it('read inputs, and write outputs, in one place each', () => {
    const calls = (pattern: RegExp) => filesBelow('src', /\.ts$/).filter((path) => pattern.test(read(path)));
    expect(calls(/\bget(Multiline|Boolean)?Input\(|\bINPUT_/)).toEqual([
      // Keeps them from the command that it rehearses.
      'src/rehearse/environment.ts',
      'src/step/inputs.ts',
    ]);
    expect(calls(/\bcore\.(setOutput|exportVariable|saveState|setSecret)\b|GITHUB_(OUTPUT|ENV|STATE)\b/)).toEqual([
      'src/branch/ephemeral.ts',
      'src/step/log.ts',
      'src/step/outputs.ts',
    ]);
  });
});
