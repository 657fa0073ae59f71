/** The levels of findings, most serious first. */
export const levels = ['destructive', 'exposing', 'locking', 'notice'] as const;

export type Level = (typeof levels)[number];

interface Rule {
  level: Level;
  /** Why it matters: one sentence. */
  why: string;
  /** How to make the change safely: one sentence. */
  safeWay: string;
}

/** The rules of the schema review. `docs/schema-review.md` has a section for each. */
export const rules = {
  'drop-schema': {
    level: 'destructive',
    why: 'Everything in the schema is dropped with it.',
    safeWay: 'Move what is still needed to another schema first, and drop the schema in a later release.',
  },
  'drop-table': {
    level: 'destructive',
    why: 'All rows of the table are lost.',
    safeWay: 'Stop using the table in one release, back it up, and drop it in a later one.',
  },
  'drop-column': {
    level: 'destructive',
    why: "The column's values are lost, and code that still reads it fails.",
    safeWay: 'Stop reading and writing the column in one release, and drop it in a later one.',
  },
  'drop-materialized-view': {
    level: 'destructive',
    why: 'Its stored rows are lost, and queries that read it fail.',
    safeWay: 'Stop reading it first, or create the replacement under another name.',
  },
  'drop-sequence': {
    level: 'destructive',
    why: 'The current value is lost, so a new sequence may hand out numbers that are already in use.',
    safeWay: 'Note the last value, and drop the sequence once nothing calls `nextval` on it.',
  },
  'drop-extension': {
    level: 'destructive',
    why: "The extension's types, functions and operators are dropped, and with CASCADE every column that uses them.",
    safeWay: 'Drop or convert everything that uses the extension first, and never use CASCADE.',
  },
  'drop-enum-value': {
    level: 'destructive',
    why: "Postgres can't remove an enum value, so the type is rebuilt, which fails on rows that use the value.",
    safeWay: 'Leave the value in the type, or update the rows first and then rebuild the type.',
  },
  'narrow-type': {
    level: 'destructive',
    why: "Values that don't fit the new type are rejected, rounded or truncated.",
    safeWay: 'Check that all values fit; then add a new column, backfill it, and switch over.',
  },
  'convert-type': {
    level: 'destructive',
    why: 'Values are converted, which fails or loses information if a value has no equivalent in the new type.',
    safeWay: 'Add a column of the new type, backfill and verify it, switch over, and drop the old column later.',
  },
  'set-not-null': {
    level: 'destructive',
    why: 'The migration fails if any row has NULL in the column.',
    safeWay: 'Backfill, add `CHECK (column IS NOT NULL) NOT VALID`, validate it, then set NOT NULL and drop the check.',
  },
  'add-not-null-column': {
    level: 'destructive',
    why: 'Without a default, the migration fails if the table has rows.',
    safeWay: 'Add the column with a default, or as nullable, backfill it, and set NOT NULL afterwards.',
  },
  'drop-policy': {
    level: 'exposing',
    why: 'A restrictive policy no longer protects the rows; without a permissive one, queries may find no rows.',
    safeWay: 'Create the replacement in the same transaction, and test it with each role.',
  },
  'change-policy': {
    level: 'exposing',
    why: 'Other roles may see or change other rows than before.',
    safeWay: 'Test the new policy with each role before it reaches real data.',
  },
  'disable-rls': {
    level: 'exposing',
    why: 'Policies no longer restrict which rows a role can read and write.',
    safeWay: 'Keep row-level security on, and change its policies instead.',
  },
  grant: {
    level: 'exposing',
    why: 'A role gets rights that it did not have.',
    safeWay: 'Grant only what the role needs, on only the objects it needs.',
  },
  'security-definer': {
    level: 'exposing',
    why: "It now runs with its owner's rights instead of the caller's.",
    safeWay: 'Keep the rights of the caller, or set a fixed `search_path` and restrict who may execute it.',
  },
  'change-owner': {
    level: 'exposing',
    why: 'The new owner has every right on the object, and bypasses its row-level security.',
    safeWay: 'Grant the rights that are needed instead.',
  },
  'rewrite-type': {
    level: 'locking',
    why: 'Postgres rewrites the whole table and its indexes, and blocks reads and writes until it is done.',
    safeWay: 'Add a column of the new type, backfill it in batches, and switch over.',
  },
  'volatile-default': {
    level: 'locking',
    why: 'Each existing row needs a value of its own, so Postgres rewrites the whole table and blocks reads and writes.',
    safeWay: 'Add the column without a default, set the default for new rows, and backfill in batches.',
  },
  'stored-generated': {
    level: 'locking',
    why: 'Postgres computes the value for every row and rewrites the whole table, which blocks reads and writes.',
    safeWay: 'Use a virtual generated column or a view, or a plain column that a trigger fills.',
  },
  'add-unique': {
    level: 'locking',
    why: 'Building the index blocks writes, and fails if rows have duplicates.',
    safeWay: 'Create a unique index CONCURRENTLY, then add the constraint USING INDEX.',
  },
  'add-primary-key': {
    level: 'locking',
    why: 'Building the index blocks reads and writes, and fails on duplicates and on NULL.',
    safeWay: 'Create a unique index CONCURRENTLY, set NOT NULL safely, then add the primary key USING INDEX.',
  },
  'add-exclusion': {
    level: 'locking',
    why: 'Building the index blocks reads and writes, and fails if rows conflict.',
    safeWay: "Postgres can't build it concurrently: add it while the table is small or traffic is low.",
  },
  'add-check': {
    level: 'locking',
    why: 'Checking every row blocks reads and writes, and fails if a row violates the check.',
    safeWay: 'Add the constraint NOT VALID, and validate it in a second transaction.',
  },
  'add-foreign-key': {
    level: 'locking',
    why: 'Checking every row blocks writes to both tables, and fails if a row has no match.',
    safeWay: 'Add the constraint NOT VALID, and validate it in a second transaction.',
  },
  'add-index': {
    level: 'locking',
    why: 'Building the index blocks writes to the table.',
    safeWay: 'Use CREATE INDEX CONCURRENTLY, outside a transaction.',
  },
  'rename-table': {
    level: 'notice',
    why: 'A guess: the new table looks exactly like the dropped one. A rename keeps the rows but breaks code that uses the old name.',
    safeWay: 'Make sure that the migration says RENAME, and leave a view under the old name until nothing uses it.',
  },
  'rename-column': {
    level: 'notice',
    why: 'A guess: the new column has the type and position of the dropped one. A rename keeps the values but breaks code that uses the old name.',
    safeWay: 'Make sure that the migration says RENAME, or add the new column and keep both in sync for one release.',
  },
  'rename-enum-value': {
    level: 'notice',
    why: 'A guess: the new value is in the place of the removed one. A rename keeps the rows but breaks code that uses the old value.',
    safeWay: 'Make sure that the migration says RENAME VALUE, and deploy code that accepts both values first.',
  },
  'drop-index': {
    level: 'notice',
    why: 'Queries that rely on the index become slow.',
    safeWay: 'Check in the statistics that nothing uses it, and drop it CONCURRENTLY.',
  },
  'drop-constraint': {
    level: 'notice',
    why: 'New rows may violate what the constraint guaranteed.',
    safeWay: 'Make sure that the application no longer relies on it.',
  },
  'drop-foreign-key': {
    level: 'notice',
    why: 'New rows may refer to rows that do not exist, and deletes no longer cascade.',
    safeWay: 'Make sure that the application checks the reference itself.',
  },
  'drop-default': {
    level: 'notice',
    why: 'An INSERT that leaves the column out now stores NULL, or fails.',
    safeWay: 'Deploy code that always sets the column first.',
  },
  'drop-not-null': {
    level: 'notice',
    why: 'Code that reads the column may now find NULL.',
    safeWay: 'Deploy code that handles NULL first.',
  },
  'drop-identity': {
    level: 'notice',
    why: 'New rows no longer get a number by themselves.',
    safeWay: 'Deploy code that sets the column first.',
  },
  'drop-view': {
    level: 'notice',
    why: 'Queries that read the view fail.',
    safeWay: 'Stop reading the view in one release, and drop it in a later one.',
  },
  'drop-function': {
    level: 'notice',
    why: 'Queries, triggers and defaults that call it fail.',
    safeWay: 'Stop calling it in one release, and drop it in a later one.',
  },
  'drop-trigger': {
    level: 'notice',
    why: 'What the trigger did for each change no longer happens.',
    safeWay: 'Make sure that nothing relies on it.',
  },
  'disable-trigger': {
    level: 'notice',
    why: 'What the trigger did for each change no longer happens.',
    safeWay: 'Enable it again in the same migration.',
  },
  'set-unlogged': {
    level: 'notice',
    why: 'Rows are lost after a crash, and replicas do not have them.',
    safeWay: 'Keep it logged unless its rows can be made again.',
  },
  'drop-type': {
    level: 'notice',
    why: 'Casts, functions and code that use the type fail.',
    safeWay: 'Make sure that nothing uses it.',
  },
  'detach-partition': {
    level: 'notice',
    why: 'Queries on the partitioned table no longer find its rows.',
    safeWay: 'Use DETACH PARTITION CONCURRENTLY, and back the rows up before you drop it.',
  },
  'change-publication': {
    level: 'notice',
    why: 'Subscribers may miss changes, or get rows that they should not see.',
    safeWay: 'Change publication and subscription together, and refresh the subscription.',
  },
  'unknown-change': {
    level: 'notice',
    why: 'The review does not understand this statement, and compared it as text.',
    safeWay: 'Read the change in the diff.',
  },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof rules;

export const ruleNames = Object.keys(rules) as RuleName[];

/** A change that the review reports. */
export interface Finding {
  rule: RuleName;
  /** Its qualified name as SQL writes it: `public.users.email`. Text from outside. */
  object: string;
  /** What changed, as part of a sentence: `integer → smallint`. May be empty. Text from outside. */
  detail: string;
}

export function levelOf({ rule }: Pick<Finding, 'rule'>): Level {
  return rules[rule].level;
}
