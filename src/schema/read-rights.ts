import type { AlterDefaultPrivilegesStmt, AlterOwnerStmt, GrantStmt, Node, ObjectType } from 'libpg-query';
import { keyOf, type Schema, type Securable, setOwner } from './model.ts';
import { identifier, qualified } from './names.ts';
import { all, as, optionOf, relationName, roleName, strings } from './tree.ts';
import { formatTypes } from './type.ts';

/** What `ALL` means, by kind of object. */
export const everything: Partial<Record<ObjectType, string[]>> = {
  OBJECT_TABLE: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN'],
  OBJECT_SEQUENCE: ['USAGE', 'SELECT', 'UPDATE'],
  OBJECT_SCHEMA: ['USAGE', 'CREATE'],
  OBJECT_FUNCTION: ['EXECUTE'],
  OBJECT_PROCEDURE: ['EXECUTE'],
  OBJECT_ROUTINE: ['EXECUTE'],
};

/** What PUBLIC may do with an object unless the schema revokes it. */
function defaultsOf({ kind, name, future }: Securable): string[] {
  if (kind === 'schema' && name === 'public') return ['USAGE'];
  // For future objects of one schema, there are only additional privileges.
  const made = future && future.schema === undefined ? future.kind : kind;
  if (/^(function|routine|procedure)$/.test(made)) return ['EXECUTE'];
  return made === 'type' || name.startsWith('language ') ? ['USAGE'] : [];
}

export function rightsOn({ grants }: Schema, on: Securable): Map<string, Set<string>> {
  return grants.get(keyOf(on))?.roles ?? new Map([['PUBLIC', new Set(defaultsOf(on))]]);
}

export function readGrant(schema: Schema, tree: GrantStmt): void {
  for (const object of tree.objects ?? []) apply(schema, securable(tree.objtype, object), tree);
}

export function readDefaultRights(schema: Schema, { options, action }: AlterDefaultPrivilegesStmt): void {
  if (!action) return;
  const named = (option: string) => as(optionOf(options, option), 'List')?.items;
  const kind = (action.objtype ?? '').replace('OBJECT_', '').toLowerCase();
  const owners = all(named('roles'), 'RoleSpec').map(roleName);
  const schemas = strings(named('schemas')).map(identifier);
  for (const owner of owners.length > 0 ? owners : ['']) {
    for (const within of schemas.length > 0 ? schemas : [undefined]) {
      const name = `future ${kind}s${owner && ` of ${owner}`}${within === undefined ? '' : ` in schema ${within}`}`;
      apply(schema, { kind: 'future', name, future: { kind, schema: within } }, action);
    }
  }
}

function apply(schema: Schema, on: Securable, tree: GrantStmt): void {
  const roles = rightsOn(schema, on);
  schema.grants.set(keyOf(on), { on, roles });
  const privileges = privilegesOf(tree);
  for (const grantee of all(tree.grantees, 'RoleSpec')) {
    const name = roleName(grantee);
    const held = roles.get(name) ?? new Set<string>();
    roles.set(name, held);
    for (const privilege of privileges) {
      const option = `${privilege} WITH GRANT OPTION`;
      if (tree.is_grant !== true) {
        held.delete(option);
        // REVOKE GRANT OPTION FOR leaves the right itself.
        if (tree.grant_option !== true) held.delete(privilege);
        continue;
      }
      held.add(privilege);
      if (tree.grant_option === true) held.add(option);
    }
  }
}

/** `SELECT`, or `SELECT (email)` for a column. */
function privilegesOf({ privileges, objtype }: GrantStmt): string[] {
  if (!privileges?.length) return everything[objtype ?? 'OBJECT_TABLE'] ?? ['USAGE'];
  return all(privileges, 'AccessPriv').flatMap(({ priv_name, cols }) => {
    const names = priv_name === undefined ? ['SELECT', 'INSERT', 'UPDATE', 'REFERENCES'] : [priv_name.toUpperCase()];
    const columns = strings(cols).map(identifier);
    return columns.length === 0 ? names : names.flatMap((name) => columns.map((column) => `${name} (${column})`));
  });
}

export function readOwner(schema: Schema, { object, objectType, newowner }: AlterOwnerStmt): void {
  if (object) setOwner(schema, securable(objectType, object), roleName(newowner));
}

/** The object of a GRANT or an OWNER TO. */
function securable(kind: ObjectType | undefined, object: Node): Securable {
  const relation = as(object, 'RangeVar');
  if (relation) return { kind: 'relation', name: relationName(relation) };
  const routine = as(object, 'ObjectWithArgs');
  if (routine) {
    const types = (routine.objargs ?? []).map((type) => as(type, 'TypeName'));
    const args = kind === 'OBJECT_AGGREGATE' && types.length === 0 ? '*' : formatTypes(types);
    return { kind: 'function', name: `${qualified(strings(routine.objname))}(${args})` };
  }
  const parts = as(object, 'List')?.items ?? as(object, 'TypeName')?.names ?? [object];
  const name = qualified(strings(parts));
  const noun = (kind ?? '').replace('OBJECT_', '').replaceAll('_', ' ').toLowerCase();
  if (noun === 'schema') return { kind: 'schema', name };
  return noun === 'type' || noun === 'domain' ? { kind: 'type', name } : { kind: 'other', name: `${noun} ${name}` };
}
