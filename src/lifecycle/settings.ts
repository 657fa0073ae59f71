import { expiryOf } from '../branch/expiry.ts';
import { ended, wantedSettings } from '../branch/ready.ts';
import { protect, setExpiry } from '../service/branch-changes.ts';
import { settingsToChange, updateEndpoint } from '../service/endpoints.ts';
import type { About } from '../service/project.ts';
import type { Branch, Endpoint } from '../service/types.ts';
import { show } from '../text/inert.ts';
import type { Step } from './facts.ts';

/** Applies `protected`, `min_cu`, `max_cu` and `suspend_timeout` to an existing branch if they differ from what it has. */
export async function applySettings(step: Step, about: About, endpoint: Endpoint): Promise<Branch> {
  const { inputs, log } = step;
  const { branch } = about;
  const settings = settingsToChange(endpoint, wantedSettings(step));
  if (settings) {
    await ended(step, await updateEndpoint(about, { endpoint, settings }));
    const list = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
    log.info(`Changed the compute settings of branch ${show(branch.name)}: ${list.join(', ')}`);
  }
  if (!inputs.protected || branch.protected) return branch;
  await ended(step, await protect(about));
  log.info(`Branch ${show(branch.name)} is now protected`);
  return { ...branch, protected: true };
}

/** Sets the expiry that the inputs ask for on an existing branch, unless it already has it. */
export async function renewExpiry(step: Step, about: About): Promise<Branch> {
  const { branch } = about;
  const expiresAt = expiryOf(step.inputs, step.api.clock.now());
  if (expiresAt === undefined || Date.parse(branch.expires_at ?? '') === Date.parse(expiresAt)) return branch;
  const changed = await setExpiry(about, expiresAt);
  await ended(step, changed);
  step.log.info(`Branch ${show(branch.name)} now expires at ${changed.branch.expires_at ?? 'an unknown time'}`);
  // The response lacks the metadata.
  return { ...changed.branch, metadata: branch.metadata };
}
