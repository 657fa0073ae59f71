import type { Catalog, Relation } from './catalog.ts';

/** Something that a migration really did, which the review should report. */
export interface Fact {
  /** The level of the danger. */
  level: 'destructive' | 'exposing' | 'breaking' | 'locking' | 'notice';
  /** The rules that say so; the first is the one that fits best. */
  rules: string[];
  /** What the finding's object may be called: its old or its new name. Ends in `.` or `*` for anything below. */
  objects: string[];
  /** Whether two schemas can't show it: the object was made again as it was. */
  hidden?: boolean;
}

interface Both {
  before: Catalog;
  after: Catalog;
}

/** Compares two catalogs by number, and reads what Postgres said while it worked (`client_min_messages = debug1`). */
export function factsOf(before: Catalog, after: Catalog, messages: string[]): Fact[] {
  const both = { before, after };
  return [
    ...tables(both),
    ...columns(both),
    ...objects(both),
    ...policies(both),
    ...rights(both),
    ...functions(both),
    ...views(both),
    ...keys(both, messages),
    ...indexes(both),
    ...triggers(both),
    ...work(both, messages),
  ];
}

const isTable = ({ kind }: Relation) => ['r', 'p', 'f'].includes(kind);
const byOid = <T extends { oid: number }>(list: T[]) => new Map(list.map((one) => [one.oid, one]));
const names = <T extends { name: string }>(list: T[]) => new Set(list.map(({ name }) => name));

function tables({ before, after }: Both): Fact[] {
  const [was, is, now] = [byOid(before.relations), byOid(after.relations), names(after.relations)];
  const facts: Fact[] = [];
  for (const one of before.relations.filter(isTable)) {
    const later = is.get(one.oid);
    if (!later) {
      // A partition goes with its partitioned table.
      if (one.partition && one.parent !== null && !is.has(one.parent)) continue;
      // A table made again under the same name shows in the order of its columns at best.
      const objects = [one.name, ...(now.has(one.name) ? [`${one.name}.`] : [])];
      facts.push({
        level: 'destructive',
        rules: ['drop-table', 'drop-column', 'convert-type', 'narrow-type'],
        objects,
        hidden: now.has(one.name),
      });
      continue;
    }
    if (one.name !== later.name)
      facts.push({ level: 'breaking', rules: ['rename-table'], objects: [one.name, later.name] });
    const objects = [one.name, later.name];
    if (one.rowSecurity && !later.rowSecurity) facts.push({ level: 'exposing', rules: ['disable-rls'], objects });
    else if (one.forced && !later.forced) facts.push({ level: 'exposing', rules: ['disable-rls'], objects });
    if (!one.rowSecurity && later.rowSecurity) facts.push({ level: 'breaking', rules: ['enable-rls'], objects });
    else if (later.rowSecurity && !one.forced && later.forced)
      facts.push({ level: 'breaking', rules: ['enable-rls'], objects });
    if (!one.unlogged && later.unlogged) facts.push({ level: 'notice', rules: ['set-unlogged'], objects });
    if (one.unlogged && !later.unlogged) facts.push({ level: 'locking', rules: ['set-logged'], objects });
    if (one.parent !== null && one.parent !== later.parent) {
      facts.push({ level: 'notice', rules: ['detach-partition'], objects, hidden: !was.has(one.parent) });
    }
  }
  for (const one of after.relations.filter((relation) => isTable(relation) && relation.partition)) {
    const [old, parent] = [was.get(one.oid), one.parent ?? 0];
    if (!was.has(parent) || old?.parent === parent) continue;
    const standard = before.relations.find((other) => other.parent === parent && other.isDefault);
    if (old || (standard && !one.isDefault))
      facts.push({ level: 'locking', rules: ['attach-partition'], objects: [one.name] });
  }
  return facts;
}

/** Types that hold every value of another one, by the first word of their names. */
const wider: Record<string, string[]> = {
  smallint: ['integer', 'bigint', 'numeric', 'real', 'double precision'],
  integer: ['bigint', 'numeric', 'double precision'],
  bigint: ['numeric'],
  real: ['double precision'],
  date: ['timestamp without time zone'],
  'timestamp without time zone': ['timestamp with time zone'],
  'timestamp with time zone': ['timestamp without time zone'],
  json: ['jsonb'],
  jsonb: ['json'],
  cidr: ['inet'],
  bit: ['bit varying'],
};

/** Whether every value has a counterpart in the new type. */
function isLossless(from: string, to: string): boolean {
  const [, fromBase = '', fromLimit] = /^(.*?)(?:\(([\d,]+)\))?((?: with| without) .*)?(?:\[\])?$/.exec(from) ?? [];
  const [, toBase = '', toLimit] = /^(.*?)(?:\(([\d,]+)\))?((?: with| without) .*)?(?:\[\])?$/.exec(to) ?? [];
  if (from.endsWith('[]') !== to.endsWith('[]')) return to === 'text';
  const isText = (base: string) => /^(?:text|character|character varying|citext|.*\.citext)$/.test(base);
  if (isText(toBase) && toLimit === undefined) return true;
  if (isText(fromBase) && /^jsonb?$/.test(toBase)) return true;
  if (isText(fromBase) && isText(toBase)) return Number(fromLimit ?? Infinity) <= Number(toLimit);
  if (fromBase === toBase) {
    const [p = Infinity, s = 0] = (fromLimit ?? '').split(',').filter(Boolean).map(Number);
    const [q = Infinity, r = 0] = (toLimit ?? '').split(',').filter(Boolean).map(Number);
    return fromBase === 'numeric'
      ? toLimit === undefined || (q - r >= p - s && r >= s)
      : toLimit === undefined || q >= p;
  }
  const plain = (type: string) => type.replace(/\([\d,]+\)/, '').replace('[]', '');
  return (
    wider[plain(from)]?.includes(plain(to)) === true &&
    (toLimit === undefined || !/numeric/.test(to) || Number(toLimit.split(',')[0]) >= 19)
  );
}

function columns({ before, after }: Both): Fact[] {
  const [was, is] = [byOid(before.relations), byOid(after.relations)];
  const now = new Map(after.columns.map((one) => [`${one.relation} ${one.number}`, one]));
  const then = new Set(before.columns.map((one) => `${one.relation} ${one.number}`));
  const labels = (catalog: Catalog, type: string) =>
    catalog.labels.filter((one) => one.type === type.replace('[]', '')).map(({ label }) => label);
  const facts: Fact[] = [];
  for (const column of before.columns) {
    const [table, later] = [was.get(column.relation), is.get(column.relation)];
    if (!table || !later || table.kind === 'v' || table.kind === 'm' || column.inherited) continue;
    const one = now.get(`${column.relation} ${column.number}`);
    const objects = [table.name, later.name].map((name) => `${name}.${column.name}`);
    if (!one) {
      const again = after.columns.find((other) => other.relation === column.relation && other.name === column.name);
      // It can be made out if a column that was behind it is now in front of it.
      const behind = before.columns.filter(
        (other) => other.relation === column.relation && other.number > column.number,
      );
      const hidden = again !== undefined && !behind.some((other) => now.has(`${other.relation} ${other.number}`));
      facts.push({
        level: 'destructive',
        rules: ['drop-column', 'convert-type', 'narrow-type', 'stored-generated'],
        objects,
        hidden,
      });
      continue;
    }
    if (one.name !== column.name) facts.push({ level: 'breaking', rules: ['rename-column'], objects });
    objects.push(...[table.name, later.name].map((name) => `${name}.${one.name}`));
    const [a, b] = [labels(before, column.type), labels(after, one.type)];
    const renamedEnum = a.length > 0 && b.length > 0 && a.every((label) => b.includes(label));
    // It works, or it fails.
    const isEnum = b.length > 0 && /^(?:text|character varying)/.test(column.base);
    if (
      one.type !== column.type &&
      one.typeOid !== column.typeOid &&
      !renamedEnum &&
      !isEnum &&
      column.base !== one.base &&
      !isLossless(column.base, one.base)
    )
      facts.push({ level: 'destructive', rules: ['convert-type', 'narrow-type'], objects });
    else if (
      one.type !== column.type &&
      one.typeOid === column.typeOid &&
      !isLossless(column.type, one.type) &&
      !/^[\w."]+$/.test(column.type + one.type)
    )
      facts.push({ level: 'destructive', rules: ['narrow-type', 'convert-type'], objects });
    if (one.notNull && !column.notNull)
      facts.push({ level: 'breaking', rules: ['set-not-null', 'add-primary-key'], objects });
    if (!one.notNull && column.notNull) facts.push({ level: 'notice', rules: ['drop-not-null'], objects });
    const fills = one.filled || one.identity !== '' || one.generated !== '';
    if ((column.filled || column.generated !== '') && !fills)
      facts.push({ level: 'breaking', rules: ['drop-default'], objects });
    if (column.identity !== '' && one.identity === '')
      facts.push({ level: 'breaking', rules: ['drop-identity'], objects });
    if (column.identity === 'd' && one.identity === 'a')
      facts.push({ level: 'breaking', rules: ['change-identity'], objects });
  }
  for (const column of after.columns) {
    const table = is.get(column.relation);
    if (!table || !was.has(column.relation) || then.has(`${column.relation} ${column.number}`) || column.inherited)
      continue;
    if (table.kind === 'v' || table.kind === 'm') continue;
    const fills = column.filled || column.identity !== '' || column.generated !== '';
    if ((column.notNull || column.domainNotNull) && !fills) {
      const objects = [`${table.name}.${column.name}`];
      // If the old column with that name was NOT NULL, too, it can't be told from that one.
      const hidden = before.columns.some(
        (one) => one.relation === column.relation && one.name === column.name && one.notNull,
      );
      facts.push({ level: 'breaking', rules: ['add-not-null-column', 'set-not-null'], objects, hidden });
    }
  }
  return facts;
}

function objects({ before, after }: Both): Fact[] {
  const facts: Fact[] = [];
  const gone = <T extends { oid: number; name: string }>(was: T[], is: T[], level: Fact['level'], rule: string) => {
    const [oids, now] = [byOid(is), names(is)];
    for (const one of was) {
      const later = oids.get(one.oid);
      if (later?.name === one.name) continue;
      if (!later || level === 'breaking')
        facts.push({ level, rules: [rule], objects: [one.name], hidden: now.has(one.name) });
    }
  };
  const ofKind = (catalog: Catalog, kind: string) => catalog.relations.filter((one) => one.kind === kind);
  const full = new Set(before.relations.flatMap(({ kind, schema }) => (/[rpm]/.test(kind) ? [schema] : [])));
  const bare = (name: string) => name.replace(/^"|"$/g, '').replaceAll('""', '"');
  gone(
    before.schemas.filter(({ name }) => full.has(bare(name))),
    after.schemas,
    'destructive',
    'drop-schema',
  );
  gone(before.extensions, after.extensions, 'destructive', 'drop-extension');
  gone(ofKind(before, 'm'), ofKind(after, 'm'), 'destructive', 'drop-materialized-view');
  gone(
    ofKind(before, 'S').filter(({ owned }) => !owned),
    ofKind(after, 'S'),
    'destructive',
    'drop-sequence',
  );
  gone(before.types, after.types, 'breaking', 'drop-type');
  const kept = names(after.types);
  for (const type of names(before.types)) {
    if (!kept.has(type)) continue;
    const [was, is] = [before, after].map(({ labels }) => labels.filter((one) => one.type === type)) as [
      Catalog['labels'],
      Catalog['labels'],
    ];
    const oids = new Map(is.map((one) => [one.oid, one.label]));
    const isRenamed = was.some((one) => oids.has(one.oid) && oids.get(one.oid) !== one.label);
    const isLost = was.some((one) => !oids.has(one.oid) && !is.some(({ label }) => label === one.label));
    if (isRenamed) facts.push({ level: 'breaking', rules: ['rename-enum-value'], objects: [type] });
    if (isLost) facts.push({ level: 'destructive', rules: ['drop-enum-value'], objects: [type] });
  }
  for (const [was, is, level, rule] of [
    [before, after, 'notice', 'drop-constraint'],
    [after, before, 'locking', 'add-check'],
  ] as const) {
    const [oids, types] = [byOid(is.domainChecks), names(is.types)];
    for (const { oid, name, validated } of was.domainChecks) {
      const isKept = oids.has(oid) || !types.has(name.slice(0, name.lastIndexOf('.')));
      if (!isKept && (validated || level === 'notice')) facts.push({ level, rules: [rule], objects: [name] });
    }
  }
  for (const one of ofKind(before, 'S')) {
    const later = ofKind(after, 'S').find(({ oid }) => oid === one.oid);
    const isSmaller =
      later && (BigInt(later.high ?? 0) < BigInt(one.high ?? 0) || BigInt(later.low ?? 0) > BigInt(one.low ?? 0));
    if (isSmaller || (one.owned && later && !later.owned))
      facts.push({ level: 'breaking', rules: ['change-sequence'], objects: [one.name, later.name] });
  }
  for (const one of before.publications) {
    const later = after.publications.find(({ name }) => name === one.name);
    if (later?.definition !== one.definition)
      facts.push({ level: 'notice', rules: ['change-publication'], objects: [one.name] });
  }
  return facts;
}

function policies({ before, after }: Both): Fact[] {
  const [was, is] = [byOid(before.relations), byOid(after.relations)];
  const facts: Fact[] = [];
  for (const one of before.policies) {
    const table = is.get(one.relation);
    if (!table) continue;
    const own = after.policies.filter(({ relation }) => relation === one.relation);
    const later = own.find(({ oid }) => oid === one.oid) ?? own.find(({ name }) => name === one.name);
    const objects = [table.name, was.get(one.relation)?.name ?? ''].flatMap((name) => [
      `${name}.${one.name}`,
      `${name}.${later?.name}`,
    ]);
    if (later && later.definition !== one.definition && later.text !== one.text)
      facts.push({ level: 'exposing', rules: ['change-policy'], objects });
    if (!later && !own.some(({ definition }) => definition === one.definition))
      facts.push({ level: 'exposing', rules: ['drop-policy', 'change-policy'], objects });
  }
  for (const one of after.policies) {
    const table = is.get(one.relation);
    const own = before.policies.filter(({ relation }) => relation === one.relation);
    const isKnown = own.some(
      ({ oid, name, definition }) => oid === one.oid || name === one.name || definition === one.definition,
    );
    // If row-level security is new, too, the policy restricts what everyone saw before.
    const isFirst = table?.rowSecurity === true && was.get(one.relation)?.rowSecurity === false;
    if (!table || !was.has(one.relation) || isKnown) continue;
    if (!one.permissive)
      facts.push({ level: 'breaking', rules: ['restrictive-policy'], objects: [`${table.name}.${one.name}`] });
    if (isFirst || !one.permissive) continue;
    facts.push({ level: 'exposing', rules: ['add-policy', 'change-policy'], objects: [`${table.name}.${one.name}`] });
  }
  return facts;
}

function rights({ before, after }: Both): Fact[] {
  const facts: Fact[] = [];
  const key = ({ object, grantee, privilege }: Catalog['rights'][number]) => `${object}/${grantee}/${privilege}`;
  const [known, existed] = [new Set(before.rights.map(key)), new Set(before.rights.map(({ object }) => object))];
  for (const one of after.rights) {
    // A right that can no longer be passed on is still there.
    const isKnown = known.has(key(one)) || known.has(`${key(one)} WITH GRANT OPTION`);
    const formerly = before.rights.find(({ object }) => object === one.object)?.owner;
    if (isKnown || one.grantee === one.owner || one.grantee === formerly) continue;
    // Rights on future objects of a new schema count as rights on new objects.
    const within = Number(/^default (\d+)/.exec(one.object)?.[1] ?? 0);
    if (within !== 0 && !before.schemas.some(({ oid }) => oid === within)) continue;
    if (one.name === 'future') facts.push({ level: 'exposing', rules: ['grant'], objects: ['future*'] });
    else if (existed.has(one.object)) facts.push({ level: 'exposing', rules: ['grant'], objects: [one.name] });
  }
  const [left, owners] = [new Set(after.rights.map(key)), new Map(after.rights.map((one) => [one.object, one.owner]))];
  const taken = before.rights.filter(
    (one) => !left.has(key(one)) && !/ WITH GRANT OPTION$/.test(one.privilege) && one.name !== 'future',
  );
  for (const one of taken) {
    const owner = owners.get(one.object);
    // An object that nobody but its owner has rights on is in no list.
    if (owner !== undefined && one.grantee !== one.owner && one.grantee !== owner)
      facts.push({ level: 'breaking', rules: ['revoke'], objects: [one.name] });
  }
  const granted = new Set(after.rights.filter((one) => one.grantee !== one.owner).map(({ name }) => name));
  const existing = new Set(before.relations.map(({ oid }) => oid));
  const shown = after.relations.filter((one) => isTable(one) && granted.has(one.name));
  for (const one of shown.filter(({ oid, rowSecurity }) => !existing.has(oid) && !rowSecurity)) {
    const others = shown.filter(
      (other) => other.schema === one.schema && (existing.has(other.oid) || other.rowSecurity),
    );
    if (others.length > 0 && others.every(({ rowSecurity }) => rowSecurity))
      facts.push({ level: 'exposing', rules: ['table-without-rls'], objects: [one.name] });
  }
  const changed = (was: { id: string; name: string; owner: string }[], is: typeof was) => {
    const owners = new Map(is.map((one) => [one.id, one]));
    for (const one of was) {
      const later = owners.get(one.id);
      if (later && later.owner !== one.owner)
        facts.push({ level: 'exposing', rules: ['change-owner'], objects: [one.name, later.name] });
    }
  };
  const owned = ({ relations, functions, schemas, types }: Catalog) => [
    ...relations
      .filter(({ kind, owned }) => kind !== 'c' && !owned)
      .map((one) => ({ ...one, id: /[vm]/.test(one.kind) ? one.name : `${one.oid}` })),
    ...functions.map(({ signature, owner }) => ({ id: signature, name: signature, owner })),
    ...schemas.map((one) => ({ ...one, id: `schema ${one.oid}` })),
    ...types.map((one) => ({ ...one, id: `type ${one.name}` })),
  ];
  changed(owned(before), owned(after));
  return facts;
}

function functions({ before, after }: Both): Fact[] {
  const facts: Fact[] = [];
  const now = new Map(after.functions.map((one) => [one.signature, one]));
  const then = new Map(before.functions.map((one) => [one.signature, one]));
  for (const one of before.functions) {
    const later = now.get(one.signature);
    const objects = [one.signature];
    if (!later) {
      const others = after.functions.filter((other) => other.bare === one.bare);
      // More arguments, which have defaults, take the same calls.
      const takesSame = others.some(
        (other) =>
          one.inputs.every((type, n) => other.inputs[n] === type) &&
          other.inputs.length - other.defaults <= one.inputs.length &&
          other.result === one.result,
      );
      if (!takesSame) facts.push({ level: 'breaking', rules: ['drop-function', 'change-function'], objects });
      continue;
    }
    const isRenamed = one.names?.some((name, n) => name !== '' && name !== later.names?.[n]) === true;
    if (later.result !== one.result || isRenamed || later.defaults < one.defaults)
      facts.push({ level: 'breaking', rules: ['change-function'], objects });
    if (later.definer && (!one.definer || (later.path !== one.path && one.path !== null)))
      facts.push({ level: 'exposing', rules: ['security-definer'], objects });
  }
  for (const one of after.functions) {
    if (!then.has(one.signature) && one.definer && one.path === null) {
      facts.push({ level: 'exposing', rules: ['security-definer'], objects: [one.signature] });
    }
  }
  return facts;
}

function views({ before, after }: Both): Fact[] {
  const facts: Fact[] = [];
  const ofView = (catalog: Catalog, { oid }: Relation) => catalog.columns.filter(({ relation }) => relation === oid);
  for (const one of before.relations.filter(({ kind }) => kind === 'v')) {
    const later = after.relations.find(({ kind, name }) => kind === 'v' && name === one.name);
    if (!later) {
      facts.push({ level: 'breaking', rules: ['drop-view'], objects: [one.name] });
      continue;
    }
    const isOpen = (one.invoker && !later.invoker) || (one.barrier && !later.barrier) || (one.check && !later.check);
    if (isOpen) facts.push({ level: 'exposing', rules: ['view-security'], objects: [one.name] });
    const types = new Map(ofView(after, later).map(({ name, type }) => [name, type]));
    const changed = ofView(before, one).filter(({ name, type }) => types.get(name) !== type);
    if (changed.length > 0) facts.push({ level: 'breaking', rules: ['change-view'], objects: [one.name] });
  }
  return facts;
}

const ruleOf: Record<string, string> = {
  c: 'add-check',
  u: 'add-unique',
  p: 'add-primary-key',
  x: 'add-exclusion',
  f: 'add-foreign-key',
};

function keys({ before, after }: Both, messages: string[]): Fact[] {
  const [was, is] = [byOid(before.relations), byOid(after.relations)];
  const [known, left] = [byOid(before.constraints), byOid(after.constraints)];
  const oldIndexes = new Set(before.indexes.map(({ oid }) => oid));
  const facts: Fact[] = [];
  const nameOf = (relation: number, constraint: string) =>
    [was, is].map((side) => `${side.get(relation)?.name}.${constraint}`);
  for (const one of after.constraints) {
    const table = is.get(one.relation);
    if (!table || !was.has(one.relation) || one.inherited) continue;
    const old = known.get(one.oid);
    const same = before.constraints.find(
      (other) => other.relation === one.relation && other.definition === one.definition && other.kind === one.kind,
    );
    const objects = nameOf(one.relation, one.name);
    // Validating one that was there blocks neither reads nor writes.
    if (one.validated && !old) {
      const said =
        one.kind === 'f'
          ? messages.some((line) => line.includes(`validating foreign key constraint ${quoted(one.name)}`))
          : one.kind === 'c'
            ? messages.some((line) => /verifying|rewriting|validating/.test(line) && line.includes(`"${table.bare}"`))
            : !oldIndexes.has(one.index);
      if (said)
        facts.push({
          level: 'locking',
          rules: [ruleOf[one.kind] ?? '', 'add-unique', 'add-primary-key'],
          objects,
          hidden: same?.validated === true,
        });
    }
    const isChanged = before.constraints.some(
      (other) => other.relation === one.relation && other.kind === 'f' && `${other.keys}` === `${one.keys}`,
    );
    if (one.kind === 'f' && !old && !isChanged && one.keys) {
      const covered = after.indexes.some(
        (index) =>
          index.relation === one.relation &&
          !index.partial &&
          one.keys?.every((key) => index.keys.slice(0, one.keys?.length).includes(key)),
      );
      if (!covered) facts.push({ level: 'notice', rules: ['foreign-key-without-index'], objects });
    }
  }
  for (const one of before.constraints) {
    if (left.has(one.oid) || !is.has(one.relation) || one.inherited) continue;
    if (
      after.constraints.some(
        (other) => other.relation === one.relation && other.kind === one.kind && other.definition === one.definition,
      )
    )
      continue;
    const objects = nameOf(one.relation, one.name);
    const columns = new Set(
      after.columns.filter(({ relation }) => relation === one.relation).map(({ number }) => number),
    );
    // It goes with the last of its columns.
    const hidden = one.keys !== null && one.keys.length > 0 && one.keys.every((key) => !columns.has(key));
    facts.push({
      level: 'notice',
      rules: [one.kind === 'f' ? 'drop-foreign-key' : 'drop-constraint', ruleOf[one.kind] ?? ''],
      objects,
      hidden,
    });
  }
  return facts;
}

function quoted(name: string): string {
  return `"${name.replace(/^"|"$/g, '').replaceAll('""', '"')}"`;
}

function indexes({ before, after }: Both): Fact[] {
  const [was, is] = [byOid(before.relations), byOid(after.relations)];
  const [known, left] = [byOid(before.indexes), byOid(after.indexes)];
  const facts: Fact[] = [];
  for (const one of after.indexes) {
    const table = was.get(one.relation);
    // Without its parts, the index of a partitioned table is empty.
    if (
      !table ||
      known.has(one.oid) ||
      one.constraint ||
      one.partition ||
      one.concurrent ||
      (one.kind === 'I' && !hasParts(after, one.relation))
    )
      continue;
    const again = before.indexes.find(
      (other) => other.relation === one.relation && other.definition === one.definition,
    );
    facts.push({
      level: 'locking',
      rules: ['add-index', 'add-unique'],
      objects: [one.name],
      hidden: again !== undefined,
    });
  }
  for (const one of before.indexes) {
    if (left.has(one.oid) || !is.has(one.relation) || one.constraint || one.partition) continue;
    if (after.indexes.some((other) => other.relation === one.relation && other.definition === one.definition)) continue;
    const columns = new Set(
      after.columns.filter(({ relation }) => relation === one.relation).map(({ number }) => number),
    );
    const gone = one.keys.filter((key) => key > 0);
    facts.push({
      level: 'notice',
      rules: ['drop-index', 'add-index', 'add-unique'],
      objects: [one.name],
      hidden: gone.length > 0 && gone.some((key) => !columns.has(key)),
    });
  }
  return facts;
}

function hasParts(catalog: Catalog, relation: number): boolean {
  return catalog.relations.some(({ parent }) => parent === relation);
}

function triggers({ before, after }: Both): Fact[] {
  const [was, is] = [byOid(before.relations), byOid(after.relations)];
  const facts: Fact[] = [];
  for (const one of before.triggers) {
    const table = is.get(one.relation);
    if (!table) continue;
    const own = after.triggers.filter(({ relation }) => relation === one.relation);
    const later = own.find(({ oid }) => oid === one.oid) ?? own.find(({ name }) => name === one.name);
    const objects = [table.name, was.get(one.relation)?.name].map((name) => `${name}.${one.name}`);
    if (!later || later.definition !== one.definition)
      facts.push({ level: 'notice', rules: ['drop-trigger'], objects });
    else if (later.enabled === 'D' && one.enabled !== 'D')
      facts.push({ level: 'notice', rules: ['disable-trigger'], objects });
  }
  return facts;
}

/** Tables that were rewritten or read as a whole. */
function work({ before, after }: Both, messages: string[]): Fact[] {
  const facts: Fact[] = [];
  const is = byOid(after.relations);
  const unvalidated = new Set(before.constraints.filter((one) => !one.validated).map(({ oid }) => oid));
  for (const [verb, rules] of [
    [
      'rewriting',
      [
        'rewrite-type',
        'volatile-default',
        'stored-generated',
        'convert-type',
        'narrow-type',
        'set-unlogged',
        'drop-enum-value',
        'drop-column',
        'rename-enum-value',
      ],
    ],
    [
      'verifying',
      ['add-check', 'set-not-null', 'rewrite-type', 'convert-type', 'add-primary-key', 'add-not-null-column'],
    ],
  ] as const) {
    const said = new Set(messages.flatMap((line) => new RegExp(`^${verb} table "(.*)"$`).exec(line)?.[1] ?? []));
    for (const one of before.relations.filter((relation) => isTable(relation) && !relation.partition)) {
      const later = is.get(one.oid);
      if (!later || !(said.has(one.bare) || said.has(later.bare))) continue;
      const isValidation = after.constraints.some(
        ({ oid, relation, kind, validated }) =>
          kind === 'c' && relation === one.oid && validated && unvalidated.has(oid),
      );
      if (verb === 'verifying' && isValidation) continue;
      const types = [before, after].flatMap(({ columns }) =>
        columns.filter(({ relation }) => relation === one.oid).map(({ type }) => type.replace('[]', '')),
      );
      facts.push({
        level: 'locking',
        rules: [...rules],
        objects: [`${one.name}.`, `${later.name}.`, one.name, later.name, ...types],
      });
    }
  }
  return facts;
}
