import { classes, collation, entry, foreignOptions, isOurs, ownedBy, relation, withOptions } from './entry.ts';

/** Whether a default calls a sequence that its own column owns: it is written after the sequence, which comes after the table. */
const callsItsSequence = `EXISTS (SELECT FROM pg_depend uses JOIN pg_depend owns ON owns.objid = uses.refobjid AND owns.classid = uses.refclassid
  WHERE uses.classid = 'pg_attrdef'::regclass AND uses.objid = d.oid AND uses.refclassid = 'pg_class'::regclass
    AND owns.deptype = 'a' AND owns.refobjid = d.adrelid)`;

const notNull = `CASE WHEN nn.oid IS NULL OR NOT nn.convalidated THEN ''
  WHEN nn.conname = left(c.relname || '_' || a.attname || '_not_null', 63) THEN ' NOT NULL'
  ELSE ' CONSTRAINT ' || quote_ident(nn.conname) || ' NOT NULL' END || CASE WHEN nn.convalidated AND nn.connoinherit THEN ' NO INHERIT' ELSE '' END`;

const columns = `(
  SELECT string_agg(line, E',\\n' ORDER BY part, place) FROM (
    SELECT 1 AS part, a.attnum::int AS place,
      '    ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attcollation NOT IN (0, t.typcollation) THEN ' COLLATE ' || ${collation('a.attcollation')} ELSE '' END
      || CASE
           WHEN a.attgenerated = 's' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
           WHEN a.attgenerated = 'v' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ')'
           WHEN d.adbin IS NOT NULL AND NOT ${callsItsSequence} THEN ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)
           ELSE '' END
      || ${notNull} AS line
    FROM pg_attribute a
    JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_constraint nn ON nn.conrelid = a.attrelid AND nn.contype = 'n' AND nn.conkey[1] = a.attnum
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND (a.attislocal OR c.relispartition)
    UNION ALL
    SELECT 2, row_number() OVER (ORDER BY conname)::int,
      '    CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c' AND conislocal AND convalidated
  ) lines)`;

const word = `CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END`;

/** What is set for a column after its table was created. */
const columnSettings = `SELECT a.attname, a.attnum, o.place, o.setting
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid CROSS JOIN LATERAL (VALUES
    (1, CASE WHEN a.attstattarget IS NOT NULL THEN ' SET STATISTICS ' || a.attstattarget END),
    (2, CASE WHEN a.attstorage <> t.typstorage THEN ' SET STORAGE ' || CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END),
    (3, ${foreignOptions('a.attfdwoptions')})) AS o (place, setting)
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND o.setting IS NOT NULL`;

const definition = `'CREATE ' || CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || CASE c.relkind WHEN 'f' THEN 'FOREIGN ' ELSE '' END
  || 'TABLE ' || ${relation} || E' (\\n' || coalesce(${columns} || E'\\n', '') || ')'
  || CASE WHEN c.relispartition THEN '' ELSE coalesce((
       SELECT E'\\nINHERITS (' || string_agg(inhparent::regclass::text, ', ' ORDER BY inhseqno) || ')'
       FROM pg_inherits WHERE inhrelid = c.oid), '') END
  || coalesce(E'\\nPARTITION BY ' || pg_get_partkeydef(c.oid), '')
  || coalesce((SELECT E'\\nSERVER ' || quote_ident(s.srvname) || coalesce(replace(${foreignOptions('f.ftoptions')}, ' OPTIONS', E'\\nOPTIONS'), '')
       FROM pg_foreign_table f JOIN pg_foreign_server s ON s.oid = f.ftserver WHERE f.ftrelid = c.oid), '')
  || coalesce(E'\\n' || ltrim(${withOptions('c.reloptions')}), '') || ';'
  || coalesce((SELECT string_agg(E'\\nALTER ' || ${word} || ' ONLY ' || ${relation} || ' ALTER COLUMN ' || quote_ident(s.attname) || s.setting || ';', '' ORDER BY s.attnum, s.place)
       FROM (${columnSettings}) s), '')
  || CASE CASE WHEN c.relkind IN ('r', 'p') THEN c.relreplident END WHEN 'f' THEN E'\\n\\nALTER TABLE ONLY ' || ${relation} || ' REPLICA IDENTITY FULL;'
       WHEN 'n' THEN E'\\n\\nALTER TABLE ONLY ' || ${relation} || ' REPLICA IDENTITY NOTHING;' ELSE '' END
  || CASE WHEN c.relforcerowsecurity THEN E'\\n\\nALTER TABLE ONLY ' || ${relation} || ' FORCE ROW LEVEL SECURITY;' ELSE '' END`;

const tableOwner = ownedBy(word, relation, 'c.relowner');

/** `INCREMENT BY` and so on; limits are written only if they are not those of the type. */
const numbers = (
  indent: string,
) => `E'${indent}START WITH ' || s.seqstart || E'${indent}INCREMENT BY ' || s.seqincrement
  || CASE WHEN s.seqmin = CASE WHEN s.seqincrement > 0 THEN 1 ELSE limits.low END THEN E'${indent}NO MINVALUE' ELSE E'${indent}MINVALUE ' || s.seqmin END
  || CASE WHEN s.seqmax = CASE WHEN s.seqincrement > 0 THEN limits.high ELSE -1 END THEN E'${indent}NO MAXVALUE' ELSE E'${indent}MAXVALUE ' || s.seqmax END
  || E'${indent}CACHE ' || s.seqcache || CASE WHEN s.seqcycle THEN E'${indent}CYCLE' ELSE '' END`;

const limits = `CROSS JOIN LATERAL (SELECT CASE s.seqtypid WHEN 'int2'::regtype THEN -32768 WHEN 'int4'::regtype THEN -2147483648 ELSE -9223372036854775808 END AS low,
  CASE s.seqtypid WHEN 'int2'::regtype THEN 32767 WHEN 'int4'::regtype THEN 2147483647 ELSE 9223372036854775807 END AS high) limits`;

/** The column that a sequence belongs to: `a` for a serial column, `i` for an identity. */
const ownership = `pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0
  JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid`;

/** A view's options without the check, which is written behind its query. */
const viewOptions = `coalesce(${withOptions(`(SELECT array_agg(v) FROM unnest(c.reloptions) v WHERE v !~ '^check_option=')`)}, '')`;
const viewCheck = `coalesce((SELECT E'\\n  WITH ' || upper(substr(v, 14)) || ' CHECK OPTION' FROM unnest(c.reloptions) v WHERE v ~ '^check_option='), '')`;

export const tables = [
  `${entry({
    of: 'pg_class c',
    kind: `CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END`,
    schema: 'n.nspname',
    name: 'c.relname',
    owner: 'pg_get_userbyid(c.relowner)',
    sql: `CASE c.relkind
      WHEN 'v' THEN 'CREATE VIEW ' || ${relation} || ${viewOptions} || E' AS\\n' || rtrim(pg_get_viewdef(c.oid), ';') || ${viewCheck} || ';' || ${ownedBy(`'VIEW'`, relation, 'c.relowner')}
      WHEN 'm' THEN 'CREATE MATERIALIZED VIEW ' || ${relation} || ${viewOptions} || E' AS\\n' || rtrim(pg_get_viewdef(c.oid), ';') || E'\\n  WITH NO DATA;' || ${ownedBy(`'MATERIALIZED VIEW'`, relation, 'c.relowner')}
      WHEN 'S' THEN 'CREATE ' || CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'SEQUENCE ' || ${relation}
        || CASE WHEN s.seqtypid <> 'bigint'::regtype THEN E'\\n    AS ' || format_type(s.seqtypid, NULL) ELSE '' END
        || ${numbers('\\n    ')} || ';' || ${ownedBy(`'SEQUENCE'`, relation, 'c.relowner')}
      ELSE ${definition} || ${tableOwner} END`,
  })} ${classes} LEFT JOIN pg_sequence s ON s.seqrelid = c.oid ${limits}
   WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S') AND ${isOurs('pg_class c', 'n.nspname')}
     AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'i' AND c.relkind = 'S')
   ORDER BY 3, 4`,

  `${entry({
    of: 'pg_class c',
    kind: `'SEQUENCE'`,
    schema: 'n.nspname',
    name: 'c.relname',
    owner: 'pg_get_userbyid(c.relowner)',
    sql: `'ALTER ' || CASE (SELECT relkind FROM pg_class WHERE oid = d.refobjid) WHEN 'f' THEN 'FOREIGN TABLE ' ELSE 'TABLE ' END || d.refobjid::regclass || ' ALTER COLUMN ' || quote_ident(a.attname) || ' ADD GENERATED '
      || CASE a.attidentity WHEN 'd' THEN 'BY DEFAULT' ELSE 'ALWAYS' END || E' AS IDENTITY (\\n    SEQUENCE NAME ' || ${relation}
      || ${numbers('\\n    ')} || E'\\n);'`,
  })} ${classes} JOIN pg_sequence s ON s.seqrelid = c.oid ${limits} JOIN ${ownership} AND d.deptype = 'i'
   WHERE ${isOurs('pg_class c', 'n.nspname')} AND NOT (SELECT relispartition FROM pg_class WHERE oid = d.refobjid) ORDER BY 3, 4`,

  `SELECT '' AS id, 'SEQUENCE OWNED BY' AS kind, n.nspname AS schema, c.relname AS name, pg_get_userbyid(c.relowner) AS owner,
     'ALTER SEQUENCE ' || ${relation} || ' OWNED BY ' || d.refobjid::regclass || '.' || quote_ident(a.attname) || ';' AS sql
   ${classes} JOIN ${ownership} AND d.deptype = 'a' WHERE c.relkind = 'S' AND ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`,

  `SELECT '' AS id, 'TABLE ATTACH' AS kind, n.nspname AS schema, c.relname AS name, pg_get_userbyid(c.relowner) AS owner,
     'ALTER TABLE ONLY ' || i.inhparent::regclass || ' ATTACH PARTITION ' || ${relation} || ' ' || pg_get_expr(c.relpartbound, c.oid) || ';' AS sql
   ${classes} JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relispartition AND c.relkind IN ('r', 'p', 'f') AND ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`,

  `SELECT '' AS id, 'DEFAULT' AS kind, n.nspname AS schema, c.relname || ' ' || a.attname AS name, pg_get_userbyid(c.relowner) AS owner,
     'ALTER TABLE ONLY ' || ${relation} || ' ALTER COLUMN ' || quote_ident(a.attname) || ' SET DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) || ';' AS sql
   ${classes} JOIN pg_attrdef d ON d.adrelid = c.oid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.adnum
   WHERE (${callsItsSequence} OR c.relkind = 'v' OR NOT a.attislocal AND NOT c.relispartition AND a.attgenerated = '') AND ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`,
];
