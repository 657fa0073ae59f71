import { listOf } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { changedParts, detailOf, type Found, findingsOf, type Kept, kept, missing } from './compare.ts';
import type { Routine, Schema, Table } from './model.ts';
import { identifier, literal, tableOf } from './names.ts';
import { fateOf, type Sides } from './renames.ts';
import type { RuleName } from './rules.ts';
import { formatType } from './type.ts';

/** Everything that is neither a table nor a part of one. */
export function checkObjects(sides: Sides): Found[] {
  const { before, after } = sides;
  const dropped = (rule: RuleName, was: Iterable<string>, is: { has(name: string): boolean }) =>
    missing(was, is).map((object): Found => ({ rule, object, detail: fateOf(sides, object) }));
  const sequences = [...before.sequences].filter(([, { owner }]) => owner === undefined).map(([name]) => name);
  return [
    ...dropped('drop-schema', [...before.schemas].filter(hasRows(before)), after.schemas),
    ...dropped('drop-extension', before.extensions, after.extensions),
    ...dropped('drop-materialized-view', before.materializedViews, after.materializedViews),
    ...dropped('drop-sequence', sequences, after.sequences),
    ...sequencesOf(sides),
    ...views(sides),
    ...dropped('drop-type', typesOf(before), typesOf(after)),
    ...attributes(sides),
    ...routines(sides),
    ...enums(sides),
    ...domains(sides),
    ...publications(sides),
    ...triggers(sides),
    ...unknown(sides),
  ];
}

/** Whether a schema has something with rows in it. */
function hasRows({ tables, materializedViews }: Schema): (schema: string) => boolean {
  const full = new Set([...tables.keys(), ...materializedViews].map(tableOf));
  return (schema) => full.has(schema);
}

function sequencesOf({ before, after }: Sides): Found[] {
  return kept(before.sequences, after.sequences).flatMap(({ name: object, was, is }): Found[] => {
    const range = (one: typeof was) => `${one.low} to ${one.high}`;
    // An owner that is gone takes its sequence along, unless the sequence was made independent of it.
    return findingsOf({ object }, [
      ['change-sequence', is.low > was.low || is.high < was.high, `${range(was)} → ${range(is)}`],
      ['change-sequence', was.owner !== undefined && is.owner === undefined, `no longer owned by ${was.owner}`],
    ]);
  });
}

function views({ before, after }: Sides): Found[] {
  const dropped = missing(before.views.keys(), after.views).filter(
    (name) => !after.materializedViews.has(name) && !after.tables.has(name),
  );
  const changed = kept(before.views, after.views).flatMap(({ name: object, was, is }): Found[] => {
    const lost = missing(was.columns.keys(), is.columns);
    const retyped = [...was.columns].flatMap(([column, type]) => {
      const now = is.columns.get(column);
      const texts = [type, now].map((one) => one && formatType(one));
      return type && now && texts[0] !== texts[1] ? [`${column} ${texts.join(' → ')}`] : [];
    });
    const detail = detailOf(lost.length > 0 ? `no longer has ${listOf(lost, 'or')}` : '', ...retyped);
    return findingsOf({ object }, [['change-view', detail !== '', detail]]);
  });
  return [...dropped.map((object): Found => ({ rule: 'drop-view', object })), ...changed];
}

function typesOf({ enums, domains, types }: Schema): Set<string> {
  return new Set([...enums.keys(), ...domains.keys(), ...types.keys()]);
}

/** Columns of a composite type lose the values of an attribute that is gone. */
function attributes({ before, after }: Sides): Found[] {
  const detail = 'attribute of a composite type';
  return kept(before.types, after.types).flatMap(({ name, was, is }) =>
    missing(was.keys(), is).map((one): Found => ({ rule: 'drop-column', object: `${name}.${one}`, detail })),
  );
}

/** Functions, procedures and aggregates: what calls of the previous version can no longer do, and whose rights they run with. */
function routines({ before, after }: Sides): Found[] {
  const byName = Map.groupBy(after.functions, ([, { name }]) => name);
  const gone = [...before.functions].flatMap(([object, was]): Found[] => {
    if (after.functions.has(object)) return [];
    const others = byName.get(was.name) ?? [];
    if (others.some(([, other]) => takesSameCalls(was, other))) return [];
    const [fresh] = others.find(([other]) => !before.functions.has(other)) ?? [];
    if (fresh === undefined) return [{ rule: 'drop-function', object }];
    return [{ rule: 'change-function', object, detail: `now ${fresh}` }];
  });
  const changed = kept(before.functions, after.functions).flatMap(({ name: object, was, is }): Found[] => {
    const list = (names: Routine['inputNames']) => names.map((one) => identifier(one ?? '')).join(', ');
    const detail = detailOf(
      is.result === was.result ? '' : 'returns a different type or different columns',
      hasSameNames(was, is) ? '' : `arguments renamed: (${list(was.inputNames)}) → (${list(is.inputNames)})`,
      is.defaults < was.defaults ? 'arguments lost their default' : '',
    );
    return findingsOf({ object }, [['change-function', detail !== '', detail]]);
  });
  return [...gone, ...changed, ...definers(before, after)];
}

/** Whether a call without the new arguments still works, by their names as well. */
function takesSameCalls(was: Routine, is: Routine): boolean {
  const isLonger = was.inputs.every((type, index) => is.inputs[index] === type);
  const isOptional = is.inputs.length - is.defaults <= was.inputs.length - was.defaults;
  return isLonger && isOptional && is.result === was.result && hasSameNames(was, is);
}

/** Whether a call that names its arguments, as the Data API does, still finds them. */
function hasSameNames(was: Routine, is: Routine): boolean {
  return was.inputNames.every((name, index) => name === undefined || name === is.inputNames[index]);
}

function definers(before: Schema, after: Schema): Found[] {
  return [...after.functions].flatMap(([object, is]): Found[] => {
    if (!is.securityDefiner) return [];
    const was = before.functions.get(object);
    const path = is.searchPath === undefined ? 'no longer sets `search_path`' : 'sets a different `search_path`';
    const hadPath = was?.securityDefiner === true && was.searchPath !== undefined;
    return findingsOf({ object }, [
      ['security-definer', !was && is.searchPath === undefined, 'new, without a `search_path`'],
      ['security-definer', was?.securityDefiner === false],
      ['security-definer', hadPath && was.searchPath !== is.searchPath, path],
    ]);
  });
}

function enums({ before, after }: Sides): Found[] {
  return kept(before.enums, after.enums).flatMap(({ name: object, was, is }): Found[] => {
    const removed = missing(was, new Set(is));
    const fresh = missing(is, new Set(was));
    const list = (values: string[]) => values.map((value) => literal(value)).join(', ');
    if (removed.length > 0) {
      const guess = removed.length === fresh.length ? `; possibly renamed to ${list(fresh)}` : '';
      return [{ rule: 'drop-enum-value', object, detail: `${list(removed)}${guess}` }];
    }
    const shared = (values: string[], others: string[]) => values.filter((value) => others.includes(value)).join('\0');
    if (shared(was, is) === shared(is, was)) return [];
    return [{ rule: 'rewrite-type', object, detail: 'its values are in a different order' }];
  });
}

/** A stricter domain is checked against the rows of every table that uses it; a looser one lets other values in. */
function domains({ before, after }: Sides): Found[] {
  return kept(before.domains, after.domains).flatMap(({ name, was, is }): Found[] => {
    const found = (rule: RuleName, object: string): Found => ({ rule, object, detail: 'domain' });
    const added = changedParts(is.constraints, was.constraints.values()).filter(([, { validated }]) => validated);
    const dropped = changedParts(was.constraints, is.constraints.values());
    return [
      ...findingsOf({ object: name }, [
        ['set-not-null', is.notNull && !was.notNull, 'domain'],
        ['drop-not-null', was.notNull && !is.notNull, 'domain'],
        ['drop-default', was.default !== undefined && !is.default, 'domain'],
      ]),
      ...added.map(([constraint]) => found('add-check', `${name}.${constraint}`)),
      ...dropped.map(([constraint]) => found('drop-constraint', `${name}.${constraint}`)),
    ];
  });
}

function publications({ before, after }: Sides): Found[] {
  return [...before.publications].flatMap(([object, was]): Found[] => {
    const is = after.publications.get(object);
    if (!is) return [{ rule: 'change-publication', object, detail: 'dropped' }];
    const isSame = missing(was, is).length === 0 && missing(is, was).length === 0;
    return isSame ? [] : [{ rule: 'change-publication', object }];
  });
}

/** What the model does not have. A statement that is known but new makes something new, which is never reported. */
function unknown({ before, after }: Sides): Found[] {
  const isPart = (table = '') => before.tables.has(table) !== after.tables.has(table);
  const gone = [...before.others].filter(([key, { table }]) => !after.others.has(key) && !isPart(table));
  const added = [...after.others].filter(([key, { isKnown }]) => !before.others.has(key) && !isKnown);
  const found = (all: typeof gone, detail: string) =>
    all.map(([, { sql }]): Found => ({ rule: 'unknown-change', object: oneLine(sql, 80), detail }));
  return [...found(gone, 'changed or removed'), ...found(added, 'added')];
}

function triggers({ before, after }: Sides): Found[] {
  const ofTables = kept(before.tables, after.tables).flatMap((one) => [...goneTriggers(one), ...disabledTriggers(one)]);
  const events = missing(after.disabledEventTriggers, before.disabledEventTriggers);
  return [
    ...ofTables,
    ...kept(before.views, after.views).flatMap(goneTriggers),
    ...events.map((object): Found => ({ rule: 'disable-trigger', object, detail: 'event trigger' })),
  ];
}

function goneTriggers({ name, was, is }: Kept<Pick<Table, 'triggers'>>): Found[] {
  return [...was.triggers].flatMap(([trigger, before]): Found[] => {
    const after = is.triggers.get(trigger);
    if (after === before) return [];
    const detail = after && 'definition changed';
    return [{ rule: 'drop-trigger', object: `${name}.${trigger}`, detail, table: name, part: trigger }];
  });
}

function disabledTriggers({ name, was, is }: Kept<Table>): Found[] {
  return missing(is.disabledTriggers, was.disabledTriggers).flatMap((trigger): Found[] => {
    const isNew = is.triggers.has(trigger) && !was.triggers.has(trigger);
    return isNew ? [] : [{ rule: 'disable-trigger', object: `${name}.${trigger}`, table: name, part: trigger }];
  });
}
