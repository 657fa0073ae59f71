import { ApiError, notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { type BranchRecord, endpointsOf } from '../state.ts';

/** The auth and data API URLs of a branch contain the ID of its compute endpoint. */
function endpointId({ state, params }: Call, record: BranchRecord): string {
  const [endpoint] = endpointsOf(state.project(params.project_id), record.branch.id);
  if (!endpoint) throw new ApiError(412, 'the branch has no compute endpoint');
  return endpoint.endpoint.id;
}

export function getAuth(call: Call): HandlerResponse {
  const { state, params } = call;
  const record = state.branch(state.project(params.project_id), params.branch_id);
  if (!record.auth) throw notFound('auth integration');
  const baseUrl = `https://${endpointId(call, record)}.auth.local.test/neondb/auth`;
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

export function getDataApi(call: Call): HandlerResponse {
  const { state, params } = call;
  const record = state.branch(state.project(params.project_id), params.branch_id);
  const database = params.database_name ?? '';
  if (!record.databases.has(database)) throw notFound('database');
  if (!record.dataApi) throw notFound('data API');
  const url = `https://${endpointId(call, record)}.apirest.local.test/${encodeURIComponent(database)}/rest/v1`;
  return { status: 200, body: { url, status: 'active' } };
}
