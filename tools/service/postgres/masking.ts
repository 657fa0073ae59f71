import type { MaskingRule } from '@neon/sdk/raw';
import pg from 'pg';
import type { Cluster } from './cluster.ts';

const { escapeIdentifier: identifier, escapeLiteral: literal } = pg;

/** Picks a word by the hash of the value. Equal values get equal fakes, so references between tables still match. */
const oneOf = (words: string) => (column: string) => {
  const list = words.split(' ');
  return `(ARRAY[${list.map(literal).join(', ')}])[1 + abs(hashtext(${column}::text)::bigint) % ${list.length}]`;
};

const hash = (column: string): string => `md5(${column}::text)`;
const number = (column: string, from: string, to: string): string =>
  `((${from}) + abs(hashtext(${column}::text)::bigint) % ((${to})::bigint - (${from})::bigint + 1))`;

/** Replacements in plain SQL for the most common functions of PostgreSQL Anonymizer. */
const FUNCTIONS: Record<string, (column: string, args: string[]) => string> = {
  fake_email: (column) => `'user-' || left(${hash(column)}, 12) || '@example.com'`,
  dummy_email: (column) => `'user-' || left(${hash(column)}, 12) || '@example.com'`,
  pseudo_email: (column) => `'user-' || left(${hash(column)}, 12) || '@example.com'`,
  fake_first_name: oneOf('Ada Alan Barbara Dennis Edsger Frances Grace John Katherine Linus Margaret Niklaus'),
  dummy_first_name: oneOf('Ada Alan Barbara Dennis Edsger Frances Grace John Katherine Linus Margaret Niklaus'),
  fake_last_name: oneOf('Allen Dijkstra Hamilton Hopper Johnson Knuth Liskov Lovelace Ritchie Torvalds Turing Wirth'),
  dummy_last_name: oneOf('Allen Dijkstra Hamilton Hopper Johnson Knuth Liskov Lovelace Ritchie Torvalds Turing Wirth'),
  dummy_name: oneOf('Allen Dijkstra Hamilton Hopper Johnson Knuth Liskov Lovelace Ritchie Torvalds Turing Wirth'),
  fake_company: oneOf('Acme Globex Hooli Initech Soylent Umbrella'),
  fake_city: oneOf('Arras Bergen Cork Delft Evora Faro Genoa Hull'),
  fake_country: oneOf('Austria Belgium Chile Denmark Estonia France Ghana'),
  fake_address: (column) => `${number(column, '1', '999')} || ' Example Street'`,
  random_phone: (column, [prefix = "'0'"]) => `${prefix} || lpad(${number(column, '0', '999999999')}::text, 9, '0')`,
  random_string: (column, [length = '10']) => `left(repeat(${hash(column)}, 1 + (${length}) / 32), ${length})`,
  random_zip: (column) => `lpad(${number(column, '0', '99999')}::text, 5, '0')`,
  random_int_between: (column, [from = '0', to = '100']) => number(column, from, to),
  random_date: (column) => `date '1970-01-01' + ${number(column, '0', '18000')}::int`,
  hash: (column) => `encode(sha256(convert_to(${column}::text, 'UTF8')), 'hex')`,
  digest: (column) => `encode(sha256(convert_to(${column}::text, 'UTF8')), 'hex')`,
  lorem_ipsum: () => `'Lorem ipsum dolor sit amet, consectetur adipiscing elit.'`,
  partial: (column, [, prefix = '1', padding = "'***'", suffix = '1']) =>
    `left(${column}::text, ${prefix}) || ${padding} || right(${column}::text, ${suffix})`,
  partial_email: (column) =>
    `left(${column}::text, 2) || '******@' || left(split_part(${column}::text, '@', 2), 2) || '******.' || split_part(${column}::text, '.', -1)`,
};

/** The SQL expression that replaces the value of a column. */
function replacement(rule: MaskingRule, column: string): string {
  if (rule.masking_value !== undefined) return literal(rule.masking_value);
  const call = /^\s*(?:anon\.)?(\w+)\s*\((.*)\)\s*$/s.exec(rule.masking_function ?? '');
  const make = call?.[1] === undefined ? undefined : FUNCTIONS[call[1]];
  if (!make) throw new Error(`unknown masking function ${JSON.stringify(rule.masking_function ?? '')}`);
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
