import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';

/** These import JSON without the attribute that Node requires, so vite has to transform them. */
const inlined = /@actions\/(workflow-parser|expressions)/;

export default defineConfig({
  root: dirname(import.meta.dirname),
  plugins: [
    {
      // their source maps point to files that the packages don't contain; vite would warn about each one
      name: 'without-source-maps-of-packages',
      enforce: 'pre',
      load: (id) =>
        inlined.test(id) && id.endsWith('.js')
          ? readFileSync(id, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
          : undefined,
    },
  ],
  test: {
    // most tests wait for a process or a server, so four files at a time keep a core busy
    maxWorkers: 4 * availableParallelism(),
    // only there to end a hang: a slow machine must not fail a test
    testTimeout: 300_000,
    hookTimeout: 300_000,
    env: { NO_COLOR: '1' },
    server: { deps: { inline: [inlined] } },
    // files share a process, which saves loading the same modules again for each one
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,repository}/**/*.test.ts', 'tools/docs/docs.test.ts', 'tools/{drift,fuzz}/*.test.ts'],
          setupFiles: ['test/support/seed.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['{test,tools}/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            'test/{unit,repository}/**',
            'tools/docs/docs.test.ts',
            'tools/{drift,fuzz}/**',
          ],
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
});
