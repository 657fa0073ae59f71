import type { Destruction } from '../result.ts';
import { type Column, emptySide, readSide, type Side, type Table } from './tables.ts';
import { typeChange } from './types.ts';
import { type Hunk, parseDiff } from './unified.ts';

/**
 * The changes in a diff of two schemas (as `pg_dump --schema-only` writes them) that destroy: dropped schemas, tables, columns,
 * materialized views, sequences and extensions; removed values of an enum; narrowed types; `NOT NULL` that rows may break. Whether a
 * table has rows does not show in a schema, so that the notes say what happens if it does.
 *
 * A hunk may begin in the middle of a table. `after` is the whole schema that the diff leads to: where it is given and fits,
 * it names that table.
 */
export function findDestruction(diff: string, after?: string): Destruction[] {
  const before = emptySide();
  const now = emptySide();
  const whole = after === undefined ? undefined : linesOf(after);
  for (const [index, hunk] of parseDiff(diff).entries()) {
    const unseen = tableAround(hunk, whole) ?? `${hidden}${index}`;
    readSide(
      before,
      hunk.lines.filter((line) => line.kind !== 'added'),
      unseen,
    );
    readSide(
      now,
      hunk.lines.filter((line) => line.kind !== 'removed'),
      unseen,
    );
  }
  return [...droppedObjects(before, now), ...tables(before, now), ...droppedValues(before, now)];
}

/** Whether a table is meant whose name the diff does not show. */
export function hasHidden(found: Destruction[]): boolean {
  return found.some((one) => one.note.includes(notShown));
}

/** Begins the key of a table whose name does not show; no name in SQL has a line feed before it. */
const hidden = '\n';
const notShown = 'the diff does not show which table';

/** Lines, each with the last one before it that is not indented: the head of what it stands in. */
type Whole = { text: string; head: string }[];

function linesOf(text: string): Whole {
  let head = '';
  return text.split('\n').map((line) => {
    const before = head;
    if (line !== '' && !/^\s/.test(line)) head = line;
    return { text: line, head: before };
  });
}

/** The table in whose middle a hunk begins, by its line number in the whole schema. */
function tableAround(hunk: Hunk, whole: Whole | undefined): string | undefined {
  const [first] = hunk.lines;
  const line = whole?.[hunk.newStart - 1];
  if (!line || !first || first.kind !== 'same' || line.text !== first.text) return undefined;
  return /^CREATE (?:UNLOGGED |FOREIGN )*TABLE (.+) \($/.exec(line.head)?.[1];
}

function droppedObjects(before: Side, now: Side): Destruction[] {
  return [...before.objects].flatMap(([key, changed]) => {
    const kind = /^(materialized view|\w+) /.exec(key)?.[1] ?? '';
    const to = key.slice(kind.length + 1);
    // A sequence that belongs to a column goes with it, and a type alone holds no data: neither is a loss of its own.
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
      const hint = alike.length === 1 && shape !== '' ? `; or is it renamed to ${alike[0]?.[0]}?` : '';
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
  const subject = (label: string) => (key.startsWith(hidden) ? label : `${key}.${label}`);
  const note = (text: string) => [text, key.startsWith(hidden) ? notShown : ''].filter(Boolean).join('; ');
  const found: Destruction[] = [];
  const gone = [...was.columns].filter(([label, column]) => column.changed && !is.columns.has(label));
  const fresh = [...is.columns].filter(([label, column]) => column.changed && !was.columns.has(label));
  const [goneByType, freshByType] = [gone, fresh].map((some) => Map.groupBy(some, ([, { type }]) => type));
  for (const [label, column] of gone) {
    const successors = freshByType?.get(column.type) ?? [];
    const [successor] = successors;
    const renamed = goneByType?.get(column.type)?.length === 1 && successors.length === 1;
    const hint = renamed && successor ? `${column.type}; or is it renamed to ${successor[0]}?` : column.type;
    found.push({ does: 'drops column', to: subject(label), note: note(hint) });
  }
  for (const [label, column] of is.columns) {
    const old = was.columns.get(label);
    if (!column.changed) continue;
    if (old) {
      found.push(...changes({ old, column, to: subject(label), note }));
    } else if (column.notNull && !column.filled && !filled.has(`${key}.${label}`)) {
      const text = `${column.type}, without a default: fails on a table with rows`;
      found.push({ does: 'adds NOT NULL column', to: subject(label), note: note(text) });
    }
  }
  return found;
}

function changes(options: { old: Column; column: Column; to: string; note: (text: string) => string }): Destruction[] {
  const { old, column, to, note } = options;
  const found: Destruction[] = [];
  const change = old.type === column.type ? 'same' : typeChange(old.type, column.type);
  const types = `${old.type} → ${column.type}`;
  if (change === 'narrower') {
    found.push({ does: 'narrows', to, note: note(`${types}: values that do not fit are cut or refused`) });
  } else if (change === 'other') {
    found.push({
      does: 'changes the type of',
      to,
      note: note(`${types}: values that cannot be converted are lost or refused`),
    });
  }
  if (column.notNull && !old.notNull) {
    found.push({ does: 'sets NOT NULL on', to, note: note('fails where a row has no value there') });
  }
  return found;
}

function droppedValues(before: Side, now: Side): Destruction[] {
  return [...before.enums].flatMap(([key, values]) => {
    const dropped = before.objects.get(`type ${key}`) === true && !now.objects.has(`type ${key}`);
    const left = now.enums.get(key);
    const gone = [...values].filter(([value, changed]) => changed && !left?.has(value)).map(([value]) => value);
    if (gone.length === 0 || dropped) return [];
    const of = key.startsWith(hidden) ? 'of an enum' : `of ${key}`;
    return [{ does: 'removes enum value', to: gone.join(', '), note: `${of}: rows that have it cannot keep it` }];
  });
}
