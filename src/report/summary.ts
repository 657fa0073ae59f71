import { duration } from '../api/text.ts';
import type { Operation } from '../api/types.ts';
import type { Result } from '../result.ts';
import { code, fenced, plain, table } from './markdown.ts';

/** The job summary of a run, as Markdown. It holds no secret: neither a password nor a connection URI. */
export function summarize(options: {
  command: string;
  result: Result;
  failure: string | undefined;
  ms: number;
}): string {
  const { command, result, failure, ms } = options;
  const parts = [`### Database branch: ${plain(command)}`];
  if (failure !== undefined) parts.push(`**Failed** after ${duration(ms)}: ${plain(failure, 2_000)}`);
  else parts.push(`${plain(result.done)} in ${duration(ms)}.`);
  const facts = factsOf(result);
  if (facts.length > 0) parts.push(table({ head: ['', ''], body: facts }));
  if (result.request?.payload !== undefined) parts.push(fenced(result.request.payload, 'json'));
  if (result.operations.length > 0) parts.push(operationsTable(result.operations));
  return `${parts.join('\n\n')}\n`;
}

function factsOf(result: Result): string[][] {
  const { branch, connection, request, response } = result;
  const facts: [string, string | undefined][] = [
    ['Branch', branch && code(branch.name)],
    ['ID', branch && code(branch.id)],
    ['Parent', result.parentName ? code(result.parentName) : branch?.parent_id && code(branch.parent_id)],
    ['Host', connection && code(connection.host)],
    ['Pooled host', connection && code(connection.pooledHost)],
    ['Database', connection && code(connection.database)],
    ['Role', connection && code(connection.role)],
    ['Request', request && code(`${request.method} ${request.path}`)],
    ['Where', request?.note && plain(request.note)],
    ['Status', response && plain(String(response.status))],
    ['Expires', branch && (branch.expires_at ? plain(branch.expires_at) : 'never')],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value]] : []));
}

/** Longest bar, in characters. */
const barLength = 20;

function operationsTable(operations: Operation[]): string {
  const longest = Math.max(1, ...operations.map((one) => one.total_duration_ms));
  const bar = (ms: number) => '█'.repeat(Math.max(1, Math.round((ms / longest) * barLength)));
  return table({
    head: ['Operation', 'Status', 'Took', ''],
    body: operations.map((one) => [
      code(one.action),
      plain(one.status),
      duration(one.total_duration_ms),
      bar(one.total_duration_ms),
    ]),
  });
}
