import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../test/vitest.config.ts';

/** The unit tests of the sources only: those of the repository's files can't tell a mutant. */
const { projects: _, sequence: __, ...test } = base.test ?? {};
/** Folders of test/unit, separated by commas; all by default. */
const folders = process.env.MUTATION_TESTS?.split(',') ?? ['*'];

export default mergeConfig(
  defineConfig({ ...base, test }),
  defineConfig({
    test: {
      include: folders.map((folder) => `test/unit/${folder}/**/*.test.ts`),
      setupFiles: ['test/support/seed.ts'],
      // a mutant that loops
      testTimeout: 20_000,
    },
  }),
);
