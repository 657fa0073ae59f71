import { collation, entry, isOurs, ownedBy } from './entry.ts';

const typeName = `format('%I.%I', n.nspname, t.typname)`;
const typeOwner = (kind: string) => ownedBy(`'${kind}'`, typeName, 't.typowner');
const from = 'FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace';

export const namespaces = [
  `${entry({
    of: 'pg_namespace n',
    kind: `'SCHEMA'`,
    schema: 'NULL',
    name: 'n.nspname',
    owner: 'pg_get_userbyid(n.nspowner)',
    sql: `'CREATE SCHEMA ' || quote_ident(n.nspname) || ';' || ${ownedBy(`'SCHEMA'`, 'quote_ident(n.nspname)', 'n.nspowner')}`,
  })} FROM pg_namespace n WHERE ${isOurs('pg_namespace n', 'n.nspname')} ORDER BY 4`,

  `${entry({
    of: 'pg_extension x',
    kind: `'EXTENSION'`,
    schema: 'NULL',
    name: 'x.extname',
    owner: 'NULL',
    sql: `'CREATE EXTENSION IF NOT EXISTS ' || quote_ident(x.extname) || ' WITH SCHEMA ' || quote_ident(n.nspname) || ';'`,
  })} FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace WHERE x.oid >= 16384 ORDER BY 4`,
];

const enumValues = `(SELECT string_agg('    ' || quote_literal(enumlabel), E',\\n' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid)`;

const composite = `(SELECT string_agg(E'\\t' || quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
    || CASE WHEN attcollation NOT IN (0, typcollation) THEN ' COLLATE ' || ${collation('attcollation')} ELSE '' END, E',\\n' ORDER BY attnum)
  FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped)`;

const range = `(SELECT E' AS RANGE (\\n    subtype = ' || format_type(r.rngsubtype, NULL)
    || coalesce((SELECT E',\\n    multirange_type_name = ' || format('%I.%I', mn.nspname, m.typname)
         FROM pg_type m JOIN pg_namespace mn ON mn.oid = m.typnamespace WHERE m.oid = r.rngmultitypid), '')
    || CASE WHEN NOT o.opcdefault THEN E',\\n    subtype_opclass = ' || format('%I.%I', (SELECT nspname FROM pg_namespace WHERE oid = o.opcnamespace), o.opcname) ELSE '' END
    || CASE WHEN r.rngcollation NOT IN (0, s.typcollation) THEN E',\\n    collation = ' || ${collation('r.rngcollation')} ELSE '' END
    || CASE WHEN r.rngcanonical <> 0 THEN E',\\n    canonical = ' || r.rngcanonical::regproc ELSE '' END
    || CASE WHEN r.rngsubdiff <> 0 THEN E',\\n    subtype_diff = ' || r.rngsubdiff::regproc ELSE '' END || E'\\n)'
  FROM pg_range r JOIN pg_opclass o ON o.oid = r.rngsubopc JOIN pg_type s ON s.oid = r.rngsubtype WHERE r.rngtypid = t.oid)`;

/** Domains have checks and, since Postgres 18, a NOT NULL that is a constraint, too. */
const domain = `' AS ' || format_type(t.typbasetype, t.typtypmod)
  || (SELECT CASE WHEN t.typcollation NOT IN (0, b.typcollation) THEN ' COLLATE ' || ${collation('t.typcollation')} ELSE '' END
      FROM pg_type b WHERE b.oid = t.typbasetype)
  || CASE WHEN t.typnotnull THEN coalesce((SELECT CASE WHEN conname <> t.typname || '_not_null' THEN ' CONSTRAINT ' || quote_ident(conname) ELSE '' END
       FROM pg_constraint WHERE contypid = t.oid AND contype = 'n'), '') || ' NOT NULL' ELSE '' END
  || coalesce(' DEFAULT ' || coalesce(pg_get_expr(t.typdefaultbin, 'pg_type'::regclass), quote_literal(t.typdefault)), '')
  || coalesce((SELECT string_agg(E'\\n\\tCONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid), '' ORDER BY conname)
       FROM pg_constraint WHERE contypid = t.oid AND contype = 'c' AND convalidated), '')`;

export const types = [
  `${entry({
    of: 'pg_type t',
    kind: `'TYPE'`,
    schema: 'n.nspname',
    name: 't.typname',
    owner: 'pg_get_userbyid(t.typowner)',
    sql: `'CREATE TYPE ' || ${typeName} || CASE t.typtype
      WHEN 'e' THEN E' AS ENUM (\\n' || coalesce(${enumValues} || E'\\n', '') || ')'
      WHEN 'r' THEN ${range}
      ELSE E' AS (\\n' || coalesce(${composite} || E'\\n', '') || ')' END || ';' || ${typeOwner('TYPE')}`,
  })} ${from}
   WHERE (t.typtype IN ('e', 'r') OR t.typtype = 'c' AND EXISTS (SELECT FROM pg_class WHERE oid = t.typrelid AND relkind = 'c'))
     AND ${isOurs('pg_type t', 'n.nspname')} ORDER BY 3, 4`,

  `${entry({
    of: 'pg_type t',
    kind: `'DOMAIN'`,
    schema: 'n.nspname',
    name: 't.typname',
    owner: 'pg_get_userbyid(t.typowner)',
    sql: `'CREATE DOMAIN ' || ${typeName} || ${domain} || ';' || ${typeOwner('DOMAIN')}`,
  })} ${from} WHERE t.typtype = 'd' AND ${isOurs('pg_type t', 'n.nspname')} ORDER BY 3, 4`,
];
