import type { Expression } from './tree.ts';
import type { Type } from './type.ts';

/** What the review knows of a schema. Every name is qualified and written as SQL writes it. */
export class Schema {
  /** Whether it has the names of NOT NULL constraints: before version 18, they had none. */
  namesNotNull = true;
  readonly schemas = new Set<string>();
  readonly extensions = new Set<string>();
  readonly tables = new Map<string, Table>();
  readonly views = new Map<string, View>();
  readonly materializedViews = new Set<string>();
  readonly sequences = new Map<string, Sequence>();
  /** By name; those of constraints are not among them. */
  readonly indexes = new Map<string, Index>();
  /** The values of each enum, in order. */
  readonly enums = new Map<string, string[]>();
  readonly domains = new Map<string, Domain>();
  /** Composite and range types, and the like, each with the types of its attributes. */
  readonly types = new Map<string, Map<string, Type>>();
  /** Functions, procedures and aggregates, by name with the types of the arguments: `public.f(integer)`. */
  readonly functions = new Map<string, Routine>();
  /** What each publication's statements say, in any order. */
  readonly publications = new Map<string, Set<string>>();
  /** By the key of the object. */
  readonly owners = new Map<string, { on: Securable; role: string }>();
  /** What each role may do, by the key of the object. */
  readonly grants = new Map<string, { on: Securable; roles: Map<string, Set<string>> }>();
  /** Those that are disabled, or only fire on a replica. */
  readonly disabledEventTriggers = new Set<string>();
  /** Other statements, with the text to show for each, and the table that it goes with. The parser may not know them. */
  readonly others = new Map<string, { sql: string; table: string | undefined; isKnown: boolean }>();
}

export interface Table {
  /** What can't be altered: `foreign`, or how the table is partitioned. */
  made: string;
  columns: Map<string, Column>;
  constraints: Map<string, Constraint>;
  /** What each trigger does, by name. Those of partitioned tables are not repeated for their partitions. */
  triggers: Map<string, string>;
  /** Names of disabled triggers and rules. For a partition, this includes triggers that it has from its partitioned table. */
  disabledTriggers: Set<string>;
  policies: Map<string, Policy>;
  rowSecurity: boolean;
  /** Whether it holds for the owner, too. */
  forcedRowSecurity: boolean;
  unlogged: boolean;
  /** The table that it is a partition of, or inherits from. */
  partitionOf?: string;
  /** Whether it is the default partition. */
  isDefault?: boolean;
}

export interface Policy {
  /** What it says, without its name. */
  definition: string;
  /** Whether it lets roles see rows, and doesn't only restrict what others let them see. */
  permissive: boolean;
}

export interface View {
  /** Each with its type, if that can be read from the query. */
  columns: Map<string, Type | undefined>;
  /** The query as a syntax tree. */
  definition: string;
  /** Whether it runs with the caller's privileges, and reads no row before its conditions hold. */
  invoker: boolean;
  barrier: boolean;
  /** Whether only rows that it shows may be written through it. */
  checked: boolean;
  /** As those of a table. */
  triggers: Map<string, string>;
}

export interface Routine {
  /** Without the arguments. */
  name: string;
  /** Whether it may return another value in each row. */
  volatile: boolean;
  securityDefiner: boolean;
  /** Its own, if it sets one. */
  searchPath?: string;
  /** Its kind and what it returns, with the columns of a result; only a new function can change it. */
  result: string;
  /** The types of the arguments that a call has, and how many of them, at the end, have defaults. */
  inputs: string[];
  /** What a call may name the arguments; undefined for one without a name. */
  inputNames: (string | undefined)[];
  defaults: number;
}

export interface Column {
  type: Type;
  notNull: boolean;
  default?: Expression;
  /** The name of its NOT NULL constraint: empty for the usual one, undefined without one. A primary key alone makes none. */
  notNullName?: string;
  identity?: 'always' | 'by default';
  generated?: Expression & { stored: boolean };
}

export interface Constraint {
  kind: ConstraintKind;
  /** What it says, without its name. */
  definition: string;
  columns: string[];
  /** Whether existing rows are known to satisfy it. */
  validated: boolean;
  /** Whether it is a check that its column is not NULL. */
  refusesNull: boolean;
}

export type ConstraintKind = 'check' | 'unique' | 'primary key' | 'exclusion' | 'foreign key';

export interface Index {
  table: string;
  unique: boolean;
  /** What it indexes, without its name. */
  definition: string;
  columns: string[];
  /** Whether it has all rows, and none of what it indexes is an expression: any other is of no use to a constraint. */
  plain: boolean;
  /** The index of the partitioned table that it is a part of. */
  partOf?: string;
}

export interface Sequence {
  /** The column that it belongs to, and goes with. */
  owner?: string;
  /** All but its owner. */
  definition: string;
  /** The numbers that it can give. */
  low: bigint;
  high: bigint;
}

export interface Domain {
  base: Type;
  notNull: boolean;
  default?: Expression;
  constraints: Map<string, Constraint>;
}

/** What has an owner, or privileges. */
export interface Securable {
  /** Tables, views and sequences share their names. `future`: objects that are created later. */
  kind: 'relation' | 'function' | 'type' | 'schema' | 'future' | 'other';
  /** Of others, with the kind in front: `language plpgsql`, `foreign server s`. */
  name: string;
  /** Of future objects: what they are, and the schema that they are created in, if only that one is meant. */
  future?: { kind: string; schema: string | undefined };
}

export function hasIndex([, { kind }]: [name: string, constraint: Constraint]): boolean {
  return kind !== 'check' && kind !== 'foreign key';
}

/** The schema that every database has from the beginning. */
export const publicSchema: Securable = { kind: 'schema', name: 'public' };

/** The key of an object in `owners` and `grants`. */
export function keyOf({ kind, name }: Securable): string {
  return `${kind} ${name}`;
}

export function setOwner({ owners }: Schema, on: Securable, role: string): void {
  owners.set(keyOf(on), { on, role });
}

export function isPartitioned({ made }: Pick<Table, 'made'>): boolean {
  return made !== '' && made !== 'foreign';
}

/** The names of the tables that a table is a partition of, the innermost first. */
export function tablesAbove(name: string, { tables }: Schema): string[] {
  const above: string[] = [];
  let parent = tables.get(name)?.partitionOf;
  for (; parent !== undefined && above.length < 16; parent = tables.get(parent)?.partitionOf) above.push(parent);
  return above;
}
