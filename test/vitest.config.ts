import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestCase, type TestSpecification } from 'vitest/node';

/** These import JSON without the attribute that Node asks for, so that they go through vite. */
const inlined = /@actions\/(workflow-parser|expressions)/;

/** What takes longest starts first, lest it run alone at the end; a fresh clone does not know yet how long each file takes. */
const longest = [
  'faults',
  'examples',
  'ephemeral',
  'prune-faults',
  'prune',
  'races',
  'reset',
  'cancel',
  'manage-repeats',
  'linear',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.indexOf(basename(moduleId, '.test.ts'));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

/** Names at the end what has failed and then passed (`--retry`), so that nobody takes it for sound. */
class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    if (this.#names.length > 0) console.log(`Passed only when tried again:\n${this.#names.join('\n')}\n`);
  }
}

export default defineConfig({
  root: dirname(import.meta.dirname),
  plugins: [
    {
      // their source maps lead to files that are not in the package, of which vite would warn once for each
      name: 'without-source-maps-of-packages',
      enforce: 'pre',
      load: (id) =>
        inlined.test(id) && id.endsWith('.js')
          ? readFileSync(id, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
          : undefined,
    },
  ],
  test: {
    // test/unit runs code of ours in this process; test/action runs the built bundle as a process of its own
    include: ['test/unit/**/*.test.ts', 'test/action/**/*.test.ts'],
    // GitHub's hosted runners and the smallest machines that this has to pass on have two cores; most tests wait for a process
    // or a server rather than compute, so that three files at a time keep both busy
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SecondTries()],
    // generous: it is there to end a hang, and slow machines are not a fault
    testTimeout: 180_000,
    hookTimeout: 180_000,
    env: { NO_COLOR: '1' },
    server: { deps: { inline: [inlined] } },
  },
});
