/**
 * Commits a folder as the `dist` of a branch, through GitHub's API.
 *
 *   GITHUB_REPOSITORY=owner/name GITHUB_TOKEN=… BRANCH=… HEAD=<commit> node tools/build/commit-dist.ts FOLDER
 *
 * Only if the branch is still at HEAD. The folder comes from a run that executed untrusted code, so nothing in it is executed here,
 * and nothing but plain files directly in dist is committed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { GITHUB_API_URL = 'https://api.github.com', GITHUB_REPOSITORY = '', GITHUB_TOKEN, BRANCH, HEAD } = process.env;
const [, , folder = ''] = process.argv;

async function request(path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${GITHUB_API_URL}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

try {
  const entries = readdirSync(folder, { withFileTypes: true });
  const odd = entries.filter((entry) => !entry.isFile() || !/^\w[\w.-]*$/.test(entry.name));
  if (odd.length > 0) throw new Error(`${odd.map((entry) => entry.name).join(', ')}: not a plain file`);
  const names = entries.map((entry) => entry.name);
  if (!names.includes('index.js')) throw new Error(`${folder} has no index.js, so it is not a dist`);
  const before = (await request(`/repos/${GITHUB_REPOSITORY}/contents/dist?ref=${HEAD}`)) as { path: string }[];
  const deletions = before
    .filter(({ path }) => !names.includes(path.replace('dist/', '')))
    .map(({ path }) => ({ path }));
  const additions = names.map((name) => ({
    path: `dist/${name}`,
    contents: readFileSync(join(folder, name)).toString('base64'),
  }));
  const input = {
    branch: { repositoryNameWithOwner: GITHUB_REPOSITORY, branchName: BRANCH },
    expectedHeadOid: HEAD,
    // With this, Dependabot still rebases a branch that somebody else has pushed to.
    message: { headline: 'Build dist with the new packages', body: '[dependabot skip]' },
    fileChanges: { additions, deletions },
  };
  const query =
    'mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }';
  const { errors } = (await request('/graphql', { query, variables: { input } })) as { errors?: { message: string }[] };
  if (errors) throw new Error(errors.map(({ message }) => message).join('; '));
  console.log(`Committed ${additions.length} files to ${BRANCH}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
