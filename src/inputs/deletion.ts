import { branchNameOf, type RunEvent } from '../runner/event.ts';
import { show } from '../text/inert.ts';
import type { Inputs } from './fields.ts';
import type { InvalidInput } from './invalid.ts';

/** A branch that only the event names is deleted only if the event ends what it stands for. `what` deletes it, in Markdown. */
export function checkDeletion(options: { inputs: Partial<Inputs>; event: RunEvent; what: string }): InvalidInput[] {
  const { inputs, event, what } = options;
  const isEmpty = (name: 'branch_id' | 'branch_name') => name in inputs && inputs[name] === undefined;
  if (event.ends || !isEmpty('branch_id') || !isEmpty('branch_name')) return [];
  if (branchNameOf(event) === undefined) return [];
  const when = 'when a pull request is closed, a git ref is deleted or a merge group is destroyed';
  const given = `event ${show(event.name)}${event.action === '' ? '' : ` with action ${show(event.action)}`}`;
  const why = `${what} takes the branch from the event only ${when}, and this is ${given}`;
  return [{ input: '', message: `branch_id or branch_name is required: ${why}` }];
}
