import type { Command } from '../context.ts';
import type { CommandName } from '../inputs/commands.ts';
import { create } from './create.ts';
import { deleteCommand } from './delete.ts';
import { diff } from './diff.ts';
import { get } from './get.ts';
import { manage } from './manage.ts';
import { prune } from './prune.ts';
import { rehearse } from './rehearse.ts';
import { reset } from './reset.ts';
import { wait } from './wait.ts';

export const commands: Record<CommandName, Command> = {
  create,
  get,
  delete: deleteCommand,
  reset,
  diff,
  rehearse,
  prune,
  wait,
  manage,
};
