import { count } from '../text/format.ts';
import { withoutLost } from './apply-renames.ts';
import { type Found, fateOf, type Kept, kept, missing, type Sides } from './found.ts';
import type { Table } from './model.ts';

/** Tables as a whole, and all triggers. */
export function checkTables(sides: Sides): Found[] {
  const changes = kept(sides.before.tables, sides.after.tables).flatMap(changesOf);
  return [...droppedTables(sides), ...changes, ...triggersOfViews(sides), ...eventTriggers(sides)];
}

function droppedTables({ before, after, evidence }: Sides): Found[] {
  const dropped = missing(before.tables.keys(), after.tables);
  const partitions = Map.groupBy(dropped, (name) => before.tables.get(name)?.partitionOf);
  return dropped.flatMap((name): Found[] => {
    const table = before.tables.get(name) as Table;
    // Goes with the partitioned table.
    if (table.partitionOf !== undefined && !after.tables.has(table.partitionOf)) return [];
    const parts = partitions.get(name)?.length ?? 0;
    const details = [
      parts > 0 ? `with ${count(parts, 'partition')}` : '',
      kindNow(table, after.tables.get(withoutLost(name))) || fateOf(evidence, name),
    ];
    return [{ rule: 'drop-table', object: name, detail: details.filter(Boolean).join('; ') }];
  });
}

/** What took the place of a table, if it is of another kind. */
function kindNow({ made }: Table, now: Table | undefined): string {
  if (!now || now.made === made) return '';
  if (now.made === 'foreign') return 'replaced by a foreign table';
  if (now.made === '') return 'replaced by an ordinary table';
  const wasPartitioned = made !== '' && made !== 'foreign';
  return `replaced by a ${wasPartitioned ? 'differently partitioned' : 'partitioned'} table`;
}

function changesOf({ name, was, is }: Kept<Table>): Found[] {
  const found: Found[] = [];
  if (is.unlogged && !was.unlogged) found.push({ rule: 'set-unlogged', object: name });
  if (was.partitionOf !== undefined && is.partitionOf !== was.partitionOf) {
    found.push({ rule: 'detach-partition', object: name, detail: `detached from ${was.partitionOf}` });
  }
  found.push(...triggers(name, was, is));
  for (const trigger of missing(is.disabledTriggers, was.disabledTriggers)) {
    const isNew = is.triggers.has(trigger) && !was.triggers.has(trigger);
    const of = { object: `${name}.${trigger}`, table: name, part: trigger };
    if (!isNew) found.push({ rule: 'disable-trigger', ...of });
  }
  return found;
}

type Triggered = Pick<Table, 'triggers'>;

/** Triggers that a table or a view no longer has. */
function triggers(name: string, was: Triggered, is: Triggered): Found[] {
  return [...was.triggers].flatMap(([trigger, before]): Found[] => {
    const after = is.triggers.get(trigger);
    if (after === before) return [];
    const detail = after === undefined ? '' : 'definition changed';
    return [{ rule: 'drop-trigger', object: `${name}.${trigger}`, detail, table: name, part: trigger }];
  });
}

function triggersOfViews({ before, after }: Sides): Found[] {
  return kept(before.views, after.views).flatMap(({ name, was, is }) => triggers(name, was, is));
}

function eventTriggers({ before, after }: Sides): Found[] {
  const disabled = kept(before.eventTriggers, after.eventTriggers).filter(
    ({ was, is }) => is.isDisabled && !was.isDisabled,
  );
  return disabled.map(({ name: object }) => ({ rule: 'disable-trigger', object, detail: 'event trigger' }));
}
