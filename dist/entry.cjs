"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
/**
 * What the entry points share: `dist/entry.cjs`. Any Node.js must be able to parse it and them, so there is nothing new in their syntax,
 * and they load the bundle only once its version is known to be enough.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// GitHub's runner starts Node.js 24; other runners start the one in the job's image.
const isNewEnough = major > 22 || (major === 22 && minor >= 19);
const need = `this action needs Node.js 22.19 or later, but the runner has ${process.version}.`;
function tell(kind, text) {
    console.log(`::${kind} title=Database Branch::${text.replace(/\s+/g, ' ')}`);
}
function load() {
    return require('./start.js');
}
module.exports = {
    /** The main step of an action; without a name, of the one at the root. */
    main(action) {
        let problem;
        if (isNewEnough) {
            try {
                load().start('main', action);
                return;
            }
            catch (error) {
                problem = `this action could not be loaded: ${String(error)}`;
            }
        }
        else {
            problem = `${need} Update GitHub's runner to 2.327.1 or later; on any other, use an image or a host with a newer Node.js.`;
        }
        process.exitCode = 1;
        tell('error', `Nothing was done, because ${problem}`);
    },
    /** Never fails the job. */
    post() {
        if (!isNewEnough) {
            tell('warning', `The post step did nothing, because ${need} If the main step created a branch to be deleted when the job ends, the branch may still exist; delete it manually.`);
            return;
        }
        // Set by `saveForPostStep`. Most steps leave nothing to do, and loading the rest would take twice as long as starting Node.js.
        if (!process.env.STATE_ephemeral)
            return;
        try {
            load().start('post');
        }
        catch (error) {
            tell('warning', `The post step could not be loaded, so the branch that its main step created may still exist; delete it manually. ${String(error)}`);
        }
    },
};
