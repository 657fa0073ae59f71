import { type Found, missing, type Sides } from './found.ts';
import type { Domain } from './model.ts';
import { guessRenames } from './renames.ts';
import type { RuleName } from './rules.ts';

/** Everything that is neither a table nor a part of one. */
export function checkObjects(sides: Sides): Found[] {
  const { before, after } = sides;
  const dropped = (rule: RuleName, was: Iterable<string>, is: { has(name: string): boolean }) =>
    missing(was, is).map((object): Found => ({ rule, object, detail: '' }));
  const sequences = [...before.sequences].filter(([, { owned }]) => !owned).map(([name]) => name);
  return [
    ...dropped('drop-schema', before.schemas, after.schemas),
    ...dropped('drop-extension', before.extensions, after.extensions),
    ...dropped('drop-materialized-view', before.materializedViews, after.materializedViews),
    ...dropped('drop-sequence', sequences, after.sequences),
    ...dropped('drop-view', before.views.keys(), after.views),
    ...dropped('drop-type', before.enums.keys(), after.enums),
    ...dropped('drop-type', before.domains.keys(), after.domains),
    ...dropped('drop-type', before.types.keys(), after.types),
    ...attributes(sides),
    ...functions(sides),
    ...enums(sides),
    ...domains(sides),
    ...publications(sides),
    ...unknown(sides),
  ];
}

function functions({ before, after }: Sides): Found[] {
  const nameOf = (signature: string) => signature.slice(0, signature.indexOf('('));
  const added = Map.groupBy(missing(after.functions.keys(), before.functions), nameOf);
  const replaced = [...before.functions].filter(([name, { result }]) => {
    const is = after.functions.get(name);
    return is !== undefined && is.result !== result;
  });
  const changed = replaced.map(([object]): Found => ({ rule: 'drop-function', object, detail: 'return type changed' }));
  const dropped = missing(before.functions.keys(), after.functions).map((object): Found => {
    const [other] = added.get(nameOf(object)) ?? [];
    return { rule: 'drop-function', object, detail: other === undefined ? '' : `now ${other}` };
  });
  return [...dropped, ...changed];
}

/** Columns of a composite type lose the values of an attribute that is gone. */
function attributes({ before, after }: Sides): Found[] {
  return [...before.types].flatMap(([name, was]) =>
    missing(was, new Set(after.types.get(name) ?? was)).map(
      (one): Found => ({ rule: 'drop-column', object: `${name}.${one}`, detail: 'attribute of a composite type' }),
    ),
  );
}

function enums({ before, after }: Sides): Found[] {
  return [...before.enums].flatMap(([object, was]): Found[] => {
    const is = after.enums.get(object);
    if (!is) return [];
    const removed = missing(was, new Set(is));
    const renames = guessRenames(was, is, () => true);
    const list = removed.map((value) => literal(value)).join(', ');
    const pairs = [...renames].map(([old, fresh]) => `${literal(old)} → ${literal(fresh)}`).join(', ');
    return [
      ...(removed.length > 0 ? [{ rule: 'drop-enum-value' as const, object, detail: list }] : []),
      ...(renames.size > 0 ? [{ rule: 'rename-enum-value' as const, object, detail: pairs }] : []),
    ];
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
