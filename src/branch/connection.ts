import {
  type Connection,
  choose,
  connectionFromResponse,
  fetchConnection,
  listChoices,
} from '../service/connection.ts';
import type { About } from '../service/project.ts';
import type { Created } from './create.ts';
import type { BranchStep } from './step.ts';

/** What is known of a branch's connection: its endpoint, and of a new branch what the response to its create has said. */
export type Known = Pick<Created, 'endpoint' | 'names' | 'connectionUris'>;

/** The connection for the chosen database and role, as the service returned it, with its secrets masked. `database`: instead of the input's. */
export async function findConnection(
  { inputs, mask }: BranchStep,
  about: About,
  { endpoint, names, connectionUris = [], database: other }: Known & { database?: string },
): Promise<Connection> {
  const { branch } = about;
  const { databases, roles } = names ?? (await listChoices(about));
  const database = choose({ kind: 'database', wanted: other ?? inputs.database, names: databases, branch });
  const role = choose({ kind: 'role', wanted: inputs.role, names: roles, branch });
  const found =
    connectionFromResponse({ details: connectionUris, endpoint, database, role }) ??
    (await fetchConnection({ ...about, endpoint, database, role }));
  for (const secret of [found.password, found.uri, found.pooledUri]) mask(secret);
  return found;
}
