export const id = 199;
export const ids = [199];
export const modules = {

/***/ 1199:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  reviewSchemas: () => (/* binding */ reviewSchemas)
});

// EXTERNAL MODULE: ./js/schema/apply-renames.js
var apply_renames = __webpack_require__(74);
;// CONCATENATED MODULE: ./js/schema/found.js
/** The tables that both schemas have. */
function keptTables({ before, after, }) {
    return [...before.tables].flatMap(([name, was]) => {
        const is = after.tables.get(name);
        return is ? [{ name, was, is }] : [];
    });
}
/** Without what is found for a whole partitioned table and again for each of its partitions. */
function withoutRepeats(found, { after }) {
    const key = ({ rule, part }, table) => JSON.stringify([rule, table, part]);
    const known = new Set(found.map((one) => key(one, one.table)));
    const isRepeat = (one) => {
        let parent = after.tables.get(one.table ?? '')?.partitionOf;
        for (let depth = 0; parent !== undefined && depth < 16; depth++) {
            if (known.has(key(one, parent)))
                return true;
            parent = after.tables.get(parent)?.partitionOf;
        }
        return false;
    };
    return found.filter((one) => !isRepeat(one));
}
/** The names in the first collection that the second does not have. */
function missing(from, to) {
    return [...from].filter((name) => !to.has(name));
}
/** What else something that is gone may be called now, as a question; empty if nothing is known of it. */
function guessOf({ maybe }, object) {
    const names = maybe.get(object) ?? [];
    return names.length === 0 ? '' : `or renamed to ${names.slice(0, 3).join(' or ')}?`;
}

// EXTERNAL MODULE: ./js/schema/type.js
var schema_type = __webpack_require__(9946);
;// CONCATENATED MODULE: ./js/schema/type-changes.js
/** The types that hold every value of a type; of dates, every one before the year 294277. */
const wider = new Map([
    ['int2', ['int4', 'int8', 'float4', 'float8']],
    ['int4', ['int8', 'float8']],
    ['float4', ['float8']],
    ['date', ['timestamp']],
    ['timestamp', ['timestamptz']],
    ['timestamptz', ['timestamp']],
    ['bpchar', ['varchar', 'text']],
    ['varchar', ['text', 'citext']],
    ['text', ['varchar', 'citext']],
    ['citext', ['varchar', 'text', 'citext']],
    ['jsonb', ['json']],
    ['cidr', ['inet']],
    ['bit', ['varbit']],
]);
/** The digits that an integer type needs as a `numeric`. */
const digits = new Map([
    ['int2', 5],
    ['int4', 10],
    ['int8', 19],
]);
/**
 * Types between which values are converted with a loss, unless `wider` says otherwise.
 */
const families = [
    ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'],
    ['date', 'timestamp'],
    ['cidr', 'inet'],
];
/** Types that are stored alike. Postgres changes nothing but the catalog. */
const alike = [
    ['text', 'varchar', 'citext'],
    ['cidr', 'inet'],
];
const texts = ['text', 'varchar', 'bpchar'];
/** Compares two types of a column; domains must have been replaced by what they are made of. */
function typeChange(from, to) {
    if (from.name === to.name && from.isArray === to.isArray && `${from.modifiers}` === `${to.modifiers}`)
        return 'none';
    if (from.isArray !== to.isArray)
        return isUnlimitedText(to) ? 'rewrite' : 'convert';
    const change = from.name === to.name ? ofModifiers(from, to) : ofNames(from, to);
    // Postgres looks at each element of an array if there is a limit, or another type.
    const isRead = from.isArray && (from.name !== to.name || to.modifiers.length > 0);
    return change === 'none' && isRead ? 'rewrite' : change;
}
function ofModifiers(from, to) {
    // Nothing is converted to fit a type without a limit.
    if (to.modifiers.length === 0)
        return 'none';
    const [before, after] = [limitOf(from), limitOf(to)];
    switch (from.name) {
        case 'numeric':
            return ofDigits(digitsOf(from), digitsOf(to));
        case 'bpchar':
            return before < after ? 'rewrite' : 'narrow';
        case 'interval':
            return 'narrow';
        case 'varchar':
        case 'varbit':
        case 'time':
        case 'timetz':
        case 'timestamp':
        case 'timestamptz':
            return before <= after ? 'none' : 'narrow';
        default:
            return 'convert';
    }
}
function ofNames(from, to) {
    const [a, b] = [lastPart(from.name), lastPart(to.name)];
    const whole = digits.get(a);
    if (whole !== undefined && b === 'numeric') {
        return ofDigits({ whole, fraction: 0 }, digitsOf(to)) === 'narrow' ? 'narrow' : 'rewrite';
    }
    if (wider.get(a)?.includes(b)) {
        if (limitOf(from) > limitOf(to))
            return 'narrow';
        return alike.some((group) => group.includes(a) && group.includes(b)) ? 'none' : 'rewrite';
    }
    if (isUnlimitedText(to))
        return 'rewrite';
    if (texts.includes(b))
        return from.isArray ? 'convert' : 'narrow';
    return families.some((family) => family.includes(a) && family.includes(b)) ? 'narrow' : 'convert';
}
function ofDigits(from, to) {
    if (to.whole < from.whole || to.fraction < from.fraction)
        return 'narrow';
    return to.fraction === from.fraction ? 'none' : 'rewrite';
}
function digitsOf({ modifiers: [precision, scale = 0] }) {
    if (typeof precision !== 'number')
        return { whole: Number.POSITIVE_INFINITY, fraction: Number.POSITIVE_INFINITY };
    return { whole: precision - Number(scale), fraction: Number(scale) };
}
/** How long or how exact a value may be. */
function limitOf({ name, modifiers: [first] }) {
    if (typeof first === 'number')
        return first;
    if (name === 'date')
        return 0;
    return name.startsWith('time') ? 6 : Number.POSITIVE_INFINITY;
}
function isUnlimitedText({ name, modifiers, isArray }) {
    return (name === 'text' || name === 'varchar') && modifiers.length === 0 && !isArray;
}
/** An extension's type may be in any schema. */
function lastPart(name) {
    return name.slice(name.lastIndexOf('.') + 1);
}

;// CONCATENATED MODULE: ./js/schema/check-columns.js



/** The columns of the tables that both schemas have. */
function checkColumns(sides) {
    return keptTables(sides).flatMap(({ name, was, is }) => {
        const found = (column) => (rule, detail) => ({
            rule,
            object: `${name}.${column}`,
            detail,
            table: name,
            part: column,
        });
        const findings = [];
        const wasCalled = [...sides.evidence.renames.tables].find(([, fresh]) => fresh === name)?.[0] ?? name;
        for (const [column, before] of was.columns) {
            const old = `${wasCalled}.${column}`;
            const isAgain = sides.evidence.addedAgain.has(old);
            const after = isAgain ? undefined : is.columns.get(column);
            if (after) {
                findings.push(...changed({ before, after, sides, found: found(column), checks: was.constraints }));
                continue;
            }
            const guess = isAgain ? 'dropped and added again' : guessOf(sides.evidence, old);
            findings.push(found(column)('drop-column', [(0,schema_type/* formatType */.sg)(before.type), guess].filter(Boolean).join('; ')));
        }
        for (const [column, after] of is.columns) {
            const isNew = !was.columns.has(column) || sides.evidence.addedAgain.has(`${wasCalled}.${column}`);
            if (isNew)
                findings.push(...added({ after, schema: sides.after, found: found(column) }));
        }
        return findings;
    });
}
const ruleOf = {
    none: undefined,
    rewrite: 'rewrite-type',
    narrow: 'narrow-type',
    convert: 'convert-type',
};
function changed(options) {
    const { before, after, sides, found, checks } = options;
    const findings = [];
    if (after.generated && !before.generated) {
        // A column can't become a generated one.
        findings.push(found('drop-column', `${(0,schema_type/* formatType */.sg)(before.type)}, replaced by a generated column`));
    }
    const rule = ruleOf[changeOfType(before.type, after.type, sides)];
    if (rule)
        findings.push(found(rule, `${(0,schema_type/* formatType */.sg)(before.type)} → ${(0,schema_type/* formatType */.sg)(after.type)}`));
    else {
        const left = new Set(domainsOf(after.type, sides.after).map(({ name }) => name));
        const lost = strictDomains(before.type, sides.before).filter((name) => !left.has(name));
        if (lost.length > 0)
            findings.push(found('drop-constraint', `of the domain ${lost.join(', ')}`));
    }
    const refused = found('set-not-null', '');
    if (after.notNull && !before.notNull && !refusesNull(checks, refused.part ?? ''))
        findings.push(refused);
    if (before.notNull && !after.notNull)
        findings.push(found('drop-not-null', ''));
    const fills = after.default || after.identity || after.generated;
    if ((before.default || before.generated) && !fills)
        findings.push(found('drop-default', ''));
    if (before.identity && !after.identity)
        findings.push(found('drop-identity', ''));
    if (before.identity === 'by default' && after.identity === 'always')
        findings.push(found('change-identity', ''));
    if (after.generated?.stored && after.generated.text !== before.generated?.text) {
        findings.push(found('stored-generated', 'its expression changed'));
    }
    return findings;
}
/** Whether a validated check says no more than that the column is not NULL. */
function refusesNull(constraints, column) {
    return [...constraints.values()].some(({ refusesNull, columns, validated }) => refusesNull && validated && `${columns}` === column);
}
/** A domain is compared by what it is made of. One with constraints may reject values. */
function changeOfType(from, to, { before, after }) {
    const change = typeChange(baseOf(from, before), baseOf(to, after));
    const known = new Set(domainsOf(from, before).map(({ name }) => name));
    const isStricter = strictDomains(to, after).some((name) => !known.has(name));
    return isStricter && change !== 'narrow' ? 'convert' : change;
}
function baseOf(type, schema) {
    const [last] = domainsOf(type, schema).slice(-1);
    if (!last)
        return type;
    return { ...last.domain.base, isArray: last.isArray || last.domain.base.isArray };
}
/** The domains that a type is made of, from the outermost. */
function domainsOf(type, { domains }) {
    const chain = [];
    let [{ name }, { isArray }] = [type, type];
    for (let domain = domains.get(name); domain && chain.length < 16; domain = domains.get(name)) {
        chain.push({ name, domain, isArray });
        name = domain.base.name;
        isArray ||= domain.base.isArray;
    }
    return chain;
}
/** The names of those that Postgres checks in every row, even if all have the same value. */
function strictDomains(type, schema) {
    const strict = domainsOf(type, schema).filter(({ domain }) => domain.notNull || domain.constraints.size > 0);
    return strict.map(({ name }) => name);
}
function added(options) {
    const { after, schema, found } = options;
    const { type, identity, generated } = after;
    const domains = type.isArray ? [] : domainsOf(type, schema).map(({ domain }) => domain);
    const initial = after.default ?? domains.find((one) => one.default)?.default;
    const findings = [];
    const notNull = after.notNull || domains.some((one) => one.notNull);
    if (notNull && !initial && !generated && !identity)
        findings.push(found('add-not-null-column', (0,schema_type/* formatType */.sg)(type)));
    else if (!type.isArray && strictDomains(type, schema).length > 0)
        findings.push(found('rewrite-type', `${(0,schema_type/* formatType */.sg)(type)}, a domain with constraints`));
    if (generated?.stored)
        findings.push(found('stored-generated', (0,schema_type/* formatType */.sg)(type)));
    const volatile = identity ? 'identity' : initial?.calls.find((call) => isVolatile(call, schema));
    if (volatile !== undefined)
        findings.push(found('volatile-default', identity ? 'identity' : `${volatile}()`));
    return findings;
}
/** Postgres' own functions that return another value in each row. */
const volatileFunctions = new Set([
    'clock_timestamp',
    'currval',
    'gen_random_uuid',
    'lastval',
    'nextval',
    'random',
    'random_normal',
    'setval',
    'timeofday',
    'uuidv4',
    'uuidv7',
]);
/** Whether a function returns another value in each row; a function of an extension may. */
function isVolatile(call, { volatility }) {
    return call.includes('.') ? (volatility.get(call) ?? true) : volatileFunctions.has(call);
}

;// CONCATENATED MODULE: ./js/schema/check-constraints.js

const addRules = {
    check: 'add-check',
    unique: 'add-unique',
    'primary key': 'add-primary-key',
    exclusion: 'add-exclusion',
    'foreign key': 'add-foreign-key',
};
/** Constraints and indexes of what both schemas have. They are compared by what they say: a new name changes nothing. */
function checkConstraints(sides) {
    const before = Map.groupBy(sides.before.indexes, ([, { table }]) => table);
    const after = Map.groupBy(sides.after.indexes, ([, { table }]) => table);
    const inTables = keptTables(sides).flatMap(({ name, was, is }) => {
        const pair = {
            table: name,
            was: { ...was, indexes: new Map(before.get(name)) },
            is: { ...is, indexes: new Map(after.get(name)) },
            inherited: constraintsAbove(was, sides.before),
        };
        return [...constraintsOf(pair), ...indexesOf(pair, sides)];
    });
    const views = [...sides.before.materializedViews].filter((name) => sides.after.materializedViews.has(name));
    const inViews = views.flatMap((name) => {
        const side = (indexes) => ({
            constraints: new Map(),
            indexes: new Map(indexes.get(name)),
            columns: new Map(),
            made: '',
        });
        return indexesOf({ table: name, was: side(before), is: side(after) }, sides);
    });
    return [...inTables, ...inViews];
}
function constraintsAbove({ partitionOf }, { tables }) {
    const above = [];
    let parent = tables.get(partitionOf ?? '');
    for (let depth = 0; parent && depth < 16; depth++) {
        above.push(...parent.constraints.values());
        parent = tables.get(parent.partitionOf ?? '');
    }
    return above;
}
/** Whether all columns that something is about are gone; a column of another name counts as gone. */
function areGone({ columns }, { was, is }) {
    const own = columns.filter((column) => was.columns.has(column));
    return own.length > 0 && own.every((column) => !is.columns.has(column));
}
function constraintsOf(pair) {
    const { table, was, is, inherited } = pair;
    const known = new Set([...was.constraints.values(), ...inherited].map(({ definition }) => definition));
    const kept = new Set([...is.constraints.values()].map(({ definition }) => definition));
    const found = (rule, name, { definition }, detail) => ({
        rule,
        object: `${table}.${name}`,
        detail,
        table,
        part: definition,
    });
    const fresh = [...is.constraints].filter(([, { definition }]) => !known.has(definition));
    const replaced = new Set(fresh.filter(([, { validated }]) => validated).map(([name]) => name));
    const added = fresh
        .filter(([, one]) => one.validated && !usesIndex(pair, one) && !refersToNothing(one, pair))
        .map(([name, one]) => {
        const isChanged = was.constraints.get(name)?.kind === one.kind;
        return found(addRules[one.kind], name, one, [columnList(one.columns), isChanged ? 'changed' : ''].filter(Boolean).join(', '));
    });
    const unindexed = fresh
        .filter(([, one]) => one.kind === 'foreign key' && !isIndexed(one, is))
        .filter(([name]) => !was.constraints.has(name))
        .map(([name, one]) => found('foreign-key-without-index', name, one, columnList(one.columns)));
    const dropped = [...was.constraints]
        .filter(([name, one]) => !kept.has(one.definition) && !areGone(one, pair) && !isReplaced(name, one))
        .map(([name, one]) => {
        const rule = one.kind === 'foreign key' ? 'drop-foreign-key' : 'drop-constraint';
        return found(rule, name, one, is.constraints.has(name) ? `${one.kind}, changed` : one.kind);
    });
    function isReplaced(name, { kind }) {
        return replaced.has(name) && is.constraints.get(name)?.kind === kind;
    }
    return [...added, ...dropped, ...unindexed];
}
/** Whether a unique index existed that the constraint has taken over. One that is still there has not been. */
function usesIndex({ was, is }, { kind, columns }) {
    if (kind !== 'unique' && kind !== 'primary key')
        return false;
    const left = new Set([...is.indexes.values()].map(({ definition }) => definition));
    return [...was.indexes.values()].some((index) => isUniqueOn(index, columns) && !left.has(index.definition));
}
/** Whether all columns of a foreign key are new and NULL, so that Postgres has nothing to look up. */
function refersToNothing({ kind, columns }, { was, is }) {
    if (kind !== 'foreign key')
        return false;
    return columns.every((column) => {
        const one = is.columns.get(column);
        return one !== undefined && !was.columns.has(column) && !one.default && !one.generated && !one.identity;
    });
}
/** Whether an index or a key begins with the columns, in any order. */
function isIndexed({ columns }, { constraints, indexes }) {
    const keys = [...constraints.values()].filter(({ kind }) => kind === 'unique' || kind === 'primary key');
    const plain = [...indexes.values()].filter((index) => !/"(?:whereClause|expr)"/.test(index.definition));
    return [...keys, ...plain].some((one) => {
        const first = one.columns.slice(0, columns.length);
        return columns.every((column) => first.includes(column));
    });
}
/** An index of some rows, or of an expression, is of no use to a constraint. */
function isUniqueOn(index, columns) {
    const isPlain = !/"(?:whereClause|expr)"/.test(index.definition);
    return index.unique && isPlain && `${index.columns}` === `${columns}`;
}
function indexesOf(pair, { before, after }) {
    const { table, was, is } = pair;
    const known = new Set([...was.indexes.values()].map(({ definition }) => definition));
    const kept = new Set([...is.indexes.values()].map(({ definition }) => definition));
    const isNew = ({ definition }) => !known.has(definition);
    const isDropped = ({ definition }) => !kept.has(definition);
    const found = (rule, name, detail) => ({
        rule,
        object: name,
        detail,
        indexed: table,
    });
    const fresh = [...is.indexes].filter(([, index]) => isNew(index));
    const added = fresh
        .filter(([name, index]) => !isPart(index, after.indexes, before.indexes) && !isEmpty(name, is, after.indexes))
        .map(([name, index]) => found(index.unique ? 'add-unique' : 'add-index', name, [on(table, index), was.indexes.has(name) ? 'changed' : ''].filter(Boolean).join(', ')));
    const replaced = new Set(fresh.map(([name]) => name));
    const dropped = [...was.indexes]
        .filter(([, index]) => isDropped(index) && !isPart(index, before.indexes, after.indexes))
        .filter(([name, index]) => !areGone(index, pair) && !isPromoted(index, is) && !replaced.has(name))
        .map(([name, index]) => found('drop-index', name, `${on(table, index)}${index.unique ? '; duplicates are no longer refused' : ''}`));
    return [...added, ...dropped];
}
/** Whether the index is that of a partitioned table, and none of its partitions has a part of it. */
function isEmpty(name, { made }, indexes) {
    const isPartitioned = made !== '' && made !== 'foreign';
    return isPartitioned && ![...indexes.values()].some(({ partOf }) => partOf === name);
}
/** Whether the index is a part of one that is found itself. */
function isPart({ partOf = '' }, own, other) {
    const whole = own.get(partOf);
    return whole !== undefined && whole.definition !== other.get(partOf)?.definition;
}
/** Whether a constraint uses the index now. */
function isPromoted(index, { constraints }) {
    return [...constraints.values()].some(({ kind, columns }) => (kind === 'unique' || kind === 'primary key') && isUniqueOn(index, columns));
}
function on(table, { columns }) {
    return `on ${table}${columns.length > 0 ? ` ${columnList(columns)}` : ''}`;
}
function columnList(columns) {
    return columns.length > 0 ? `(${columns.join(', ')})` : '';
}

;// CONCATENATED MODULE: ./js/schema/check-routines.js

/** Functions, procedures and aggregates: what calls of the previous version can no longer do, and whose rights they run with. */
function checkRoutines({ before, after }) {
    const nameOf = (signature) => signature.slice(0, signature.indexOf('('));
    const added = Map.groupBy(missing(after.functions.keys(), before.functions), nameOf);
    const gone = missing(before.functions.keys(), after.functions).flatMap((object) => {
        const was = before.functions.get(object);
        const others = added.get(nameOf(object)) ?? [];
        if (others.some((other) => takesSameCalls(was, after.functions.get(other))))
            return [];
        const [other] = others;
        if (other === undefined)
            return [{ rule: 'drop-function', object, detail: '' }];
        return [{ rule: 'change-function', object, detail: `now ${other}` }];
    });
    const changed = [...before.functions].flatMap(([object, was]) => {
        const is = after.functions.get(object);
        if (!is || is.result === was.result)
            return [];
        return [{ rule: 'change-function', object, detail: 'returns another type or other columns' }];
    });
    return [...gone, ...changed, ...definers({ before, after })];
}
/** Whether a call without the new arguments still works. */
function takesSameCalls(was, is) {
    const isLonger = was.inputs.every((type, index) => is.inputs[index] === type);
    return isLonger && is.inputs.length - is.defaults <= was.inputs.length && is.result === was.result;
}
function definers({ before, after }) {
    return [...after.functions].flatMap(([object, is]) => {
        const was = before.functions.get(object);
        const found = (detail) => [{ rule: 'security-definer', object, detail }];
        if (!is.securityDefiner)
            return [];
        if (!was)
            return is.searchPath === undefined ? found('new, without a `search_path`') : [];
        if (!was.securityDefiner)
            return found('');
        if (was.searchPath === is.searchPath || was.searchPath === undefined)
            return [];
        return found(is.searchPath === undefined ? 'no longer sets `search_path`' : 'sets another `search_path`');
    });
}

;// CONCATENATED MODULE: ./js/schema/check-objects.js



/** Everything that is neither a table nor a part of one. */
function checkObjects(sides) {
    const { before, after } = sides;
    const dropped = (rule, was, is) => missing(was, is).map((object) => ({ rule, object, detail: '' }));
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
function sequencesOf({ before, after }) {
    return [...before.sequences].flatMap(([object, was]) => {
        const is = after.sequences.get(object);
        if (!is)
            return [];
        const found = (detail) => ({ rule: 'change-sequence', object, detail });
        const range = (one) => `${one.low} to ${one.high}`;
        // An owner that is gone takes its sequence along, unless the sequence was made independent of it.
        return [
            ...(is.low > was.low || is.high < was.high ? [found(`${range(was)} → ${range(is)}`)] : []),
            ...(was.owner !== undefined && is.owner === undefined ? [found(`no longer owned by ${was.owner}`)] : []),
        ];
    });
}
function views({ before, after }) {
    return [...before.views].flatMap(([object, was]) => {
        const is = after.views.get(object);
        if (!is) {
            const detail = after.materializedViews.has(object) ? 'now a materialized view' : '';
            return after.tables.has(object) || detail ? [] : [{ rule: 'drop-view', object, detail }];
        }
        const lost = missing(was.columns.keys(), is.columns);
        const retyped = [...was.columns].flatMap(([column, type]) => {
            const now = is.columns.get(column);
            const texts = [type, now].map((one) => one && (0,schema_type/* formatType */.sg)(one));
            return type && now && texts[0] !== texts[1] ? [`${column} ${texts.join(' → ')}`] : [];
        });
        const parts = [...(lost.length > 0 ? [`without ${lost.join(', ')}`] : []), ...retyped];
        return parts.length > 0 ? [{ rule: 'change-view', object, detail: parts.join('; ') }] : [];
    });
}
/** A type whose columns all have another one now, with the same values, probably has another name. */
function types({ before, after }) {
    const fresh = missing(after.enums.keys(), before.enums);
    const renamed = (values) => fresh.find((name) => values?.join('\0') === after.enums.get(name)?.join('\0'));
    const all = [...before.enums.keys(), ...before.domains.keys(), ...before.types.keys()];
    return missing(all, new Set([...after.enums.keys(), ...after.domains.keys(), ...after.types.keys()])).map((object) => {
        const now = renamed(before.enums.get(object));
        return { rule: 'drop-type', object, detail: now === undefined ? '' : `or renamed to ${now}?` };
    });
}
/** Columns of a composite type lose the values of an attribute that is gone, and rewrite those of another type. */
function attributes({ before, after }) {
    return [...before.types].flatMap(([name, was]) => {
        const is = after.types.get(name) ?? was;
        const retyped = [...was].filter(([one, type]) => is.has(one) && is.get(one) !== type);
        return [
            ...missing(was.keys(), is).map((one) => ({ rule: 'drop-column', object: `${name}.${one}`, detail: 'attribute of a composite type' })),
            ...retyped.map(([one, type]) => ({
                rule: 'convert-type',
                object: `${name}.${one}`,
                detail: `${type} → ${is.get(one)}`,
            })),
        ];
    });
}
function enums({ before, after }) {
    return [...before.enums].flatMap(([object, was]) => {
        const is = after.enums.get(object);
        if (!is)
            return [];
        const removed = missing(was, new Set(is));
        const fresh = missing(is, new Set(was));
        const list = (values) => values.map((value) => literal(value)).join(', ');
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
        const kept = (values, others) => values.filter((value) => others.includes(value)).join('\0');
        if (kept(was, is) === kept(is, was))
            return [];
        return [{ rule: 'rewrite-type', object, detail: 'its values are in another order' }];
    });
}
function literal(value) {
    return `'${value.replaceAll("'", "''")}'`;
}
/** A stricter domain is checked against the rows of every table that uses it; a looser one lets other values in. */
function domains({ before, after }) {
    return [...before.domains].flatMap(([name, was]) => {
        const is = after.domains.get(name);
        if (!is)
            return [];
        const found = (rule, constraint) => ({
            rule,
            object: constraint === undefined ? name : `${name}.${constraint}`,
            detail: 'domain',
        });
        const without = (checks, others) => {
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
function publications({ before, after }) {
    return [...before.publications].flatMap(([object, was]) => {
        const is = after.publications.get(object);
        if (!is)
            return [{ rule: 'change-publication', object, detail: 'dropped' }];
        const isSame = missing(was, is).length === 0 && missing(is, was).length === 0;
        return isSame ? [] : [{ rule: 'change-publication', object, detail: '' }];
    });
}
/** What the model does not have. A statement that is known but new makes something new, which is never reported. */
function unknown({ before, after }) {
    const rule = 'unknown-change';
    return [
        ...missing(before.unknown, after.unknown).map((text) => ({ rule, object: head(text), detail: 'removed' })),
        ...missing(after.unknown, before.unknown).map((text) => ({ rule, object: head(text), detail: 'added' })),
        ...[...before.others]
            .filter(([key, { table = '' }]) => !after.others.has(key) && before.tables.has(table) === after.tables.has(table))
            .map(([, { sql }]) => ({ rule, object: head(sql), detail: 'changed or removed' })),
    ];
}
/** The beginning of a statement, which says what it is about. */
function head(text) {
    return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

// EXTERNAL MODULE: ./js/schema/model.js
var model = __webpack_require__(4057);
// EXTERNAL MODULE: ./js/schema/read-rights.js
var read_rights = __webpack_require__(4028);
;// CONCATENATED MODULE: ./js/schema/check-rights.js



/** Who may see and change what: policies, grants, owners, and whose rights a function runs with. */
function checkRights(sides) {
    return [...policies(sides), ...check_rights_definers(sides), ...grants(sides), ...owners(sides)];
}
function policies(sides) {
    return keptTables(sides).flatMap(({ name, was, is }) => {
        const found = [];
        if (was.rowSecurity && !is.rowSecurity)
            found.push({ rule: 'disable-rls', object: name, detail: '' });
        else if (was.forcedRowSecurity && !is.forcedRowSecurity) {
            found.push({ rule: 'disable-rls', object: name, detail: 'no longer forced for the owner' });
        }
        const all = (policies) => new Set([...policies.values()].map(({ definition }) => definition));
        const [known, kept] = [all(was.policies), all(is.policies)];
        for (const [policy, { definition }] of was.policies) {
            const object = `${name}.${policy}`;
            const now = is.policies.get(policy)?.definition;
            if (now !== undefined && now !== definition)
                found.push({ rule: 'change-policy', object, detail: '' });
            // Under another name it protects as before.
            if (now === undefined && !kept.has(definition))
                found.push({ rule: 'drop-policy', object, detail: '' });
        }
        // With row-level security, everyone who saw all rows now sees those of the policy.
        if (is.rowSecurity && !was.rowSecurity)
            return found;
        for (const [policy, { definition, permissive }] of is.policies) {
            if (!permissive || was.policies.has(policy) || known.has(definition))
                continue;
            found.push({ rule: 'add-policy', object: `${name}.${policy}`, detail: '' });
        }
        return found;
    });
}
/** Views that no longer run with the caller's privileges. */
function check_rights_definers({ before, after }) {
    return [...before.views]
        .filter(([name, was]) => was.invoker && after.views.get(name)?.invoker === false)
        .map(([object]) => ({ rule: 'security-definer', object, detail: 'no longer `security_invoker`' }));
}
function grants({ before, after }) {
    const keys = [...new Set([...before.grants.keys(), ...after.grants.keys()])];
    return keys
        .filter((key) => isIn(before, key) && isIn(after, key))
        .flatMap((key) => {
        const was = (0,read_rights/* rightsOn */.pt)(before, key);
        return [...(0,read_rights/* rightsOn */.pt)(after, key)].flatMap(([role, rights]) => {
            // The owner has every right anyway.
            if (role === after.owners.get(key))
                return [];
            const held = was.get(role) ?? new Set();
            const more = [...rights].filter((right) => !held.has(right) && !held.has(right.replace(/ \(.*\)/s, '')));
            const columns = before.tables.get(nameOf(key))?.columns;
            const known = more.filter((right) => {
                const column = / \((.*)\)/s.exec(right)?.[1];
                return column === undefined || columns?.has(column) !== false;
            });
            return known.length > 0
                ? [{ rule: 'grant', object: nameOf(key), detail: `${(0,read_rights/* inShort */.wZ)(key, known)} to ${role}` }]
                : [];
        });
    });
}
function owners({ before, after }) {
    // Postgres makes the schema `public` itself, and pg_dump leaves its owner out as long as it is the usual one.
    const initial = [[(0,model/* objectKey */.T)('schema', 'public'), 'its initial owner']];
    const now = new Map([...initial, ...after.owners]);
    return [...new Map([...initial, ...before.owners])].flatMap(([key, was]) => {
        const is = now.get(key);
        // A column's sequence always has the owner of its table.
        if (is === undefined || is === was || before.sequences.get(nameOf(key))?.owner !== undefined)
            return [];
        return [{ rule: 'change-owner', object: nameOf(key), detail: `${was} → ${is}` }];
    });
}
function nameOf(key) {
    return key.slice(key.indexOf(' ') + 1);
}
/** Whether a schema has an object. Rights on future objects are those of their schema. */
function isIn(schema, key) {
    const name = nameOf(key);
    const within = / in schema ("(?:[^"]|"")*"|\S+)/.exec(name)?.[1];
    if (key.startsWith('other future '))
        return within === undefined || within === 'public' || schema.schemas.has(within);
    const places = {
        [(0,model/* objectKey */.T)('relation', name)]: [schema.tables, schema.views, schema.materializedViews, schema.sequences],
        [(0,model/* objectKey */.T)('function', name)]: [schema.functions],
        [(0,model/* objectKey */.T)('type', name)]: [schema.enums, schema.domains, schema.types],
        [(0,model/* objectKey */.T)('schema', name)]: [schema.schemas, new Set(['public'])],
    };
    // pg_dump writes the owner of a foreign server, for example; a language or a database has none in a schema.
    const isForeign = /^other (foreign server|fdw) /.test(key);
    return (places[key]?.some((place) => place.has(name)) ?? (!isForeign || schema.owners.has(key) || schema.grants.has(key)));
}

// EXTERNAL MODULE: ./js/text/format.js
var format = __webpack_require__(105);
;// CONCATENATED MODULE: ./js/schema/check-tables.js


/** Tables as a whole, and all triggers. */
function checkTables(sides) {
    const changes = keptTables(sides).flatMap(changesOf);
    return [...droppedTables(sides), ...changes, ...triggersOfViews(sides), ...eventTriggers(sides)];
}
function droppedTables({ before, after, evidence }) {
    const dropped = missing(before.tables.keys(), after.tables);
    const partitions = Map.groupBy(dropped, (name) => before.tables.get(name)?.partitionOf);
    return dropped.flatMap((name) => {
        const table = before.tables.get(name);
        // Goes with the partitioned table.
        if (table.partitionOf !== undefined && !after.tables.has(table.partitionOf))
            return [];
        const parts = partitions.get(name)?.length ?? 0;
        const details = [parts > 0 ? `with ${(0,format/* count */.U9)(parts, 'partition')}` : '', guessOf(evidence, name)];
        return [{ rule: 'drop-table', object: name, detail: details.filter(Boolean).join('; ') }];
    });
}
/** Only dropping a table, or giving it another name, makes room for one of another kind. */
function otherKind({ made }) {
    return `replaced by ${made === 'foreign' ? 'a foreign' : made === '' ? 'an ordinary' : 'a differently partitioned'} table`;
}
function changesOf({ name, was, is }) {
    const found = [];
    if (was.made !== is.made) {
        found.push({ rule: 'drop-table', object: name, detail: otherKind(is) });
    }
    if (is.unlogged && !was.unlogged)
        found.push({ rule: 'set-unlogged', object: name, detail: '' });
    if (was.partitionOf !== undefined && is.partitionOf !== was.partitionOf) {
        found.push({ rule: 'detach-partition', object: name, detail: `from ${was.partitionOf}` });
    }
    found.push(...triggers(name, was, is));
    for (const trigger of missing(is.disabledTriggers, was.disabledTriggers)) {
        const isNew = is.triggers.has(trigger) && !was.triggers.has(trigger);
        const of = { object: `${name}.${trigger}`, table: name, part: trigger };
        if (!isNew)
            found.push({ rule: 'disable-trigger', detail: '', ...of });
    }
    return found;
}
/** Triggers that a table or a view no longer has. */
function triggers(name, was, is) {
    return [...was.triggers].flatMap(([trigger, before]) => {
        const after = is.triggers.get(trigger);
        if (after === before)
            return [];
        const detail = after === undefined ? '' : 'definition changed';
        return [{ rule: 'drop-trigger', object: `${name}.${trigger}`, detail, table: name, part: trigger }];
    });
}
function triggersOfViews({ before, after }) {
    return [...before.views].flatMap(([name, was]) => triggers(name, was, after.views.get(name) ?? was));
}
function eventTriggers({ before, after }) {
    const disabled = missing(after.disabledTriggers, before.disabledTriggers);
    const name = /^CREATE EVENT TRIGGER ("(?:[^"]|"")*"|\S+)/;
    const created = new Set([...before.others.values()].map(({ sql }) => name.exec(sql)?.[1]));
    const known = disabled.filter((one) => created.has(one));
    return known.map((object) => ({ rule: 'disable-trigger', object, detail: 'event trigger' }));
}

// EXTERNAL MODULE: ./js/schema/parser.js + 1 modules
var parser = __webpack_require__(2279);
// EXTERNAL MODULE: ./js/schema/read.js + 3 modules
var read = __webpack_require__(2390);
// EXTERNAL MODULE: ./js/schema/tree.js
var tree = __webpack_require__(7186);
;// CONCATENATED MODULE: ./js/schema/renames.js



/**
 * Finds renames that the schemas prove. Tables: the names of constraints, indexes and sequences stay when a table is renamed. Columns:
 * new ones are always added at the end, so a new name in front of a column that stayed is an old column's; and the names of what is
 * built on a column stay.
 */
function findRenames(before, after) {
    const evidence = { renames: (0,apply_renames/* noRenames */.JA)(), addedAgain: new Set(), maybe: new Map() };
    const { tables } = evidence.renames;
    for (const [old, fresh] of renamedTables(before, after))
        tables.set(old, fresh);
    guessTables(before, after, evidence);
    const taken = new Set(tables.values());
    for (const [old, was] of before.tables) {
        const fresh = tables.get(old) ?? (taken.has(old) ? undefined : old);
        const is = fresh === undefined ? undefined : after.tables.get(fresh);
        if (is && fresh !== undefined)
            compareColumns({ old, was, fresh, is, before, after, evidence });
    }
    return evidence;
}
function tracesOf(name, { indexes, sequences, tables }) {
    const table = tables.get(name);
    const owned = [...sequences].filter(([, { owner = '' }]) => owner.startsWith(`${name}.`)).map(([one]) => bare(one));
    const built = [...indexes].filter(([, index]) => index.table === name).map(([one]) => bare(one));
    const notNulls = [...table.columns].flatMap(([column, { notNull, notNullName }]) => 
    // A partition has the names of its partitioned table.
    notNull && (notNullName === undefined || table.partitionOf === undefined)
        ? [bare(notNullName ?? usualNotNull(name, column))]
        : []);
    return {
        names: new Set([...[...table.constraints.keys()].map(bare), ...built, ...owned]),
        notNulls: new Set(notNulls),
    };
}
function schemaOf(name) {
    return (0,apply_renames/* namesIn */.wX)(name).slice(0, -1).join('.');
}
/** The name without its schema and its quotes. */
function bare(name) {
    return (0,apply_renames/* namesIn */.wX)(name).at(-1) ?? '';
}
/** What Postgres calls a NOT NULL constraint that has no name of its own. */
function usualNotNull(table, column) {
    return (0,tree/* identifier */.Cv)(`${bare(table)}_${bare(column)}_not_null`);
}
function renamedTables(before, after) {
    const fresh = [...after.tables.keys()].filter((name) => !before.tables.has(name));
    if (fresh.length === 0)
        return new Map();
    const traces = new Map(fresh.map((name) => [name, tracesOf(name, after)]));
    const pairs = [...before.tables.keys()].flatMap((old) => {
        const was = tracesOf(old, before);
        const stayed = after.tables.get(old) && tracesOf(old, after);
        // A table of the old name may be a new one, if what the old one had is now elsewhere.
        if (stayed && !isReplaced(was, stayed))
            return [];
        return fresh.flatMap((name) => {
            const is = traces.get(name);
            const points = weigh({ old, was, name, is, before, after });
            return points > 0 ? [{ old, name, points }] : [];
        });
    });
    pairs.sort((a, b) => b.points - a.points);
    const found = new Map();
    const taken = new Set();
    for (const { old, name } of pairs) {
        if (found.has(old) || taken.has(name))
            continue;
        found.set(old, name);
        taken.add(name);
    }
    return found;
}
/** Whether a table has nothing of the one that had its name before. */
function isReplaced(was, is) {
    return was.names.size > 0 && ![...was.names].some((name) => is.names.has(name));
}
/** How much speaks for a table to be another one under a new name; 0 if nothing does that could not be chance. */
function weigh(pair) {
    const { old, was, name, is, before, after } = pair;
    const [a, b] = [before.tables.get(old), after.tables.get(name)];
    const common = [...a.columns.keys()].filter((column) => b.columns.has(column)).length;
    const shared = [...was.names].filter((one) => is.names.has(one)).length;
    // In another schema, a new table has the same names. Schemas alone can't show that it was moved.
    if (schemaOf(old) !== schemaOf(name))
        return 0;
    if (common * 2 < Math.max(1, a.columns.size) && shared < 2)
        return 0;
    const usual = [...b.columns].filter(([, { notNullName }]) => b.partitionOf === undefined && notNullName !== undefined && was.notNulls.has(bare(notNullName)));
    return shared + usual.length;
}
/** Tables that are gone, and new ones with the same columns: a guess. */
function guessTables(before, after, { renames, maybe }) {
    const taken = new Set(renames.tables.values());
    const fresh = [...after.tables].filter(([name]) => !before.tables.has(name) && !taken.has(name));
    for (const [old, was] of before.tables) {
        if (after.tables.has(old) || renames.tables.has(old) || was.columns.size === 0)
            continue;
        // A dropped partition and a new one have the same columns, too.
        const alike = fresh.filter(([, is]) => shapeOf(is) === shapeOf(was) && is.partitionOf === undefined);
        if (alike.length > 0)
            maybe.set(old, alike.map(([name]) => name));
    }
}
/** The columns of a table with their types. */
function shapeOf(table) {
    return [...table.columns].map(([name, { type }]) => `${name} ${(0,schema_type/* formatType */.sg)(type)}`).join(', ');
}
function compareColumns(pair) {
    const { old, was, fresh, is, evidence } = pair;
    const [olds, news] = [[...was.columns.keys()], [...is.columns.keys()]];
    if (olds.join() === news.join())
        return;
    const typeIn = (table, column) => {
        const found = table.columns.get(column);
        return found && (0,schema_type/* formatType */.sg)(found.type);
    };
    const isAlike = (a, b) => typeIn(was, a) === typeIn(is, b);
    const { kept, maybe } = align(olds, news, isAlike, new Map(proven(pair)));
    for (const [column, candidates] of maybe) {
        const alike = kept.has(column) ? [] : candidates.filter((one) => isAlike(column, one));
        if (alike.length > 0)
            evidence.maybe.set(`${old}.${column}`, alike);
    }
    for (const column of olds) {
        const now = kept.get(column);
        if (now !== undefined && now !== column)
            evidence.renames.columns.set(`${old}.${column}`, `${fresh}.${now}`);
        if (now === undefined && is.columns.has(column))
            evidence.addedAgain.add(`${old}.${column}`);
    }
}
/**
 * Puts the old and the new columns of a table side by side. The new list begins with what is left of the old columns, in their order,
 * and ends with what was added. `known` are renames that something else proves.
 */
function align(olds, news, isAlike, known) {
    const renamedTo = new Map([...known].map(([old, fresh]) => [fresh, old]));
    const places = new Map(olds.map((name, index) => [name, index]));
    const placeOf = (fresh) => {
        const old = renamedTo.get(fresh);
        if (old !== undefined)
            return places.get(old);
        return known.has(fresh) ? undefined : places.get(fresh);
    };
    const kept = new Map();
    const maybe = new Map();
    let last = -1;
    let between = [];
    let left = news;
    for (const [index, fresh] of news.entries()) {
        const place = placeOf(fresh);
        if (place === undefined) {
            between.push(fresh);
            continue;
        }
        // It stands where only added columns can: it was added again, and so were all behind it.
        if (place <= last || place - last - 1 < between.length) {
            left = news.slice(0, index);
            // What stands at its old place is the old column, if its type is the same, too.
            const slots = olds.slice(last + 1);
            const isSame = slots.length === between.length && slots.every((old, n) => isAlike(old, between[n] ?? ''));
            if (isSame)
                renames_assign(slots, between, { isAlike, kept, maybe });
            break;
        }
        renames_assign(olds.slice(last + 1, place), between, { isAlike, kept, maybe });
        kept.set(olds[place] ?? '', fresh);
        last = place;
        between = [];
    }
    // Whether these are old columns or new ones, their place doesn't tell.
    const candidates = left.filter((fresh) => between.includes(fresh));
    for (const old of olds.slice(last + 1))
        if (!kept.has(old) && candidates.length > 0)
            maybe.set(old, candidates);
    return { kept, maybe };
}
/** Each of the new names is that of one of the old columns, in the same order. */
function renames_assign(olds, news, options) {
    const { isAlike, kept, maybe } = options;
    if (news.length === 0)
        return;
    const ways = olds.length === news.length ? [olds] : choices(olds, news, isAlike);
    if (ways.length === 1)
        for (const [index, fresh] of news.entries())
            kept.set(ways[0]?.[index] ?? '', fresh);
    else
        for (const old of olds)
            maybe.set(old, news);
}
/** The ways to choose an old column of the same type for each new name, in order; at most two, because more don't matter. */
function choices(olds, news, isAlike) {
    const [fresh, ...rest] = news;
    if (fresh === undefined)
        return [[]];
    const found = [];
    for (const [index, old] of olds.entries()) {
        if (olds.length - index < news.length || found.length > 1)
            break;
        if (!isAlike(old, fresh))
            continue;
        for (const more of choices(olds.slice(index + 1), rest, isAlike))
            found.push([old, ...more]);
    }
    return found.slice(0, 2);
}
/** Renames of columns that the names of their constraints, indexes, policies or sequences prove. */
function* proven({ old, was, fresh, is, before, after }) {
    const gone = [...was.columns].filter(([name]) => !is.columns.has(name));
    const added = [...is.columns].filter(([name]) => !was.columns.has(name));
    if (gone.length === 0 || added.length === 0 || gone.length * added.length > 400)
        return;
    const named = (table, name, { indexes }) => new Map([
        ['made', table.made],
        ...[...table.constraints].map(([key, { definition }]) => [`constraint ${key}`, definition]),
        ...[...table.policies].map(([key, { definition }]) => [`policy ${key}`, definition]),
        ...[...table.triggers].map(([key, definition]) => [`trigger ${key}`, definition]),
        ...[...indexes].filter(([, one]) => one.table === name).map(([key, one]) => [key, one.definition]),
    ]);
    const [then, now] = [named(was, old, before), named(is, fresh, after)];
    const changed = [...then].filter(([key, definition]) => now.has(key) && now.get(key) !== definition);
    const owners = (name, { sequences }) => new Map([...sequences].flatMap(([key, { owner }]) => (owner?.startsWith(`${name}.`) ? [[key, owner]] : [])));
    const [ownedThen, ownedNow] = [owners(old, before), owners(fresh, after)];
    const used = new Set();
    for (const [a, column] of gone) {
        const isSame = ([b, other]) => {
            if (used.has(b))
                return false;
            const usual = column.notNullName ?? usualNotNull(old, a);
            if (column.notNull && other.notNullName === usual)
                return true;
            if ([...ownedThen].some(([key, owner]) => owner === `${old}.${a}` && ownedNow.get(key) === `${fresh}.${b}`))
                return true;
            const texts = new Map([[a, b]]);
            return changed.some(([key, definition]) => withNewNames(definition, texts) === now.get(key));
        };
        const found = added.find(isSame);
        if (!found)
            continue;
        used.add(found[0]);
        yield [a, found[0]];
    }
}
/** A definition from before with other names in it. */
function withNewNames(definition, renames) {
    let text = definition;
    for (const [old, fresh] of renames)
        text = text.replaceAll(`:${inTree(old)}`, `:${inTree(fresh)}`);
    return text;
}
/** How a syntax tree writes a name. */
function inTree(name) {
    return JSON.stringify((0,apply_renames/* namesIn */.wX)(name)[0] ?? '');
}

// EXTERNAL MODULE: ./js/schema/rules.js
var rules = __webpack_require__(11);
;// CONCATENATED MODULE: ./js/schema/sizes.js

/**
 * Takes `locking` findings about tables below a size, in bytes, from the others. Both say how large the table is. What is of unknown size counts.
 */
function bySize(all, { sizes, below }) {
    const findings = [];
    const small = [];
    for (const { finding, table } of all) {
        const size = (0,rules/* levelOf */.In)(finding) === 'locking' ? sizes.get(table ?? '') : undefined;
        if (!size) {
            findings.push(finding);
            continue;
        }
        const detail = [finding.detail, inWords(size)].filter(Boolean).join('; ');
        (size.bytes < below ? small : findings).push({ ...finding, detail });
    }
    return { findings, small };
}
/** `48 million rows, 12 GB`. */
function inWords({ rows, bytes }) {
    return [...(rows === undefined ? [] : [rowsInWords(rows)]), bytesInWords(bytes)].join(', ');
}
function rowsInWords(rows) {
    const whole = Math.round(rows);
    if (whole === 1)
        return '1 row';
    if (whole < 10_000)
        return `${whole} rows`;
    if (whole < 999_500)
        return `${Math.round(whole / 1e3)} thousand rows`;
    const [large, word] = whole < 999_500_000 ? [1e6, 'million'] : [1e9, 'billion'];
    return `${rounded(whole / large)} ${word} rows`;
}
/** In the units of `ignore_below`, which are those of Postgres, rounded down: a size that is shown as the limit is not below it. */
function bytesInWords(bytes) {
    const units = ['kB', 'MB', 'GB', 'TB'];
    let [value, unit] = [bytes / 1024, 0];
    for (; value >= 1024 && unit < units.length - 1; unit++)
        value /= 1024;
    return `${value < 10 ? Math.floor(value * 10) / 10 : Math.floor(value)} ${units[unit]}`;
}
function rounded(value) {
    return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}

;// CONCATENATED MODULE: ./js/schema/review.js













/** A schema of this many UTF-16 code units takes the parser a few seconds, and a few hundred megabytes. */
const longestSchema = 64_000_000;
/**
 * Reviews what changes from one schema to another, both as `pg_dump --schema-only` writes them. Loads the parser.
 * Ends with the signal's reason.
 */
async function reviewSchemas(options) {
    const { signal } = options;
    if (options.before === options.after)
        return { findings: [] };
    const longest = Math.max(options.before.length, options.after.length);
    if (longest > longestSchema) {
        return { findings: [], incomplete: `The schema is too large to review (${longest} characters).` };
    }
    let found;
    try {
        const statements = await (0,parser/* parseSchema */.D)({ text: options.before, signal });
        const was = (0,read/* readSchema */.G)(options.before, statements);
        const after = (0,read/* readSchema */.G)(options.after, await (0,parser/* parseSchema */.D)({ text: options.after, signal }));
        const evidence = options.renames
            ? { renames: options.renames, addedAgain: new Set(), maybe: new Map() }
            : findRenames(was, after);
        const { tables, columns } = evidence.renames;
        const isSame = tables.size + columns.size === 0;
        const before = isSame ? was : (0,read/* readSchema */.G)(options.before, (0,apply_renames/* withRenames */.Q3)(statements, evidence.renames));
        const sides = { before, after, was, evidence };
        const checks = [checkObjects, checkTables, checkColumns, checkRights, checkConstraints];
        found = withoutRepeats([...renamed(sides), ...checks.flatMap((check) => check(sides))], sides).sort(byLevel);
    }
    catch (error) {
        if (!(error instanceof parser/* ParserError */.s))
            throw error;
        return { findings: [], incomplete: `The schema could not be reviewed: ${error.message}.` };
    }
    const all = found.map(({ rule, object, detail, table, indexed }) => ({
        finding: { rule, object, detail },
        table: indexed ?? table,
    }));
    const { ignoreBelow } = options;
    if (!ignoreBelow || found.every((one) => (0,rules/* levelOf */.In)(one) !== 'locking')) {
        return { findings: all.map(({ finding }) => finding) };
    }
    return bySize(all, { sizes: await ignoreBelow.readSizes(), below: ignoreBelow.bytes });
}
/** Parts of a partitioned table have the new names of its columns, too. */
function renamed({ was, evidence }) {
    const { tables, columns } = evidence.renames;
    return [
        ...[...tables].map(([object, fresh]) => ({ rule: 'rename-table', object, detail: `now ${fresh}` })),
        ...[...columns]
            .filter(([object]) => {
            const parts = (0,apply_renames/* namesIn */.wX)(object);
            const table = was.tables.get((0,tree/* qualified */.LX)(parts.slice(0, -1)));
            return !columns.has(`${table?.partitionOf}.${(0,tree/* identifier */.Cv)(parts.at(-1) ?? '')}`);
        })
            .map(([object, fresh]) => ({ rule: 'rename-column', object, detail: `now ${fresh}` })),
    ];
}
function byLevel(a, b) {
    return rules/* levels */.yr.indexOf((0,rules/* levelOf */.In)(a)) - rules/* levels */.yr.indexOf((0,rules/* levelOf */.In)(b));
}


/***/ })

};
