import { anonymizedStatus, failureOf, waitUntilAnonymized } from '../api/anonymize.ts';
import type { Settling } from '../api/branches.ts';
import { RefusedError } from '../api/errors.ts';
import { show } from '../api/text.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';

/**
 * Where `masking_rules` are given: whether the branch's data is masked, so that its addresses may be given out. With `wait` it
 * waits until it is. A branch that is there and was never anonymized is refused: whoever asks for masked data must not get
 * real data.
 */
export async function settleMasking(options: {
  context: Context;
  branch: Branch;
  settling: Settling | undefined;
  made: boolean;
}): Promise<boolean> {
  const { context, branch, settling, made } = options;
  const { inputs, log } = context;
  if (inputs.masking_rules === undefined) return true;
  const status = inputs.wait
    ? await waitForMasking({ context, branch, settling })
    : await anonymizedStatus({ ...projectOf(context), branch, settling });
  if (status === undefined) {
    throw new RefusedError(
      `Branch ${show(branch.name)} (${branch.id}) ${made ? 'was made, but is' : 'exists, and is'} not an anonymized branch, though \`masking_rules\` are given. Its data is not masked, so that no address is given out. Delete it, and run the step again.`,
    );
  }
  const failure = failureOf({ branch, status });
  if (failure) throw failure;
  if (status.state === 'anonymized') return true;
  log.info(
    `Branch ${show(branch.name)} (${branch.id}) is not masked yet (${status.state}), so that no address is given out; \`command: wait\` waits for it, and gives them`,
  );
  return false;
}

/** Waits until the data of an anonymized branch is masked; any other branch has nothing to wait for. */
export function waitForMasking(options: { context: Context; branch: Branch; settling?: Settling | undefined }) {
  const { context, branch, settling } = options;
  return waitUntilAnonymized({
    ...projectOf(context),
    branch,
    settling,
    onChange: (now) => context.log.info(`Masking branch ${show(branch.name)}: ${now.message ?? now.state}`),
  });
}
