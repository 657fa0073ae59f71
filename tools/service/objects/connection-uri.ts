import type { ConnectionDetails } from '@neon/sdk/raw';
import { notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { type BranchRecord, type EndpointRecord, endpointsOf, type ProjectRecord, type State } from '../state.ts';

export interface ConnectionTarget {
  endpoint: EndpointRecord;
  database: string;
  role: string;
  password: string;
  pooled: boolean;
}

export function connectionUri(state: State, { endpoint, database, role, password, pooled }: ConnectionTarget): string {
  const { host, poolerHost, port } = endpoint.address;
  const authority = `${encodeURIComponent(role)}:${encodeURIComponent(password)}@${pooled ? poolerHost : host}`;
  const { uriParameters } = state.settings;
  const uri =
    `postgresql://${authority}${port === undefined ? '' : `:${port}`}/${encodeURIComponent(database)}` +
    (uriParameters === '' ? '' : `?${uriParameters}`);
  state.secrets.add(uri);
  return uri;
}

export const readWriteEndpoint = (project: ProjectRecord, branchId: string): EndpointRecord | undefined =>
  endpointsOf(project, branchId).find(({ endpoint }) => endpoint.type === 'read_write');

/** Connection details for the response to a create; undefined unless there is exactly one role, one database and a compute. */
export function connectionDetails(
  state: State,
  record: BranchRecord,
  endpoint: EndpointRecord | undefined,
): ConnectionDetails[] | undefined {
  const [role] = record.roles.values();
  const [database] = record.databases.keys();
  if (!endpoint || !role || database === undefined || record.roles.size > 1 || record.databases.size > 1) {
    return undefined;
  }
  const { password } = role;
  return [
    {
      connection_uri: connectionUri(state, { endpoint, database, role: role.role.name, password, pooled: false }),
      connection_parameters: {
        database,
        password,
        role: role.role.name,
        host: endpoint.address.host,
        pooler_host: endpoint.address.poolerHost,
      },
    },
  ];
}

export function getConnectionUri({ state, params, query }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const endpointId = query.get('endpoint_id');
  const byEndpoint = endpointId === null ? undefined : project.endpoints.get(endpointId);
  if (endpointId !== null && !byEndpoint) throw notFound('endpoint');
  const fallback = [...project.branches.values()].find(({ branch }) => branch.default)?.branch.id;
  const record = state.branch(project, query.get('branch_id') ?? byEndpoint?.endpoint.branch_id ?? fallback);
  const endpoint = byEndpoint ?? readWriteEndpoint(project, record.branch.id);
  if (endpoint?.endpoint.branch_id !== record.branch.id) throw notFound('endpoint');
  const database = query.get('database_name') ?? '';
  if (!record.databases.has(database)) throw notFound('database');
  const role = record.roles.get(query.get('role_name') ?? '');
  if (!role) throw notFound('role');
  const { password } = role;
  const pooled = query.get('pooled') === 'true';
  return {
    status: 200,
    body: { uri: connectionUri(state, { endpoint, database, role: role.role.name, password, pooled }) },
  };
}
