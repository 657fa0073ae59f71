import { changedParts, type Found, kept, type Sides } from './compare.ts';
import { keyOf, publicSchema, type Schema, type Securable } from './model.ts';
import { everything, rightsOn } from './read-rights.ts';

/** Who may see and change what: policies, grants, owners, and whose rights a view runs with. */
export function checkRights(sides: Sides): Found[] {
  return [...policies(sides), ...views(sides), ...grants(sides), ...owners(sides)];
}

function policies({ before, after }: Sides): Found[] {
  return kept(before.tables, after.tables).flatMap(({ name, was, is }) => {
    const found: Found[] = [];
    if (was.rowSecurity && !is.rowSecurity) found.push({ rule: 'disable-rls', object: name });
    else if (was.forcedRowSecurity && !is.forcedRowSecurity) {
      found.push({ rule: 'disable-rls', object: name, detail: 'no longer forced for the owner' });
    }
    const gone = new Map(changedParts(was.policies, is.policies.values()));
    for (const [policy, { definition }] of was.policies) {
      const object = `${name}.${policy}`;
      const now = is.policies.get(policy);
      if (now && now.definition !== definition) found.push({ rule: 'change-policy', object });
      // Under another name it protects as before.
      if (!now && gone.has(policy)) found.push({ rule: 'drop-policy', object });
    }
    // With row-level security, everyone who saw all rows now sees those of the policy.
    if (is.rowSecurity && !was.rowSecurity) return found;
    for (const [policy, { permissive }] of changedParts(is.policies, was.policies.values())) {
      if (permissive && !was.policies.has(policy)) found.push({ rule: 'add-policy', object: `${name}.${policy}` });
    }
    return found;
  });
}

/** Views that no longer run with the caller's privileges. */
function views({ before, after }: Sides): Found[] {
  return kept(before.views, after.views)
    .filter(({ was, is }) => was.invoker && !is.invoker)
    .map(({ name: object }): Found => ({ rule: 'security-definer', object, detail: 'no longer `security_invoker`' }));
}

function grants({ before, after }: Sides): Found[] {
  const all = [...new Map([...before.grants, ...after.grants])];
  return all.flatMap(([key, { on }]) => {
    if (!isIn(before, on) || !isIn(after, on)) return [];
    const was = rightsOn(before, on);
    const columns = before.tables.get(on.name)?.columns;
    return [...rightsOn(after, on)].flatMap(([role, rights]): Found[] => {
      // The owner has every right anyway.
      if (role === after.owners.get(key)?.role) return [];
      const held = was.get(role) ?? new Set();
      const more = [...rights].filter((right) => {
        const [list, column = ''] = / \((.*)\)/s.exec(right) ?? [''];
        const isNewColumn = list !== '' && columns?.has(column) === false;
        return !held.has(right) && !held.has(right.replace(list, '')) && !isNewColumn;
      });
      return more.length > 0 ? [{ rule: 'grant', object: on.name, detail: `${inShort(on, more)} to ${role}` }] : [];
    });
  });
}

/** Privileges as a list, or `ALL` for all that there are. */
function inShort({ kind }: Securable, privileges: string[]): string {
  // Before version 17 there was no MAINTAIN.
  const hasAll = (all: string[] = []) => all.every((one) => privileges.includes(one) || one === 'MAINTAIN');
  const isAll = hasAll(everything.OBJECT_TABLE) || hasAll(everything.OBJECT_SEQUENCE);
  if (kind !== 'relation' || !isAll) return privileges.join(', ');
  return privileges.some((one) => one.endsWith(' WITH GRANT OPTION')) ? 'ALL with grant options' : 'ALL';
}

function owners({ before, after }: Sides): Found[] {
  // Postgres makes the schema `public` itself, and pg_dump leaves its owner out as long as it is the usual one.
  const initial = { on: publicSchema, role: 'its initial owner' };
  const known = ({ owners }: Schema) => new Map([[keyOf(publicSchema), initial], ...owners]);
  return kept(known(before), known(after)).flatMap(({ was, is }): Found[] => {
    const { on, role } = was;
    // A column's sequence always has the owner of its table.
    if (role === is.role || before.sequences.get(on.name)?.owner !== undefined) return [];
    return [{ rule: 'change-owner', object: on.name, detail: `${role} → ${is.role}` }];
  });
}

/** Whether a schema has an object. Rights on future objects are those of their schema. */
function isIn(schema: Schema, on: Securable): boolean {
  const { name, future } = on;
  switch (on.kind) {
    case 'relation':
      return [schema.tables, schema.views, schema.materializedViews, schema.sequences].some((all) => all.has(name));
    case 'function':
      return schema.functions.has(name);
    case 'type':
      return [schema.enums, schema.domains, schema.types].some((all) => all.has(name));
    case 'schema':
      return name === 'public' || schema.schemas.has(name);
    case 'future':
      return future?.schema === undefined || future.schema === 'public' || schema.schemas.has(future.schema);
    case 'foreign':
      return schema.owners.has(keyOf(on)) || schema.grants.has(keyOf(on));
    case 'language':
    case 'other':
      // Nothing in a schema says whether it is there.
      return true;
  }
}
