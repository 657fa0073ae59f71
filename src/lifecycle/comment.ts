import type { Branch } from '../service/types.ts';
import { redacted } from '../step/action.ts';
import { writeComment as write } from '../step/comment.ts';
import { branchNameOf } from '../step/event.ts';
import { redact } from '../step/log.ts';
import { code, readable } from '../text/markdown.ts';
import type { LifecycleFacts, Outcome, Step } from './facts.ts';
import { aboutBranch } from './report.ts';

export async function writeComment(step: Step, outcome: Outcome & Pick<LifecycleFacts, 'consoleUrl'>): Promise<void> {
  const { inputs, event, api } = step;
  const { branch, action } = outcome;
  // Comments are found by name; a branch that was given by its ID and no longer exists has none.
  const name = branch?.name ?? inputs.branch_name ?? (inputs.branch_id === undefined ? branchNameOf(event) : undefined);
  if (name === undefined) return;
  const gone = action === 'already-gone' ? 'no longer exists' : inputs.wait ? 'was deleted' : 'is being deleted';
  const now = readable(new Date(api.clock.now()).toISOString());
  const last = `${action}${outcome.notReady ? ', not ready yet' : ''}, ${now}`;
  const { branch: about, masked, consoleUrl } = redacted(outcome, redact);
  await write(step, {
    subject: { kind: 'branch', project: inputs.project_id, branch: name },
    parts: [
      titleOf(name, inputs.project_id),
      ...(action === 'deleted' || action === 'already-gone'
        ? goneLine(branch, gone)
        : aboutBranch({ branch: about, masked, consoleUrl }, [['Last action', last]])),
    ],
    createIfMissing: action !== 'already-gone',
  });
}

export function titleOf(name: string, projectId: string): string {
  return `### Database branch ${code(redact(name))} in project ${code(projectId)}`;
}

/** What a comment says of a branch that is gone: `was deleted`. */
export function goneLine(branch: Pick<Branch, 'id'> | undefined, how: string): string[] {
  return [`The branch${branch ? ` (${code(branch.id)})` : ''} ${how}.`];
}
