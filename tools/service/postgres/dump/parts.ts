import { classes, entry, isOurs, ownedBy, relation } from './entry.ts';

const constraint = (options: { kinds: string; word: string; only: string; where: string }) => `${entry({
  of: 'pg_constraint k',
  kind: `'${options.word}'`,
  schema: 'n.nspname',
  name: `c.relname || ' ' || k.conname`,
  owner: 'pg_get_userbyid(c.relowner)',
  sql: `'ALTER ' || CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE ' ELSE 'TABLE ' END || ${options.only} || ${relation} || E'\\n    ADD CONSTRAINT ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) || ';'
    || coalesce((SELECT E'\\n\\nALTER TABLE ONLY ' || ${relation} || ' REPLICA IDENTITY USING INDEX ' || quote_ident(k.conname) || ';' FROM pg_index WHERE indexrelid = k.conindid AND indisreplident AND k.contype <> 'f'), '')`,
})} ${classes} JOIN pg_constraint k ON k.conrelid = c.oid
 WHERE k.contype IN (${options.kinds}) AND ${options.where} AND ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`;

const indexClasses = `${classes} JOIN pg_index x ON x.indrelid = c.oid JOIN pg_class i ON i.oid = x.indexrelid`;
const isConstraint = `EXISTS (SELECT FROM pg_constraint WHERE conindid = x.indexrelid AND contype IN ('p', 'u', 'x'))`;

const triggerState = `CASE t.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'A' THEN 'ENABLE ALWAYS' WHEN 'R' THEN 'ENABLE REPLICA' END`;

/** What belongs to a table and is created after it. */
export const partsOfTables = [
  constraint({ kinds: `'p', 'u', 'x'`, word: 'CONSTRAINT', only: `'ONLY '`, where: 'true' }),
  constraint({ kinds: `'c', 'n'`, word: 'CHECK CONSTRAINT', only: `''`, where: 'NOT k.convalidated AND k.conislocal' }),

  `SELECT '' AS id, 'CHECK CONSTRAINT' AS kind, n.nspname AS schema, t.typname || ' ' || k.conname AS name, pg_get_userbyid(t.typowner) AS owner,
     'ALTER DOMAIN ' || format('%I.%I', n.nspname, t.typname) || E'\\n    ADD CONSTRAINT ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) || ';' AS sql
   FROM pg_constraint k JOIN pg_type t ON t.oid = k.contypid JOIN pg_namespace n ON n.oid = t.typnamespace
   WHERE NOT k.convalidated AND ${isOurs('pg_type t', 'n.nspname')} ORDER BY 3, 4`,

  `${entry({
    of: 'pg_class i',
    kind: `'INDEX'`,
    schema: 'n.nspname',
    name: 'i.relname',
    owner: 'pg_get_userbyid(c.relowner)',
    sql: `pg_get_indexdef(i.oid) || ';' || CASE WHEN x.indisreplident THEN E'\\n\\nALTER TABLE ONLY ' || ${relation} || ' REPLICA IDENTITY USING INDEX ' || quote_ident(i.relname) || ';' ELSE '' END`,
  })} ${indexClasses} WHERE NOT ${isConstraint} AND ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`,

  `SELECT '' AS id, 'INDEX ATTACH' AS kind, n.nspname AS schema, i.relname AS name, pg_get_userbyid(c.relowner) AS owner,
     'ALTER INDEX ' || h.inhparent::regclass || ' ATTACH PARTITION ' || format('%I.%I', n.nspname, i.relname) || ';' AS sql
   ${indexClasses} JOIN pg_inherits h ON h.inhrelid = i.oid WHERE ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`,

  `${entry({
    of: 'pg_statistic_ext e',
    kind: `'STATISTICS'`,
    schema: 'n.nspname',
    name: 'e.stxname',
    owner: 'pg_get_userbyid(e.stxowner)',
    sql: `pg_get_statisticsobjdef(e.oid) || ';' || ${ownedBy(`'STATISTICS'`, `format('%I.%I', n.nspname, e.stxname)`, 'e.stxowner')}`,
  })} FROM pg_statistic_ext e JOIN pg_namespace n ON n.oid = e.stxnamespace ORDER BY 3, 4`,

  `SELECT '' AS id, 'RULE' AS kind, n.nspname AS schema, c.relname || ' ' || r.rulename AS name, pg_get_userbyid(c.relowner) AS owner,
     pg_get_ruledef(r.oid) || CASE r.ev_enabled WHEN 'D' THEN E'\\n\\nALTER TABLE ' || ${relation} || ' DISABLE RULE ' || quote_ident(r.rulename) || ';' ELSE '' END AS sql
   ${classes} JOIN pg_rewrite r ON r.ev_class = c.oid WHERE r.rulename <> '_RETURN' AND ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`,

  `SELECT '' AS id, 'TRIGGER' AS kind, n.nspname AS schema, c.relname || ' ' || t.tgname AS name, pg_get_userbyid(c.relowner) AS owner,
     CASE WHEN t.tgparentid = 0 THEN pg_get_triggerdef(t.oid, false) || ';' ELSE '' END
     || coalesce(E'\\n\\nALTER TABLE ' || ${relation} || ' ' || ${triggerState} || ' TRIGGER ' || quote_ident(t.tgname) || ';', '') AS sql
   ${classes} JOIN pg_trigger t ON t.tgrelid = c.oid LEFT JOIN pg_trigger p ON p.oid = t.tgparentid
   WHERE NOT t.tgisinternal AND (t.tgparentid = 0 OR t.tgenabled <> p.tgenabled) AND ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`,

  constraint({
    kinds: `'f'`,
    word: 'FK CONSTRAINT',
    only: `CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END`,
    where: 'k.conparentid = 0',
  }),

  `SELECT '' AS id, 'POLICY' AS kind, p.schemaname AS schema, p.tablename || ' ' || p.policyname AS name, NULL AS owner,
     'CREATE POLICY ' || quote_ident(p.policyname) || ' ON ' || format('%I.%I', p.schemaname, p.tablename)
     || CASE p.permissive WHEN 'RESTRICTIVE' THEN ' AS RESTRICTIVE' ELSE '' END || CASE p.cmd WHEN 'ALL' THEN '' ELSE ' FOR ' || p.cmd END
     || CASE WHEN p.roles = '{public}' THEN '' ELSE ' TO ' || (SELECT string_agg(quote_ident(r), ', ' ORDER BY r) FROM unnest(p.roles) r) END
     || coalesce(' USING (' || p.qual || ')', '') || coalesce(' WITH CHECK (' || p.with_check || ')', '') || ';' AS sql
   FROM pg_policies p ORDER BY 3, 4`,

  `SELECT '' AS id, 'ROW SECURITY' AS kind, n.nspname AS schema, c.relname AS name, pg_get_userbyid(c.relowner) AS owner,
     'ALTER TABLE ' || ${relation} || ' ENABLE ROW LEVEL SECURITY;' AS sql
   ${classes} WHERE c.relrowsecurity AND ${isOurs('pg_class c', 'n.nspname')} ORDER BY 3, 4`,
];
