import { listOf } from '../text/format.ts';
import { type CommandName, commandNames } from './commands.ts';
import { type Inputs, inputNames, readers } from './fields.ts';

/** The inputs that only these commands read, and whose absence nobody would notice: a gate that is not checked. */
const onlyReadBy: Partial<Record<CommandName, (keyof Inputs)[]>> = {
  reset: ['preserve_under_name'],
  diff: ['base_branch', 'base_point', 'base_timestamp', 'base_lsn', 'fail_on', 'ignore_rules'],
  rehearse: ['fail_on', 'ignore_rules', 'run', 'working_directory', 'max_lock', 'max_duration'],
  prune: ['closed_for', 'older_than', 'unused_for', 'branch_pattern', 'exclude_pattern'],
  wait: ['operation_ids'],
  manage: ['resource', 'resource_id', 'verb', 'body', 'method', 'path'],
};

/**
 * A sentence about inputs that are set but that the command does not read; undefined if there are none. A step whose `command` is an
 * expression may well have the inputs of another command when it deletes.
 */
export function unusedInputs({ inputs, command }: { inputs: Inputs; command: CommandName }): string | undefined {
  if (command === 'delete') return undefined;
  const acts: CommandName[] = [command];
  const creates = command === 'create' || command === 'rehearse';
  if (creates && inputs.on_limit === 'prune') acts.push('prune');
  if (command === 'create' && inputs.if_exists === 'reset') acts.push('reset');
  const readersOf = (name: keyof Inputs) => commandNames.filter((one) => onlyReadBy[one]?.includes(name));
  const unused = inputNames.filter((name) => {
    const readers = readersOf(name);
    return readers.length > 0 && !readers.some((one) => acts.includes(one)) && isSet(inputs, name);
  });
  if (unused.length === 0) return undefined;
  const others = commandNames.filter((one) => unused.every((name) => readersOf(name).includes(one)));
  const set =
    others.length > 0
      ? `Set ${listOf(
          others.map((one) => `\`command: ${one}\``),
          'or',
        )}, or remove`
      : 'Remove';
  const [have, them] = unused.length === 1 ? ['has', 'it'] : ['have', 'them'];
  const names = listOf(
    unused.map((name) => `\`${name}\``),
    'and',
  );
  return `${names} ${have} no effect with \`command: ${command}\`. ${set} ${them}.`;
}

/** Whether an input is set to anything but its default. */
function isSet(inputs: Inputs, name: keyof Inputs): boolean {
  const unset = readers[name]({ getInput: () => '', getBooleanInput: () => false }, name);
  return JSON.stringify(inputs[name]) !== JSON.stringify(unset);
}
