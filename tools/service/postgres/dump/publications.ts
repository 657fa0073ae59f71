import { entry, ownedBy } from './entry.ts';

const published = `array_to_string(ARRAY[CASE WHEN p.pubinsert THEN 'insert' END, CASE WHEN p.pubupdate THEN 'update' END,
  CASE WHEN p.pubdelete THEN 'delete' END, CASE WHEN p.pubtruncate THEN 'truncate' END], ', ')`;

export const publications = [
  `${entry({
    of: 'pg_publication p',
    kind: `'PUBLICATION'`,
    schema: 'NULL',
    name: 'p.pubname',
    owner: 'pg_get_userbyid(p.pubowner)',
    sql: `'CREATE PUBLICATION ' || quote_ident(p.pubname) || CASE WHEN p.puballtables THEN ' FOR ALL TABLES' ELSE '' END
      || ' WITH (publish = ''' || ${published} || '''' || CASE WHEN p.pubviaroot THEN ', publish_via_partition_root = true' ELSE '' END
      || CASE p.pubgencols WHEN 's' THEN ', publish_generated_columns = stored' ELSE '' END || ');'
      || ${ownedBy(`'PUBLICATION'`, 'quote_ident(p.pubname)', 'p.pubowner')}`,
  })} FROM pg_publication p ORDER BY 4`,

  `SELECT '' AS id, 'PUBLICATION TABLE' AS kind, n.nspname AS schema, p.pubname || ' ' || c.relname AS name, pg_get_userbyid(p.pubowner) AS owner,
     'ALTER PUBLICATION ' || quote_ident(p.pubname) || ' ADD TABLE ONLY ' || format('%I.%I', n.nspname, c.relname)
     || coalesce(' (' || (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum = ANY(r.prattrs)) || ')', '')
     || coalesce(' WHERE (' || pg_get_expr(r.prqual, r.prrelid) || ')', '') || ';' AS sql
   FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid JOIN pg_class c ON c.oid = r.prrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   ORDER BY p.pubname, 3, 4`,

  `SELECT '' AS id, 'PUBLICATION TABLES IN SCHEMA' AS kind, n.nspname AS schema, p.pubname || ' ' || n.nspname AS name, pg_get_userbyid(p.pubowner) AS owner,
     'ALTER PUBLICATION ' || quote_ident(p.pubname) || ' ADD TABLES IN SCHEMA ' || quote_ident(n.nspname) || ';' AS sql
   FROM pg_publication_namespace r JOIN pg_publication p ON p.oid = r.pnpubid JOIN pg_namespace n ON n.oid = r.pnnspid ORDER BY 4`,
];

/** Event triggers come last: they must not fire for anything else in the dump. */
export const events = [
  `SELECT '' AS id, 'EVENT TRIGGER' AS kind, NULL AS schema, e.evtname AS name, pg_get_userbyid(e.evtowner) AS owner,
     'CREATE EVENT TRIGGER ' || quote_ident(e.evtname) || ' ON ' || quote_ident(e.evtevent)
     || coalesce(E'\\n         WHEN TAG IN (' || (SELECT string_agg(quote_literal(t), ', ') FROM unnest(e.evttags) t) || ')', '')
     || E'\\n   EXECUTE FUNCTION ' || e.evtfoid::regproc || '();'
     || CASE e.evtenabled WHEN 'D' THEN E'\\n\\nALTER EVENT TRIGGER ' || quote_ident(e.evtname) || ' DISABLE;' ELSE '' END
     || ${ownedBy(`'EVENT TRIGGER'`, 'quote_ident(e.evtname)', 'e.evtowner')} AS sql
   FROM pg_event_trigger e ORDER BY 4`,
];
