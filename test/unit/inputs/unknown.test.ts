import { describe, expect, it } from 'vitest';
import { inputNames } from '../../../src/inputs/fields.ts';
import { formerInputs, unknownInputs as messages } from '../../../src/inputs/unknown.ts';

/** As the runner names them. */
function given(...names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.map((name) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, 'x']));
}

describe("an input of the service's own actions", () => {
  it.each(Object.entries(formerInputs))('%s is an error that says: %s', (name, advice) => {
    expect(messages(given(name))).toEqual([`${name} is not an input; ${advice}`]);
    const named = [...advice.matchAll(/`(\w+)[`:]/g)].map(([, one]) => one);
    expect(named.filter((one) => ![...inputNames, 'password'].includes(one as never))).toEqual([]);
    expect((inputNames as string[]).includes(name)).toBe(false);
  });

  it('is recognized in any case, and with a hyphen or an underscore', () => {
    expect(messages({ INPUT_Branch: 'x', input_lsn: 'x', 'INPUT_COMPARE-BRANCH': 'x' })).toEqual([
      'branch is not an input; use `branch_name`, or `branch_id` for an ID',
      expect.stringMatching(/^lsn is not an input; /),
      expect.stringMatching(/^compare-branch is not an input; /),
    ]);
  });

  it('is ignored if it is empty', () => {
    expect(messages({ INPUT_BRANCH: '', INPUT_PARENT: ' \n', INPUT_LSN: undefined })).toEqual([]);
  });
});

describe('a misspelled input', () => {
  it.each([
    ['expire_in', 'expires_in'],
    ['expiresin', 'expires_in'],
    ['branch-name', 'branch_name'],
    ['branchid', 'branch_id'],
    ['api-key', 'api_key'],
    ['ap_ky', 'api_key'],
    ['databse', 'database'],
    ['parent_brnach', 'parent_branch'],
    ['comand', 'command'],
    ['project-id', 'project_id'],
    ['roles', 'role'],
    ['sl', 'ssl'],
    ['tmeout', 'timeout'],
  ])('%s is an error that suggests %s', (name, right) => {
    expect(messages(given(name))).toEqual([`${name} is not an input; did you mean \`${right}\`?`]);
  });
});

describe('anything else', () => {
  it('is left alone', () => {
    expect(messages(given(...inputNames))).toEqual([]);
    expect(messages(given('pull_number', 'colour', 'who-to-greet', 'x', 'expires', 'entrypoint', 'args'))).toEqual([]);
    // One edit is a typo of a short name, two make another word of it.
    expect(messages(given('url', 'sha', 'mode', 'rules', 'port', 'data', 'bath'))).toEqual([
      'bath is not an input; did you mean `path`?',
    ]);
    expect(messages({ INPUT_: 'x', INPUT: 'x', MY_INPUT_BRANCH: 'x', BRANCH: 'x', GITHUB_REF: 'x' })).toEqual([]);
  });

  it('has no effect on the message of another', () => {
    expect(messages({ INPUT_BRANCH: 'secret value' }).join()).not.toContain('secret value');
  });
});
