import { entry, foreignOptions, isOurs, ownedBy } from './entry.ts';

export const foreign = [
  `${entry({
    of: 'pg_foreign_data_wrapper w',
    kind: `'FOREIGN DATA WRAPPER'`,
    schema: 'NULL',
    name: 'w.fdwname',
    owner: 'pg_get_userbyid(w.fdwowner)',
    sql: `'CREATE FOREIGN DATA WRAPPER ' || quote_ident(w.fdwname) || CASE WHEN w.fdwhandler <> 0 THEN ' HANDLER ' || w.fdwhandler::regproc ELSE '' END
      || CASE WHEN w.fdwvalidator <> 0 THEN ' VALIDATOR ' || w.fdwvalidator::regproc ELSE '' END || coalesce(${foreignOptions('w.fdwoptions')}, '') || ';'
      || ${ownedBy(`'FOREIGN DATA WRAPPER'`, 'quote_ident(w.fdwname)', 'w.fdwowner')}`,
  })} FROM pg_foreign_data_wrapper w WHERE ${isOurs('pg_foreign_data_wrapper w')} ORDER BY 4`,

  `${entry({
    of: 'pg_foreign_server s',
    kind: `'SERVER'`,
    schema: 'NULL',
    name: 's.srvname',
    owner: 'pg_get_userbyid(s.srvowner)',
    sql: `'CREATE SERVER ' || quote_ident(s.srvname) || coalesce(' TYPE ' || quote_literal(s.srvtype), '') || coalesce(' VERSION ' || quote_literal(s.srvversion), '')
      || ' FOREIGN DATA WRAPPER ' || quote_ident(w.fdwname) || coalesce(${foreignOptions('s.srvoptions')}, '') || ';'
      || ${ownedBy(`'SERVER'`, 'quote_ident(s.srvname)', 's.srvowner')}`,
  })} FROM pg_foreign_server s JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw WHERE ${isOurs('pg_foreign_server s')} ORDER BY 4`,

  `SELECT 'pg_user_mapping ' || u.umid AS id, 'USER MAPPING' AS kind, NULL AS schema, 'USER MAPPING ' || u.usename || ' SERVER ' || u.srvname AS name,
     pg_get_userbyid(s.srvowner) AS owner,
     'CREATE USER MAPPING FOR ' || CASE u.umuser WHEN 0 THEN 'public' ELSE quote_ident(u.usename) END || ' SERVER ' || quote_ident(u.srvname)
     || coalesce(${foreignOptions('u.umoptions')}, '') || ';' AS sql
   FROM pg_user_mappings u JOIN pg_foreign_server s ON s.oid = u.srvid ORDER BY 4`,
];
