import type { RunEvent } from '../runner/event.ts';
import type { CommandName } from './commands.ts';
import { Fault } from './parse.ts';

/** What `auto` does for an event. */
export function commandOf(event: RunEvent): CommandName | Fault {
  switch (event.name) {
    case 'pull_request':
    case 'pull_request_target':
      return event.action === 'closed' ? 'delete' : 'create';
    case 'delete':
      if (event.refType !== 'tag') return 'delete';
      return new Fault(
        "command: auto has nothing to do when a git tag is deleted; give the job `if: github.event.ref_type == 'branch'`",
      );
    case 'schedule':
      return new Fault(
        'command: auto has nothing to do on a schedule; set `command: prune` to delete what was left behind, or another command',
      );
    default:
      return 'create';
  }
}
