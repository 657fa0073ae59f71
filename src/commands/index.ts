import type { Command } from '../context.ts';
import { create } from './create.ts';
import { deleteCommand } from './delete.ts';
import { get } from './get.ts';
import type { CommandName } from './names.ts';

const todo: Command = async () => {
  throw new Error('not yet');
};

export const commands: Record<CommandName, Command> = {
  create,
  get,
  delete: deleteCommand,
  reset: todo,
  diff: todo,
  prune: todo,
  wait: todo,
  manage: todo,
};
