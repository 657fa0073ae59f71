import { convertActionTemplate, parseAction } from '@actions/workflow-parser/actions/index';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
import { describe, expect, it } from 'vitest';
import { commandNames } from '../../../src/inputs/commands.ts';
import { filesBelow, ROOT, read } from '../../../tools/files.ts';
import { readAction } from '../../../tools/runner/action.ts';
import { COMMANDS, INPUTS, OUTPUTS } from './contract.ts';

const { context, value } = parseAction(
  { name: 'action.yml', content: read('action.yml') },
  new NoOperationTraceWriter(),
);
const action = readAction(ROOT);
const differs = (list: string) => `${list} and action.yml differ`;

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

  it('has the inputs and defaults of the contract', () => {
    expect(Object.fromEntries(action.inputs), differs('test/unit/repository/contract.ts')).toEqual(INPUTS);
  });

  it('has the outputs of the contract', () => {
    expect(action.outputs.toSorted(), differs('test/unit/repository/contract.ts')).toEqual(OUTPUTS.toSorted());
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
    const { inputNames } = await import('../../../src/inputs/fields.ts');
    expect(inputNames.toSorted(), differs('src/inputs/fields.ts')).toEqual([...action.inputs.keys()].toSorted());
  });

  it('write exactly the outputs of action.yml', async () => {
    const { outputNames } = await import('../../../src/runner/outputs.ts');
    expect(outputNames.toSorted(), differs('src/runner/outputs.ts')).toEqual(action.outputs.toSorted());
  });

  it('have the commands of the contract', () => {
    expect(['auto', ...commandNames], 'src/inputs/commands.ts and test/unit/repository/contract.ts differ').toEqual(
      COMMANDS,
    );
  });

  it('read inputs, and write outputs, in one place each', () => {
    const calls = (pattern: RegExp) => filesBelow('src', /\.ts$/).filter((path) => pattern.test(read(path)));
    expect(calls(/\bget(Multiline|Boolean)?Input\(|\bINPUT_/)).toEqual(['src/inputs/fields.ts', 'src/inputs/load.ts']);
    expect(calls(/\bcore\.(setOutput|exportVariable|saveState|setSecret)\b|GITHUB_(OUTPUT|ENV|STATE)\b/)).toEqual([
      'src/runner/log.ts',
      'src/runner/outputs.ts',
      'src/runner/state.ts',
    ]);
  });
});
