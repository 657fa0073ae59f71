import type { Database } from '@neon/sdk/raw';
import { databaseRecord } from '../branches/record.ts';
import { stamp } from '../generate.ts';
import { requiredPart, requiredText, text } from '../http/body.ts';
import { notFound, Problem, unprocessable } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import type { BranchRecord } from '../state.ts';
import { applyConfig } from './roles.ts';

function known(record: BranchRecord, name: string | undefined): Database {
  const found = record.databases.get(name ?? '');
  if (!found) throw notFound('database');
  return found;
}

function checkedOwner(record: BranchRecord, owner: string): string {
  if (!record.roles.has(owner)) throw notFound(`role ${JSON.stringify(owner)}`);
  return owner;
}

function claimName(record: BranchRecord, name: string): string {
  if (Buffer.byteLength(name) > 63) throw unprocessable('a database name has 63 bytes at most');
  if (record.databases.has(name)) {
    throw new Problem(409, 'database already exists', { code: 'DATABASE_ALREADY_EXISTS' });
  }
  return name;
}

export function listDatabases({ state, params }: Call): Answer {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  return { status: 200, body: { databases: [...record.databases.values()] } };
}

export function getDatabase({ state, params }: Call): Answer {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  return { status: 200, body: { database: known(record, params.database_name) } };
}

export function createDatabase({ state, params, body }: Call): Answer {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { id } = record.branch;
  const fields = requiredPart(body, 'database');
  const name = claimName(record, requiredText(fields, 'name'));
  const owner = checkedOwner(record, requiredText(fields, 'owner_name'));
  state.guard(project, [{ id }]);
  const database = databaseRecord(project, id, { name, owner }, stamp(state.now()));
  record.databases.set(name, database);
  const operations = applyConfig(state, { project, record }, () => state.compute.createDatabase(id, { name, owner }));
  return { status: 201, body: { database, operations } };
}

export function updateDatabase({ state, params, body }: Call): Answer {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { id } = record.branch;
  const database = known(record, params.database_name);
  const before = database.name;
  const fields = requiredPart(body, 'database');
  const name = text(fields, 'name') ?? before;
  const owner = checkedOwner(record, text(fields, 'owner_name') ?? database.owner_name);
  if (name !== before) claimName(record, name);
  state.guard(project, [{ id }]);
  record.databases.delete(before);
  Object.assign(database, { name, owner_name: owner, updated_at: stamp(state.now()) });
  record.databases.set(name, database);
  const operations = applyConfig(state, { project, record }, () =>
    state.compute.changeDatabase(id, before, { name, owner }),
  );
  return { status: 200, body: { database, operations } };
}

export function deleteDatabase({ state, params }: Call): Answer {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { id } = record.branch;
  const name = params.database_name ?? '';
  const database = record.databases.get(name);
  if (!database) return { status: 204 };
  state.guard(project, [{ id }]);
  record.databases.delete(name);
  const operations = applyConfig(state, { project, record }, () => state.compute.dropDatabase(id, name));
  return { status: 200, body: { database, operations } };
}
