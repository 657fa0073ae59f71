import { convertActionTemplate, parseAction } from '@actions/workflow-parser/actions/index';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
import { describe, expect, it } from 'vitest';
import type { Action, Facts } from '../../src/step/action.ts';
import type { CommonInputs } from '../../src/step/inputs.ts';
import { exists, read } from '../../tools/files.ts';
import { actionNames, folderOf, readAction } from '../../tools/runner/action.ts';
import { sourceOf } from '../support/inputs.ts';

/** The most inputs that an action may have. */
const most = { diff: 19, rehearse: 24, prune: 14, manage: 18 };

const names = actionNames.filter((name) => name !== 'lifecycle').filter((name) => exists(`${name}/action.yml`));

describe.each(names)('%s/action.yml', (name) => {
  const path = `${name}/action.yml`;
  const action = readAction(folderOf(name));
  const code = async () => {
    const module = (await import(`../../src/${name}/action.ts`)) as Record<string, Action<CommonInputs, Facts>>;
    return module[name] as Action<CommonInputs, Facts>;
  };

  it('is valid, and describes every input and output', () => {
    const { context, value } = parseAction({ name: path, content: read(path) }, new NoOperationTraceWriter());
    expect(context.errors.getErrors().map((error) => error.message)).toEqual([]);
    if (!value) throw new Error(`${path} could not be read`);
    const { inputs = [], outputs = [], runs } = convertActionTemplate(context, value);
    expect(runs).toMatchObject({ using: 'node24', main: `../dist/${name}.js` });
    expect([...inputs, ...outputs].filter(({ description = '' }) => description.trim().length < 10)).toEqual([]);
  });

  it('has the inputs that the action reads, with their defaults, and not too many', async () => {
    const { inputs } = await code();
    expect([...action.inputs.keys()].sort()).toEqual(Object.keys(inputs).sort());
    expect(action.inputs.size).toBeLessThanOrEqual(most[name]);
    for (const [input, standard] of action.inputs) {
      if (standard === '' || standard.includes('${{')) continue;
      const read = (given: Record<string, string>) => inputs[input]?.(sourceOf(given), input);
      expect([input, read({})]).toEqual([input, read({ [input]: standard })]);
    }
  });

  it('has every output that the action writes', async () => {
    const { empty, outputs } = await code();
    expect(action.outputs).toEqual(expect.arrayContaining(Object.keys(outputs(empty()))));
  });
});
