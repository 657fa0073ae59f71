/** One object in a dump. */
export interface Entry {
  /** Its catalog and OID, such as `pg_class 16384`; empty if nothing depends on it. */
  id: string;
  /** As pg_dump calls it: `TABLE`. */
  kind: string;
  schema: string | null;
  name: string;
  owner: string | null;
  sql: string;
}

/** The columns of an entry, for a SELECT. `sql` may be null: there is nothing to write. */
export function entry(columns: {
  /** `pg_class c` for the row `c` of that catalog. */
  of: string;
  kind: string;
  schema: string;
  name: string;
  owner: string;
  sql: string;
}): string {
  const [catalog, alias] = columns.of.split(' ');
  return `SELECT '${catalog} ' || ${alias}.oid AS id, ${columns.kind} AS kind, ${columns.schema} AS schema, ${columns.name} AS name,
    ${columns.owner} AS owner, ${columns.sql} AS sql`;
}

/** A condition that excludes system schemas and objects of extensions. */
export function isOurs(of: string, namespace?: string): string {
  const [catalog, alias] = of.split(' ');
  const inSchema = namespace ? `${namespace} !~ '^pg_' AND ${namespace} <> 'information_schema' AND` : '';
  return `${inSchema} ${alias}.oid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend e
    WHERE e.classid = 'pg_catalog.${catalog}'::regclass AND e.objid = ${alias}.oid AND e.deptype = 'e')`;
}

export const classes = 'FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace';
export const relation = `format('%I.%I', n.nspname, c.relname)`;

/** `ALTER … OWNER TO`, after the object's definition. */
export function ownedBy(kind: string, name: string, owner: string): string {
  return `E'\\n\\n\\nALTER ' || ${kind} || ' ' || ${name} || ' OWNER TO ' || quote_ident(pg_get_userbyid(${owner})) || ';'`;
}

/** Options such as `WITH (fillfactor='70')`, or null. `array` has items like `fillfactor=70`. */
export function withOptions(array: string): string {
  return `(SELECT ' WITH (' || string_agg(quote_ident(split_part(o, '=', 1)) || '=' || quote_literal(substr(o, strpos(o, '=') + 1)), ', ') || ')'
    FROM unnest(${array}) o)`;
}

/** A collation by its OID, always with its schema. */
export function collation(oid: string): string {
  return `(SELECT format('%I.%I', cn.nspname, cl.collname) FROM pg_collation cl JOIN pg_namespace cn ON cn.oid = cl.collnamespace WHERE cl.oid = ${oid})`;
}

/** Options of foreign objects, with their parentheses, or null. */
export function foreignOptions(array: string, indent = '    '): string {
  return `(SELECT E' OPTIONS (\\n${indent}' || string_agg(quote_ident(split_part(o, '=', 1)) || ' ' || quote_literal(substr(o, strpos(o, '=') + 1)), E',\\n${indent}' ORDER BY split_part(o, '=', 1)) || E'\\n)'
    FROM unnest(${array}) o)`;
}
