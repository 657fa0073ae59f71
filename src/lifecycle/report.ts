import type { MaskedColumn } from '../service/anonymize.ts';
import { count } from '../text/format.ts';
import { code, factTable, folded, readable } from '../text/markdown.ts';
import type { LifecycleFacts } from './facts.ts';

/** The parts of the summary: what the branch is, and what to do next. No secrets: neither passwords nor connection URIs. */
export function report(facts: LifecycleFacts, { failed }: { failed: boolean }): string[] {
  const rows = rowsOf(facts);
  return [
    ...(rows.length > 0 ? [factTable(rows)] : []),
    ...maskedSection(facts.masked),
    ...(failed ? [] : next(facts)),
  ];
}

function rowsOf({ branch, parentName, connection, deleted, masked, commentUrl }: LifecycleFacts): [string, string][] {
  const all: [string, string | undefined][] = [
    ['Branch', branch && code(branch.name)],
    ['ID', branch && code(branch.id)],
    ['Parent', branch?.parent_id && code(parentName ?? branch.parent_id)],
    ['Host', connection && code(connection.host)],
    ['Pooled host', connection && code(connection.pooledHost)],
    ['Database', connection && code(connection.database)],
    ['Role', connection && code(connection.role)],
    ['Masked', masked && count(masked.length, 'column')],
    ['Expires', branch && !deleted ? (branch.expires_at ? readable(branch.expires_at) : 'never') : undefined],
    ['Comment', commentUrl ? `[on the pull request](${commentUrl})` : undefined],
  ];
  return all.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}

/** Columns that a fold names. */
const mostNamed = 200;

/** How many columns are masked, with their names in a fold: which of the others hold personal data, nobody here knows. */
export function maskedSection(masked: MaskedColumn[] | undefined): string[] {
  if (masked === undefined || masked.length === 0) return [];
  const lines = masked
    .slice(0, mostNamed)
    .map((one) => `- ${code([one.database, one.schema, one.table, one.column].filter(Boolean).join('.'))}`);
  const more = masked.length > mostNamed ? [`- and ${masked.length - mostNamed} more`] : [];
  const are = masked.length === 1 ? 'is' : 'are';
  return [folded(`${count(masked.length, 'column')} ${are} masked`, [...lines, ...more].join('\n'))];
}

/** What to do next. */
function next({ branch, connection, notReady, endsWithJob }: LifecycleFacts): string[] {
  if (!branch || (!connection && !notReady)) return [];
  const wait = `\`command: get\` with \`branch_id: ${branch.id}\``;
  if (notReady) return [`**Next:** the branch is not ready yet (\`wait: false\`). ${wait} waits until it is.`];
  const later = endsWithJob
    ? 'The branch is deleted when the job ends.'
    : `In another job, read them with ${wait}; \`db_url\` and the others that hold a password can't be outputs of a job.`;
  return [`**Next:** connect with the outputs \`db_url_pooled\` and \`db_url\` in later steps of this job. ${later}`];
}
