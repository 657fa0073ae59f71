import { convertActionTemplate, parseAction } from '@actions/workflow-parser/actions/index';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
import { describe, expect, it } from 'vitest';
import { filesBelow, ROOT, read } from '../../tools/files.ts';
import { readAction } from '../../tools/runner/action.ts';

const { context, value } = parseAction(
  { name: 'action.yml', content: read('action.yml') },
  new NoOperationTraceWriter(),
);
const action = readAction(ROOT);
const differs = (file: string) => `${file} and action.yml differ`;

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
  it('read exactly the inputs of action.yml', async () => {
    const { inputNames } = await import('../../src/inputs/fields.ts');
    expect(inputNames.toSorted(), differs('src/inputs/fields.ts')).toEqual([...action.inputs.keys()].toSorted());
  });

  it('write exactly the outputs of action.yml', async () => {
    const { emptyResult } = await import('../../src/result.ts');
    const { outputsOf } = await import('../../src/runner/outputs.ts');
    const { values } = outputsOf({ command: 'create', result: emptyResult() });
    expect(Object.keys(values).sort(), differs('src/runner/outputs.ts')).toEqual(action.outputs.toSorted());
  });

  it('read inputs, and write outputs, in one place each', () => {
    const calls = (pattern: RegExp) => filesBelow('src', /\.ts$/).filter((path) => pattern.test(read(path)));
    expect(calls(/\bget(Multiline|Boolean)?Input\(|\bINPUT_/)).toEqual([
      'src/inputs/fields.ts',
      'src/inputs/load.ts',
      // As long as `action.yml` has the inputs of several actions.
      'src/main.ts',
      // Keeps them from the command that it rehearses.
      'src/rehearse/environment.ts',
      'src/step/inputs.ts',
    ]);
    expect(calls(/\bcore\.(setOutput|exportVariable|saveState|setSecret)\b|GITHUB_(OUTPUT|ENV|STATE)\b/)).toEqual([
      'src/branch/ephemeral.ts',
      'src/runner/outputs.ts',
      'src/step/log.ts',
      'src/step/outputs.ts',
    ]);
  });
});
