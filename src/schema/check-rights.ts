import { listSome } from '../text/format.ts';
import { changedParts, detailOf, type Found, findingsOf, kept } from './compare.ts';
import { keyOf, publicSchema, type Schema, type Securable, type Table } from './model.ts';
import { tableOf } from './names.ts';
import { everything, rightsOn } from './read-rights.ts';
import type { Sides } from './renames.ts';
import type { RuleName } from './rules.ts';

/** Who may see and change what: policies, grants, owners, and whose rights a view runs with. */
export function checkRights(sides: Sides): Found[] {
  return [...policies(sides), ...views(sides), ...grants(sides), ...withoutRowSecurity(sides), ...owners(sides)];
}

function policies({ before, after }: Sides): Found[] {
  return kept(before.tables, after.tables).flatMap(({ name, was, is }) => {
    const isForced = { was: was.forcedRowSecurity, is: is.forcedRowSecurity };
    const policies = is.policies.size > 0 ? 'with policies' : 'without a policy, so other roles see no rows';
    const found = findingsOf({ object: name }, [
      ['disable-rls', was.rowSecurity && !is.rowSecurity],
      ['disable-rls', is.rowSecurity && isForced.was && !isForced.is, 'no longer forced for the owner'],
      ['enable-rls', is.rowSecurity && !was.rowSecurity, policies],
      ['enable-rls', is.rowSecurity && was.rowSecurity && isForced.is && !isForced.was, 'now forced for the owner'],
    ]);
    const gone = new Map(changedParts(was.policies, is.policies.values()));
    for (const [policy, { definition }] of was.policies) {
      const object = `${name}.${policy}`;
      const now = is.policies.get(policy);
      if (now && now.definition !== definition) found.push({ rule: 'change-policy', object });
      // Under another name it protects as before.
      if (!now && gone.has(policy)) found.push({ rule: 'drop-policy', object });
    }
    for (const [policy, { permissive }] of changedParts(is.policies, was.policies.values())) {
      if (was.policies.has(policy)) continue;
      const object = `${name}.${policy}`;
      if (!permissive) found.push({ rule: 'restrictive-policy', object });
      // With row-level security that is new, everyone who saw all rows now sees those of the policy.
      else if (!is.rowSecurity || was.rowSecurity) found.push({ rule: 'add-policy', object });
    }
    return found;
  });
}

/** What protected the rows behind a view, and no longer does. */
function views({ before, after }: Sides): Found[] {
  return kept(before.views, after.views).flatMap(({ name: object, was, is }): Found[] => {
    const lost = detailOf(
      was.invoker && !is.invoker ? 'no longer `security_invoker`' : '',
      was.barrier && !is.barrier ? 'no longer `security_barrier`' : '',
      was.checked && !is.checked ? 'no longer has a check option' : '',
    );
    return findingsOf({ object }, [['view-security', lost !== '', lost]]);
  });
}

/** New tables that others than the owner can read, in a schema in which all other such tables have row-level security. */
function withoutRowSecurity({ before, after }: Sides): Found[] {
  const granted = ([name]: [string, Table]) => grantees(after, name).length > 0;
  const bySchema = Map.groupBy([...after.tables].filter(granted), ([name]) => tableOf(name));
  return [...bySchema.values()].flatMap((tables) => {
    const [fresh, others] = [true, false].map((isNew) =>
      tables.filter(([name, one]) => (!before.tables.has(name) && !one.rowSecurity) === isNew),
    );
    if (!others?.length || !others.every(([, one]) => one.rowSecurity)) return [];
    return (fresh ?? []).map(([object]): Found => {
      const detail = `granted to ${listSome(grantees(after, object), 3)}`;
      return { rule: 'table-without-rls', object, detail };
    });
  });
}

/** The roles, other than its owner, that may do something with a table. */
function grantees(schema: Schema, name: string): string[] {
  const on: Securable = { kind: 'relation', name };
  const owner = schema.owners.get(keyOf(on))?.role;
  return [...rightsOn(schema, on)].flatMap(([role, rights]) => (rights.size > 0 && role !== owner ? [role] : []));
}

function grants({ before, after }: Sides): Found[] {
  const all = [...new Map([...before.grants, ...after.grants])];
  return all.flatMap(([key, { on }]): Found[] => {
    if (!isIn(before, on) || !isIn(after, on)) return [];
    const [was, is] = [rightsOn(before, on), rightsOn(after, on)];
    // An owner has every right anyway; what a new one means is said once.
    const owners = [before, after].map((schema) => schema.owners.get(key)?.role);
    const roles = [...new Set([...was.keys(), ...is.keys()])].filter((role) => !owners.includes(role));
    const columnsOf = ({ tables }: Schema) => tables.get(on.name)?.columns;
    const found = (rule: RuleName, from: typeof was, to: typeof was, others: ReturnType<typeof columnsOf>) =>
      roles.flatMap((role): Found[] => {
        const more = notIn(to.get(role), from.get(role), others);
        const detail = `${inShort(on, more)} ${rule === 'grant' ? 'to' : 'from'} ${role}`;
        return more.length > 0 ? [{ rule, object: on.name, detail }] : [];
      });
    const lost = (right: string) => !right.endsWith(' WITH GRANT OPTION');
    const kept = new Map([...was].map(([role, rights]) => [role, new Set([...rights].filter(lost))]));
    return [
      ...found('grant', was, is, columnsOf(before)),
      // What nobody has yet breaks nothing.
      ...(on.kind === 'future' ? [] : found('revoke', is, kept, columnsOf(after))),
    ];
  });
}

/** The rights that another set lacks, also for all columns together. A column that the other schema lacks doesn't count. */
function notIn(rights = new Set<string>(), others = new Set<string>(), columns?: Map<string, unknown>): string[] {
  return [...rights].filter((right) => {
    const [list, column = ''] = / \((.*)\)/s.exec(right) ?? [''];
    const isElsewhere = list === '' || columns?.has(column) !== false;
    return !others.has(right) && !others.has(right.replace(list, '')) && isElsewhere;
  });
}

/** Privileges as a list, or `ALL` for all that there are. */
function inShort({ kind }: Securable, privileges: string[]): string {
  // Before version 17 there was no MAINTAIN.
  const hasAll = (all: string[] = []) => all.every((one) => privileges.includes(one) || one === 'MAINTAIN');
  const isAll = hasAll(everything.OBJECT_TABLE) || hasAll(everything.OBJECT_SEQUENCE);
  return kind === 'relation' && isAll ? 'ALL' : privileges.join(', ');
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
    case 'other':
      return schema.owners.has(keyOf(on)) || schema.grants.has(keyOf(on));
  }
}
