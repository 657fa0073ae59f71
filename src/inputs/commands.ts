import { decide } from '../lifecycle/auto.ts';
import type { RunEvent } from '../step/event.ts';

/** Every command except `auto`, which stands for one of these. */
export const commandNames = ['create', 'get', 'reset', 'delete', 'diff', 'rehearse', 'prune', 'manage'] as const;

export type CommandName = (typeof commandNames)[number];

/** The command that `auto` runs for an event; or why there is none. `namesBranch`: whether an input names the branch. */
export function commandOf(
  event: RunEvent,
  namesBranch = false,
): CommandName | { invalid: string } | { nothing: string } {
  const decision = decide(event, { namesBranch });
  return 'command' in decision ? decision.command : decision;
}
