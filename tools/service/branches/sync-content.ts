import type { BranchRecord, ProjectRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';
import { newDatabaseRecord, newRoleRecord } from './record.ts';

/**
 * Updates the roles and databases that the API lists after the branch's data was replaced with that of `source`, now or at an
 * earlier point. Roles that the branch already had keep their passwords; the others get those of `source`.
 */
export async function syncContent(
  state: State,
  project: ProjectRecord,
  record: BranchRecord,
  source: BranchRecord,
): Promise<void> {
  const { id } = record.branch;
  const at = timestamp(state.now());
  const inventory = (await state.compute.inventory(id)) ?? {
    roles: [...source.roles.keys()],
    databases: [...source.databases.values()].map(({ name, owner_name }) => ({ name, owner: owner_name })),
  };
  const previousRoles = new Map(record.roles);
  record.roles.clear();
  for (const name of inventory.roles) {
    const kept = previousRoles.get(name);
    const password = kept?.password ?? source.roles.get(name)?.password ?? state.newPassword();
    record.roles.set(name, kept ?? newRoleRecord(id, { name, password }, at));
    await state.compute.setPassword(id, { name, password });
  }
  const previousDatabases = new Map(record.databases);
  record.databases.clear();
  for (const database of inventory.databases) {
    const kept = previousDatabases.get(database.name);
    if (kept) kept.owner_name = database.owner;
    record.databases.set(database.name, kept ?? newDatabaseRecord(project, id, database, at));
  }
}
