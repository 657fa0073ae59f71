import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';

/** The unit tests of the sources only: those of the repository's files can't tell a mutant. */
const { projects: _, sequence: __, ...test } = base.test ?? {};

export default mergeConfig(
  defineConfig({ ...base, test }),
  defineConfig({
    test: {
      include: ['test/unit/**/*.test.ts'],
      exclude: ['test/unit/{repository,fuzz}/**'],
      setupFiles: ['test/support/seed.ts'],
      // a mutant that loops
      testTimeout: 20_000,
    },
  }),
);
