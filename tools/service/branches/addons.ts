import { isJsonObject, optionalObject, requiredString } from '../http/body.ts';
import { ApiError, badRequest, notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { type BranchRecord, endpointsOf } from '../state.ts';

/** The Auth and Data API URLs of a branch contain the ID of its compute endpoint. */
function endpointId({ state, params }: Call, record: BranchRecord): string {
  const [endpoint] = endpointsOf(state.project(params.project_id), record.branch.id);
  if (!endpoint) throw new ApiError(412, 'the branch has no compute endpoint');
  return endpoint.endpoint.id;
}

function findBranch({ state, params }: Call, use: 'read' | 'change' = 'read'): BranchRecord {
  return state.branch(state.project(params.project_id), params.branch_id, use);
}

const authUrl = (call: Call, record: BranchRecord) => `https://${endpointId(call, record)}.auth.local.test/neondb/auth`;

export function getAuth(call: Call): HandlerResponse {
  const record = findBranch(call);
  if (!record.auth) throw notFound('auth integration');
  const baseUrl = authUrl(call, record);
  return {
    status: 200,
    body: {
      auth_provider: 'better_auth',
      auth_provider_project_id: record.branch.id,
      branch_id: record.branch.id,
      db_name: 'neondb',
      created_at: record.branch.created_at,
      owned_by: 'neon',
      jwks_url: `${baseUrl}/.well-known/jwks.json`,
      base_url: baseUrl,
    },
  };
}

export function enableAuth(call: Call): HandlerResponse {
  const { state, body } = call;
  const record = findBranch(call, 'change');
  if (!isJsonObject(body)) throw badRequest('request body has an error: "auth_provider" is missing');
  const provider = requiredString(body, 'auth_provider');
  const baseUrl = authUrl(call, record);
  if (record.auth) throw new ApiError(409, 'auth integration already exists', { code: 'ALREADY_EXISTS' });
  record.auth = true;
  return {
    status: 201,
    body: {
      auth_provider: provider,
      auth_provider_project_id: record.branch.id,
      pub_client_key: '',
      secret_server_key: state.newPassword(),
      jwks_url: `${baseUrl}/.well-known/jwks.json`,
      schema_name: 'neon_auth',
      table_name: 'users_sync',
      base_url: baseUrl,
    },
  };
}

export function disableAuth(call: Call): HandlerResponse {
  const record = findBranch(call, 'change');
  if (!record.auth) throw notFound('auth integration');
  record.auth = false;
  return { status: 200 };
}

/** The branch and database of a request about the Data API, which is on for the database unless `absent` says otherwise. */
function findDatabase(call: Call, use: 'read' | 'change', absent = false) {
  const record = findBranch(call, use);
  const database = call.params.database_name ?? '';
  if (!record.databases.has(database)) throw notFound('database');
  if (!absent && !record.dataApi.has(database)) throw notFound('Data API');
  const url = `https://${endpointId(call, record)}.apirest.local.test/${encodeURIComponent(database)}/rest/v1`;
  return { record, database, url };
}

export function getDataApi(call: Call): HandlerResponse {
  const { record, database, url } = findDatabase(call, 'read');
  const settings = { db_schemas: ['public'], ...record.dataApi.get(database) };
  return { status: 200, body: { url, status: 'active', settings } };
}

export function createDataApi(call: Call): HandlerResponse {
  const { record, database, url } = findDatabase(call, 'change', true);
  if (record.dataApi.has(database)) throw new ApiError(409, 'Data API already exists', { code: 'ALREADY_EXISTS' });
  record.dataApi.set(database, optionalObject(call.body, 'settings'));
  return { status: 201, body: { url } };
}

export function deleteDataApi(call: Call): HandlerResponse {
  const { record, database } = findDatabase(call, 'change');
  record.dataApi.delete(database);
  return { status: 200, body: {} };
}
