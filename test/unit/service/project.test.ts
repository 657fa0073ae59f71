import { expect, it } from 'vitest';
import { branchPath, consoleUrl, projectPath } from '../../../src/service/project.ts';

it('encodes IDs in paths', () => {
  expect(projectPath('a/b')).toBe('/projects/a%2Fb');
  expect(projectPath('p-1', '/branches')).toBe('/projects/p-1/branches');
  expect(branchPath({ projectId: 'p-1', branch: { id: 'x?y' } })).toBe('/projects/p-1/branches/x%3Fy');
  expect(branchPath({ projectId: 'p-1', branch: { id: 'br-1' } }, '/roles')).toBe('/projects/p-1/branches/br-1/roles');
});

it.each([
  ['https://console.neon.tech/api/v2', 'https://console.neon.tech/app/projects/p-1/branches/br-1'],
  ['https://db.example/api/v2', undefined],
])('the page of a branch in the console of %s is %s', (api_host, url) => {
  expect(consoleUrl({ api_host, project_id: 'p-1' }, { id: 'br-1' })).toBe(url);
});
