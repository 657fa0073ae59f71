import fc from 'fast-check';
import { maskSecrets } from '../../src/secrets/fields.ts';
import { createSecrets } from '../../src/secrets/store.ts';
import { readBranchResponse } from '../../src/service/branch-changes.ts';
import { connectionFromResponse } from '../../src/service/connection.ts';
import { readWriteEndpoint } from '../../src/service/endpoints.ts';
import { RefusedError } from '../../src/service/errors.ts';
import { ShapeError } from '../../src/text/json.ts';
import { hostileText } from './texts.ts';

/** Not like any other text of the response. */
const password = 'npg_Secret99';
const host = 'ep-cool-rain-1.eu.db.test';
const uri = (at: string) => `postgresql://neondb_owner:${password}@${at}/neondb?sslmode=require`;

/** The response to a create. */
const created = {
  branch: {
    id: 'br-wispy-meadow-1',
    name: 'preview/pr-7',
    parent_id: 'br-main-1',
    default: false,
    protected: false,
    current_state: 'init',
    created_at: '2026-01-04T05:06:07Z',
  },
  endpoints: [
    { id: 'ep-cool-rain-1', branch_id: 'br-wispy-meadow-1', host, type: 'read_write', current_state: 'init' },
  ],
  operations: [{ id: 'f64f5bfd', action: 'create_branch', status: 'running', failures_count: 0, total_duration_ms: 0 }],
  roles: [{ name: 'neondb_owner' }],
  databases: [{ name: 'neondb' }],
  connection_uris: [
    {
      connection_uri: uri(host),
      connection_parameters: { database: 'neondb', role: 'neondb_owner', password, host, pooler_host: host },
    },
  ],
};

type Node = Record<string | number, unknown>;

/** A value at any depth is replaced or missing. */
interface Change {
  pick: number;
  value: unknown;
}

const values = [
  ...['br-other-1', 'ep-other-1', 'ep-other-1.eu.db.test', uri('ep-other-1.eu.db.test'), `${uri(host)}&host=elsewhere`],
  ...[
    'postgresql://host',
    'postgresql://:@/',
    'read_only',
    '../../x',
    '',
    'a\nb',
    undefined,
    null,
    true,
    0,
    -1,
    [],
    {},
    [null],
  ],
];
const change: fc.Arbitrary<Change> = fc.record({
  pick: fc.nat(60),
  value: fc.oneof({ weight: 3, arbitrary: fc.constantFrom<unknown>(...values) }, fc.jsonValue(), hostileText),
});

function changed(body: unknown, changes: Change[]): unknown {
  const copy: unknown = structuredClone(body);
  for (const { pick, value } of changes) {
    const places: [Node, string | number][] = [];
    const visit = (at: unknown) => {
      if (typeof at !== 'object' || at === null) return;
      for (const key of Array.isArray(at) ? at.keys() : Object.keys(at)) {
        places.push([at as Node, key]);
        visit((at as Node)[key]);
      }
    };
    visit(copy);
    const [holder, key] = places[pick % Math.max(1, places.length)] ?? [];
    // A value may be used twice, also inside itself.
    if (holder !== undefined && key !== undefined) holder[key] = structuredClone(value);
  }
  return copy;
}

/**
 * Whatever the service returns, reading it ends in a readable error, or in IDs that are safe in a path and a connection that leads to the
 * host of the branch's own endpoint; and its passwords are masked.
 */
export const bodyProperty = fc.property(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(change, { maxLength: 3 }).map((changes) => changed(created, changes)) },
    fc.jsonValue() as fc.Arbitrary<unknown>,
  ),
  (body) => {
    const secrets = createSecrets();
    maskSecrets(body, (secret) => void secrets.add(secret));
    try {
      const response = readBranchResponse(body);
      const { branch, operations } = response;
      for (const { id } of [branch, ...operations]) if (!/^[\w-]+$/.test(id)) throw new Error(`has the ID ${id}`);
      const endpoint = readWriteEndpoint(response.endpoints, branch);
      if (!endpoint) return;
      if (endpoint.branch_id !== branch.id) throw new Error('is the endpoint of another branch');
      const details = response.connectionUris;
      const connection = connectionFromResponse({ details, endpoint, database: 'neondb', role: 'neondb_owner' });
      if (!connection) return;
      const leads = [connection.uri, connection.pooledUri].every((one) => new URL(one).hostname === connection.host);
      if (!leads || connection.host !== endpoint.host.replace(/:\d+$/, '')) throw new Error('leads elsewhere');
      if (secrets.redact(connection.uri).includes(connection.password)) throw new Error('shows the password');
    } catch (error) {
      if (!(error instanceof ShapeError || error instanceof RefusedError)) throw error;
      if (/\bundefined\b|\[object /.test(error.message)) throw new Error(`is not readable: ${error.message}`);
      if (secrets.redact(error.message).includes(password)) throw new Error(`shows the password: ${error.message}`);
    }
  },
);
