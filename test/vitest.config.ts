import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: dirname(import.meta.dirname),
  test: {
    // test/unit runs code of ours in this process; test/action runs the built bundle as a process of its own
    include: ['test/unit/**/*.test.ts', 'test/action/**/*.test.ts'],
    // GitHub's hosted runners and the smallest machines that this has to pass on have two cores; most tests wait for a process
    // or a server rather than compute, so that two files at a time keep both busy
    maxWorkers: 2,
    // generous: it is there to end a hang, and slow machines are not a fault
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NO_COLOR: '1' },
    server: {
      // these import JSON without the attribute that Node asks for
      deps: { inline: [/@actions\/(workflow-parser|expressions)/] },
    },
  },
});
