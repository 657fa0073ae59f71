import type { Database } from '@neon/sdk/raw';
import { newDatabaseRecord } from '../branches/record.ts';
import { optionalString, requiredObject, requiredString } from '../http/body.ts';
import { ApiError, notFound, unprocessable } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { BranchRecord } from '../state.ts';
import { timestamp } from '../time.ts';
import { applyConfig } from './roles.ts';

function findDatabase(record: BranchRecord, name: string | undefined): Database {
  const found = record.databases.get(name ?? '');
  if (!found) throw notFound('database');
  return found;
}

function assertRoleExists(record: BranchRecord, owner: string): string {
  if (!record.roles.has(owner)) throw notFound(`role ${JSON.stringify(owner)}`);
  return owner;
}

function validateNewName(record: BranchRecord, name: string): string {
  if (Buffer.byteLength(name) > 63) throw unprocessable('a database name must have at most 63 bytes');
  if (record.databases.has(name)) {
    throw new ApiError(409, 'database already exists', { code: 'DATABASE_ALREADY_EXISTS' });
  }
  return name;
}

export function listDatabases({ state, params }: Call): HandlerResponse {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  return { status: 200, body: { databases: [...record.databases.values()] } };
}

export function getDatabase({ state, params }: Call): HandlerResponse {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  return { status: 200, body: { database: findDatabase(record, params.database_name) } };
}

export function createDatabase({ state, params, body }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { id } = record.branch;
  const fields = requiredObject(body, 'database');
  const name = validateNewName(record, requiredString(fields, 'name'));
  const owner = assertRoleExists(record, requiredString(fields, 'owner_name'));
  state.assertUnlocked(project, [{ id }]);
  const database = newDatabaseRecord(project, id, { name, owner }, timestamp(state.now()));
  record.databases.set(name, database);
  const operations = applyConfig(state, { project, record }, () => state.compute.createDatabase(id, { name, owner }));
  return { status: 201, body: { database, operations } };
}

export function updateDatabase({ state, params, body }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { id } = record.branch;
  const database = findDatabase(record, params.database_name);
  const before = database.name;
  const fields = requiredObject(body, 'database');
  const name = optionalString(fields, 'name') ?? before;
  const owner = assertRoleExists(record, optionalString(fields, 'owner_name') ?? database.owner_name);
  if (name !== before) validateNewName(record, name);
  state.assertUnlocked(project, [{ id }]);
  record.databases.delete(before);
  Object.assign(database, { name, owner_name: owner, updated_at: timestamp(state.now()) });
  record.databases.set(name, database);
  const operations = applyConfig(state, { project, record }, () =>
    state.compute.updateDatabase(id, before, { name, owner }),
  );
  return { status: 200, body: { database, operations } };
}

export function deleteDatabase({ state, params }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { id } = record.branch;
  const name = params.database_name ?? '';
  const database = record.databases.get(name);
  if (!database) return { status: 204 };
  state.assertUnlocked(project, [{ id }]);
  record.databases.delete(name);
  const operations = applyConfig(state, { project, record }, () => state.compute.dropDatabase(id, name));
  return { status: 200, body: { database, operations } };
}
