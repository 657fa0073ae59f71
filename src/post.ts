/**
 * The post step: `dist/post.js`, a file of its own so that it can never be taken for the main step. As in `index.ts`, any Node.js
 * that supports ES modules must be able to parse it. It never fails the job.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  // Set by `saveForPostStep`. Most steps leave nothing to do, and loading the rest would take twice as long as starting Node.js.
  if (process.env.STATE_ephemeral) {
    import('./start.ts').then(
      ({ start }) => start('post'),
      (error) =>
        warn(
          `The post step could not be loaded, so the branch that its main step created may still exist; delete it manually. ${String(error)}`,
        ),
    );
  }
} else {
  warn(
    `The post step did nothing, because this action needs Node.js 22.19 or later, but the runner has ${process.version}. If the main step created a branch to be deleted when the job ends, the branch may still exist; delete it manually.`,
  );
}

function warn(problem: string): void {
  console.log(`::warning title=Database Branch::${problem.replace(/\s+/g, ' ')}`);
}

export {};
