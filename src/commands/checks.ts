import { needsToken } from '../inputs/check.ts';
import { type Given, isEmpty, namesBranch } from '../inputs/fields.ts';
import { branchNameOf, type RunEvent } from '../step/event.ts';
import { missing } from '../step/invalid.ts';
import { show } from '../text/inert.ts';

/** A branch that only the event names is deleted only if the event ends what it stands for. `what` deletes it, in Markdown. */
export function checkDeletion(options: { inputs: Given; event: RunEvent; what: string }): string[] {
  const { inputs, event, what } = options;
  if (event.ends || namesBranch(inputs) || branchNameOf(event) === undefined) return [];
  const when = 'when a pull request is closed or a git ref is deleted';
  const given = `${show(event.name)}${event.action === '' ? '' : ` (action ${show(event.action)})`}`;
  const why = `${what} takes the branch from the event only ${when}; this run was triggered by ${given}`;
  return [missing('branch_id or branch_name', why)];
}

export function checkRehearse({ inputs }: { inputs: Given }): string[] {
  const errors: string[] = [];
  if (isEmpty(inputs, 'run')) {
    errors.push(
      missing('run', 'set it to commands, such as `npm run migrate`, that migrate the database in `DATABASE_URL`'),
    );
  }
  if (inputs.require === 'schema-only') {
    errors.push('require: "schema-only" is invalid with `command: rehearse`, which needs rows; expected masked or any');
  }
  if (inputs.on_limit === 'prune') errors.push(...needsToken(inputs, '`on_limit: prune`'));
  return errors;
}
