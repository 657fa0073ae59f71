import type { MaskingRule } from '@neon/sdk/raw';
import pg from 'pg';
import type { Cluster } from './cluster.ts';

const { escapeIdentifier: identifier, escapeLiteral: literal } = pg;

type Replacement = (column: string, args: string[]) => string;

const hash = (column: string) => `md5(${column}::text)`;
const digest = (column: string) => `encode(sha256(convert_to(${column}::text, 'UTF8')), 'hex')`;
const number = (column: string, from: string, to: string) =>
  `((${from}) + abs(hashtext(${column}::text)::bigint) % ((${to})::bigint - (${from})::bigint + 1))`;
const digits = (column: string, length: number) =>
  `lpad(${number(column, '0', '9'.repeat(length))}::text, ${length}, '0')`;

/** Replacements in plain SQL for functions of PostgreSQL Anonymizer. */
const FUNCTIONS: Record<string, Replacement> = {
  random_phone: (column, [prefix = "'0'"]) => `${prefix} || ${digits(column, 9)}`,
  random_string: (column, [length = '10']) => `left(repeat(${hash(column)}, 1 + (${length}) / 32), ${length})`,
  random_zip: (column) => digits(column, 5),
  random_int_between: (column, [from = '0', to = '100']) => number(column, from, to),
  random_date: (column) => `date '1970-01-01' + ${number(column, '0', '18000')}::int`,
  ...{ hash: digest, digest },
  lorem_ipsum: () => `'Lorem ipsum dolor sit amet, consectetur adipiscing elit.'`,
  partial: (column, [, prefix = '1', padding = "'***'", suffix = '1']) =>
    `left(${column}::text, ${prefix}) || ${padding} || right(${column}::text, ${suffix})`,
  partial_email: (column) =>
    `left(${column}::text, 2) || '******@' || left(split_part(${column}::text, '@', 2), 2) || '******.' || split_part(${column}::text, '.', -1)`,
};

/** The families of functions that make something up, of any kind. Equal values get equal fakes, so references between tables still match. */
function fake(name: string): Replacement | undefined {
  const [, kind] = /^(?:fake|dummy|pseudo)_(\w+)$/.exec(name) ?? [];
  if (kind === undefined) return undefined;
  if (kind.includes('email')) return (column) => `'user-' || left(${hash(column)}, 12) || '@example.com'`;
  if (kind.startsWith('uuid')) return (column) => `${hash(column)}::uuid`;
  return (column) => `${literal(`${kind.replaceAll('_', ' ')} `)} || left(${hash(column)}, 8)`;
}

/** The SQL expression that replaces the value of a column. */
function replacement(rule: MaskingRule, column: string): string {
  if (rule.masking_value !== undefined) return literal(rule.masking_value);
  const call = /^\s*(?:anon\.)?(\w+)\s*\((.*)\)\s*$/s.exec(rule.masking_function ?? '');
  const [, name = ''] = call ?? [];
  const make = FUNCTIONS[name] ?? fake(name);
  if (!make)
    throw new Error(
      `unknown masking function ${JSON.stringify(rule.masking_function)} (this local service knows only common ones; Neon has all of PostgreSQL Anonymizer)`,
    );
  const args = (call?.[2] ?? '')
    .split(',')
    .map((arg) => arg.trim())
    .filter((arg) => arg !== '');
  // Arguments become part of an SQL statement, so only literals and identifiers are accepted.
  for (const arg of args) {
    if (!/^(-?\d+|'[^']*'|\$\$[^$]*\$\$|"?\w+"?)$/.test(arg)) throw new Error(`unsupported argument ${arg}`);
  }
  return make(column, args);
}

const columnPath = (rule: MaskingRule): string =>
  [rule.database_name, rule.schema_name, rule.table_name, rule.column_name].join('.');

/** Masks the columns in the rules, in one transaction per database. Returns the number of columns. */
export async function mask(cluster: Cluster, rules: MaskingRule[]): Promise<number> {
  const databases = new Set(rules.map(({ database_name: name }) => name));
  for (const database of databases) {
    await cluster.session(database, async (client) => {
      await client.query('BEGIN; SET LOCAL session_replication_role = replica');
      for (const rule of rules.filter(({ database_name: name }) => name === database)) {
        const column = identifier(rule.column_name);
        const { rows } = await client.query<{ type: string }>(
          `SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute
           WHERE attrelid = to_regclass($1) AND attname = $2 AND attnum > 0 AND NOT attisdropped`,
          [`${identifier(rule.schema_name)}.${identifier(rule.table_name)}`, rule.column_name],
        );
        const [found] = rows;
        if (!found) throw new Error(`column ${columnPath(rule)} does not exist`);
        const table = `${identifier(rule.schema_name)}.${identifier(rule.table_name)}`;
        try {
          await client.query(
            `UPDATE ${table} SET ${column} = (${replacement(rule, column)})::${found.type} WHERE ${column} IS NOT NULL`,
          );
        } catch (error) {
          throw new Error(`masking ${columnPath(rule)} failed: ${error instanceof Error ? error.message : error}`);
        }
      }
      await client.query('COMMIT');
    });
  }
  return rules.length;
}
