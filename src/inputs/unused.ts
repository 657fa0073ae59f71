import { listOf } from '../text/format.ts';
import { type CommandName, commandNames } from './commands.ts';
import { type Inputs, inputNames, readers } from './fields.ts';

/** The commands that read an input that only a few of them do, and whose absence nobody would notice: a gate that is not checked. */
const readBy: Partial<Record<keyof Inputs, readonly CommandName[]>> = {
  preserve_under_name: ['reset'],
  base_branch: ['diff'],
  base_point: ['diff'],
  base_timestamp: ['diff'],
  base_lsn: ['diff'],
  fail_on: ['diff', 'rehearse'],
  ignore_rules: ['diff', 'rehearse'],
  run: ['rehearse'],
  working_directory: ['rehearse'],
  max_lock: ['rehearse'],
  max_duration: ['rehearse'],
  closed_for: ['prune'],
  older_than: ['prune'],
  unused_for: ['prune'],
  branch_pattern: ['prune'],
  exclude_pattern: ['prune'],
  operation_ids: ['wait'],
  resource: ['manage'],
  resource_id: ['manage'],
  verb: ['manage'],
  body: ['manage'],
  method: ['manage'],
  path: ['manage'],
};

/**
 * A sentence about inputs that are set but that the command does not read; undefined if there are none. A step whose `command` is an
 * expression may well have the inputs of another command when it deletes.
 */
export function unusedInputs({ inputs, command }: { inputs: Inputs; command: CommandName }): string | undefined {
  if (command === 'delete') return undefined;
  const acts: CommandName[] = [command];
  if (inputs.on_limit === 'prune') acts.push('prune');
  if (inputs.if_exists === 'reset') acts.push('reset');
  const unused = inputNames.filter(
    (name) => isSet(inputs, name) && readBy[name] && !readBy[name].some((one) => acts.includes(one)),
  );
  if (unused.length === 0) return undefined;
  const others = commandNames.filter((one) => unused.every((name) => readBy[name]?.includes(one)));
  const meant = listOf(
    others.map((one) => `\`command: ${one}\``),
    'or',
  );
  const names = listOf(
    unused.map((name) => `\`${name}\``),
    'and',
  );
  const [have, them] = unused.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return `${names} ${have} no effect with \`command: ${command}\`. ${meant === '' ? 'Remove' : `Set ${meant}, or remove`} ${them}.`;
}

/** Whether an input is set to anything but its default. */
function isSet(inputs: Inputs, name: keyof Inputs): boolean {
  const unset = readers[name]({ getInput: () => '', getBooleanInput: () => false }, name);
  return JSON.stringify(inputs[name]) !== JSON.stringify(unset);
}
