/** The levels of findings, most serious first. */
export const levels = ['destructive', 'exposing', 'breaking', 'locking', 'notice'] as const;

export type Level = (typeof levels)[number];

interface Rule {
  level: Level;
  /** Which change it reports. */
  what: string;
  /** Why that matters. */
  why: string;
  /** How to make the change more safely. */
  safer: string;
}

/** The rules of the schema review. `docs/schema-review.md` has a section for each. */
export const rules = {
  'drop-schema': {
    level: 'destructive',
    what: 'A schema is gone.',
    why: 'Everything in the schema is dropped with it.',
    safer: 'Move what is still needed to another schema, and drop the schema in a later release, without CASCADE.',
  },
  'drop-table': {
    level: 'destructive',
    what: 'A table is gone, or replaced by a foreign or a differently partitioned one. Not reported if the schemas prove that it was renamed, nor for partitions whose partitioned table is gone, too.',
    why: 'All rows of the table are lost.',
    safer: 'Stop using the table in one release, back it up, and drop it in a later one.',
  },
  'drop-column': {
    level: 'destructive',
    what: 'A column is gone from a table that is still there, or was dropped and added again; or an attribute is gone from a composite type; or a generated column replaced the column. Not reported if the schemas prove that it was renamed.',
    why: "The column's values are lost, and code that still reads it fails.",
    safer: 'Stop reading and writing the column in one release, and drop it in a later one.',
  },
  'drop-materialized-view': {
    level: 'destructive',
    what: 'A materialized view is gone.',
    why: 'Its stored rows are lost, and queries that read it fail.',
    safer:
      'Stop reading it in one release, and drop it in a later one; it can be rebuilt only while its sources are there.',
  },
  'drop-sequence': {
    level: 'destructive',
    what: 'A sequence is gone. Not reported if it belongs to a column, such as a serial column.',
    why: 'Its current value is lost: a new sequence of that name may hand out numbers that are already in use.',
    safer: 'Drop it only when nothing calls `nextval` on it, and note its last value.',
  },
  'drop-extension': {
    level: 'destructive',
    what: 'An extension is gone.',
    why: 'Its types, functions and operators are dropped, and with CASCADE also every column of such a type.',
    safer: 'Drop or convert what uses the extension first, and drop it without CASCADE.',
  },
  'drop-enum-value': {
    level: 'destructive',
    what: 'A value is gone from an enum that is still there. Not reported if the schemas prove that it was renamed.',
    why: "Postgres can't remove a value from an enum, so the type is rebuilt, which fails on rows that have the value and rewrites the tables that use it.",
    safer: 'Leave the value in the type, and stop using it. If it has to go, update the rows first.',
  },
  'narrow-type': {
    level: 'destructive',
    what: 'A column now has a narrower type of the same kind, which cannot hold every old value: `bigint` → `integer`, `text` → `varchar(20)`, `timestamp` → `date`.',
    why: "Values that don't fit the new type are rejected, rounded or truncated.",
    safer: 'Check that all values fit. Then add a column of the new type, backfill it in batches, and switch over.',
  },
  'convert-type': {
    level: 'destructive',
    what: 'A column now has a type of a different kind: `text` → `integer`, `json` → `jsonb`. Or its type is now a domain with constraints.',
    why: 'Each value is converted, which fails, loses information, or depends on settings.',
    safer:
      'Add a column of the new type, backfill and check it, switch over, and drop the old column in a later release.',
  },
  'drop-policy': {
    level: 'exposing',
    what: 'A policy is gone. Not reported if another policy has the same definition.',
    why: 'Without a restrictive policy, roles can see and change more rows; without a permissive one, they may see none.',
    safer: 'Create its replacement in the same transaction, and test it with each role.',
  },
  'change-policy': {
    level: 'exposing',
    what: 'The roles, the command or an expression of a policy changed.',
    why: 'A role may see or change different rows than before.',
    safer: 'Test the new policy with each role before it reaches real data.',
  },
  'add-policy': {
    level: 'exposing',
    what: 'A permissive policy is new on a table that existed. Not reported if row-level security is new on the table, too: the policy then restricts what everyone saw before.',
    why: 'Permissive policies are combined with OR, so a role may see or change more rows than before.',
    safer: 'Test with each role what it can see now. If the policy is meant to restrict, make it AS RESTRICTIVE.',
  },
  'disable-rls': {
    level: 'exposing',
    what: 'Row-level security is off, or no longer forced for the owner.',
    why: 'Policies no longer restrict which rows a role can read and write.',
    safer: 'Keep row-level security on, and change the policies instead.',
  },
  grant: {
    level: 'exposing',
    what: 'A role, or PUBLIC, has more privileges on an existing object, or on objects that are created later.',
    why: 'A role gets a privilege that it did not have before.',
    safer: 'Grant only what the role needs, on the objects that it needs.',
  },
  'security-definer': {
    level: 'exposing',
    what: 'A function is now SECURITY DEFINER, or such a function has no `search_path` of its own or another one than before; or a view is no longer `security_invoker`. A new function is only reported without a `search_path`.',
    why: "It runs with its owner's privileges instead of the caller's. Without a fixed `search_path`, callers can make such a function use their own objects.",
    safer: "Keep the caller's privileges. If you can't, set a fixed `search_path`, and revoke EXECUTE from PUBLIC.",
  },
  'change-owner': {
    level: 'exposing',
    what: 'The owner of an object changed.',
    why: 'The new owner has every privilege on the object, and bypasses row-level security unless it is forced.',
    safer: 'Grant the privileges that are needed instead.',
  },
  'rename-table': {
    level: 'breaking',
    what: 'A table has another name. The names of its constraints, indexes or sequences, which stay when a table is renamed, prove it.',
    why: 'Code of the previous version uses the old name, and fails.',
    safer: 'Keep a view with the old name until nothing uses it.',
  },
  'rename-column': {
    level: 'breaking',
    what: 'A column has another name. Its place in the table proves it, because new columns are always added at the end; or the indexes and constraints on it do.',
    why: 'Code of the previous version uses the old name, and fails.',
    safer: 'Add a column instead, write to both for one release, and drop the old one in a later release.',
  },
  'rename-enum-value': {
    level: 'breaking',
    what: 'A value of an enum has another name. Its place proves it, because new values are added at the end, unless it is the last one.',
    why: 'Code of the previous version compares with the old value, or writes it, and fails.',
    safer: 'First deploy code that knows both values.',
  },
  'drop-view': {
    level: 'breaking',
    what: 'A view is gone.',
    why: 'Queries of the previous version that read the view fail.',
    safer: 'Stop reading the view in one release, and drop it in a later one.',
  },
  'change-view': {
    level: 'breaking',
    what: 'A view no longer has a column, or one of its columns has another type.',
    why: 'Queries of the previous version that read the column fail, or get values of another type.',
    safer: 'Add new columns at the end of the view, and drop the old ones in a later release. Or create a second view.',
  },
  'drop-function': {
    level: 'breaking',
    what: 'A function, a procedure or an aggregate is gone.',
    why: 'Queries, triggers and code of the previous version that call it fail.',
    safer: 'Stop calling it in one release, and drop it in a later one.',
  },
  'change-function': {
    level: 'breaking',
    what: 'A function takes other arguments, or returns another type or other columns. Not reported if the calls of the previous version still work, because the new arguments have defaults.',
    why: "Calls of the previous version fail, or get a result that they don't expect.",
    safer: 'Create a function with another name, and drop the old one in a later release.',
  },
  'drop-type': {
    level: 'breaking',
    what: 'An enum, a domain or another type is gone, or has another name.',
    why: 'Casts, functions and code of the previous version that use the type fail.',
    safer: 'Stop using it in one release, and drop it in a later one.',
  },
  'drop-default': {
    level: 'breaking',
    what: 'A column or a domain no longer has a default, or a column is no longer generated.',
    why: 'An INSERT of the previous version that leaves out the column now stores NULL, or fails.',
    safer: 'First deploy code that always sets the column.',
  },
  'drop-identity': {
    level: 'breaking',
    what: 'A column is no longer an identity column.',
    why: 'New rows no longer get a number automatically: an INSERT of the previous version, which leaves out the column, fails.',
    safer: 'First deploy code that sets the column.',
  },
  'change-identity': {
    level: 'breaking',
    what: 'An identity column is now GENERATED ALWAYS instead of BY DEFAULT.',
    why: 'An INSERT of the previous version that sets the column fails.',
    safer: 'First deploy code that leaves the column out, or says OVERRIDING SYSTEM VALUE.',
  },
  'set-not-null': {
    level: 'breaking',
    what: 'A column or a domain is now NOT NULL. Not reported while the constraint is NOT VALID, nor if a validated CHECK already refused NULL.',
    why: 'An INSERT or UPDATE of the previous version that leaves the column NULL fails. Setting it reads the whole table, and blocks reads and writes meanwhile.',
    safer:
      'First deploy code that always sets the column. Then add `CHECK (column IS NOT NULL) NOT VALID`, validate it in a second transaction, set NOT NULL, which then reads no rows, and drop the check.',
  },
  'add-not-null-column': {
    level: 'breaking',
    what: 'A new column is NOT NULL and has no default, no identity and no generation expression.',
    why: "An INSERT of the previous version, which doesn't know the column, fails.",
    safer: 'Add the column with a default, or as nullable, and set NOT NULL once all code sets it.',
  },
  'change-sequence': {
    level: 'breaking',
    what: 'A sequence has a smaller range than before, or no longer belongs to a column.',
    why: 'It runs out of numbers earlier. Without its owner, it stays behind when the column is dropped.',
    safer: "Check the sequence's current value. Keep the range as large as the column's type allows.",
  },
  'rewrite-type': {
    level: 'locking',
    what: 'A column now has a type that holds every value but stores it differently: `integer` → `bigint`, `timestamp` → `timestamp with time zone`. Or the values of its enum are in another order. Or a new column has a domain with constraints as its type.',
    why: 'Postgres rewrites the whole table and its indexes, and blocks reads and writes until it is done. Between types with and without a time zone, what a value becomes depends on the time zone of the session.',
    safer: 'Add a column of the new type, backfill it in batches, and switch over.',
  },
  'volatile-default': {
    level: 'locking',
    what: 'A new column is an identity column, or has a default that is computed for each row, such as `gen_random_uuid()`. Not reported for `now()`, which is the same for all rows.',
    why: 'Each existing row needs a value of its own, so Postgres rewrites the whole table, and blocks reads and writes until it is done.',
    safer:
      'Add the column without a default, then set the default, which only affects new rows, and backfill in batches.',
  },
  'stored-generated': {
    level: 'locking',
    what: 'A stored generated column is new, or its expression changed.',
    why: 'Postgres computes the value for each row and rewrites the whole table, and blocks reads and writes until it is done.',
    safer: 'Use a virtual generated column or a view, or a plain column that a trigger fills.',
  },
  'add-unique': {
    level: 'locking',
    what: 'A unique constraint or a unique index is new or was changed. Not reported for a constraint that uses a unique index that already existed.',
    why: 'Building the index blocks writes (and reads, for a constraint), and fails if there are duplicates. From then on, writes of the previous version that repeat a value fail.',
    safer: 'Create a unique index CONCURRENTLY, then add the constraint USING INDEX.',
  },
  'add-primary-key': {
    level: 'locking',
    what: 'A primary key is new or was changed. Not reported if it uses a unique index that already existed.',
    why: 'Building the index blocks reads and writes, and fails if there are duplicates or NULLs. From then on, writes that repeat a value or leave it NULL fail.',
    safer:
      'Create a unique index CONCURRENTLY, set NOT NULL as described under `set-not-null`, then add the primary key USING INDEX.',
  },
  'add-exclusion': {
    level: 'locking',
    what: 'An exclusion constraint is new or was changed.',
    why: 'Building the index blocks reads and writes, and fails if rows conflict. From then on, writes that conflict with a row fail.',
    safer:
      'It cannot be added concurrently. Add it while the table is small, or copy the rows to a new table that has it.',
  },
  'add-check': {
    level: 'locking',
    what: 'A CHECK constraint on a table or a domain is new or was changed. Not reported while it is NOT VALID.',
    why: 'Postgres checks each row, and blocks reads and writes until it is done. It fails if a row violates the check, and so do writes of the previous version that violate it from then on.',
    safer:
      'Add the constraint NOT VALID, and validate it in a second transaction, which blocks neither reads nor writes.',
  },
  'add-foreign-key': {
    level: 'locking',
    what: 'A foreign key is new or was changed. Not reported while it is NOT VALID, nor if its columns are new and nullable: they refer to nothing yet.',
    why: 'Postgres checks each row, and blocks writes to both tables until it is done. It fails if a row refers to one that does not exist, and so do writes of the previous version from then on.',
    safer:
      'Add the constraint NOT VALID, and validate it in a second transaction, which blocks neither reads nor writes.',
  },
  'add-index': {
    level: 'locking',
    what: 'A non-unique index is new or was changed. Not reported for a renamed index, nor for one ON ONLY a partitioned table, which is empty.',
    why: 'Building the index blocks writes to the table.',
    safer: 'Create the index CONCURRENTLY, which cannot run in a transaction.',
  },
  'changed-on-both': {
    level: 'notice',
    what: 'The branch has changed an object, and its parent has changed it, too, since the branch was made. Only reported if the base is the fork point.',
    why: 'The migrations of both were never run one after the other: the second may fail, or undo the first.',
    safer: 'Reset the branch, and run the migrations again.',
  },
  'foreign-key-without-index': {
    level: 'notice',
    what: 'A foreign key is new on a table that existed, and no index begins with its columns.',
    why: 'Postgres reads the whole table whenever a referenced row is deleted or its key changes.',
    safer: 'Create an index on the columns CONCURRENTLY.',
  },
  'drop-index': {
    level: 'notice',
    what: 'An index is gone. Not reported if another index covers the same, if a constraint uses it now, or if all of its columns are gone, too.',
    why: 'Queries that use the index become slower. Without a unique index, duplicates are no longer refused.',
    safer: 'Check in `pg_stat_user_indexes` that nothing uses it, and drop it CONCURRENTLY.',
  },
  'drop-constraint': {
    level: 'notice',
    what: 'A CHECK constraint, a unique constraint, a primary key or an exclusion constraint of a table, or a CHECK constraint on a domain, is gone; also because one of its columns is. Or a column no longer has a domain with constraints. Not reported if all of its columns are gone.',
    why: 'New rows may violate what the constraint guaranteed.',
    safer: 'Check that no code relies on it.',
  },
  'drop-foreign-key': {
    level: 'notice',
    what: 'A foreign key is gone. Not reported if all of its columns are gone, too.',
    why: 'New rows may refer to rows that do not exist, and deletes no longer cascade.',
    safer: 'Check that the application itself keeps the references intact.',
  },
  'drop-not-null': {
    level: 'notice',
    what: 'A column or a domain can now be NULL.',
    why: 'Code that reads the column may now find NULL.',
    safer: 'First deploy code that handles NULL.',
  },
  'drop-trigger': {
    level: 'notice',
    what: 'A trigger is gone or was changed.',
    why: 'What the trigger did on each change no longer happens.',
    safer: 'Check that nothing relies on it.',
  },
  'disable-trigger': {
    level: 'notice',
    what: 'A trigger, an event trigger or a rule is disabled, or only fires on a replica.',
    why: 'What the trigger did on each change is no longer done.',
    safer: 'Enable it again in the same migration, or drop it.',
  },
  'set-unlogged': {
    level: 'notice',
    what: 'A table is now UNLOGGED.',
    why: 'After a crash the table is empty, and replicas do not have its rows. The change itself rewrites the table.',
    safer: 'Keep the table logged unless its rows can be recreated.',
  },
  'detach-partition': {
    level: 'notice',
    what: 'A table is no longer a partition of its partitioned table, or no longer inherits from its parent.',
    why: 'Queries on the partitioned table no longer find its rows.',
    safer: 'Use DETACH PARTITION CONCURRENTLY, and keep the table until you have a backup of it.',
  },
  'change-publication': {
    level: 'notice',
    what: 'A publication is gone, or what it publishes changed.',
    why: 'Subscribers may miss changes, or get rows that they should not see.',
    safer: 'Change the publication and the subscription together, and refresh the subscription.',
  },
  'unknown-change': {
    level: 'notice',
    what: "A statement that the review doesn't understand is new, gone or changed; or one about a kind of object that it doesn't compare, such as a foreign server, is gone or changed.",
    why: 'The review can only compare this kind of statement as text.',
    safer: 'Read the change in the schema diff.',
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
