import type { MaskingRule } from '@neon/sdk/raw';
import pg from 'pg';
import { nearest } from '../../../src/text/nearest.ts';
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

type Replacement = (column: string, args: string[]) => string;

const email = (column: string) => `'user-' || left(${hash(column)}, 12) || '@example.com'`;
const digits = (length: number) => (column: string) =>
  `lpad(${number(column, '0', '9'.repeat(length))}::text, ${length}, '0')`;
const phone = (column: string) => `'0' || ${digits(9)(column)}`;
const numbered = (word: string) => (column: string) => `${literal(`${word} `)} || left(${hash(column)}, 8)`;
const uuid = (column: string) => `${hash(column)}::uuid`;
const firstName = oneOf('Ada Alan Barbara Dennis Edsger Frances Grace John Katherine Linus Margaret Niklaus');
const lastName = oneOf('Allen Dijkstra Hamilton Hopper Johnson Knuth Liskov Lovelace Ritchie Torvalds Turing Wirth');
const company = oneOf('Acme Globex Hooli Initech Soylent Umbrella');
const city = oneOf('Arras Bergen Cork Delft Evora Faro Genoa Hull');
const country = oneOf('Austria Belgium Chile Denmark Estonia France Ghana');
const address = (column: string) => `${number(column, '1', '999')} || ' Example Street'`;
const fullName = (column: string) => `${firstName(column)} || ' ' || ${lastName(column)}`;

/** What both families `fake_*` and `pseudo_*` have. */
const fakes: Record<string, Replacement> = {
  ...{ email, company, city, country, address, first_name: firstName, last_name: lastName, postcode: digits(5) },
  iban: (column) => `'XX' || ${digits(18)(column)}`,
  siret: digits(14),
};

/** The family `dummy_*`: each function has a variant `*_locale`. */
const dummies: Record<string, Replacement> = {
  ...{ free_email: email, safe_email: email, first_name: firstName, last_name: lastName, name: fullName },
  ...{ company_name: company, city_name: city, country_name: country, phone_number: phone, cell_number: phone },
  ...{ zip_code: digits(5), post_code: digits(5), building_number: digits(3), credit_card_number: digits(16) },
  ...{ uuidv1: uuid, uuidv3: uuid, uuidv4: uuid, uuidv5: uuid },
  name_with_title: (column) => `'Dr. ' || ${fullName(column)}`,
  title: oneOf('Dr. Mr. Mrs. Ms. Prof.'),
  suffix: oneOf('II III Jr. PhD Sr.'),
  username: (column) => `'user_' || left(${hash(column)}, 12)`,
  street_name: numbered('Street'),
  secondary_address: numbered('Apt.'),
  state_name: oneOf('Iowa Maine Nevada Ohio Oregon Texas Utah'),
  state_abbr: oneOf('IA ME NV OH OR TX UT'),
  country_code: oneOf('AT BE CL DK EE FR GH'),
  timezone: oneOf('Africa/Accra America/Santiago Europe/Paris Europe/Vienna'),
  latitude: (column) => `${number(column, '-90', '89')} || '.5'`,
  longitude: (column) => `${number(column, '-180', '179')} || '.5'`,
  currency_code: oneOf('CLP DKK EUR GHS USD'),
  ip: (column) => `'192.0.2.' || ${number(column, '1', '254')}`,
  ipv4: (column) => `'192.0.2.' || ${number(column, '1', '254')}`,
  ipv6: (column) => `'2001:db8::' || left(${hash(column)}, 4)`,
  mac_address: (column) => `'02:00:00' || regexp_replace(left(${hash(column)}, 6), '(..)', ':\\1', 'g')`,
  ...Object.fromEntries(
    ['profession', 'industry', 'catchphrase', 'buzzword', 'word', 'licence_plate', 'file_name', 'user_agent'].map(
      (kind) => [kind, numbered(kind.replace('_', ' '))],
    ),
  ),
};

const family = (prefix: string, members: Record<string, Replacement>, suffix = ''): Record<string, Replacement> =>
  Object.fromEntries(Object.entries(members).map(([name, make]) => [`${prefix}_${name}${suffix}`, make]));

/** Replacements in plain SQL for the most common functions of PostgreSQL Anonymizer. */
const FUNCTIONS: Record<string, Replacement> = {
  ...family('fake', fakes),
  ...family('pseudo', fakes),
  ...family('dummy', dummies),
  ...family('dummy', dummies, '_locale'),
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
  if (!make) {
    const name = rule.masking_function ?? '';
    const near = nearest((call?.[1] ?? name).toLowerCase(), Object.keys(FUNCTIONS));
    const known = near === undefined ? '' : `, such as anon.${near}()`;
    throw new Error(
      `unknown masking function ${JSON.stringify(name)} (this local service knows only common ones${known}; Neon has all of PostgreSQL Anonymizer)`,
    );
  }
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
