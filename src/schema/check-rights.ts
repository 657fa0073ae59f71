import { changedParts, type Found, kept, type Sides } from './found.ts';
import { objectKey, type Schema } from './model.ts';
import { inShort, rightsOn } from './read-rights.ts';

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
  const keys = [...new Set([...before.grants.keys(), ...after.grants.keys()])];
  return keys
    .filter((key) => isIn(before, key) && isIn(after, key))
    .flatMap((key) => {
      const was = rightsOn(before, key);
      return [...rightsOn(after, key)].flatMap(([role, rights]): Found[] => {
        // The owner has every right anyway.
        if (role === after.owners.get(key)) return [];
        const held = was.get(role) ?? new Set();
        const more = [...rights].filter((right) => !held.has(right) && !held.has(right.replace(/ \(.*\)/s, '')));
        const columns = before.tables.get(nameOf(key))?.columns;
        const known = more.filter((right) => {
          const column = / \((.*)\)/s.exec(right)?.[1];
          return column === undefined || columns?.has(column) !== false;
        });
        return known.length > 0
          ? [{ rule: 'grant', object: nameOf(key), detail: `${inShort(key, known)} to ${role}` }]
          : [];
      });
    });
}

function owners({ before, after }: Sides): Found[] {
  // Postgres makes the schema `public` itself, and pg_dump leaves its owner out as long as it is the usual one.
  const initial: [string, string][] = [[objectKey('schema', 'public'), 'its initial owner']];
  const now = new Map([...initial, ...after.owners]);
  return [...new Map([...initial, ...before.owners])].flatMap(([key, was]): Found[] => {
    const is = now.get(key);
    // A column's sequence always has the owner of its table.
    if (is === undefined || is === was || before.sequences.get(nameOf(key))?.owner !== undefined) return [];
    return [{ rule: 'change-owner', object: nameOf(key), detail: `${was} → ${is}` }];
  });
}

function nameOf(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}

/** Whether a schema has an object. Rights on future objects are those of their schema. */
function isIn(schema: Schema, key: string): boolean {
  const name = nameOf(key);
  const within = /^future \w+(?: of (?:"(?:[^"]|"")*"|[^\s"]+))? in schema (.+)$/s.exec(name)?.[1];
  if (key.startsWith('other future ')) return within === undefined || within === 'public' || schema.schemas.has(within);
  const places: Record<string, { has(name: string): boolean }[]> = {
    [objectKey('relation', name)]: [schema.tables, schema.views, schema.materializedViews, schema.sequences],
    [objectKey('function', name)]: [schema.functions],
    [objectKey('type', name)]: [schema.enums, schema.domains, schema.types],
    [objectKey('schema', name)]: [schema.schemas, new Set(['public'])],
  };
  // pg_dump writes the owner of a foreign server, for example; a language or a database has none in a schema.
  const isForeign = /^other (foreign server|fdw) /.test(key);
  return (
    places[key]?.some((place) => place.has(name)) ?? (!isForeign || schema.owners.has(key) || schema.grants.has(key))
  );
}
