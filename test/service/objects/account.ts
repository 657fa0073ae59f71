import { newApiKey } from '../generate.ts';
import { isJsonObject, requiredString } from '../http/body.ts';
import { badRequest, notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { KeyRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';
import { OWNER_ID } from './new-project.ts';

export function addKey(state: State, name: string, key = newApiKey()): KeyRecord {
  const id = 100_000 + state.keyCount++;
  const record: KeyRecord = { id, name, key, createdAt: timestamp(state.now()), lastUsedAt: undefined };
  state.keys.set(key, record);
  state.secrets.add(key);
  return record;
}

export function listKeys({ state }: Call): HandlerResponse {
  const body = [...state.keys.values()].map(({ id, name, createdAt, lastUsedAt }) => ({
    id,
    name,
    created_at: createdAt,
    created_by: { id: OWNER_ID, name: 'Local Developer', image: '' },
    last_used_at: lastUsedAt ?? null,
    last_used_from_addr: lastUsedAt === undefined ? '' : '127.0.0.1',
  }));
  return { status: 200, body };
}

export function createKey({ state, body }: Call): HandlerResponse {
  if (!isJsonObject(body)) throw badRequest('request body has an error: "key_name" is missing');
  const name = requiredString(body, 'key_name');
  if (name.length > 64) throw badRequest('"key_name" has more than 64 characters');
  const { id, key, createdAt } = addKey(state, name);
  return { status: 200, body: { id, key, name, created_at: createdAt, created_by: OWNER_ID } };
}

export function revokeKey({ state, params }: Call): HandlerResponse {
  const found = [...state.keys.values()].find(({ id }) => String(id) === params.key_id);
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
    },
  };
}

export function currentUser({ state }: Call): HandlerResponse {
  return {
    status: 200,
    body: {
      active_seconds_limit: 0,
      auth_accounts: [],
      email: 'developer@local.test',
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

export const organizations = (): HandlerResponse => ({ status: 200, body: { organizations: [] } });

export const authDetails = (): HandlerResponse => ({
  status: 200,
  body: { account_id: OWNER_ID, auth_method: 'api_key_user' },
});

export const regions = (): HandlerResponse => ({
  status: 200,
  body: {
    regions: [
      { region_id: 'aws-us-east-2', name: 'AWS US East 2 (Ohio)', default: true, geo_lat: '39.96', geo_long: '-83' },
    ],
  },
});
