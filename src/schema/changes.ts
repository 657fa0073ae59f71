import type { Schema } from './model.ts';
import { qualified } from './names.ts';
import { ParserError } from './parser.ts';
import type { SchemaReader } from './read-schema.ts';
import type { Finding } from './rules.ts';

interface SinceFork {
  /** The kind of each object, as a sentence counts them: `table`, `column`. */
  sinceFork: string[];
  /** What the branch has changed as well, otherwise. */
  onBoth: Finding[];
  /** Why both are unknown, as a clause; undefined if they are not. */
  incomplete?: string;
}

/** What the base has changed since the fork point. Ends with the reason of the reader's signal. */
export async function changesSinceFork(options: {
  /** the base at the fork point */
  before: string;
  branch: string;
  /** the base now */
  base: string;
  read: SchemaReader;
}): Promise<SinceFork> {
  const { before, branch, base, read } = options;
  if (before === base) return { sinceFork: [], onBoth: [] };
  try {
    const was = (await read(before)).model;
    const theirs = changesBetween(was, (await read(base)).model);
    const own = theirs.size > 0 ? changesBetween(was, (await read(branch)).model) : theirs;
    // What both have made alike is no conflict.
    const onBoth = [...theirs].filter(([key, { now }]) => own.has(key) && own.get(key)?.now !== now);
    return {
      sinceFork: [...theirs.values()].map(({ kind }) => kind),
      onBoth: onBoth.map(([, { kind, object }]) => ({ rule: 'changed-on-both', object, detail: kind })),
    };
  } catch (error) {
    if (!(error instanceof ParserError)) throw error;
    const incomplete = `the parent's current schema could not be read (${error.message}), so its changes since the fork point are unknown`;
    return { sinceFork: [], onBoth: [], incomplete };
  }
}

/**
 * The objects that differ between two schemas, by kind and name, with what they say now; undefined if they are gone. Of a table that is new
 * or gone, only the table.
 */
function changesBetween(was: Schema, is: Schema): Map<string, Item & { now: string | undefined }> {
  const [then, now] = [inventoryOf(was), inventoryOf(is)];
  const isWithTable = ({ table = '' }: Item) => was.tables.has(table) !== is.tables.has(table);
  const all = [...then, ...[...now].filter(([key]) => !then.has(key))];
  const changed = all.filter(([key, item]) => then.get(key)?.text !== now.get(key)?.text && !isWithTable(item));
  return new Map(changed.map(([key, item]) => [key, { ...item, now: now.get(key)?.text }]));
}

/** A column's place, with names as in the catalog. */
interface ColumnPlace {
  schema: string;
  table: string;
  column: string;
}

/** The columns of tables that only the second schema has and that are not among the known ones. Throws what `read` throws. */
export async function newColumns(options: {
  before: string;
  after: string;
  known: ColumnPlace[];
  read: SchemaReader;
}): Promise<string[]> {
  const { before, after, read } = options;
  if (before === after) return [];
  const columnsOf = async (text: string) =>
    [...(await read(text)).model.tables].flatMap(([table, { columns }]) =>
      [...columns.keys()].map((column) => `${table}.${column}`),
    );
  const known = new Set([
    ...(await columnsOf(before)),
    ...options.known.map(({ schema, table, column }) => qualified([schema, table, column])),
  ]);
  return (await columnsOf(after)).filter((name) => !known.has(name));
}

interface Item {
  kind: string;
  object: string;
  text: string;
  /** The table that it is a part of. */
  table?: string;
}

function inventoryOf(schema: Schema): Map<string, Item> {
  const items = new Map<string, Item>();
  const add = (kind: string, object: string, value: unknown, table?: string) =>
    items.set(`${kind} ${object}`, { kind, object, text: textOf(value), table });
  for (const [name, table] of schema.tables) {
    const { columns, constraints, policies, triggers, ...own } = table;
    add('table', name, own);
    for (const [part, one] of columns) add('column', `${name}.${part}`, one, name);
    for (const [part, one] of constraints) add('constraint', `${name}.${part}`, one, name);
    for (const [part, one] of policies) add('policy', `${name}.${part}`, one, name);
    for (const [part, one] of triggers) add('trigger', `${name}.${part}`, one, name);
  }
  for (const [name, index] of schema.indexes) add('index', name, index, index.table);
  for (const [name, view] of schema.views) add('view', name, view);
  for (const [name, routine] of schema.functions) add('function', name, routine);
  for (const [name, type] of [...schema.enums, ...schema.domains, ...schema.types]) add('type', name, type);
  for (const [name, sequence] of schema.sequences) if (sequence.owner === undefined) add('sequence', name, sequence);
  return items;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one) => {
    if (typeof one === 'bigint') return String(one);
    return one instanceof Map || one instanceof Set ? [...one] : one;
  });
}
