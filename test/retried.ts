import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that passed only at their second attempt, and why the first one failed: nobody would see it otherwise. */
export const retried: Reporter = {
  onTestRunEnd(modules) {
    const lines = modules.flatMap(retriedIn);
    if (lines.length > 0) console.log(`\nFailed at first, and passed when tried again:\n\n${lines.join('\n')}\n`);
  },
};

function retriedIn(module: Readonly<TestModule>): string[] {
  return [...module.children.allTests('passed')].flatMap((test) => {
    if (!test.diagnostic()?.flaky) return [];
    const errors = test.result().errors ?? [];
    const why = errors.flatMap(({ message, stacks = [] }) => [
      message,
      ...stacks.slice(0, 1).map(({ file, line }) => `at ${file}:${line}`),
    ]);
    return [`- ${module.relativeModuleId} > ${test.fullName}`, ...why.join('\n').split('\n')].join('\n    ');
  });
}
