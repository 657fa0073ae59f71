import { expect, it } from 'vitest';
import { run } from '../../src/main.ts';
import { ROOT, read } from '../../tools/files.ts';
import { readAction } from '../../tools/runner/action.ts';

/** `@github/local-action` runs the function `run` of a file in TypeScript, with a toolkit of its own. */
it('@github/local-action finds what it runs, and its example has inputs that exist', () => {
  expect(run).toBeTypeOf('function');
  const names = [...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
  const inputs = names.filter((name) => name.startsWith('INPUT_')).map((name) => name.slice(6).toLowerCase());
  expect(inputs).toContain('github_token');
  expect(inputs.filter((name) => !readAction(ROOT).inputs.has(name))).toEqual([]);
  expect(names.filter((name) => !name.startsWith('INPUT_'))).toEqual(['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY']);
  expect(read('.gitignore').split('\n')).toContain('.env');
  expect(read('CONTRIBUTING.md')).toContain(
    'npx --yes --allow-scripts=esbuild @github/local-action . src/main.ts .env',
  );
});
