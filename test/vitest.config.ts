import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { retried } from './retried.ts';

/** These import JSON without the attribute that Node requires, so vite has to transform them. */
const inlined = /@actions\/(workflow-parser|expressions)/;

/** The longest files start first; otherwise one of them would run alone at the end. The short ones in `test/unit` fill the gaps. */
const longest = [
  'rehearse-faults',
  'cancel',
  'ephemeral',
  'rehearse',
  'play',
  'diff',
  'on-limit',
  'sample',
  'races',
  'live',
  'comment',
  'reset',
  'errors',
  'check-connection',
  'demo',
  'waiting',
  'network',
  'wait',
  'workflows',
  'dist',
  'reuse',
  'unchanged',
  'type-changes',
  'examples',
  'retries',
  'masking',
  'going-back',
  'reuse-settings',
  'runner',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      if (project.name === 'unit') return longest.length + 1;
      const index = longest.indexOf(basename(moduleId, '.test.ts'));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

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
    sequence: { sequencer: LongestFirst },
    // most tests wait for a process or a server, so five files at a time keep a core busy
    maxWorkers: 5 * availableParallelism(),
    // only there to end a hang: a slow machine must not fail a test
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), retried],
    env: { NO_COLOR: '1' },
    server: { deps: { inline: [inlined] } },
    // files share a process, which saves loading the same modules again for each one
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,repository}/**/*.test.ts', 'tools/{drift,fuzz,mutation}/*.test.ts'],
          setupFiles: ['test/support/seed.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['{test,tools}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/{unit,repository,clients}/**', 'tools/{drift,fuzz,mutation}/**'],
          // A machine that stalls for seconds must not fail a pull request. At night nothing is tried again, so that a race shows.
          retry: process.env.TEST_SIZE === 'full' ? 0 : 1,
          sequence: { groupOrder: 0 },
        },
      },
      // what others wrote, and changes only with their releases: at night
      {
        extends: true,
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
});
