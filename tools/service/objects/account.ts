import { newApiKey } from '../generate.ts';
import { isJsonObject, optionalString, requiredString } from '../http/body.ts';
import { badRequest, notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { KeyRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';
import { OWNER_ID } from './new-project.ts';

/** The only organization of the service. */
export const ORGANIZATION_ID = 'org-quiet-harbor-12345678';
const EMAIL = 'developer@local.test';

export function addKey(
  state: State,
  name: string,
  {
    key = newApiKey(),
    organization,
    project,
  }: { key?: string; organization?: string; project?: string | undefined } = {},
): KeyRecord {
  const id = 100_000 + state.keyCount++;
  const createdAt = timestamp(state.now());
  const record: KeyRecord = { id, name, key, organization, project, createdAt, lastUsedAt: undefined };
  state.keys.set(key, record);
  state.secrets.add(key);
  return record;
}

/** The organization in the path; undefined for the user's own keys. */
export function organizationOf({ params }: Call): string | undefined {
  const { org_id: id } = params;
  if (id !== undefined && id !== ORGANIZATION_ID) throw notFound('organization');
  return id;
}

export function listKeys(call: Call): HandlerResponse {
  const owner = organizationOf(call);
  const keys = [...call.state.keys.values()].filter(({ organization }) => organization === owner);
  const body = keys.map(({ id, name, project, createdAt, lastUsedAt }) => ({
    id,
    name,
    created_at: createdAt,
    created_by: { id: OWNER_ID, name: 'Local Developer', image: '' },
    last_used_at: lastUsedAt ?? null,
    last_used_from_addr: lastUsedAt === undefined ? '' : '127.0.0.1',
    ...(project !== undefined && { project_id: project }),
  }));
  return { status: 200, body };
}

export function createKey(call: Call): HandlerResponse {
  const { state, body } = call;
  const organization = organizationOf(call);
  if (!isJsonObject(body)) throw badRequest('request body has an error: "key_name" is missing');
  const name = requiredString(body, 'key_name');
  if (name.length > 64) throw badRequest('"key_name" has more than 64 characters');
  const project = organization && optionalString(body, 'project_id');
  if (project !== undefined) state.project(project);
  const { id, key, createdAt } = addKey(state, name, { ...(organization && { organization, project }) });
  const limits = project === undefined ? {} : { project_id: project };
  return { status: 200, body: { id, key, name, created_at: createdAt, created_by: OWNER_ID, ...limits } };
}

export function revokeKey(call: Call): HandlerResponse {
  const { state, params } = call;
  const owner = organizationOf(call);
  const found = [...state.keys.values()].find(
    ({ id, organization }) => String(id) === params.key_id && organization === owner,
  );
  if (!found) throw notFound('API key');
  state.keys.delete(found.key);
  return {
    status: 200,
    body: {
      id: found.id,
      name: found.name,
      created_at: found.createdAt,
      created_by: OWNER_ID,
      last_used_at: found.lastUsedAt ?? null,
      last_used_from_addr: found.lastUsedAt === undefined ? '' : '127.0.0.1',
      revoked: true,
      ...(found.project !== undefined && { project_id: found.project }),
    },
  };
}

export function currentUser({ state }: Call): HandlerResponse {
  return {
    status: 200,
    body: {
      active_seconds_limit: 0,
      auth_accounts: [],
      email: EMAIL,
      id: OWNER_ID,
      image: '',
      login: 'developer',
      name: 'Local',
      last_name: 'Developer',
      projects_limit: 100,
      branches_limit: state.settings.branchLimit ?? 5_000,
      max_autoscaling_limit: state.settings.plan?.maxCu ?? 16,
      plan: 'launch',
    },
  };
}

export const regions = (): HandlerResponse => ({
  status: 200,
  body: {
    regions: [
      { region_id: 'aws-us-east-2', name: 'AWS US East 2 (Ohio)', default: true, geo_lat: '39.96', geo_long: '-83' },
    ],
  },
});
