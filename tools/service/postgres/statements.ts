import pg from 'pg';
import type { DatabaseOwner, RoleSecret } from '../compute.ts';

const { escapeIdentifier: identifier, escapeLiteral: literal } = pg;

/** The superuser, used only by the service itself. */
export const ADMINISTRATOR = 'cloud_admin';
const GROUP = 'neon_superuser';

/** The group of all roles that are created through the API. None of them is a superuser. */
export const createGroup = `CREATE ROLE ${GROUP} NOLOGIN CREATEDB CREATEROLE REPLICATION BYPASSRLS IN ROLE pg_read_all_data, pg_write_all_data`;

export const createRole = ({ name, password }: RoleSecret): string =>
  `CREATE ROLE ${identifier(name)} LOGIN CREATEDB CREATEROLE REPLICATION BYPASSRLS PASSWORD ${literal(password)} IN ROLE ${GROUP}`;

export const setPassword = ({ name, password }: RoleSecret): string =>
  `ALTER ROLE ${identifier(name)} PASSWORD ${literal(password)}`;

/** Must be run in every database before the role can be dropped. */
export const releaseOwnership = (name: string): string[] => [
  `REASSIGN OWNED BY ${identifier(name)} TO ${ADMINISTRATOR}`,
  `DROP OWNED BY ${identifier(name)}`,
];

export const dropRole = (name: string): string => `DROP ROLE ${identifier(name)}`;

export const createDatabase = ({ name, owner }: DatabaseOwner): string =>
  `CREATE DATABASE ${identifier(name)} OWNER ${identifier(owner)}`;

export function updateDatabase(before: string, { name, owner }: DatabaseOwner): string[] {
  const changeOwner = `ALTER DATABASE ${identifier(before)} OWNER TO ${identifier(owner)}`;
  if (name === before) return [changeOwner];
  return [
    changeOwner,
    // A database with open connections cannot be renamed.
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${literal(before)}`,
    `ALTER DATABASE ${identifier(before)} RENAME TO ${identifier(name)}`,
  ];
}

export const dropDatabase = (name: string): string => `DROP DATABASE ${identifier(name)} WITH (FORCE)`;

export const listRoles = `SELECT rolname AS name FROM pg_roles
  WHERE rolname !~ '^pg_' AND rolname NOT IN ('${ADMINISTRATOR}', '${GROUP}') ORDER BY oid`;

export const listDatabases = `SELECT datname AS name, pg_get_userbyid(datdba) AS owner FROM pg_database
  WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY oid`;

export const isLsnInHistory = (lsn: string, since: string): string =>
  `SELECT ${literal(lsn)}::pg_lsn BETWEEN ${literal(since)}::pg_lsn AND pg_current_wal_lsn() AS inside`;

/** Deletes all rows and large objects, restarts sequences and empties materialized views. */
export const truncateAll = `DO $$
DECLARE
  tables text;
  one text;
BEGIN
  SELECT string_agg(oid::regclass::text, ', ') INTO tables FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text !~ '^(pg_|information_schema)';
  IF tables IS NOT NULL THEN EXECUTE 'TRUNCATE ' || tables || ' RESTART IDENTITY CASCADE'; END IF;
  FOR one IN SELECT oid::regclass::text FROM pg_class WHERE relkind = 'm' LOOP
    EXECUTE 'REFRESH MATERIALIZED VIEW ' || one || ' WITH NO DATA';
  END LOOP;
  FOR one IN SELECT oid::regclass::text FROM pg_class WHERE relkind = 'S' LOOP
    EXECUTE 'ALTER SEQUENCE ' || one || ' RESTART';
  END LOOP;
  PERFORM lo_unlink(oid) FROM pg_largeobject_metadata;
END $$`;
