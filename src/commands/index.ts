import type { Context } from '../context.ts';
import { type CommandRules, needsToken, type Rules } from '../inputs/check.ts';
import type { CommandName } from '../inputs/commands.ts';

/** A command: its properties and its code. Its result is what it has recorded. */
interface Command extends CommandRules {
  /** It leaves a branch to look at in the service's console. */
  hasPage?: boolean;
  run(context: Context): Promise<void>;
}

/** The properties of each command. Its code is loaded when it runs. */
export const commands: Record<CommandName, Command> = {
  prune: {
    check: ({ inputs }) => needsToken(inputs, '`command: prune`'),
    run: loaded(() => import('./prune.ts')),
  },
};

/** The rules of all commands. */
export async function rulesFor(_command: string): Promise<Rules> {
  return commands;
}

function loaded(load: () => Promise<Pick<Command, 'run'>>): Command['run'] {
  return async (context) => (await load()).run(context);
}
