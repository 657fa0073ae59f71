import { describe, expect, it } from 'vitest';
import { findParent } from '../../../src/branch/target.ts';
import { Account } from '../../support/account.ts';
import { step } from '../../support/step.ts';

describe('the parent', () => {
  it('is not looked up without `parent_branch`', async () => {
    const { context, sent } = step({ command: 'create' });
    expect(await findParent(context)).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it.each(['staging', 'br-staging'])('is found by name or ID, and is known from then on: %s', async (parent_branch) => {
    const account = new Account();
    account.add({ name: 'staging', id: 'br-staging' });
    const made = step({ command: 'create', account, inputs: { parent_branch } });
    expect(await findParent(made.context)).toMatchObject({ id: 'br-staging' });
    expect(made.result.knownParent).toEqual({ id: 'br-staging', name: 'staging' });
  });

  it('must exist', async () => {
    const { context } = step({ command: 'create', inputs: { parent_branch: 'nope' } });
    await expect(findParent(context)).rejects.toThrow(
      'The project has no branch with the name or ID "nope" (`parent_branch`). Nothing was changed. Check its spelling, or remove the input to use the default branch.',
    );
    // Without it, a reset is not to the default branch; a rehearsal never resets.
    for (const [command, advice] of [
      [
        'create',
        ': then a new branch is created from the default branch, and an existing one is reset to its own parent.',
      ],
      ['reset', ' to reset the branch to its own parent.'],
      ['rehearse', ' to use the default branch.'],
    ] as const) {
      const other = step({ command, inputs: { parent_branch: 'nope', if_exists: 'reset', run: 'true' } });
      await expect(findParent(other.context)).rejects.toThrow(`remove the input${advice}`);
    }
  });
});
