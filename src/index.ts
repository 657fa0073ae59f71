/**
 * The main step: `dist/index.js`. Any Node.js that supports ES modules must be able to parse this file, so it has no top-level
 * `await` and imports nothing before the check.
 */
if (Number.parseInt(process.versions.node, 10) >= 24) {
  import('./start.ts').then(
    ({ start }) => start('main'),
    (error) => fail(`could not load this action: ${String(error)}`),
  );
} else {
  fail(
    `this action needs Node.js 24 or later, but the runner has ${process.version}. Update the runner to 2.327.1 or later.`,
  );
}

function fail(problem: string): void {
  process.exitCode = 1;
  console.log(`::error title=Database Branch::Nothing was done: ${problem.replace(/\s+/g, ' ')}`);
}

export {};
