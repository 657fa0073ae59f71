import fc from 'fast-check';
import type { Result } from '../../src/result.ts';
import { changer, changesTo } from './changes.ts';
import { secrets, serviceOf, strange } from './manage-account.ts';
import { checkFlags, checkRepeats, checkResponse, checkUncertainty } from './manage-checks.ts';
import { allSteps, type Step } from './manage-steps.ts';
import { checkError, type Ending, play, settingsOf } from './play.ts';
import { connect, jsonOf, type Line, pathsIn } from './service.ts';

const extras = fc.record(
  {
    if_exists: fc.constantFrom('reuse', 'fail'),
    dry_run: fc.constantFrom('true', 'false', 'false', 'false'),
    wait: fc.constantFrom('true', 'false'),
  },
  { requiredKeys: [] },
);

/**
 * Whatever the service responds, `manage` sends a change once, reports the response, and shows no secret before it is masked. A dry
 * run sends nothing.
 */
export const manageProperty = fc.asyncProperty(
  fc.record({ step: fc.constantFrom(...allSteps), extras, taken: fc.boolean() }),
  changesTo(strange),
  async ({ step, extras, taken }, changes) => {
    const change = changer(changes);
    const service = serviceOf({ segment: step.segment, taken });
    const masked = new Set<string>();
    const mask = (secret: string) => void masked.add(secret);
    const line = connect({ service: (request) => change(request, service(request)), mask });
    const all = { ...step.inputs, ...(extras as Record<string, string>) };
    const inputs = settingsOf('manage', all, mask);
    const look = (reported: Partial<Result> | string) => checkMasked(reported, masked, line);
    try {
      const ending = await play({ command: 'manage', inputs, line, mask, look });
      checkManage({ step: { ...step, inputs: all }, ending, line });
    } catch (error) {
      throw new Error(`${(error as Error).message} after ${pathsIn(line.exchanges)}`, { cause: error });
    }
  },
);

function checkManage(course: { step: Step; ending: Ending; line: Line }): void {
  const { step, ending, line } = course;
  const { error, reported, lookErrors } = ending;
  for (const one of lookErrors) throw one;
  if (line.hangs()) throw new Error('sent requests in an endless loop');
  if (error !== undefined) checkError(error);
  else if (!reported.done) throw new Error('does not say what was done');
  if (step.inputs.dry_run === 'true') {
    if (line.exchanges.length > 0) throw new Error('sent something in a dry run');
    if (reported.response || reported.created || reported.deleted) throw new Error('reported a response in a dry run');
    if (error === undefined && !reported.request) throw new Error('did not say what it would send');
    return;
  }
  for (const id of reported.operationIds ?? [])
    if (!/^[\w-]{1,64}$/.test(id)) throw new Error('reported an invalid operation ID');
  checkRepeats(course);
  checkUncertainty(course);
  checkResponse(course);
  checkFlags(course);
}

const secretFields = ['password', 'token', 'secret', 'connection_uri', 'uri'];

/** Every secret that is shown must have been masked before, in that form. URIs are redacted everywhere except in the response. */
function checkMasked(reported: Partial<Result> | string, masked: Set<string>, line: Line): void {
  const { response, ...rest } = typeof reported === 'string' ? { text: reported, response: undefined } : reported;
  const text = `${JSON.stringify(rest).replace(/\w+:\/\/[^\s"]+/g, '')} ${response?.body}`;
  const shown = Object.values(secrets).filter((secret) => text.includes(secret) && !masked.has(secret));
  if (shown.length > 0) throw new Error(`showed ${shown.join(' and ')} unmasked`);
  if (!response) return;
  const visit = (value: unknown, name = ''): void => {
    if (typeof value === 'string' && value !== '' && secretFields.includes(name) && !masked.has(value))
      throw new Error(`showed the ${name} ${JSON.stringify(value)} unmasked`);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, one] of Object.entries(value)) visit(one, Array.isArray(value) ? name : key);
  };
  // Only a response of the service can have such fields.
  if (line.exchanges.some(({ sent }) => jsonOf(sent) !== undefined)) visit(JSON.parse(response.body));
}
