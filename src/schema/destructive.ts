import type { Destruction } from '../result.ts';
import { type Column, emptySide, readSide, type Side, type Table } from './tables.ts';
import { typeChange } from './types.ts';
import { type Hunk, parseDiff } from './unified.ts';

/**
 * The destructive changes in a diff of two schemas, as `pg_dump --schema-only` writes them: dropped schemas, tables, columns,
 * materialized views, sequences and extensions; removed enum values; narrowed types; `NOT NULL` on existing columns. A schema does
 * not show whether a table has rows, so the notes say what happens if it does.
 *
 * A hunk may begin in the middle of a table. `after`, the whole new schema, is used to find the name of that table.
 */
export function findDestruction(diff: string, after?: string): Destruction[] {
  const before = emptySide();
  const now = emptySide();
  const schema = after === undefined ? undefined : linesOf(after);
  for (const [index, hunk] of parseDiff(diff).entries()) {
    const outer = tableAround(hunk, schema) ?? `${hiddenPrefix}${index}`;
    readSide(
      before,
      hunk.lines.filter((line) => line.kind !== 'added'),
      outer,
    );
    readSide(
      now,
      hunk.lines.filter((line) => line.kind !== 'removed'),
      outer,
    );
  }
  return [...droppedObjects(before, now), ...tables(before, now), ...droppedValues(before, now)];
}

/** Whether the diff does not show the table of some change; only the whole schema does. */
export function hasHidden(found: Destruction[]): boolean {
  return found.some((one) => one.hidden);
}

/** Begins the key of an object whose name the diff does not show; no name in SQL begins with a line feed. */
const hiddenPrefix = '\n';
const isHidden = (key: string) => key.startsWith(hiddenPrefix);

/** A line of the schema, with the head of the statement that it belongs to: the last line before it that is not indented. */
type SchemaLine = { text: string; head: string };

function linesOf(schema: string): SchemaLine[] {
  let head = '';
  return schema.split('\n').map((line) => {
    const before = head;
    if (line !== '' && !/^\s/.test(line)) head = line;
    return { text: line, head: before };
  });
}

/** The table in whose middle a hunk begins, by the hunk's line number in the whole schema. */
function tableAround(hunk: Hunk, schema: SchemaLine[] | undefined): string | undefined {
  const [first] = hunk.lines;
  const line = schema?.[hunk.newStart - 1];
  if (!line || !first || first.kind !== 'same' || line.text !== first.text) return undefined;
  return /^CREATE (?:UNLOGGED |FOREIGN )*TABLE (.+) \($/.exec(line.head)?.[1];
}

function droppedObjects(before: Side, now: Side): Destruction[] {
  return [...before.objects].flatMap(([key, changed]) => {
    const kind = /^(materialized view|\w+) /.exec(key)?.[1] ?? '';
    const to = key.slice(kind.length + 1);
    // A column's sequence is dropped with the column, and a type without columns holds no data.
    const harmless = kind === 'type' || (kind === 'sequence' && before.owned.has(to));
    return changed && !now.objects.has(key) && !harmless ? [{ does: `drops ${kind}`, to, note: '' }] : [];
  });
}

function tables(before: Side, now: Side): Destruction[] {
  const keys = new Set([...before.tables.keys(), ...now.tables.keys()]);
  const fresh = Map.groupBy(
    [...now.tables].filter(([key, table]) => table.head === 'changed' && !before.tables.has(key)),
    ([, table]) => shapeOf(table),
  );
  return [...keys].flatMap((key) => {
    const was = before.tables.get(key);
    const is = now.tables.get(key);
    if (was?.head === 'changed' && !is) {
      const shape = shapeOf(was);
      const alike = fresh.get(shape) ?? [];
      const hint = alike.length === 1 && shape !== '' ? `, unless it was renamed to ${alike[0]?.[0]}` : '';
      return [{ does: 'drops table', to: key, note: `with all its rows${hint}` }];
    }
    const isNew = !was && is?.head === 'changed';
    return isNew ? [] : columns({ key, was: was ?? noTable, is: is ?? noTable, filled: now.filled });
  });
}

function shapeOf(table: Table): string {
  return [...table.columns].map(([label, { type }]) => `${label} ${type}`).join('\n');
}

const noTable: Table = { head: 'unseen', columns: new Map() };

function columns(options: { key: string; was: Table; is: Table; filled: Set<string> }): Destruction[] {
  const { key, was, is, filled } = options;
  const change = (does: string, label: string, note: string): Destruction =>
    isHidden(key)
      ? { does, to: label, note: `${note}; the diff does not show which table`, hidden: true }
      : { does, to: `${key}.${label}`, note };
  const found: Destruction[] = [];
  const dropped = [...was.columns].filter(([label, column]) => column.changed && !is.columns.has(label));
  const added = [...is.columns].filter(([label, column]) => column.changed && !was.columns.has(label));
  const [droppedByType, addedByType] = [dropped, added].map((some) => Map.groupBy(some, ([, { type }]) => type));
  for (const [label, { type }] of dropped) {
    const candidates = addedByType?.get(type) ?? [];
    const [candidate] = candidates;
    const renamed = droppedByType?.get(type)?.length === 1 && candidates.length === 1;
    found.push(
      change('drops column', label, renamed && candidate ? `${type}, unless it was renamed to ${candidate[0]}` : type),
    );
  }
  for (const [label, column] of is.columns) {
    const old = was.columns.get(label);
    if (!column.changed) continue;
    if (old) {
      found.push(...changesOf(old, column).map(({ does, note }) => change(does, label, note)));
    } else if (column.notNull && !column.filled && !filled.has(`${key}.${label}`)) {
      found.push(
        change('adds NOT NULL column', label, `${column.type}, without a default; fails if the table has rows`),
      );
    }
  }
  return found;
}

function changesOf(old: Column, column: Column): Pick<Destruction, 'does' | 'note'>[] {
  const change = old.type === column.type ? 'same' : typeChange(old.type, column.type);
  const types = `${old.type} → ${column.type}`;
  return [
    ...(change === 'narrower'
      ? [{ does: 'narrows', note: `${types}; values that don't fit are truncated or rejected` }]
      : []),
    ...(change === 'other'
      ? [{ does: 'changes the type of', note: `${types}; values that can't be converted are lost or rejected` }]
      : []),
    ...(column.notNull && !old.notNull ? [{ does: 'sets NOT NULL on', note: 'fails if any row has NULL there' }] : []),
  ];
}

function droppedValues(before: Side, now: Side): Destruction[] {
  return [...before.enums].flatMap(([key, values]) => {
    const isDropped = before.objects.get(`type ${key}`) === true && !now.objects.has(`type ${key}`);
    const remaining = now.enums.get(key);
    const removed = [...values].filter(([value, changed]) => changed && !remaining?.has(value)).map(([value]) => value);
    if (removed.length === 0 || isDropped) return [];
    const [s, them] = removed.length === 1 ? ['', 'it'] : ['s', 'them'];
    const list = removed.join(', ');
    const note = `fails or loses data if rows use ${them}`;
    return isHidden(key)
      ? [{ does: `removes enum value${s}`, to: list, note: `${note}; the diff does not show which enum` }]
      : [{ does: `removes enum value${s} ${list} from`, to: key, note }];
  });
}
