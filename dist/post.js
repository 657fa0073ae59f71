/**
 * The post step: `dist/post.js`, a file of its own so that it can never be taken for the main step. As in `index.ts`, any Node.js
 * that supports ES modules must be able to parse it. It never fails the job.
 */
if (Number.parseInt(process.versions.node, 10) >= 24) {
    // Set by `saveForPostStep`. Most steps leave nothing to do, and loading the rest would take twice as long as starting Node.js.
    if (process.env.STATE_ephemeral) {
        import('./start.js').then(({ start }) => start('post'), (error) => warn(`could not load this action: ${String(error)}`));
    }
}
else {
    warn(`this action needs Node.js 24 or later, but the runner has ${process.version}.`);
}
function warn(problem) {
    console.log(`::warning title=Database Branch::The post step did nothing: ${problem.replace(/\s+/g, ' ')}`);
}
export {};
