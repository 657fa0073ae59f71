import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ruleNames } from '../../src/schema/rules.ts';
import { writeDocuments } from './docs.ts';
import { placeholder } from './repository.ts';

const ACTION = `
inputs:
  key: { description: The key. Masked., required: true }
  mode:
    description: |
      Either \`a|b\` or
      nothing. Used by \`get\`.
    default: a|b
  ids: { description: The IDs. Used by \`get\`. }
  force: { description: '\`true\` goes on.', default: 'false' }
  from: { description: 'The start. Default: the parent, or for \`get\` the IDs.' }
outputs:
  id: { description: The ID. From all commands that create something. }
`;
const MARKED =
  '# T\n<!-- inputs:start -->\nold\n<!-- inputs:end -->\nmid\n<!-- outputs:start --><!-- outputs:end -->\nend\n';
const REFERENCE = `# T
<!-- inputs:start -->

### All commands

- \`key\` (required): The key. Masked.
- \`force\`: \`true\` goes on.
- \`from\`: The start. Default: the parent, or for \`get\` the IDs.

### \`get\`

- \`mode\` (default \`a|b\`): Either \`a|b\` or nothing.
- \`ids\`: The IDs.

<!-- inputs:end -->
mid
<!-- outputs:start -->

- \`id\`: The ID.

<!-- outputs:end -->
end
`;

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'docs-'));
  write('package.json', '{"repository":"github:octo-org/first"}');
  write('action.yml', ACTION);
  write('README.md', '# T\n');
  write('docs/reference.md', MARKED);
});
afterEach(() => rmSync(root, { recursive: true }));

const read = (path: string) => readFileSync(join(root, path), 'utf8');
function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('the inputs and outputs are written from action.yml, by command; a check only says that they are out of date', () => {
  expect(() => writeDocuments(root, { check: true })).toThrow(
    'out of date: docs/reference.md\nRun `npm run docs` and commit the result.',
  );
  expect(read('docs/reference.md')).toBe(MARKED);
  expect(writeDocuments(root)).toBe('written: docs/reference.md');
  expect(read('docs/reference.md')).toBe(REFERENCE);
  expect(writeDocuments(root, { check: true })).toBe('the documents match action.yml and package.json');
});

it('a marker with names has a short table of them, in its order, of the action that the page is named after', () => {
  write('own/action.yml', ACTION.replace('The key. Masked.', 'Its own key.'));
  write('docs/own.md', '<!-- inputs:start mode key from -->\nold\n<!-- inputs:end -->\n');
  writeDocuments(root);
  expect(read('docs/own.md')).toBe(`<!-- inputs:start mode key from -->

| Input | Default | Meaning |
| --- | --- | --- |
| \`mode\` | \`a\\|b\` | Either \`a\\|b\` or nothing. |
| \`key\` | **required** | Its own key. |
| \`from\` | the parent | The start. |

<!-- inputs:end -->
`);
});

it('each rule of the schema review has a section', () => {
  write('docs/rules.md', 'before\n<!-- rules:start -->\nold\n<!-- rules:end -->\nafter\n');
  writeDocuments(root);
  const rules = read('docs/rules.md');
  expect(rules).toMatch(/^before\n<!-- rules:start -->\n\n## `destructive`: .*\n\n### drop-schema\n\n/);
  expect(rules).toMatch(/\n<!-- rules:end -->\nafter\n$/);
  expect([...rules.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(ruleNames);
  expect(rules.match(/^\*\*Safer:\*\* ./gm)).toHaveLength(ruleNames.length);
});

it('another name of the repository is written everywhere, but not over longer names', () => {
  write('docs/near.md', 'octo-org/first-aid x-octo-org/first octo-org/first. octo-org/first.js\n');
  write('examples/a.yml', `uses: ${placeholder}@v1\n`);
  writeDocuments(root, { repository: 'octo-org/second' });
  expect(read('docs/near.md')).toBe('octo-org/first-aid x-octo-org/first octo-org/second. octo-org/first.js\n');
  expect(read('examples/a.yml')).toBe('uses: octo-org/second@v1\n');
  expect(JSON.parse(read('package.json'))).toEqual({ repository: 'github:octo-org/second' });
});

it.each(['database-branch', 'octo org/x', 'octo-/x', 'octo/..', 'octo/x/y'])('refuses the name %j', (repository) => {
  expect(() => writeDocuments(root, { repository })).toThrow(`"${repository}" is invalid; expected owner/name`);
});
