import { count, listSome } from '../text/format.ts';
import { code, factTable, folded, readable } from '../text/markdown.ts';
import type { LifecycleFacts } from './facts.ts';

/**
 * What summary and comment say of a branch; `more`: rows at the end. No secrets: neither passwords nor connection URIs.
 */
export function aboutBranch(
  { branch, connection, deleted, masked, commentUrl, consoleUrl }: Partial<LifecycleFacts>,
  more: [string, string][] = [],
): string[] {
  const expires = branch?.expires_at ? readable(branch.expires_at) : 'never';
  const rows: [string, string | undefined][] = [
    ['Branch', branch && `${code(branch.name)}${deleted ? ' (deleted)' : ''}`],
    ['ID', branch && `${code(branch.id)}${consoleUrl ? ` · [open in the console](${consoleUrl})` : ''}`],
    ['Parent', branch?.parent_id && code(branch.parent_id)],
    ['Host', connection && code(connection.host)],
    ['Pooled host', connection && code(connection.pooledHost)],
    ['Database', connection && code(connection.database)],
    ['Role', connection && code(connection.role)],
    ['Expires', branch && !deleted ? expires : undefined],
    ['Comment', commentUrl ? `[on the pull request](${commentUrl})` : undefined],
    ...more,
  ];
  const given = rows.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
  return [...(given.length > 0 ? [factTable(given)] : []), ...maskedSection(masked)];
}

const mostNamed = 200;

/** How many columns are masked, with their names in a fold: which of the others hold personal data, nobody here knows. */
function maskedSection(masked: string[] = []): string[] {
  if (masked.length === 0) return [];
  const list = listSome(
    masked.map((one) => `- ${code(one)}`),
    mostNamed,
    '\n',
  );
  const are = masked.length === 1 ? 'is' : 'are';
  return [folded(`${count(masked.length, 'column')} ${are} masked`, list)];
}
