import type { AlterDefaultPrivilegesStmt, AlterOwnerStmt, GrantStmt, Node, ObjectType } from 'libpg-query';
import { objectKey, type Schema } from './model.ts';
import { all, as, identifier, optionOf, qualified, relationName, roleName, strings } from './tree.ts';
import { formatTypes } from './type.ts';

/** What `ALL` means, by kind of object. */
const everything: Partial<Record<ObjectType, string[]>> = {
  OBJECT_TABLE: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN'],
  OBJECT_SEQUENCE: ['USAGE', 'SELECT', 'UPDATE'],
  OBJECT_SCHEMA: ['USAGE', 'CREATE'],
  OBJECT_FUNCTION: ['EXECUTE'],
  OBJECT_PROCEDURE: ['EXECUTE'],
  OBJECT_ROUTINE: ['EXECUTE'],
  OBJECT_DATABASE: ['CREATE', 'CONNECT', 'TEMPORARY'],
  OBJECT_LARGEOBJECT: ['SELECT', 'UPDATE'],
};

/** What PUBLIC may do with an object unless the schema revokes it. */
function defaultsOf(key: string): string[] {
  if (key === objectKey('schema', 'public')) return ['USAGE'];
  const future = futureKind(key);
  if (/^function /.test(key) || /^(function|routine|procedure)$/.test(future)) return ['EXECUTE'];
  if (/^type |^other language /.test(key) || future === 'type') return ['USAGE'];
  return [];
}

/** The kind of future objects that a key is about, if they may be in any schema; otherwise empty. */
function futureKind(key: string): string {
  return /^other future (\w+)s(?: of (?:"(?:[^"]|"")*"|[^\s"]+))?$/.exec(key)?.[1] ?? '';
}

/** What each role may do with an object. */
export function rightsOn(schema: Schema, key: string): Map<string, Set<string>> {
  return schema.grants.get(key) ?? new Map([['PUBLIC', new Set(defaultsOf(key))]]);
}

/** Privileges as a list, or `ALL` for all that there are. */
export function inShort(key: string, privileges: string[]): string {
  const isAll = Object.entries(everything).some(([kind, all]) => {
    const isKind = key.startsWith('relation ')
      ? /TABLE|SEQUENCE/.test(kind)
      : key.startsWith(kind.replace('OBJECT_', '').toLowerCase());
    // Before version 17 there was no MAINTAIN.
    return isKind && all.length > 2 && all.every((one) => privileges.includes(one) || one === 'MAINTAIN');
  });
  const options = privileges.filter((one) => one.endsWith(' WITH GRANT OPTION'));
  return isAll ? ['ALL', ...(options.length > 0 ? ['with grant options'] : [])].join(' ') : privileges.join(', ');
}

export function readGrant(schema: Schema, tree: GrantStmt): void {
  for (const object of tree.objects ?? []) {
    apply(schema, keyOf(tree.objtype, object), tree);
  }
}

/** Rights on objects that are made later. */
export function readDefaultRights(schema: Schema, { options, action }: AlterDefaultPrivilegesStmt): void {
  if (!action) return;
  const named = (option: string) => as(optionOf(options, option), 'List')?.items;
  const kind = (action.objtype ?? '').replace('OBJECT_', '').toLowerCase();
  const owners = all(named('roles'), 'RoleSpec').map(roleName);
  const schemas = strings(named('schemas')).map(identifier);
  for (const owner of owners.length > 0 ? owners : ['']) {
    for (const within of schemas.length > 0 ? schemas : ['']) {
      const place = `future ${kind}s${owner ? ` of ${owner}` : ''}${within ? ` in schema ${within}` : ''}`;
      apply(schema, objectKey('other', place), action);
    }
  }
}

function apply(schema: Schema, key: string, tree: GrantStmt): void {
  const roles = rightsOn(schema, key);
  schema.grants.set(key, roles);
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
  if (object) schema.owners.set(keyOf(objectType, object), roleName(newowner));
}

/** The object of a GRANT or an OWNER TO. */
function keyOf(kind: ObjectType | undefined, object: Node): string {
  const relation = as(object, 'RangeVar');
  if (relation) return objectKey('relation', relationName(relation));
  const routine = as(object, 'ObjectWithArgs');
  if (routine) {
    const types = (routine.objargs ?? []).map((type) => as(type, 'TypeName'));
    const args = kind === 'OBJECT_AGGREGATE' && types.length === 0 ? '*' : formatTypes(types);
    return objectKey('function', `${qualified(strings(routine.objname))}(${args})`);
  }
  const parts = as(object, 'String')
    ? strings([object])
    : strings(as(object, 'List')?.items ?? as(object, 'TypeName')?.names);
  const name = qualified(parts);
  if (kind === 'OBJECT_SCHEMA') return objectKey('schema', name);
  if (kind === 'OBJECT_TYPE' || kind === 'OBJECT_DOMAIN') return objectKey('type', name);
  return objectKey('other', `${(kind ?? '').replace('OBJECT_', '').replaceAll('_', ' ').toLowerCase()} ${name}`);
}
