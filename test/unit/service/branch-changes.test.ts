import { expect, it } from 'vitest';
import { protect, setExpiry } from '../../../src/service/branch-changes.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { at, branch, lost, operation, trail } from './samples.ts';

const play = (replies: Reply[]) => {
  const mock = mockApi(replies);
  return { ...mock, about: { api: mock.api, projectId: 'p-1', branch: branch() } };
};

it.each([
  ['its expiry', setExpiry, { expires_at: at(0) }],
  ['its protection', protect, { protected: true }],
])('changes a branch: %s', async (_, change, fields) => {
  const { about, sent } = play([{ body: { branch: branch(fields), operations: [operation()] } }]);
  expect(await change(about, at(0))).toMatchObject({ branch: fields, operations: [{ id: 'op-1' }] });
  expect(trail(sent)).toEqual(['PATCH /branches/br-1']);
  expect(sent[0]?.body).toEqual({ branch: fields });
});

it('fails with what was tried, and does not send a change again whose response was lost', async () => {
  const { about, sent } = play([lost]);
  await expect(setExpiry(about, at(0))).rejects.toThrow(
    `Could not set the expiry of branch "preview/pr-7" to ${at(0)}: 500`,
  );
  await expect(protect(about)).rejects.toThrow('Could not protect branch "preview/pr-7": 500');
  expect(sent).toHaveLength(2);
});

it('fails if the response is about another branch', async () => {
  const { about } = play([{ body: { branch: branch({ id: 'br-2' }) } }]);
  await expect(protect(about)).rejects.toThrow('it is about branch br-2 instead of br-1');
});
