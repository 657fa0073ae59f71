import { listOf } from '../text/format.ts';
import { type CommandName, commandNames } from './commands.ts';
import { type Inputs, inputNames, readers } from './fields.ts';

/** The inputs that only these commands read, and whose absence nobody would notice: a gate that is not checked. */
const onlyReadBy: Partial<Record<CommandName, (keyof Inputs)[]>> = {
  prune: ['closed_for', 'older_than', 'unused_for', 'branch_pattern', 'exclude_pattern'],
};

/**
 * Sentences about inputs that are set but that the command does not read; undefined if there are none. A step whose `command` is an
 * expression may well have the inputs of another command when it deletes.
 */
export function unusedInputs({ inputs, command }: { inputs: Inputs; command: CommandName }): string | undefined {
  const unused = inputNames.filter((name) => {
    const by = commandNames.filter((one) => onlyReadBy[one]?.includes(name));
    return by.length > 0 && !by.includes(command) && isSet(inputs, name);
  });
  if (unused.length === 0) return undefined;
  const [have, them] = unused.length === 1 ? ['has', 'input'] : ['have', 'inputs'];
  return `${listOf(unused.map(quoted), 'and')} ${have} no effect with \`command: ${command}\`. Remove the ${them}.`;
}

function quoted(text: string): string {
  return `\`${text}\``;
}

/** Whether an input is set to anything but its default. */
function isSet(inputs: Inputs, name: keyof Inputs): boolean {
  const unset = readers[name]({ getInput: () => '', getBooleanInput: () => false }, name);
  return JSON.stringify(inputs[name]) !== JSON.stringify(unset);
}
