import type pg from 'pg';

/** What the catalog says, with the numbers by which Postgres knows an object whatever its name is. */
export interface Catalog {
  relations: Relation[];
  columns: Column[];
  constraints: Constraint[];
  /** Of domains. */
  domainChecks: { oid: number; name: string; definition: string; validated: boolean }[];
  indexes: Index[];
  policies: Policy[];
  functions: Routine[];
  types: Type[];
  labels: { type: string; oid: number; label: string }[];
  schemas: { oid: number; name: string; owner: string }[];
  extensions: { oid: number; name: string }[];
  triggers: { oid: number; relation: number; name: string; definition: string; enabled: string }[];
  rights: { object: string; name: string; grantee: string; privilege: string; owner: string }[];
  publications: { name: string; definition: string }[];
}

export interface Relation {
  oid: number;
  schema: string;
  bare: string;
  name: string;
  kind: string;
  owner: string;
  rowSecurity: boolean;
  forced: boolean;
  parent: number | null;
  partition: boolean;
  unlogged: boolean;
  invoker: boolean;
  barrier: boolean;
  check: string | null;
  isDefault: boolean;
  /** Of a sequence: whether it belongs to a column. */
  owned: boolean;
  low: string | null;
  high: string | null;
}

interface Column {
  relation: number;
  number: number;
  name: string;
  typeOid: number;
  type: string;
  /** What a domain is made of. */
  base: string;
  notNull: boolean;
  filled: boolean;
  identity: string;
  generated: string;
  inherited: boolean;
  domainNotNull: boolean;
}

interface Constraint {
  oid: number;
  relation: number;
  name: string;
  kind: string;
  validated: boolean;
  keys: number[] | null;
  definition: string;
  index: number;
  inherited: boolean;
}

interface Index {
  oid: number;
  relation: number;
  name: string;
  unique: boolean;
  keys: number[];
  definition: string;
  kind: string;
  constraint: boolean;
  partial: boolean;
  partition: boolean;
  /** Whether it was built CONCURRENTLY: that takes several transactions. */
  concurrent: boolean;
}

interface Policy {
  oid: number;
  relation: number;
  name: string;
  permissive: boolean;
  /** Its trees, and what they say without a SELECT around a function call. */
  definition: string;
  text: string;
}

interface Routine {
  oid: number;
  signature: string;
  bare: string;
  definer: boolean;
  path: string | null;
  result: string;
  owner: string;
  inputs: number[];
  names: string[] | null;
  defaults: number;
}

interface Type {
  oid: number;
  name: string;
  kind: string;
  owner: string;
}

const ours = (namespace: string) => `${namespace} !~ '^pg_' AND ${namespace} <> 'information_schema'`;
const free = (catalog: string, oid: string) =>
  `NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = '${catalog}'::regclass AND e.objid = ${oid} AND e.deptype = 'e')`;
const full = (alias: string, name: string) => `quote_ident(${alias}.nspname) || '.' || quote_ident(${name})`;
/** A tree names columns by number; where it stood in a statement is of no matter. */
const tree = (expression: string) => `regexp_replace(coalesce(${expression}::text, ''), ':location -?\\d+', '', 'g')`;

const queries: Record<keyof Catalog, string> = {
  relations: `SELECT c.oid::int, n.nspname AS schema, c.relname AS bare, ${full('n', 'c.relname')} AS name, c.relkind AS kind,
      c.relowner::regrole::text AS owner, c.relrowsecurity AS "rowSecurity", c.relforcerowsecurity AS forced,
      (SELECT inhparent::int FROM pg_inherits WHERE inhrelid = c.oid LIMIT 1) AS parent, c.relispartition AS partition,
      c.relpersistence = 'u' AS unlogged, coalesce('security_invoker=true' = ANY (c.reloptions) OR 'security_invoker=on' = ANY (c.reloptions), false) AS invoker,
      coalesce('security_barrier=true' = ANY (c.reloptions) OR 'security_barrier=on' = ANY (c.reloptions), false) AS barrier,
      (SELECT o FROM unnest(c.reloptions) o WHERE o LIKE 'check_option=%') AS check, EXISTS (SELECT FROM pg_partitioned_table WHERE partdefid = c.oid) AS "isDefault",
      EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0) AS owned,
      s.seqmin::text AS low, s.seqmax::text AS high
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_sequence s ON s.seqrelid = c.oid
    WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 'c') AND ${ours('n.nspname')} AND ${free('pg_class', 'c.oid')}`,
  columns: `SELECT a.attrelid::int AS relation, a.attnum::int AS number, quote_ident(a.attname) AS name, a.atttypid::int AS "typeOid",
      format_type(a.atttypid, a.atttypmod) AS type, CASE d.typtype WHEN 'd' THEN format_type(d.typbasetype, d.typtypmod) ELSE format_type(a.atttypid, a.atttypmod) END AS base, a.attnotnull AS "notNull", a.atthasdef AND a.attgenerated = '' OR d.typdefault IS NOT NULL AS filled,
      a.attidentity AS identity, a.attgenerated AS generated, a.attinhcount > 0 AS inherited, d.typnotnull AS "domainNotNull"
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type d ON d.oid = a.atttypid
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f', 'v', 'm', 'c') AND ${ours('n.nspname')} AND ${free('pg_class', 'c.oid')}
    ORDER BY 1, 2`,
  constraints: `SELECT k.oid::int, k.conrelid::int AS relation, quote_ident(k.conname) AS name, k.contype AS kind, k.convalidated AS validated,
      k.conkey::int[] AS keys, regexp_replace(pg_get_constraintdef(k.oid), ' NOT VALID$', '') AS definition, k.conindid::int AS index, k.coninhcount > 0 AS inherited
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype IN ('c', 'u', 'p', 'x', 'f') AND ${ours('n.nspname')} AND ${free('pg_class', 'c.oid')}`,
  domainChecks: `SELECT k.oid::int, ${full('n', 't.typname')} || '.' || quote_ident(k.conname) AS name, k.convalidated AS validated,
      regexp_replace(pg_get_constraintdef(k.oid), ' NOT VALID$', '') AS definition
    FROM pg_constraint k JOIN pg_type t ON t.oid = k.contypid JOIN pg_namespace n ON n.oid = t.typnamespace
    WHERE k.contype = 'c' AND ${ours('n.nspname')} AND ${free('pg_type', 't.oid')}`,
  indexes: `SELECT i.indexrelid::int AS oid, i.indrelid::int AS relation, ${full('n', 'x.relname')} AS name, i.indisunique AS unique, i.indkey::int[] AS keys,
      i.indpred IS NOT NULL OR i.indexprs IS NOT NULL AS partial, x.relispartition AS partition,
      EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = x.oid AND a.attnum = 1 AND a.xmin <> i.xmin) AS concurrent,
      regexp_replace(pg_get_indexdef(i.indexrelid), ' INDEX \\S+ ON ', ' INDEX ON ') AS definition, x.relkind AS kind,
      EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')) AS constraint
    FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_namespace n ON n.oid = x.relnamespace WHERE ${ours('n.nspname')} AND ${free('pg_class', 'i.indrelid')}`,
  policies: `SELECT p.oid::int, p.polrelid::int AS relation, quote_ident(p.polname) AS name, p.polpermissive AS permissive,
      p.polcmd::text || p.polpermissive::text || (SELECT string_agg(r::regrole::text, ',' ORDER BY r::regrole::text) FROM unnest(p.polroles) r) || ${tree('p.polqual')} || '/' || ${tree('p.polwithcheck')} AS definition,
      p.polcmd::text || p.polpermissive::text || (SELECT string_agg(r::regrole::text, ',' ORDER BY r::regrole::text) FROM unnest(p.polroles) r)
      || regexp_replace(concat(pg_get_expr(p.polqual, p.polrelid), '/', pg_get_expr(p.polwithcheck, p.polrelid)), '\\( SELECT ((?:[^()]|\\([^()]*\\))*) AS [^()]+\\)', '\\1', 'g') AS text
    FROM pg_policy p`,
  functions: `SELECT p.oid::int, ${full('n', 'p.proname')} || '(' || coalesce((SELECT string_agg(format_type(t, NULL), ', ' ORDER BY o) FROM unnest(p.proargtypes) WITH ORDINALITY a (t, o)), '') || ')' AS signature,
      ${full('n', 'p.proname')} AS bare, p.prosecdef AS definer, (SELECT c FROM unnest(p.proconfig) c WHERE c LIKE 'search_path=%') AS path,
      p.prokind::text || coalesce(pg_get_function_result(p.oid), '') AS result, p.proowner::regrole::text AS owner, p.proargtypes::int[] AS inputs, CASE WHEN p.proargmodes IS NULL THEN p.proargnames END AS names, p.pronargdefaults::int AS defaults
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE ${ours('n.nspname')} AND ${free('pg_proc', 'p.oid')}`,
  types: `SELECT t.oid::int, ${full('n', 't.typname')} AS name, t.typtype AS kind, t.typowner::regrole::text AS owner FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    LEFT JOIN pg_class c ON c.oid = t.typrelid
    WHERE ${ours('n.nspname')} AND ${free('pg_type', 't.oid')} AND t.typelem = 0 AND (t.typtype IN ('e', 'd', 'r') OR c.relkind = 'c')`,
  labels: `SELECT ${full('n', 't.typname')} AS type, e.oid::int, e.enumlabel AS label FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid JOIN pg_namespace n ON n.oid = t.typnamespace
    WHERE ${free('pg_type', 't.oid')} ORDER BY 1, e.enumsortorder`,
  schemas: `SELECT oid::int, quote_ident(nspname) AS name, nspowner::regrole::text AS owner FROM pg_namespace WHERE ${ours('nspname')} AND ${free('pg_namespace', 'oid')}`,
  extensions: `SELECT oid::int, quote_ident(extname) AS name FROM pg_extension`,
  triggers: `SELECT oid::int, tgrelid::int AS relation, quote_ident(tgname) AS name, regexp_replace(pg_get_triggerdef(oid), ' ON \\S+', '') AS definition, tgenabled AS enabled
    FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0`,
  rights: `SELECT o.object, o.name, CASE r.grantee WHEN 0 THEN 'PUBLIC' ELSE r.grantee::regrole::text END AS grantee, r.privilege_type || CASE WHEN r.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS privilege, o.owner::regrole::text AS owner
    FROM (
      SELECT 'relation ' || CASE WHEN c.relkind IN ('v', 'm') THEN ${full('n', 'c.relname')} ELSE c.oid::text END AS object, ${full('n', 'c.relname')} AS name, c.relowner AS owner,
        coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner)) AS acl
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S') AND ${ours('n.nspname')} AND ${free('pg_class', 'c.oid')}
      UNION ALL SELECT 'function ' || ${full('n', 'p.proname')} || '(' || pg_get_function_identity_arguments(p.oid) || ')', ${full('n', 'p.proname')} || '(' || coalesce((SELECT string_agg(format_type(t, NULL), ', ' ORDER BY o) FROM unnest(p.proargtypes) WITH ORDINALITY a (t, o)), '') || ')',
        p.proowner, coalesce(p.proacl, acldefault('f', p.proowner)) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE ${ours('n.nspname')} AND ${free('pg_proc', 'p.oid')}
      UNION ALL SELECT 'schema ' || oid, quote_ident(nspname), nspowner, coalesce(nspacl, acldefault('n', nspowner)) FROM pg_namespace WHERE ${ours('nspname')}
      UNION ALL SELECT 'default ' || defaclnamespace::text || defaclobjtype::text || defaclrole::text, 'future', defaclrole, defaclacl FROM pg_default_acl
    ) o CROSS JOIN LATERAL aclexplode(o.acl) r`,
  publications: `SELECT quote_ident(p.pubname) AS name, concat(p.puballtables, p.pubinsert, p.pubupdate, p.pubdelete, p.pubtruncate)
      || coalesce((SELECT string_agg(prrelid::text || coalesce(prattrs::text, ''), ',' ORDER BY prrelid) FROM pg_publication_rel WHERE prpubid = p.oid), '') AS definition FROM pg_publication p`,
};

export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const found: Record<string, unknown[]> = {};
  // With an empty search path, Postgres prints every name with its schema.
  await client.query("BEGIN; SET LOCAL search_path = ''");
  for (const [name, sql] of Object.entries(queries)) found[name] = (await client.query(sql)).rows;
  await client.query('ROLLBACK');
  return found as unknown as Catalog;
}
