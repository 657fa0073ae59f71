import { expect, it } from 'vitest';
import { aboutBranch } from '../../../src/lifecycle/report.ts';
import { branch as readBranch } from '../../../src/service/types.ts';

const branch = readBranch({ id: 'br-1', name: 'preview/pr-7' }, 'branch');

it('how many columns are masked is said, with their names in a fold', () => {
  const of = (...names: string[]) =>
    aboutBranch({ branch, masked: names.map((name) => `neondb.public.users.${name}`) }).at(-1);
  expect(of('email')).toBe(
    '<details>\n<summary>1 column is masked</summary>\n\n- `neondb.public.users.email`\n\n</details>',
  );
  expect(of('email', 'phone')).toContain('<summary>2 columns are masked</summary>');
  expect(aboutBranch({ branch, masked: undefined }).join()).not.toContain('masked');
});

it('a branch that was deleted is said to be', () => {
  expect(aboutBranch({ branch, deleted: true })[0]).toContain('| `preview/pr-7` (deleted) |');
  expect(aboutBranch({ branch })[0]).toContain('| `preview/pr-7` |');
});
