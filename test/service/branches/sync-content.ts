import { stamp } from '../generate.ts';
import type { BranchRecord, ProjectRecord, State } from '../state.ts';
import { databaseRecord, roleRecord } from './record.ts';

/**
 * Brings what the API says of a branch's roles and databases in line with what is in it, after its data has been replaced by
 * that of `source` at some time. Roles that the branch had keep their passwords; others have the source's.
 */
export async function syncContent(
  state: State,
  project: ProjectRecord,
  record: BranchRecord,
  source: BranchRecord,
): Promise<void> {
  const { id } = record.branch;
  const at = stamp(state.now());
  const inventory = (await state.compute.inventory(id)) ?? {
    roles: [...source.roles.keys()],
    databases: [...source.databases.values()].map(({ name, owner_name }) => ({ name, owner: owner_name })),
  };
  const roles = new Map(record.roles);
  record.roles.clear();
  for (const name of inventory.roles) {
    const kept = roles.get(name);
    const password = kept?.password ?? source.roles.get(name)?.password ?? state.newPassword();
    record.roles.set(name, kept ?? roleRecord(id, { name, password }, at));
    await state.compute.setPassword(id, { name, password });
  }
  const databases = new Map(record.databases);
  record.databases.clear();
  for (const database of inventory.databases) {
    const kept = databases.get(database.name);
    if (kept) kept.owner_name = database.owner;
    record.databases.set(database.name, kept ?? databaseRecord(project, id, database, at));
  }
}
