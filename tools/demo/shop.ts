import pg from 'pg';

/** The initial contents of main: a small shop with a few thousand rows, the same in every run. */
export const SEED = `
  CREATE TABLE customers (
    id integer PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE, joined date NOT NULL
  );
  CREATE TABLE products (id integer PRIMARY KEY, title text NOT NULL, cents integer NOT NULL CHECK (cents > 0));
  CREATE TABLE orders (
    id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers, placed timestamp NOT NULL
  );
  CREATE TABLE order_items (
    order_id integer REFERENCES orders, product_id integer REFERENCES products, quantity integer NOT NULL,
    PRIMARY KEY (order_id, product_id)
  );
  CREATE INDEX ON orders (customer_id);
  CREATE VIEW revenue AS
    SELECT customer_id, sum(quantity * cents) AS cents
    FROM orders JOIN order_items ON order_id = orders.id JOIN products ON product_id = products.id
    GROUP BY customer_id;
  INSERT INTO customers
    SELECT n, 'Customer ' || n, 'c' || n || '@example.com', date '2024-01-01' + n % 700 FROM generate_series(1, 600) n;
  INSERT INTO products SELECT n, 'Product ' || n, 199 + n * 37 FROM generate_series(1, 120) n;
  INSERT INTO orders
    SELECT n, 1 + n * 7 % 600, timestamp '2025-01-01' + n * interval '3 hours' FROM generate_series(1, 2400) n;
  INSERT INTO order_items
    SELECT n, 1 + (n * 11 + k * 17) % 120, 1 + (n + k) % 4
    FROM generate_series(1, 2400) n, generate_series(0, 2) k WHERE n % 3 >= k;
`;

/** The schema changes of the pull request: a column with a check constraint, a table and an index. */
export const MIGRATION = `
  ALTER TABLE customers ADD COLUMN tier text NOT NULL DEFAULT 'basic' CHECK (tier IN ('basic', 'gold'));
  CREATE TABLE vouchers (code text PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers, cents integer NOT NULL);
  CREATE INDEX ON vouchers (customer_id);
`;

/** A later version of it, which loses data and locks a table. */
export const RISKY_MIGRATION = `
  ALTER TABLE customers DROP COLUMN joined;
  ALTER TABLE products ALTER COLUMN title TYPE varchar(40);
  CREATE INDEX ON order_items (product_id);
`;

/** Test data for the preview: new rows, and changes to rows from main. */
export const NEW_ROWS = `
  INSERT INTO vouchers SELECT 'WELCOME-' || n, n, 500 FROM generate_series(1, 40) n;
  INSERT INTO customers SELECT n, 'Tester ' || n, 't' || n || '@example.com', date '2026-01-01' FROM generate_series(601, 625) n;
  UPDATE customers SET tier = 'gold' WHERE id <= 50;
`;

/** By table name: the number of rows and a fingerprint of all values. */
export type Contents = Record<string, { rows: number; fingerprint: string }>;

/** Connects with a URI, as an application would, for the duration of `work`. */
export async function connect<T>(uri: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // By default, `pg` verifies the certificate for sslmode=require; libpq does not.
  const client = new pg.Client({ connectionString: `${uri}&uselibpqcompat=true`, connectionTimeoutMillis: 10_000 });
  // A lost connection: a query that is running reports it too.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The contents of all tables in schema `public`. */
export function contentsOf(uri: string): Promise<Contents> {
  return connect(uri, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
    );
    const contents: Contents = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ rows: number; fingerprint: string }>(
        `SELECT count(*)::int AS rows, md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) AS fingerprint
         FROM ${pg.escapeIdentifier(name)} t`,
      );
      contents[name] = rows[0] ?? { rows: 0, fingerprint: '' };
    }
    return contents;
  });
}

/** `customers 600, orders 2,400` */
export function rowCounts(contents: Contents): string {
  return Object.entries(contents)
    .map(([name, { rows }]) => `${name} ${rows.toLocaleString('en')}`)
    .join(', ');
}
