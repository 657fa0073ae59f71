import { expect, it } from 'vitest';
import { branchPath, consoleUrl, projectName, projectPath } from '../../../src/service/project.ts';
import { mockApi } from '../../support/mock-api.ts';

it('encodes IDs in paths', () => {
  expect(projectPath('a/b')).toBe('/projects/a%2Fb');
  expect(projectPath('p-1', '/branches')).toBe('/projects/p-1/branches');
  expect(branchPath({ projectId: 'p-1', branchId: 'x?y' })).toBe('/projects/p-1/branches/x%3Fy');
  expect(branchPath({ projectId: 'p-1', branchId: 'br-1', rest: '/roles' })).toBe('/projects/p-1/branches/br-1/roles');
});

it('reads the name of a project, and fails if there is none of this ID', async () => {
  const { api, sent } = mockApi([{ body: { project: { name: 'shop' } } }, { status: 404 }]);
  expect(await projectName({ api, projectId: 'p-1' })).toBe('shop');
  expect(sent[0]).toMatchObject({ method: 'GET', path: '/api/v2/projects/p-1' });
  await expect(projectName({ api, projectId: 'p-1' })).rejects.toThrow('Could not read project p-1: 404');
});

it.each([
  ['https://console.neon.tech/api/v2', 'https://console.neon.tech/app/projects/p-1/branches/br-1'],
  ['https://db.example/api/v2', undefined],
])('the page of a branch in the console of %s is %s', (apiHost, url) => {
  expect(consoleUrl({ apiHost, projectId: 'p-1', branchId: 'br-1' })).toBe(url);
});
