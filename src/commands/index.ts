import type { Command } from '../context.ts';
import { needsToken, type Rules } from '../inputs/check.ts';
import type { CommandName } from '../inputs/commands.ts';
import { checkCreate, checkDeletion, checkRehearse, checkWait } from './checks.ts';
import { run as create } from './create.ts';

/** The properties of each command. Its code is loaded when it runs, except for the command that most steps run. */
export const commands: Record<CommandName, Command> = {
  create: {
    hasPage: true,
    oneBranch: true,
    noDryRun: true,
    connects: true,
    expires: true,
    comments: true,
    check: checkCreate,
    run: create,
    later: () => import('./created.ts'),
  },
  get: { oneBranch: true, connects: true, hasPage: true, run: loaded(() => import('./get.ts')) },
  delete: {
    oneBranch: true,
    noDryRun: true,
    comments: true,
    check: (given) => checkDeletion({ ...given, what: '`command: delete`' }),
    run: loaded(() => import('./delete.ts')),
  },
  reset: {
    hasPage: true,
    oneBranch: true,
    noDryRun: true,
    connects: true,
    expires: true,
    comments: true,
    run: loaded(() => import('./reset.ts')),
  },
  diff: {
    hasPage: true,
    oneBranch: true,
    comments: true,
    reviews: true,
    run: loaded(() => import('./diff.ts')),
    later: () => Promise.all([import('../schema/review.ts'), import('../schema/inventory.ts')]),
  },
  rehearse: {
    noDryRun: true,
    connects: true,
    expires: true,
    comments: true,
    reviews: true,
    ephemeral: true,
    check: checkRehearse,
    run: loaded(() => import('./rehearse.ts')),
    later: () => Promise.all([import('./created.ts'), import('../rehearse/observe.ts'), import('../schema/review.ts')]),
  },
  prune: {
    check: ({ inputs }) => needsToken(inputs, '`command: prune`'),
    run: loaded(() => import('./prune.ts')),
  },
  wait: { connects: true, hasPage: true, check: checkWait, run: loaded(() => import('./wait.ts')) },
  manage: { run: loaded(() => import('./manage.ts')) },
};

/** The rules of all commands. The check of `manage` knows every kind of object, so it is loaded only for that command. */
export async function rulesFor(command: string): Promise<Rules> {
  if (command !== 'manage') return commands;
  const { check } = await import('./manage.ts');
  return { ...commands, manage: { ...commands.manage, check } };
}

function loaded(load: () => Promise<Pick<Command, 'run'>>): Command['run'] {
  return async (context) => (await load()).run(context);
}
