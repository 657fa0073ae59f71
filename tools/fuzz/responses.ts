import fc from 'fast-check';
import type { CommandName } from '../../src/inputs/commands.ts';
import type { Result } from '../../src/result.ts';
import { parseUri } from '../../src/service/uri.ts';
import { type Account, main, responseTo, strange, wanted } from './account.ts';
import { changer, changesTo } from './changes.ts';
import { checkError, play, settingsOf } from './play.ts';
import { connect, type Line, pathsIn } from './service.ts';

/** Every command except `prune` and `manage`, which have their own properties, and `rehearse`, which needs a database. */
export const fuzzed = ['create', 'get', 'delete', 'reset', 'diff'] as const satisfies CommandName[];

/** Commands whose result may name no branch. */
const withoutBranch: CommandName[] = ['delete'];

/** Optional inputs that cause more requests. */
const extras = fc.record(
  {
    wait: fc.constantFrom('true', 'false'),
    if_exists: fc.constantFrom('reuse', 'reset', 'fail'),
    expires_in: fc.constant('14d'),
    parent_branch: fc.constant(main.name),
    base_branch: fc.constant(main.name),
    database: fc.constantFrom('neondb', 'none'),
    role: fc.constantFrom('neondb_owner', 'none'),
    prisma: fc.constant('true'),
    get_auth_url: fc.constant('true'),
    preserve_under_name: fc.constant('kept'),
    ephemeral: fc.constant('true'),
  },
  { requiredKeys: [] },
);

const step = fc.record({
  command: fc.constantFrom(...fuzzed),
  by: fc.constantFrom('name', 'id', 'event'),
  extras: fc.oneof(fc.constant({}), extras),
  account: fc.record({ there: fc.boolean(), endpoint: fc.constantFrom(true, true, false) }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/**
 * Whatever the service responds, a command ends before its timeout, with a meaningful error or a correct result: the right
 * branch and a complete connection URI.
 */
export const responseProperty = fc.asyncProperty(step, changesTo(strange), async (step, changes) => {
  const account: Account = { ...step.account };
  const change = changer(changes);
  const owners = new Set<string>();
  const line = connect({
    service(request) {
      const good = responseTo(request, account);
      if (request.method === 'POST' && request.path.endsWith('/branches')) account.there = account.endpoint = true;
      if (request.method === 'POST' && request.path.endsWith('/endpoints')) account.endpoint = true;
      const sent = change(request, good);
      if ('text' in sent) noteOwners(sent.text, owners);
      return sent;
    },
  });
  const { command } = step;
  const { reported, error } = await play({ command, inputs: settingsOf(command, inputsOf(step)), line });
  if (line.hangs()) throw new Error(`sent requests in an endless loop: ${pathsIn(line.exchanges)}`);
  if (error !== undefined) return checkError(error);
  if (reported.done === '') throw new Error('ended without a result or an error');
  checkResult({ step, result: reported, line, owners });
});

/** Notes which branch each host belongs to, according to the response. */
function noteOwners(text: string, owners: Set<string>): void {
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { branch_id, host } = value as { branch_id?: unknown; host?: unknown };
    if (typeof branch_id === 'string' && typeof host === 'string') owners.add(`${branch_id} ${host}`);
    for (const one of Object.values(value)) visit(one);
  };
  try {
    visit(JSON.parse(text));
  } catch {
    // A response that is not JSON has no hosts.
  }
}

function inputsOf({ by, extras }: Step): Record<string, string> {
  const target: Record<string, string> =
    by === 'name' ? { branch_name: wanted.name } : by === 'id' ? { branch_id: wanted.id } : {};
  return {
    ...target,
    ...(extras as Record<string, string>),
  };
}

const withConnection: CommandName[] = ['create', 'get', 'reset'];

function checkResult(options: { step: Step; result: Partial<Result>; line: Line; owners: Set<string> }): void {
  const { step, result, line, owners } = options;
  const { branch, connection } = result;
  const fail = (what: string): never => {
    throw new Error(`${what}: ${JSON.stringify(result)} after ${pathsIn(line.exchanges)}`);
  };
  if (!result.done) fail('does not say what was done');
  if (branch && step.by === 'id' && branch.id !== wanted.id) fail('is about a branch with another ID');
  // After the lookup by name, only the ID matters: the branch may be renamed in the meantime.
  if (branch && step.by !== 'id' && branch.id !== wanted.id && branch.name !== wanted.name)
    fail('is about a branch with another name');
  if (!withoutBranch.includes(step.command) && !branch) fail('names no branch');
  if (withConnection.includes(step.command) && !connection) fail('has no connection');
  for (const one of result.operationIds ?? []) if (!/^[\w-]{1,64}$/.test(one)) fail('has an invalid operation ID');
  if (!connection) return;
  if (!branch) fail('has a connection without a branch');
  for (const [name, value] of Object.entries(connection)) if (value === '') fail(`has no ${name}`);
  if (!owners.has(`${branch?.id} ${connection.host}`)) fail('has a host that is not known to belong to the branch');
  for (const uri of [connection.uri, connection.pooledUri]) {
    const parts = parseUri(uri);
    if (parts.password === '' || parts.user === '' || parts.database === '') fail('has an incomplete URI');
  }
  const { database, role } = connection;
  const { extras } = step as { extras: { database?: string; role?: string } };
  if ((extras.database ?? database) !== database || (extras.role ?? role) !== role)
    fail('is for another database or role');
}
