import { projectOf } from '../branch/step.ts';
import { getBranch } from '../service/branches.ts';
import { consoleUrl } from '../service/project.ts';
import type { Branch } from '../service/types.ts';
import { redacted } from '../step/action.ts';
import { writeComment as write } from '../step/comment.ts';
import { branchNameOf } from '../step/event.ts';
import { redact } from '../step/log.ts';
import { count } from '../text/format.ts';
import { code, factTable, readable } from '../text/markdown.ts';
import type { CommandName } from './auto.ts';
import type { Outcome, Step } from './facts.ts';
import { maskedSection } from './report.ts';

/** Keeps the comment about the branch up to date, with `comment: true`. */
export async function writeComment(step: Step, command: CommandName, outcome: Outcome): Promise<void> {
  const { inputs, event } = step;
  if (!inputs.comment) return;
  const { branch, action } = outcome;
  // Comments are found by name; a branch that was given by its ID and no longer exists has none.
  const name = branch?.name ?? inputs.branch_name ?? (inputs.branch_id === undefined ? branchNameOf(event) : undefined);
  if (name === undefined) return;
  const isGone = action === 'deleted' || action === 'already-gone';
  const facts = isGone ? goneLine(branch, action) : event.pullRequest ? await factsOf(step, outcome) : [];
  await write(step, {
    subject: { kind: 'branch', project: inputs.project_id, branch: name },
    parts: [`### Database branch ${code(redact(name))} in project ${code(inputs.project_id)}`, ...facts],
    by: `command: ${command}`,
    createIfMissing: action !== 'already-gone',
  });
}

/** What a comment says of a branch that is gone. */
export function goneLine(branch: Pick<Branch, 'id'> | undefined, action: Outcome['action']): string[] {
  const id = branch ? ` (${code(branch.id)})` : '';
  return [`The branch${id} ${action === 'deleted' ? 'was deleted' : 'no longer exists'}.`];
}

async function factsOf(step: Step, outcome: Outcome): Promise<string[]> {
  const { inputs, api } = step;
  const { action, notReady, masked, branch } = redacted(outcome, redact);
  if (!branch) return [];
  const parentName = branch.parent_id && (await nameOf(step, branch.parent_id));
  step.record({ parentName });
  const link = consoleUrl({ apiHost: inputs.api_host, projectId: inputs.project_id, branchId: branch.id });
  const now = new Date(api.clock.now()).toISOString();
  const rows: [string, string][] = [
    ['ID', `${code(branch.id)}${link ? ` · [open in the console](${link})` : ''}`],
    ['Parent', parentName ? code(redact(parentName)) : 'none (root branch)'],
    ...(masked ? [['Masked', count(masked.length, 'column')] as [string, string]] : []),
    ['Expires', branch.expires_at ? readable(branch.expires_at) : 'never'],
    ['Last action', `${action}${notReady ? ', not ready yet' : ''}, ${readable(now)}`],
  ];
  return [factTable(rows), ...maskedSection(masked)];
}

/** The name of a branch, or its ID if it can't be read. */
async function nameOf(step: Step, branchId: string): Promise<string> {
  return getBranch({ ...projectOf(step), branchId }).then(
    ({ branch }) => branch.name,
    () => branchId,
  );
}
