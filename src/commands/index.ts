import type { Command } from '../context.ts';
import { create } from './create.ts';
import { deleteCommand } from './delete.ts';
import { diff } from './diff.ts';
import { get } from './get.ts';
import type { CommandName } from './names.ts';
import { prune } from './prune.ts';
import { reset } from './reset.ts';
import { wait } from './wait.ts';

const todo: Command = async () => {
  throw new Error('not yet');
};

export const commands: Record<CommandName, Command> = {
  create,
  get,
  delete: deleteCommand,
  reset,
  diff,
  prune,
  wait,
  manage: todo,
};
