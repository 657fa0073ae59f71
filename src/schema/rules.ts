/** The levels of findings, most serious first. */
export const levels = ['destructive', 'exposing', 'locking', 'notice'] as const;

export type Level = (typeof levels)[number];

interface Rule {
  level: Level;
  /** Which change it reports. */
  what: string;
  /** Why that matters. */
  why: string;
  /** How to make the change safely. */
  safeWay: string;
}

/** The rules of the schema review. `docs/schema-review.md` has a section for each. */
export const rules = {
  'drop-schema': {
    level: 'destructive',
    what: 'A schema is gone.',
    why: 'Everything in the schema is dropped with it.',
    safeWay: 'Move what is still needed to another schema, and drop the schema in a later release, without CASCADE.',
  },
  'drop-table': {
    level: 'destructive',
    what: 'A table is gone, or replaced by a foreign or a differently partitioned one. Not reported for partitions whose partitioned table is gone, too.',
    why: 'All rows of the table are lost.',
    safeWay: 'Stop using the table in one release, back it up, and drop it in a later one.',
  },
  'drop-column': {
    level: 'destructive',
    what: 'A column is gone from a table that is still there, or an attribute from a composite type. Or a generated column replaced the column.',
    why: "The column's values are lost, and code that still reads it fails.",
    safeWay: 'Stop reading and writing the column in one release, and drop it in a later one.',
  },
  'drop-materialized-view': {
    level: 'destructive',
    what: 'A materialized view is gone.',
    why: 'Its stored rows are lost, and queries that read it fail.',
    safeWay:
      'Stop reading it in one release, and drop it in a later one; it can be rebuilt only as long as its sources are there.',
  },
  'drop-sequence': {
    level: 'destructive',
    what: 'A sequence is gone. Not reported if it belongs to a column, such as a serial column.',
    why: 'Its current value is lost: a new sequence of that name may hand out numbers that are already in use.',
    safeWay: 'Drop it only when nothing calls `nextval` on it, and note its last value.',
  },
  'drop-extension': {
    level: 'destructive',
    what: 'An extension is gone.',
    why: 'Its types, functions and operators are dropped, and with CASCADE also every column of such a type.',
    safeWay: 'Drop or convert what uses the extension first, and drop it without CASCADE.',
  },
  'drop-enum-value': {
    level: 'destructive',
    what: 'A value is gone from an enum that is still there.',
    why: "Postgres can't remove a value from an enum, so the type is rebuilt, which fails on rows that have the value and rewrites the table.",
    safeWay: 'Leave the value in the type, and stop using it. If it has to go, update the rows first.',
  },
  'narrow-type': {
    level: 'destructive',
    what: 'A column now has a narrower type of the same kind, which cannot hold every old value: `bigint` → `integer`, `text` → `varchar(20)`, `timestamp` → `date`.',
    why: "Values that don't fit the new type are rejected, rounded or truncated.",
    safeWay: 'Check that all values fit. Then add a column of the new type, backfill it in batches, and switch over.',
  },
  'convert-type': {
    level: 'destructive',
    what: 'A column now has a type of a different kind: `text` → `integer`, `json` → `jsonb`, `timestamp` → `timestamp with time zone`. Or its type is now a domain with constraints.',
    why: 'Each value is converted, which fails, loses information, or depends on settings such as the time zone of the session.',
    safeWay:
      'Add a column of the new type, backfill and check it, switch over, and drop the old column in a later release.',
  },
  'set-not-null': {
    level: 'destructive',
    what: 'A column or a domain is now NOT NULL. Not reported as long as the constraint is NOT VALID.',
    why: 'The migration fails if a row has NULL in the column. Otherwise it reads the whole table, and blocks reads and writes.',
    safeWay:
      'Backfill, add `CHECK (column IS NOT NULL) NOT VALID`, validate it in a second transaction, then set NOT NULL, which reads no rows, and drop the check.',
  },
  'add-not-null-column': {
    level: 'destructive',
    what: 'A new column is NOT NULL and has no default, no identity and no generation expression.',
    why: 'Without a default, the migration fails if the table has rows.',
    safeWay: 'Add the column with a constant default. Or add it as nullable, backfill it, and set NOT NULL afterwards.',
  },
  'drop-policy': {
    level: 'exposing',
    what: 'A policy is gone. Not reported if another policy has the same definition.',
    why: 'Without a restrictive policy, roles can see and change more rows; without a permissive one, they may see none.',
    safeWay: 'Create its replacement in the same transaction, and test it with each role.',
  },
  'change-policy': {
    level: 'exposing',
    what: 'The roles, the command or an expression of a policy changed.',
    why: 'A role may see or change different rows than before.',
    safeWay: 'Test the new policy with each role before it reaches real data.',
  },
  'disable-rls': {
    level: 'exposing',
    what: 'Row-level security is off, or no longer forced for the owner.',
    why: 'Policies no longer restrict which rows a role can read and write.',
    safeWay: 'Keep row-level security on, and change the policies instead.',
  },
  grant: {
    level: 'exposing',
    what: 'A role, or PUBLIC, has more privileges on an existing object, or on objects that are created later.',
    why: 'A role gets a privilege that it did not have before.',
    safeWay: 'Grant only what the role needs, on the objects that it needs.',
  },
  'security-definer': {
    level: 'exposing',
    what: 'A function is now SECURITY DEFINER, a SECURITY DEFINER function no longer sets its `search_path`, or a view is no longer `security_invoker`.',
    why: "It runs with its owner's privileges instead of the caller's. Without a fixed `search_path`, callers can make such a function use their own objects.",
    safeWay: "Keep the caller's privileges. If you can't, set a fixed `search_path`, and revoke EXECUTE from PUBLIC.",
  },
  'change-owner': {
    level: 'exposing',
    what: 'The owner of an object changed.',
    why: 'The new owner has every privilege on the object, and bypasses row-level security unless it is forced.',
    safeWay: 'Grant the privileges that are needed instead.',
  },
  'rewrite-type': {
    level: 'locking',
    what: 'A column now has a type that holds every value but stores it differently: `integer` → `bigint`. Or a new column has a domain with constraints as its type.',
    why: 'Postgres rewrites the whole table and its indexes, and blocks reads and writes until it is done.',
    safeWay: 'Add a column of the new type, backfill it in batches, and switch over.',
  },
  'volatile-default': {
    level: 'locking',
    what: 'A new column is an identity column, or has a default that is computed for each row, such as `gen_random_uuid()`. Not reported for `now()`, which is the same for all rows.',
    why: 'Each existing row needs a value of its own, so Postgres rewrites the whole table, and blocks reads and writes until it is done.',
    safeWay:
      'Add the column without a default, then set the default, which only affects new rows, and backfill in batches.',
  },
  'stored-generated': {
    level: 'locking',
    what: 'A stored generated column is new, or its expression changed.',
    why: 'Postgres computes the value for each row and rewrites the whole table, and blocks reads and writes until it is done.',
    safeWay: 'Use a virtual generated column or a view, or a plain column that a trigger fills.',
  },
  'add-unique': {
    level: 'locking',
    what: 'A unique constraint or a unique index is new. Not reported for a constraint if it can use a unique index that already existed.',
    why: 'Building the index blocks writes (and reads, for a constraint), and fails if there are duplicates.',
    safeWay: 'Create a unique index CONCURRENTLY, then add the constraint USING INDEX.',
  },
  'add-primary-key': {
    level: 'locking',
    what: 'A primary key is new. Not reported if it can use a unique index that already existed.',
    why: 'Building the index blocks reads and writes, and fails if there are duplicates or NULLs.',
    safeWay:
      'Create a unique index CONCURRENTLY, set NOT NULL as described under `set-not-null`, then add the primary key USING INDEX.',
  },
  'add-exclusion': {
    level: 'locking',
    what: 'An exclusion constraint is new.',
    why: 'Building the index blocks reads and writes, and fails if rows conflict.',
    safeWay:
      'It cannot be added concurrently. Add it while the table is small, or copy the rows to a new table that has it.',
  },
  'add-check': {
    level: 'locking',
    what: 'A CHECK constraint on a table or a domain is new or was changed. Not reported as long as it is NOT VALID.',
    why: 'Postgres checks each row, and blocks reads and writes until it is done. It fails if a row violates the check.',
    safeWay:
      'Add the constraint NOT VALID, and validate it in a second transaction, which blocks neither reads nor writes.',
  },
  'add-foreign-key': {
    level: 'locking',
    what: 'A foreign key is new or was changed. Not reported as long as it is NOT VALID.',
    why: 'Postgres checks each row, and blocks writes to both tables until it is done. It fails if a row refers to one that does not exist.',
    safeWay:
      'Add the constraint NOT VALID, and validate it in a second transaction, which blocks neither reads nor writes.',
  },
  'add-index': {
    level: 'locking',
    what: 'A non-unique index is new or was changed. Not reported for a renamed index.',
    why: 'Building the index blocks writes to the table.',
    safeWay: 'Create the index CONCURRENTLY, which cannot run in a transaction.',
  },
  'rename-table': {
    level: 'notice',
    what: 'A table is gone, and exactly one new table has the same columns. Reported in addition to `drop-table`.',
    why: 'A guess: the new table has exactly the columns of the dropped one. Renaming keeps the rows, but breaks code that uses the old name.',
    safeWay: 'Check that the migration says RENAME, and keep a view with the old name until nothing uses it.',
  },
  'rename-column': {
    level: 'notice',
    what: 'A column is gone, and a new one with the same type is in its position. Reported in addition to `drop-column`.',
    why: 'A guess: the new column has the type and the position of the dropped one. Renaming keeps the values, but breaks code that uses the old name.',
    safeWay:
      'Check that the migration says RENAME. For a change without downtime, add a column instead, and write to both for one release.',
  },
  'rename-enum-value': {
    level: 'notice',
    what: 'A value of an enum is gone, and a new one is in its place. Reported in addition to `drop-enum-value`.',
    why: 'A guess: the new value is in the place of the removed one. Renaming keeps the rows, but breaks code that uses the old value.',
    safeWay: 'Check that the migration says RENAME VALUE, and first deploy code that knows both values.',
  },
  'drop-index': {
    level: 'notice',
    what: 'An index is gone. Not reported if another index covers the same, if a constraint uses it now, or if its column is gone, too.',
    why: 'Queries that use the index become slower.',
    safeWay: 'Check in `pg_stat_user_indexes` that nothing uses it, and drop it CONCURRENTLY.',
  },
  'drop-constraint': {
    level: 'notice',
    what: 'A CHECK constraint, a unique constraint, a primary key or an exclusion constraint of a table, or a CHECK constraint on a domain, is gone or was changed. Or a column no longer has a domain with constraints. Not reported if its column is gone, too.',
    why: 'New rows may violate what the constraint guaranteed.',
    safeWay: 'Check that no code relies on it.',
  },
  'drop-foreign-key': {
    level: 'notice',
    what: 'A foreign key is gone or was changed. Not reported if its column is gone, too.',
    why: 'New rows may refer to rows that do not exist, and deletes no longer cascade.',
    safeWay: 'Check that the application itself keeps the references intact.',
  },
  'drop-default': {
    level: 'notice',
    what: 'A column or a domain no longer has a default, or a column is no longer generated.',
    why: 'An INSERT without the column now stores NULL, or fails.',
    safeWay: 'First deploy code that always sets the column.',
  },
  'drop-not-null': {
    level: 'notice',
    what: 'A column or a domain can now be NULL.',
    why: 'Code that reads the column may now find NULL.',
    safeWay: 'First deploy code that handles NULL.',
  },
  'drop-identity': {
    level: 'notice',
    what: 'A column is no longer an identity column.',
    why: 'New rows no longer get a number automatically, and an INSERT without the column fails.',
    safeWay: 'First deploy code that sets the column.',
  },
  'drop-view': {
    level: 'notice',
    what: 'A view is gone.',
    why: 'Queries that read the view fail.',
    safeWay: 'Stop reading the view in one release, and drop it in a later one.',
  },
  'drop-function': {
    level: 'notice',
    what: 'A function, a procedure or an aggregate is gone, or its arguments or its result changed.',
    why: 'Queries, triggers and code that call it fail.',
    safeWay: 'Stop calling it in one release, and drop it in a later one.',
  },
  'drop-trigger': {
    level: 'notice',
    what: 'A trigger is gone or was changed.',
    why: 'What the trigger did on each change no longer happens.',
    safeWay: 'Check that nothing relies on it.',
  },
  'disable-trigger': {
    level: 'notice',
    what: 'A trigger, an event trigger or a rule is disabled, or only fires on a replica.',
    why: 'What the trigger did on each change is no longer done.',
    safeWay: 'Enable it again in the same migration, or drop it.',
  },
  'set-unlogged': {
    level: 'notice',
    what: 'A table is now UNLOGGED.',
    why: 'After a crash the table is empty, and replicas do not have its rows. The change itself rewrites the table.',
    safeWay: 'Keep the table logged unless its rows can be recreated.',
  },
  'drop-type': {
    level: 'notice',
    what: 'An enum, a domain or another type is gone.',
    why: 'Casts, functions and code that use the type fail.',
    safeWay: 'Check that nothing uses it.',
  },
  'detach-partition': {
    level: 'notice',
    what: 'A table is no longer a partition of its partitioned table, or no longer inherits from its parent.',
    why: 'Queries on the partitioned table no longer find its rows.',
    safeWay: 'Use DETACH PARTITION CONCURRENTLY, and keep the table until you have a backup of it.',
  },
  'change-publication': {
    level: 'notice',
    what: 'A publication is gone, or what it publishes changed.',
    why: 'Subscribers may miss changes, or get rows that they should not see.',
    safeWay: 'Change the publication and the subscription together, and refresh the subscription.',
  },
  'unknown-change': {
    level: 'notice',
    what: "A statement that the review doesn't understand is new, gone or changed; or one about a kind of object that it doesn't compare, such as a foreign server, is gone or changed.",
    why: 'The review can only compare this kind of statement as text.',
    safeWay: 'Read the change in the schema diff.',
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
