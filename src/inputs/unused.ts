import { listOf } from '../text/format.ts';
import { type CommandName, commandNames } from './commands.ts';
import { type Inputs, inputNames, readers } from './fields.ts';

/** The inputs that only these commands read, and whose absence nobody would notice: a gate that is not checked. */
const onlyReadBy: Partial<Record<CommandName, (keyof Inputs)[]>> = {
  rehearse: ['fail_on', 'ignore_rules', 'run', 'max_lock', 'max_duration'],
  prune: ['closed_for', 'older_than', 'unused_for', 'branch_pattern', 'exclude_pattern'],
};

/**
 * Sentences about inputs that are set but that the command does not read; undefined if there are none. A step whose `command` is an
 * expression may well have the inputs of another command when it deletes.
 */
export function unusedInputs({ inputs, command }: { inputs: Inputs; command: CommandName }): string | undefined {
  const readersOf = (name: keyof Inputs) => commandNames.filter((one) => onlyReadBy[one]?.includes(name));
  const unused = inputNames.filter((name) => {
    const by = readersOf(name);
    return by.length > 0 && !by.some((one) => actsAs(one, { inputs, command })) && isSet(inputs, name);
  });
  const byRemedy = Map.groupBy(unused, (name) => readersOf(name).flatMap((one) => alsoActsAs(one, command) ?? [])[0]);
  const sentences = [...byRemedy].map(([remedy, names]) => {
    const have = `${listOf(names.map(quoted), 'and')} ${names.length === 1 ? 'has' : 'have'} no effect with`;
    if (remedy !== undefined)
      return `${have} \`command: ${command}\` unless \`${remedy.input}: ${remedy.value}\` is set.`;
    const others = commandNames.filter((one) => names.every((name) => readersOf(name).includes(one)));
    const commands = others.map((one) => quoted(`command: ${one}`));
    const set = commands.length > 0 ? `Set ${listOf(commands, 'or')}, or remove` : 'Remove';
    return `${have} \`command: ${command}\`. ${set} the ${names.length === 1 ? 'input' : 'inputs'}.`;
  });
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

/** By which other input a command also does, and reads the inputs of, what another one is for; undefined if by none. */
function alsoActsAs(other: CommandName, command: CommandName): { input: keyof Inputs; value: string } | undefined {
  return other === 'prune' && command === 'rehearse' ? byLimit : undefined;
}

const byLimit = { input: 'on_limit', value: 'prune' } as const;

function actsAs(other: CommandName, { inputs, command }: { inputs: Inputs; command: CommandName }): boolean {
  const also = alsoActsAs(other, command);
  return other === command || (also !== undefined && inputs[also.input] === also.value);
}

function quoted(text: string): string {
  return `\`${text}\``;
}

/** Whether an input is set to anything but its default. */
function isSet(inputs: Inputs, name: keyof Inputs): boolean {
  const unset = readers[name]({ getInput: () => '', getBooleanInput: () => false }, name);
  return JSON.stringify(inputs[name]) !== JSON.stringify(unset);
}
