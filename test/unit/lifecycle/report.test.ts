import { expect, it } from 'vitest';
import { lifecycle } from '../../../src/lifecycle/action.ts';
import { aboutBranch, report } from '../../../src/lifecycle/report.ts';
import { branch as readBranch } from '../../../src/service/types.ts';

const branch = readBranch({ id: 'br-1', name: 'preview/pr-7' }, 'branch');
const facts = { ...lifecycle.empty(), branch };

it('after `wait: false`, the summary says that the branch is not ready, and how to wait', () => {
  const text = report({ ...facts, notReady: true }, { failed: false }).join('\n');
  expect(text).toContain('the branch is not ready yet (`wait: false`). `command: get` with `branch_id: br-1` waits');
  expect(text).not.toContain('connect with');
});

it('how many columns are masked is said, with their names in a fold', () => {
  const column = (name: string) => ({ database: 'neondb', schema: 'public', table: 'users', column: name });
  const of = (...names: string[]) => aboutBranch({ branch, masked: names.map(column) }).at(-1);
  expect(of('email')).toBe(
    '<details>\n<summary>1 column is masked</summary>\n\n- `neondb.public.users.email`\n\n</details>',
  );
  expect(of('email', 'phone')).toContain('<summary>2 columns are masked</summary>');
  expect(aboutBranch({ branch, masked: undefined }).join()).not.toContain('masked');
});
