import { checkRoutines } from './check-routines.ts';
import { type Found, missing, type Sides } from './found.ts';
import type { Domain } from './model.ts';
import type { RuleName } from './rules.ts';
import { formatType } from './type.ts';

/** Everything that is neither a table nor a part of one. */
export function checkObjects(sides: Sides): Found[] {
  const { before, after } = sides;
  const dropped = (rule: RuleName, was: Iterable<string>, is: { has(name: string): boolean }) =>
    missing(was, is).map((object): Found => ({ rule, object, detail: '' }));
  const sequences = [...before.sequences].filter(([, { owner }]) => owner === undefined).map(([name]) => name);
  return [
    ...dropped('drop-schema', before.schemas, after.schemas),
    ...dropped('drop-extension', before.extensions.keys(), after.extensions),
    ...dropped('drop-materialized-view', before.materializedViews, after.materializedViews),
    ...dropped('drop-sequence', sequences, after.sequences),
    ...sequencesOf(sides),
    ...views(sides),
    ...types(sides),
    ...attributes(sides),
    ...checkRoutines(sides),
    ...enums(sides),
    ...domains(sides),
    ...publications(sides),
    ...unknown(sides),
  ];
}

function sequencesOf({ before, after }: Sides): Found[] {
  return [...before.sequences].flatMap(([object, was]): Found[] => {
    const is = after.sequences.get(object);
    if (!is) return [];
    const found = (detail: string): Found => ({ rule: 'change-sequence', object, detail });
    const range = (one: typeof was) => `${one.low} to ${one.high}`;
    // An owner that is gone takes its sequence along, unless the sequence was made independent of it.
    return [
      ...(is.low > was.low || is.high < was.high ? [found(`${range(was)} → ${range(is)}`)] : []),
      ...(was.owner !== undefined && is.owner === undefined ? [found(`no longer owned by ${was.owner}`)] : []),
    ];
  });
}

function views({ before, after }: Sides): Found[] {
  return [...before.views].flatMap(([object, was]): Found[] => {
    const is = after.views.get(object);
    if (!is) {
      const detail = after.materializedViews.has(object) ? 'now a materialized view' : '';
      return after.tables.has(object) || detail ? [] : [{ rule: 'drop-view', object, detail }];
    }
    const lost = missing(was.columns.keys(), is.columns);
    const retyped = [...was.columns].flatMap(([column, type]) => {
      const now = is.columns.get(column);
      const texts = [type, now].map((one) => one && formatType(one));
      return type && now && texts[0] !== texts[1] ? [`${column} ${texts.join(' → ')}`] : [];
    });
    const parts = [...(lost.length > 0 ? [`without ${lost.join(', ')}`] : []), ...retyped];
    return parts.length > 0 ? [{ rule: 'change-view', object, detail: parts.join('; ') }] : [];
  });
}

/** A type whose columns all have another one now, with the same values, probably has another name. */
function types({ before, after }: Sides): Found[] {
  const fresh = missing(after.enums.keys(), before.enums);
  const renamed = (values: string[] | undefined) =>
    fresh.find((name) => values?.join('\0') === after.enums.get(name)?.join('\0'));
  const all = [...before.enums.keys(), ...before.domains.keys(), ...before.types.keys()];
  return missing(all, new Set([...after.enums.keys(), ...after.domains.keys(), ...after.types.keys()])).map(
    (object) => {
      const now = renamed(before.enums.get(object));
      return { rule: 'drop-type', object, detail: now === undefined ? '' : `or renamed to ${now}?` };
    },
  );
}

/** Columns of a composite type lose the values of an attribute that is gone, and rewrite those of another type. */
function attributes({ before, after }: Sides): Found[] {
  return [...before.types].flatMap(([name, was]) => {
    const is = after.types.get(name) ?? was;
    const retyped = [...was].filter(([one, type]) => is.has(one) && is.get(one) !== type);
    return [
      ...missing(was.keys(), is).map(
        (one): Found => ({ rule: 'drop-column', object: `${name}.${one}`, detail: 'attribute of a composite type' }),
      ),
      ...retyped.map(
        ([one, type]): Found => ({
          rule: 'convert-type',
          object: `${name}.${one}`,
          detail: `${type} → ${is.get(one)}`,
        }),
      ),
    ];
  });
}

function enums({ before, after }: Sides): Found[] {
  return [...before.enums].flatMap(([object, was]): Found[] => {
    const is = after.enums.get(object);
    if (!is) return [];
    const removed = missing(was, new Set(is));
    const fresh = missing(is, new Set(was));
    const list = (values: string[]) => values.map((value) => literal(value)).join(', ');
    if (removed.length > 0) {
      // A new value goes to the end. One in the place of an old one is the old one, unless that was the last.
      const places = removed.map((value) => was.indexOf(value));
      const renamed = was.every((value, place) => is[place] === value || places.includes(place));
      const isProven = renamed && fresh.length === removed.length && Math.max(...places) < was.length - 1;
      if (isProven) {
        const pairs = places.map((place) => `${literal(was[place] ?? '')} → ${literal(is[place] ?? '')}`);
        return [{ rule: 'rename-enum-value', object, detail: pairs.join(', ') }];
      }
      const guess = removed.length === fresh.length ? `; or renamed to ${list(fresh)}?` : '';
      return [{ rule: 'drop-enum-value', object, detail: `${list(removed)}${guess}` }];
    }
    const kept = (values: string[], others: string[]) => values.filter((value) => others.includes(value)).join('\0');
    if (kept(was, is) === kept(is, was)) return [];
    return [{ rule: 'rewrite-type', object, detail: 'its values are in another order' }];
  });
}

function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** A stricter domain is checked against the rows of every table that uses it; a looser one lets other values in. */
function domains({ before, after }: Sides): Found[] {
  return [...before.domains].flatMap(([name, was]): Found[] => {
    const is = after.domains.get(name);
    if (!is) return [];
    const found = (rule: RuleName, constraint?: string): Found => ({
      rule,
      object: constraint === undefined ? name : `${name}.${constraint}`,
      detail: 'domain',
    });
    const without = (checks: Domain['constraints'], others: Domain['constraints']) => {
      const known = new Set([...others.values()].map(({ definition }) => definition));
      return [...checks].filter(([, { definition }]) => !known.has(definition));
    };
    const added = without(is.constraints, was.constraints).filter(([, { validated }]) => validated);
    return [
      ...(is.notNull && !was.notNull ? [found('set-not-null')] : []),
      ...(was.notNull && !is.notNull ? [found('drop-not-null')] : []),
      ...(was.default && !is.default ? [found('drop-default')] : []),
      ...added.map(([constraint]) => found('add-check', constraint)),
      ...without(was.constraints, is.constraints).map(([constraint]) => found('drop-constraint', constraint)),
    ];
  });
}

function publications({ before, after }: Sides): Found[] {
  return [...before.publications].flatMap(([object, was]): Found[] => {
    const is = after.publications.get(object);
    if (!is) return [{ rule: 'change-publication', object, detail: 'dropped' }];
    const isSame = missing(was, is).length === 0 && missing(is, was).length === 0;
    return isSame ? [] : [{ rule: 'change-publication', object, detail: '' }];
  });
}

/** What the model does not have. A statement that is known but new makes something new, which is never reported. */
function unknown({ before, after }: Sides): Found[] {
  const rule = 'unknown-change';
  return [
    ...missing(before.unknown, after.unknown).map((text) => ({ rule, object: head(text), detail: 'removed' }) as const),
    ...missing(after.unknown, before.unknown).map((text) => ({ rule, object: head(text), detail: 'added' }) as const),
    ...[...before.others]
      .filter(([key, { table = '' }]) => !after.others.has(key) && before.tables.has(table) === after.tables.has(table))
      .map(([, { sql }]) => ({ rule, object: head(sql), detail: 'changed or removed' }) as const),
  ];
}

/** The beginning of a statement, which says what it is about. */
function head(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
