import type { RuleName } from './rules.ts';

interface RuleTexts {
  /** Which change the rule reports. */
  what: string;
  /** Why that matters: only in the report. */
  why: string;
  /** When it isn't reported, and the like. */
  note?: string;
  /** How to make it more safely. */
  safer: string;
}

const takenOver = 'Not reported if it takes over a unique index of its name.';
const lastUse = 'Drop it one release after its last use.';
const switchOver = 'Add a column of the new type, backfill it in batches, and switch over.';
const rewrites = 'Postgres rewrites the table, blocking reads and writes.';
const oldName = 'Code that uses the old name fails.';
const setColumn = 'First deploy code that always sets the column.';
const eachRole = 'Test it with each role.';

/** What the report and the documents say of each rule. A file of its own, because every step loads the names of the rules. */
export const ruleTexts: Record<RuleName, RuleTexts> = {
  'drop-schema': {
    what: 'A schema that had tables or materialized views is gone.',
    why: 'Everything in it is lost.',
    safer: 'First move what is still needed, and drop it without CASCADE.',
  },
  'drop-table': {
    what: 'A table is gone, or was dropped and created again.',
    why: 'Its rows are lost.',
    safer: 'Back it up, and drop it one release after its last use.',
  },
  'drop-column': {
    what: 'A column is gone, was dropped and added again, or is now generated; or a composite type lost an attribute.',
    why: 'Its values are lost, and code that uses it fails.',
    safer: lastUse,
  },
  'drop-materialized-view': {
    what: 'A materialized view is gone.',
    why: 'Its rows are lost, and queries that read it fail.',
    safer: lastUse,
  },
  'drop-sequence': {
    what: 'A sequence that belongs to no column is gone.',
    why: 'A new sequence of that name may reuse numbers.',
    safer: 'Note its last value.',
  },
  'drop-extension': {
    what: 'An extension is gone.',
    why: 'With CASCADE, all columns of its types are lost, too.',
    safer: 'First drop or convert what uses it.',
  },
  'drop-enum-value': {
    what: 'An enum lost a value.',
    why: 'Postgres rewrites the tables that use the enum, and fails if a row has the value.',
    safer: 'Keep the value, or update the rows first.',
  },
  'narrow-type': {
    what: 'A column has a narrower type, such as `integer` instead of `bigint`, or `varchar(20)` instead of `text`.',
    why: "Values that don't fit are rejected, rounded or cut.",
    safer: switchOver,
  },
  'convert-type': {
    what: 'A column has a type of a different kind, such as `integer` instead of `text`.',
    why: 'Converting its values may fail, or lose information.',
    safer: switchOver,
  },
  'drop-policy': {
    what: 'A policy is gone, and no other has its definition.',
    why: 'Without a restrictive policy, roles see and change more rows; without a permissive one, fewer.',
    safer: 'Create its replacement in the same transaction.',
  },
  'change-policy': {
    what: 'The roles, command or expressions of a policy changed.',
    why: 'Roles may see or change different rows than before.',
    safer: eachRole,
  },
  'add-policy': {
    what: 'An existing table has a new permissive policy.',
    why: 'Permissive policies are combined with OR, so roles may see or change more rows.',
    note: 'Not reported if row-level security was enabled at the same time.',
    safer: 'Test what each role sees. To restrict access, create it AS RESTRICTIVE.',
  },
  'disable-rls': {
    what: 'Row-level security is off, or no longer forced for the owner.',
    why: 'Policies no longer restrict anyone, or not the owner.',
    safer: 'Keep row-level security on, and change the policies instead.',
  },
  grant: {
    what: 'A role, or PUBLIC, has more privileges on an existing object, or on objects created later.',
    why: 'The role can do more than before.',
    safer: 'Grant only what the role needs.',
  },
  'security-definer': {
    what: 'A function is now SECURITY DEFINER; or one that is has another `search_path`, or is new without one.',
    why: "It runs with its owner's privileges; without a fixed `search_path`, callers can make it use their own objects.",
    safer: "Let it run with the caller's privileges, or set a fixed `search_path`.",
  },
  'change-owner': {
    what: 'An object has a different owner.',
    why: 'The new owner has every privilege, and bypasses row-level security unless that is forced.',
    safer: 'Grant the privileges that are needed instead.',
  },
  'table-without-rls': {
    what: 'A new table without row-level security is granted to others, in a schema whose other granted tables all have it.',
    why: 'These roles see and change every row.',
    safer: 'Enable row-level security, and add policies, in the same migration.',
  },
  'view-security': {
    what: 'A view lost `security_invoker`, `security_barrier` or its check option.',
    why: "It may show rows that the caller must not see, or accept rows that it doesn't show.",
    safer: 'Keep the option: CREATE OR REPLACE VIEW resets what it leaves out.',
  },

  'rename-table': {
    what: 'A table was renamed.',
    why: oldName,
    safer: 'Keep a view with the old name until nothing uses it.',
  },
  'rename-column': {
    what: 'A column was renamed.',
    why: oldName,
    safer: 'Add a column instead, write to both, and drop the old one a release later.',
  },
  'rename-enum-value': {
    what: 'An enum value was renamed.',
    why: 'Code that uses the old value fails.',
    safer: 'First deploy code that knows both values.',
  },
  'drop-view': {
    what: 'A view is gone.',
    why: 'Queries that read it fail.',
    safer: lastUse,
  },
  'change-view': {
    what: 'A view lost a column, or a column has a different type.',
    why: 'Queries that read the column fail, or get a different type.',
    safer: 'Add new columns at the end; drop old ones a release later.',
  },
  'drop-function': {
    what: 'A function, procedure or aggregate is gone.',
    why: 'Whatever calls it fails.',
    safer: lastUse,
  },
  'change-function': {
    what: 'A function takes different arguments, or other names for them, or returns something else.',
    why: 'Calls fail, or get something else; the Data API calls functions by the names of their arguments.',
    note: 'Not reported if new arguments have defaults.',
    safer: 'Create a function with another name, and drop the old one a release later.',
  },
  'drop-type': {
    what: 'An enum, domain or other type is gone or was renamed.',
    why: 'Casts, functions and code that use it fail.',
    safer: lastUse,
  },
  'drop-default': {
    what: 'A column or domain lost its default, or a column is no longer generated.',
    why: 'An INSERT that leaves out the column now stores NULL, or fails.',
    safer: setColumn,
  },
  'drop-identity': {
    what: 'A column is no longer an identity column.',
    why: 'An INSERT that leaves out the column fails, or stores NULL.',
    safer: setColumn,
  },
  'change-identity': {
    what: 'An identity column is now GENERATED ALWAYS instead of BY DEFAULT.',
    why: 'An INSERT that sets the column fails.',
    safer: 'First deploy code that leaves out the column.',
  },
  'set-not-null': {
    what: 'A column or domain is now NOT NULL.',
    why: 'Writes of NULL fail. SET NOT NULL scans the table, blocking reads and writes (for a domain, only writes), and fails if a row has NULL.',
    note: 'Not reported while NOT VALID, or if a validated CHECK already rejected NULL.',
    safer:
      'First deploy code that always sets the column. Fill in old rows, add `CHECK (column IS NOT NULL) NOT VALID`, and validate it in a second transaction: SET NOT NULL then needs no scan.',
  },
  'add-not-null-column': {
    what: 'A new column is NOT NULL, without a default, identity or generation expression.',
    why: 'An INSERT that leaves out the column fails. If old rows are filled first, SET NOT NULL scans the table, blocking reads and writes.',
    safer: 'Give it a lasting default (in Django, `db_default`), or set NOT NULL later.',
  },
  'change-sequence': {
    what: 'A sequence has a smaller range, or no longer belongs to a column.',
    why: 'It runs out of numbers earlier, or stays when the column is dropped.',
    safer: 'Keep its range, and keep it OWNED BY its column.',
  },
  revoke: {
    what: 'A role, or PUBLIC, lost privileges on an object.',
    why: 'Its statements fail with `permission denied`.',
    safer: 'First deploy code that does without them.',
  },
  'enable-rls': {
    what: 'Row-level security is on for an existing table, or now forced for its owner.',
    why: 'Roles see and change only rows that a policy allows; without a policy, none.',
    safer: 'Create the policies in the same migration, and test them with each role.',
  },
  'restrictive-policy': {
    what: 'An existing table has a new restrictive policy.',
    why: 'Its roles no longer see and change rows that it does not allow.',
    safer: eachRole,
  },

  'rewrite-type': {
    what: 'A column has a type that stores its values differently, such as `bigint` instead of `integer`, or an enum, a domain or JSON instead of `text`; its collation or enum order changed; or a new column has a domain with constraints.',
    why: "Postgres rewrites the table and its indexes, blocking reads and writes, and fails if a value doesn't fit, or a unique index gets duplicates.",
    note: "If the session's time zone is UTC, adding or removing a time zone rewrites nothing.",
    safer: switchOver,
  },
  'volatile-default': {
    what: 'A new column is an identity column, or has a default that is computed for each row, such as `gen_random_uuid()` (but not `now()`).',
    why: rewrites,
    safer: 'Add the column first, then set the default, and backfill old rows in batches.',
  },
  'stored-generated': {
    what: 'A stored generated column is new, or has a different expression.',
    why: rewrites,
    safer: 'Use a view, a trigger, or, from Postgres 18 on, a virtual generated column.',
  },
  'add-unique': {
    what: 'A unique constraint or index is new or changed.',
    why: 'Building it fails on duplicates; for a constraint, it blocks reads and writes.',
    note: takenOver,
    safer: 'Create a unique index CONCURRENTLY (on each partition), then add the constraint USING INDEX.',
  },
  'add-primary-key': {
    what: 'A primary key is new or changed.',
    why: 'Building the index blocks reads and writes, and fails on duplicates and NULLs.',
    note: takenOver,
    safer: 'Set NOT NULL (see `set-not-null`), create a unique index CONCURRENTLY, and add the key USING INDEX.',
  },
  'add-exclusion': {
    what: 'An exclusion constraint is new or changed.',
    why: 'Building the index blocks reads and writes, and fails on conflicting rows.',
    safer: 'Add it while the table is small.',
  },
  'add-check': {
    what: 'A CHECK constraint on a table or domain is new or changed, and not NOT VALID.',
    why: 'Postgres checks each row, blocking reads and writes (for a domain, only writes), and fails if one violates it.',
    safer:
      'Add it NOT VALID, and validate it in a second transaction. On a table, that blocks neither reads nor writes.',
  },
  'add-foreign-key': {
    what: 'A foreign key is new or changed, and not NOT VALID.',
    why: 'Postgres reads the whole table, blocking writes to both tables, and fails if a row refers to a missing one.',
    safer:
      'Add it NOT VALID (on a partitioned table, from Postgres 18 on), and validate it in a second transaction, which blocks neither reads nor writes. For a new column, `ADD COLUMN … REFERENCES` reads nothing.',
  },
  'add-index': {
    what: 'A non-unique index is new or changed.',
    why: 'Building it reads the whole table.',
    safer: 'Create it CONCURRENTLY, outside a transaction; on a partitioned table, ON ONLY it, then on each partition.',
  },
  'attach-partition': {
    what: 'A table is now a partition, or a partitioned table with a default partition has a new one.',
    why: 'Postgres reads the table and the default partition, blocking reads and writes of both, and fails if a row is in the wrong place.',
    note: 'Also reported if a CHECK saves the scan.',
    safer: 'First add a CHECK that implies the bounds to both, NOT VALID, and validate it: that saves the scan.',
  },
  'set-logged': {
    what: 'A table is no longer UNLOGGED.',
    why: rewrites,
    safer: 'Copy the rows to a new table in batches, and switch over.',
  },

  'foreign-key-without-index': {
    what: 'An existing table has a foreign key on other columns than before, and no index begins with them.',
    why: 'Postgres reads the whole table whenever a referenced row is deleted or its key changes.',
    safer: 'Create such an index CONCURRENTLY, outside a transaction.',
  },
  'drop-index': {
    what: 'An index is gone, but not all of its columns, and no other took its place.',
    why: 'Queries become slower; if it was unique, duplicates are accepted.',
    safer: 'Check `pg_stat_user_indexes`, and drop it CONCURRENTLY.',
  },
  'drop-constraint': {
    what: "A CHECK, unique, primary key or exclusion constraint is gone, but not all of its columns; or a column's type is no longer a domain with constraints.",
    why: 'Rows may violate what it guaranteed.',
    safer: 'Check that no code relies on it.',
  },
  'drop-foreign-key': {
    what: 'A foreign key is gone, but not all of its columns.',
    why: "Rows may refer to rows that don't exist; deletes of these are neither rejected nor cascaded.",
    safer: 'Check that the application keeps references intact.',
  },
  'drop-not-null': {
    what: 'A column or domain is now nullable.',
    why: 'Code that reads the column may find NULL.',
    safer: 'First deploy code that handles NULL.',
  },
  'drop-trigger': {
    what: 'A trigger is gone or changed.',
    why: 'Its effect no longer happens, or is different.',
    safer: 'Check that nothing relies on it.',
  },
  'disable-trigger': {
    what: 'A trigger, event trigger or rule is disabled, or only fires on a replica.',
    why: 'Its effect no longer happens.',
    safer: 'Enable it again in the same migration, or drop it.',
  },
  'set-unlogged': {
    what: 'A table is now UNLOGGED.',
    why: 'After a crash it is empty, and replicas never have its rows.',
    safer: 'Keep it logged unless its rows can be recreated.',
  },
  'detach-partition': {
    what: 'A table is no longer a partition, or no longer inherits from its parent.',
    why: 'Queries on the parent table no longer return its rows.',
    safer: 'Detach it CONCURRENTLY.',
  },
  'change-publication': {
    what: 'A publication is gone, or what it publishes changed.',
    why: 'Subscribers may miss changes, or get more than they should.',
    safer: 'Change the subscription, too, and refresh it.',
  },
  'unknown-change': {
    what: "A statement that the parser doesn't know has changed; or one about an object without rules, such as a foreign server, is gone or changed.",
    why: 'Such statements are only compared as text.',
    safer: 'Review the statement yourself.',
  },
};
