import { isGone, parentOf, type Result } from '../result.ts';
import { consoleUrl } from '../service/project.ts';
import type { RunEvent } from '../step/event.ts';
import { code, factTable, plain, readable } from '../text/markdown.ts';
import { isLinkable } from '../text/url.ts';
import { rehearsalSection } from './rehearsal.ts';

export interface CommentFacts {
  command: string;
  result: Result;
  event: Pick<RunEvent, 'repository' | 'runId' | 'runAttempt' | 'sha' | 'pullRequest' | 'github' | 'docsUrl'>;
  projectId: string;
  apiHost: string;
  /** The branch's name, even if the branch no longer exists. */
  branchName: string;
  /** The runner's clock, in milliseconds since the epoch. */
  now: number;
}

/** The comment of a run on its pull request, as Markdown. */
export function commentOf(facts: CommentFacts): string {
  const { result } = facts;
  const { diff, rehearsal } = result;
  const database = diff?.databases[0]?.database ?? '';
  const comment = (parts: string[]) => [...parts, footer(facts)].join('\n\n');
  if (rehearsal) {
    const title = titleOf(`Migration rehearsal on database ${code(database)}`, facts);
    return comment([title, ...rehearsalSection({ diff, rehearsal }, facts.event.docsUrl)]);
  }
  return comment(aboutBranch(facts));
}

/** A pull request may have comments on branches of several projects, so each title names its project. */
function titleOf(what: string, { projectId }: CommentFacts): string {
  return `### ${what} in project ${code(projectId)}`;
}

function aboutBranch(facts: CommentFacts): string[] {
  const { result, branchName } = facts;
  const { branch } = result;
  const title = titleOf(`Database branch ${code(branchName)}`, facts);
  if (!branch || isGone(result)) {
    const id = branch ? ` (${code(branch.id)})` : '';
    return [title, `The branch${id} ${result.deleted ? 'was deleted' : 'no longer exists'}.`];
  }
  const parent = parentOf(result);
  const link = consoleUrl({ ...facts, branchId: branch.id });
  const rows: [string, string][] = [
    ['ID', `${code(branch.id)}${link ? ` · [open in the console](${link})` : ''}`],
    ['Parent', parent === undefined ? 'none (root branch)' : code(parent)],
    ['Expires', branch.expires_at ? readable(branch.expires_at) : 'never'],
    ['Last action', `${result.action ?? 'none'}, ${readable(new Date(facts.now).toISOString())}`],
  ];
  return [title, factTable(rows)];
}

/** The URL of a run's page, which has its summaries; undefined if the runner's variables do not make one. */
export function runUrl({ repository, runId, runAttempt, github }: CommentFacts['event']): string | undefined {
  if (repository === '' || runId === '') return undefined;
  const attempt = /^\d+$/.test(runAttempt) && runAttempt !== '1' ? `/attempts/${runAttempt}` : '';
  const url = `${github.server}/${repository}/actions/runs/${runId}${attempt}`;
  return isLinkable(url) ? url : undefined;
}

function footer({ event, command }: CommentFacts): string {
  const url = runUrl(event);
  const run = url ? `[this run](${url})` : 'a workflow run';
  const sha = event.pullRequest?.headSha || event.sha;
  const commit = /^[0-9a-f]{7,64}$/.test(sha) ? ` for commit ${sha.slice(0, 7)}` : '';
  return `<sub>Updated by ${run} (\`command: ${plain(command)}\`)${commit}.</sub>`;
}
