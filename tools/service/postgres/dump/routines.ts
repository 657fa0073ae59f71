import { entry, isOurs, ownedBy } from './entry.ts';

const signature = `format('%I.%I', n.nspname, p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')'`;

/** A body between dollars, with a tag if it has a dollar itself. */
const body = (text: string) =>
  `CASE WHEN strpos(${text}, '$') = 0 THEN '$$' || ${text} || '$$' ELSE '$_$' || ${text} || '$_$' END`;

const options = `CASE p.provolatile WHEN 'i' THEN ' IMMUTABLE' WHEN 's' THEN ' STABLE' ELSE '' END
  || CASE WHEN p.prokind = 'w' THEN ' WINDOW' ELSE '' END || CASE WHEN p.proisstrict THEN ' STRICT' ELSE '' END
  || CASE WHEN p.prosecdef THEN ' SECURITY DEFINER' ELSE '' END || CASE WHEN p.proleakproof THEN ' LEAKPROOF' ELSE '' END
  || CASE WHEN p.procost <> CASE WHEN l.lanname IN ('internal', 'c') THEN 1 ELSE 100 END THEN ' COST ' || p.procost ELSE '' END
  || CASE WHEN p.proretset AND p.prorows NOT IN (0, 1000) THEN ' ROWS ' || p.prorows ELSE '' END
  || CASE WHEN p.prosupport <> 0 THEN ' SUPPORT ' || p.prosupport ELSE '' END
  || CASE p.proparallel WHEN 's' THEN ' PARALLEL SAFE' WHEN 'r' THEN ' PARALLEL RESTRICTED' ELSE '' END
  || coalesce((SELECT string_agg(E'\\n    SET ' || quote_ident(split_part(s, '=', 1)) || ' TO '
       || CASE WHEN split_part(s, '=', 1) IN ('search_path', 'temp_tablespaces', 'session_preload_libraries')
            THEN CASE WHEN substr(s, strpos(s, '=') + 1) IN ('', '""') THEN quote_literal('')
              ELSE (SELECT string_agg(quote_literal(btrim(btrim(i), '"')), ', ') FROM string_to_table(substr(s, strpos(s, '=') + 1), ',') i) END
            ELSE quote_literal(substr(s, strpos(s, '=') + 1)) END, '') FROM unnest(p.proconfig) s), '')`;

export const routines = [
  `${entry({
    of: 'pg_proc p',
    kind: `CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END`,
    schema: 'n.nspname',
    name: `p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'`,
    owner: 'pg_get_userbyid(p.proowner)',
    sql: `'CREATE ' || CASE p.prokind WHEN 'p' THEN 'PROCEDURE ' ELSE 'FUNCTION ' END || format('%I.%I', n.nspname, p.proname)
      || '(' || pg_get_function_arguments(p.oid) || ')' || coalesce(' RETURNS ' || pg_get_function_result(p.oid), '')
      || E'\\n    LANGUAGE ' || quote_ident(l.lanname) || ${options}
      || E'\\n    ' || CASE WHEN p.prosqlbody IS NOT NULL THEN pg_get_function_sqlbody(p.oid)
           WHEN p.probin IS NOT NULL THEN 'AS ' || quote_literal(p.probin) || ', ' || quote_literal(p.prosrc)
           ELSE 'AS ' || ${body('p.prosrc')} END || ';'
      || ${ownedBy(`CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END`, signature, 'p.proowner')}`,
  })} FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
   WHERE p.prokind IN ('f', 'p', 'w') AND ${isOurs('pg_proc p', 'n.nspname')}
     -- The functions that make ranges belong to the type.
     AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'i')
   ORDER BY 3, 4`,

  `${entry({
    of: 'pg_proc p',
    kind: `'AGGREGATE'`,
    schema: 'n.nspname',
    name: `p.proname || '(' || coalesce(nullif(pg_get_function_identity_arguments(p.oid), ''), '*') || ')'`,
    owner: 'pg_get_userbyid(p.proowner)',
    sql: `'CREATE AGGREGATE ' || format('%I.%I', n.nspname, p.proname)
      || '(' || coalesce(nullif(pg_get_function_arguments(p.oid), ''), '*') || E') (\\n    SFUNC = ' || g.aggtransfn
      || E',\\n    STYPE = ' || format_type(g.aggtranstype, NULL)
      || coalesce(E',\\n    INITCOND = ' || quote_literal(g.agginitval), '')
      || CASE WHEN g.aggfinalfn <> 0 THEN E',\\n    FINALFUNC = ' || g.aggfinalfn ELSE '' END
      || CASE WHEN g.aggcombinefn <> 0 THEN E',\\n    COMBINEFUNC = ' || g.aggcombinefn ELSE '' END
      || CASE p.proparallel WHEN 's' THEN E',\\n    PARALLEL = safe' WHEN 'r' THEN E',\\n    PARALLEL = restricted' ELSE '' END
      || E'\\n);' || ${ownedBy(`'AGGREGATE'`, `replace(${signature}, '()', '(*)')`, 'p.proowner')}`,
  })} FROM pg_aggregate g JOIN pg_proc p ON p.oid = g.aggfnoid JOIN pg_namespace n ON n.oid = p.pronamespace
   WHERE ${isOurs('pg_proc p', 'n.nspname')} ORDER BY 3, 4`,
];
