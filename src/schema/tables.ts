import { looksLikeType } from './types.ts';
import type { DiffLine } from './unified.ts';

export interface Column {
  type: string;
  notNull: boolean;
  /** Whether existing rows get a value: from a default, an identity or a generation expression. */
  filled: boolean;
  /** Whether its line is not the same on the other side. */
  changed: boolean;
}

export interface Table {
  /** Whether its first line has changed; `unseen` if the hunk begins in the middle of the table. */
  head: 'same' | 'changed' | 'unseen';
  columns: Map<string, Column>;
}

/** What the lines of one side of a diff, old or new, show of a schema. */
export interface Side {
  tables: Map<string, Table>;
  /** The values of each enum, and whether their lines have changed. */
  enums: Map<string, Map<string, boolean>>;
  /** Other objects (`schema x`, `sequence x`, `type x`), and whether their lines have changed. */
  objects: Map<string, boolean>;
  /** Columns (`table.column`) that get a value by a statement outside the definition of their table. */
  filled: Set<string>;
  /** Sequences that belong to a column. */
  owned: Set<string>;
}

export function emptySide(): Side {
  return { tables: new Map(), enums: new Map(), objects: new Map(), filled: new Set(), owned: new Set() };
}

const name = String.raw`((?:"(?:[^"]|"")+"|[^\s"(;.]+)(?:\.(?:"(?:[^"]|"")+"|[^\s"(;.]+))?)`;
const heads = {
  table: new RegExp(`^CREATE (?:UNLOGGED |FOREIGN )*TABLE (?:IF NOT EXISTS )?${name} \\(`),
  enum: new RegExp(`^CREATE TYPE ${name} AS ENUM \\(`),
  object: new RegExp(`^CREATE (SCHEMA|MATERIALIZED VIEW|SEQUENCE|EXTENSION) (?:IF NOT EXISTS )?${name}`),
  filled: new RegExp(`^ALTER TABLE (?:ONLY )?${name} ALTER COLUMN ${name} (?:SET DEFAULT|ADD GENERATED)`),
  owned: new RegExp(`^ALTER SEQUENCE ${name}(?: |$)`),
};

/** What a line is in: `unknown` at the beginning of a hunk, `other` in something without data, such as a function. */
type Place = { in: 'unknown' | 'other' } | { in: 'table'; table: Table } | { in: 'enum'; values: Map<string, boolean> };

/** Reads one side's lines of a hunk into `side`. If the hunk begins in the middle of a table or enum, `outer` is its key. */
export function readSide(side: Side, lines: DiffLine[], outer: string): void {
  let place: Place = { in: 'unknown' };
  const beginsInTable = /^\)/.test(lines.find((line) => /^[^\s]/.test(line.text))?.text ?? '');
  for (const { text, kind } of lines) {
    const changed = kind !== 'same';
    if (/^\s/.test(text)) {
      if (place.in === 'enum') readValue(place.values, text, changed);
      else if (place.in === 'table')
        readColumn({ text, changed, into: () => (place as { table: Table }).table, sure: true });
      else if (place.in === 'unknown') {
        const into = () => tableOf(side, outer, 'unseen');
        readColumn({ text, changed, into, sure: false });
        if (beginsInTable && /^ {4}'/.test(text)) readValue(enumOf(side, outer), text, changed);
      }
      continue;
    }
    if (text === '') continue;
    place = readHead(side, text, changed);
  }
}

function readHead(side: Side, text: string, changed: boolean): Place {
  const table = heads.table.exec(text)?.[1];
  if (table !== undefined) return { in: 'table', table: tableOf(side, table, changed ? 'changed' : 'same') };
  const type = heads.enum.exec(text)?.[1];
  if (type !== undefined) {
    side.objects.set(`type ${type}`, changed);
    return { in: 'enum', values: enumOf(side, type) };
  }
  const [, kind, object] = heads.object.exec(text) ?? [];
  if (kind && object) side.objects.set(`${kind.toLowerCase()} ${object}`, changed);
  const [, owner, column] = heads.filled.exec(text) ?? [];
  if (owner && column) side.filled.add(`${owner}.${column}`);
  const sequence = / OWNED BY (?!NONE)/.test(text) ? heads.owned.exec(text)?.[1] : undefined;
  if (sequence) side.owned.add(sequence);
  return { in: 'other' };
}

function tableOf(side: Side, key: string, head: Table['head']): Table {
  const known = side.tables.get(key) ?? { head, columns: new Map() };
  if (known.head === 'unseen') known.head = head;
  side.tables.set(key, known);
  return known;
}

function enumOf(side: Side, key: string): Map<string, boolean> {
  const known = side.enums.get(key) ?? new Map<string, boolean>();
  side.enums.set(key, known);
  return known;
}

function readValue(values: Map<string, boolean>, text: string, changed: boolean): void {
  const value = /^ {4}('(?:[^']|'')*'),?$/.exec(text)?.[1];
  if (value !== undefined) values.set(value, changed);
}

const column = /^ {4}("(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*) (.*[^;,]),?$/;
/** What may follow a column's type. */
const rest =
  / (DEFAULT|NOT NULL|NULL|COLLATE|GENERATED|CONSTRAINT|OPTIONS|STORAGE|COMPRESSION|PRIMARY KEY|UNIQUE|CHECK|REFERENCES)\b/;

function readColumn(options: { text: string; changed: boolean; into: () => Table; sure: boolean }): void {
  const { text, changed, into, sure } = options;
  const [, label, definition] = column.exec(text) ?? [];
  if (label === undefined || definition === undefined) return;
  const flat = withoutNested(definition);
  const end = rest.exec(flat)?.index ?? flat.length;
  const type = definition.slice(0, end);
  if (!sure && !looksLikeType(type)) return;
  const after = flat.slice(end);
  into().columns.set(label, {
    type,
    notNull: /\b(NOT NULL|PRIMARY KEY)\b/.test(after),
    filled: /\b(DEFAULT|GENERATED)\b/.test(after),
    changed,
  });
}

/** The same text with everything in quotes or parentheses blanked, so that no keyword in there is found. Its length stays the same. */
function withoutNested(text: string): string {
  const flat = text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (quoted) => '_'.repeat(quoted.length));
  const open: number[] = [];
  /** The outermost pairs of parentheses. */
  const nested: [start: number, end: number][] = [];
  for (const { 0: bracket, index } of flat.matchAll(/[()]/g)) {
    const start = bracket === '(' ? undefined : open.pop();
    if (bracket === '(') open.push(index);
    if (start === undefined) continue;
    while ((nested.at(-1)?.[0] ?? -1) > start) nested.pop();
    nested.push([start, index + 1]);
  }
  let blanked = '';
  for (const [start, end] of nested) {
    blanked += flat.slice(blanked.length, start) + '_'.repeat(end - start);
  }
  return blanked + flat.slice(blanked.length);
}
