import { classes, isOurs, relation } from './entry.ts';

const routine = `format('%I.%I', n.nspname, p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')'`;

/** `COMMENT ON`, of everything that isn't a part of an extension. */
export const comments = [
  `SELECT '' AS id, 'COMMENT' AS kind, o.schema, upper(o.type) || ' ' || o.identity AS name, NULL AS owner,
     'COMMENT ON ' || CASE WHEN t.typtype = 'd' THEN 'DOMAIN' ELSE upper(regexp_replace(o.type, '.* (column|constraint)$', '\\1')) END || ' '
     || CASE o.type WHEN 'domain constraint' THEN replace(o.identity, ' on ', ' ON DOMAIN ') WHEN 'table constraint' THEN replace(o.identity, ' on ', ' ON ')
          WHEN 'function' THEN ${routine} WHEN 'procedure' THEN ${routine}
          WHEN 'trigger' THEN replace(o.identity, ' on ', ' ON ') WHEN 'policy' THEN replace(o.identity, ' on ', ' ON ') ELSE o.identity END
     || ' IS ' || quote_literal(d.description) || ';' AS sql
   FROM pg_description d CROSS JOIN LATERAL pg_identify_object(d.classoid, d.objoid, d.objsubid) o
   LEFT JOIN pg_type t ON d.classoid = 'pg_type'::regclass AND t.oid = d.objoid
   LEFT JOIN pg_proc p ON d.classoid = 'pg_proc'::regclass AND p.oid = d.objoid LEFT JOIN pg_namespace n ON n.oid = p.pronamespace
   WHERE d.objoid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = d.classoid AND e.objid = d.objoid AND e.deptype = 'e')
   ORDER BY 4`,
];

/** In the order in which pg_dump writes them. */
const order = `ARRAY['SELECT', 'USAGE', 'INSERT', 'REFERENCES', 'DELETE', 'TRIGGER', 'TRUNCATE', 'MAINTAIN', 'UPDATE', 'CREATE', 'EXECUTE']`;

/**
 * The difference between the rights on an object and those that it is born with. `source` has a row for each object: `kind`, `schema`,
 * `name`, `owner` (OID), `prefix` and `target` (`TABLE public.t`), `part` (` (email)` or empty), `acl`, `base`, `width` (how many rights there are).
 */
const difference = (source: string) => `
  WITH objects AS (${source}), items AS (
    SELECT o.*, 1 AS step, 'REVOKE' AS verb, i::text AS item, place FROM objects o, unnest(o.base) WITH ORDINALITY AS b (i, place) WHERE NOT i = ANY (o.acl)
    UNION ALL
    SELECT o.*, CASE WHEN split_part(i::text, '=', 1) = pg_get_userbyid(o.owner) THEN 2 ELSE 3 END, 'GRANT', i::text, place
    FROM objects o, unnest(o.acl) WITH ORDINALITY AS b (i, place) WHERE NOT i = ANY (o.base)
  ), statements AS (
    SELECT i.kind, i.schema, i.name, i.owner, i.step, i.place, g.is_grantable,
      i.prefix || i.verb || ' '
      || CASE WHEN count(*) = i.width THEN 'ALL' || i.part ELSE string_agg(g.privilege_type || i.part, ',' ORDER BY array_position(${order}, g.privilege_type)) END
      || ' ON ' || i.target || CASE i.verb WHEN 'GRANT' THEN ' TO ' ELSE ' FROM ' END
      || CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END
      || CASE WHEN g.is_grantable AND i.verb = 'GRANT' THEN ' WITH GRANT OPTION' ELSE '' END || ';' AS text,
      CASE WHEN g.grantor <> i.owner AND i.prefix = '' THEN quote_ident(pg_get_userbyid(g.grantor)) END AS grantor
    FROM items i, aclexplode(ARRAY[i.item::aclitem]) g
    GROUP BY i.kind, i.schema, i.name, i.owner, i.step, i.place, i.item, i.verb, i.prefix, i.target, i.part, i.width, g.is_grantable, g.grantee, g.grantor
  )
  SELECT '' AS id, kind, schema, name, pg_get_userbyid(owner) AS owner,
    string_agg(CASE WHEN grantor IS NULL THEN text ELSE 'SET SESSION AUTHORIZATION ' || grantor || E';\\n' || text || E'\\nRESET SESSION AUTHORIZATION;' END,
      E'\\n' ORDER BY step, place, is_grantable) AS sql
  FROM statements GROUP BY kind, schema, name, owner ORDER BY schema NULLS FIRST, name`;

const source = (of: {
  schema: string;
  name: string;
  owner: string;
  target: string;
  acl: string;
  base: string;
  width: string;
  from: string;
  part?: string;
}) =>
  difference(`SELECT 'ACL' AS kind, ${of.schema}::text AS schema, ${of.name}::text AS name, ${of.owner} AS owner, '' AS prefix, ${of.target} AS target,
    ${of.part ?? "''"} AS part, ${of.acl} AS acl, ${of.base} AS base, ${of.width} AS width ${of.from}`);

export const rights = [
  source({
    schema: 'NULL',
    name: `'SCHEMA ' || n.nspname`,
    owner: 'n.nspowner',
    target: `'SCHEMA ' || quote_ident(n.nspname)`,
    acl: 'n.nspacl',
    base: `coalesce((SELECT initprivs FROM pg_init_privs WHERE objoid = n.oid AND classoid = 'pg_namespace'::regclass AND privtype = 'i'), acldefault('n', n.nspowner))`,
    width: '2',
    from: `FROM pg_namespace n WHERE n.nspacl IS NOT NULL AND (n.nspname = 'public' OR ${isOurs('pg_namespace n', 'n.nspname')})`,
  }),
  source({
    schema: 'n.nspname',
    name: `'TYPE ' || t.typname`,
    owner: 't.typowner',
    target: `'TYPE ' || format('%I.%I', n.nspname, t.typname)`,
    acl: 't.typacl',
    base: `acldefault('T', t.typowner)`,
    width: '1',
    from: `FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typacl IS NOT NULL AND ${isOurs('pg_type t', 'n.nspname')}`,
  }),
  source({
    schema: 'n.nspname',
    name: `CASE p.prokind WHEN 'p' THEN 'PROCEDURE ' ELSE 'FUNCTION ' END || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'`,
    owner: 'p.proowner',
    target: `CASE p.prokind WHEN 'p' THEN 'PROCEDURE ' ELSE 'FUNCTION ' END || ${routine}`,
    acl: 'p.proacl',
    base: `acldefault('f', p.proowner)`,
    width: '1',
    from: `FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.proacl IS NOT NULL AND ${isOurs('pg_proc p', 'n.nspname')}`,
  }),
  source({
    schema: 'NULL',
    name: `'FOREIGN SERVER ' || s.srvname`,
    owner: 's.srvowner',
    target: `'FOREIGN SERVER ' || quote_ident(s.srvname)`,
    acl: 's.srvacl',
    base: `acldefault('S', s.srvowner)`,
    width: '1',
    from: 'FROM pg_foreign_server s WHERE s.srvacl IS NOT NULL',
  }),
  source({
    schema: 'n.nspname',
    name: `CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || c.relname`,
    owner: 'c.relowner',
    target: `CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || ${relation}`,
    acl: 'c.relacl',
    base: `acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner)`,
    width: `(SELECT count(*) FROM aclexplode(acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner)))`,
    from: `${classes} WHERE c.relacl IS NOT NULL AND ${isOurs('pg_class c', 'n.nspname')}`,
  }),
  source({
    schema: 'n.nspname',
    name: `'COLUMN ' || c.relname || '.' || a.attname`,
    owner: 'c.relowner',
    target: `'TABLE ' || ${relation}`,
    part: `'(' || quote_ident(a.attname) || ')'`,
    acl: 'a.attacl',
    base: `'{}'::aclitem[]`,
    width: '4',
    from: `${classes} JOIN pg_attribute a ON a.attrelid = c.oid WHERE a.attacl IS NOT NULL AND NOT a.attisdropped AND ${isOurs('pg_class c', 'n.nspname')}`,
  }),
  difference(`SELECT 'DEFAULT ACL' AS kind, n.nspname::text AS schema, 'DEFAULT PRIVILEGES FOR ' || k.words AS name, d.defaclrole AS owner,
    'ALTER DEFAULT PRIVILEGES FOR ROLE ' || quote_ident(pg_get_userbyid(d.defaclrole)) || coalesce(' IN SCHEMA ' || quote_ident(n.nspname), '') || ' ' AS prefix,
    k.words AS target, '' AS part, d.defaclacl AS acl,
    CASE d.defaclnamespace WHEN 0 THEN acldefault(CASE d.defaclobjtype WHEN 'S' THEN 's' ELSE d.defaclobjtype END::"char", d.defaclrole) ELSE '{}'::aclitem[] END AS base,
    (SELECT count(*) FROM aclexplode(acldefault(CASE d.defaclobjtype WHEN 'S' THEN 's' ELSE d.defaclobjtype END::"char", d.defaclrole)) a WHERE a.grantee = d.defaclrole) AS width
    FROM pg_default_acl d LEFT JOIN pg_namespace n ON n.oid = d.defaclnamespace
    JOIN (VALUES ('r', 'TABLES'), ('S', 'SEQUENCES'), ('f', 'FUNCTIONS'), ('T', 'TYPES'), ('n', 'SCHEMAS'), ('L', 'LARGE OBJECTS')) AS k (letter, words) ON k.letter = d.defaclobjtype::text`),
];
