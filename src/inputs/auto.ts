import type { RunEvent } from '../runner/event.ts';
import type { CommandName } from './commands.ts';
import { type InvalidInput, missing } from './invalid.ts';

/** The command that `auto` runs for an event, or the error if there is none. */
export function commandOf(event: RunEvent): CommandName | InvalidInput {
  switch (event.name) {
    case 'pull_request':
    case 'pull_request_target':
      return event.action === 'closed' ? 'delete' : 'create';
    case 'delete':
      if (event.refType !== 'tag') return 'delete';
      return missing(
        'command',
        "`auto` does nothing when a git tag is deleted. Skip the job with `if: github.event.ref_type == 'branch'`",
      );
    case 'schedule':
      return missing(
        'command',
        '`auto` does nothing on a schedule. Set `command: prune` to delete stale branches, or another command',
      );
    default:
      return 'create';
  }
}
