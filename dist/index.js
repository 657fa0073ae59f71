/**
 * The main step: `dist/index.js`. Any Node.js that supports ES modules must be able to parse this file, so it has no top-level
 * `await` and imports nothing before the check.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// undici requires it. GitHub's runner starts Node.js 24; other runners start the one in the job's image.
if (major > 22 || (major === 22 && minor >= 19)) {
    import('./start.js').then(({ start }) => start('main'), (error) => fail(`this action could not be loaded: ${String(error)}`));
}
else {
    const { ACT, FORGEJO_ACTIONS, GITEA_ACTIONS } = process.env;
    const remedy = ACT || FORGEJO_ACTIONS || GITEA_ACTIONS
        ? 'Use an image with a newer Node.js, or install it before this step. If the job runs on the host, update Node.js there.'
        : 'Update the runner to 2.327.1 or later.';
    fail(`this action needs Node.js 22.19 or later, but the runner has ${process.version}. ${remedy}`);
}
function fail(problem) {
    process.exitCode = 1;
    console.log(`::error title=Database Branch::Nothing was done, because ${problem.replace(/\s+/g, ' ')}`);
}
export {};
