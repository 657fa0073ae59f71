export const id = 633;
export const ids = [633];
export const modules = {

/***/ 6633:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  reviewSchemas: () => (/* binding */ reviewSchemas)
});

// EXTERNAL MODULE: ../../node_modules/libpg-query/wasm/index.cjs
var wasm = __webpack_require__(4951);
;// CONCATENATED MODULE: ./js/schema/tree.js

/** The node as one of a kind; undefined if it is of another. */
function as(node, kind) {
    return node?.[kind];
}
/** The nodes of one kind in a list. */
function tree_all(nodes, kind) {
    return (nodes ?? []).map((node) => as(node, kind)).filter((tree) => tree !== undefined);
}
/** The parts of a name, or the items of a list of names. */
function strings(nodes) {
    return tree_all(nodes, 'String').map(({ sval }) => sval ?? '');
}
/** If a new version of the parser has another such field, this no longer compiles. */
const positions = {
    location: true,
    name_location: true,
    stmt_location: true,
    stmt_len: true,
    list_start: true,
    list_end: true,
    rexpr_list_start: true,
    rexpr_list_end: true,
};
/** Positions, and what pg_dump writes only while a constraint is not validated. */
const incidental = new Set([...Object.keys(positions), 'skip_validation', 'initially_valid']);
/** A tree as text that is the same for the same SQL, wherever it stands. `except` are fields to leave out. */
function canonical(tree, except = []) {
    return JSON.stringify(tree, (key, value) => (incidental.has(key) || except.includes(key) ? undefined : value)) ?? '';
}
const quoted = new Map();
/** An identifier as SQL writes it, quoted only if it must be. */
function identifier(name) {
    const known = quoted.get(name);
    if (known !== undefined)
        return known;
    const plain = /^[a-z_][a-z0-9_$]*$/.test(name) && !isKeyword(name);
    const written = plain ? name : `"${name.replaceAll('"', '""')}"`;
    quoted.set(name, written);
    return written;
}
/** Whether Postgres quotes a word in an identifier's place: every keyword that is not unreserved. */
function isKeyword(word) {
    return ((0,wasm.scanSync)(word).tokens[0]?.keywordKind ?? 0) > 1;
}
function qualified(parts) {
    return parts.map(identifier).join('.');
}
function relationName(relation) {
    return qualified([relation?.schemaname, relation?.relname].filter((part) => part !== undefined));
}
function roleName(role) {
    return role?.roletype === 'ROLESPEC_PUBLIC' ? 'PUBLIC' : identifier(role?.rolename ?? '');
}

;// CONCATENATED MODULE: ./js/schema/apply-renames.js

function noRenames() {
    return { tables: new Map(), columns: new Map() };
}
/** The statements of the old schema with the new names put in, so that only other changes are left to compare. */
function withRenames(statements, { tables, columns }) {
    if (tables.size + columns.size === 0)
        return statements;
    const renamer = new Renamer(tables, columns);
    return statements.map((one) => {
        if (!one.node)
            return one;
        const node = structuredClone(one.node);
        renamer.statement(node);
        return { ...one, node };
    });
}
/** Changes trees in place. */
class Renamer {
    #tables;
    #columns;
    constructor(tables, columns) {
        this.#tables = new Map([...tables].map(([old, fresh]) => [old, namesIn(fresh)]));
        this.#columns = new Map([...columns].map(([old, fresh]) => [old, namesIn(fresh).at(-1) ?? '']));
    }
    statement(node) {
        const relation = relationOf(node);
        const place = { queries: [], ...(relation && { table: relationName(relation) }) };
        this.#namesOf(node, place);
        this.#walk(node, place);
    }
    /** Names that are plain text in this kind of statement. */
    #namesOf(node, { table = '' }) {
        const owned = as(node, 'AlterSeqStmt');
        for (const { defname, arg } of tree_all(owned?.options, 'DefElem')) {
            if (defname === 'owned_by')
                this.#ownedBy(as(arg, 'List')?.items ?? []);
        }
        this.#list(as(node, 'CreateTrigStmt')?.columns, table);
        const grant = as(node, 'GrantStmt');
        for (const { cols } of tree_all(grant?.privileges, 'AccessPriv'))
            this.#list(cols, table);
        for (const command of tree_all(as(node, 'AlterTableStmt')?.cmds, 'AlterTableCmd')) {
            const isOfColumn = /Column|NotNull|Identity|Statistics|Storage|Compression|Options/.test(command.subtype ?? '');
            if (isOfColumn && command.name !== undefined)
                command.name = this.#column(table, command.name);
        }
    }
    #ownedBy(parts) {
        const names = strings(parts);
        const [table, column = ''] = [qualified(names.slice(0, -1)), names.at(-1)];
        const fresh = [...(this.#tables.get(table) ?? names.slice(0, -1)), this.#column(table, column)];
        parts.splice(0, parts.length, ...fresh.map((sval) => ({ String: { sval } })));
    }
    /** A column's new name, or its old one. */
    #column(table, name) {
        return this.#columns.get(`${table}.${identifier(name)}`) ?? name;
    }
    #list(nodes, table) {
        for (const one of tree_all(nodes, 'String'))
            one.sval = this.#column(table, one.sval ?? '');
    }
    #walk(tree, place) {
        if (Array.isArray(tree))
            for (const one of tree)
                this.#walk(one, place);
        if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
            return;
        for (const [kind, value] of Object.entries(tree))
            this.#node(kind, value, place);
    }
    #node(kind, value, place) {
        const node = { [kind]: value };
        const { table = '' } = place;
        // The sides of a UNION have no kind around them.
        if (isQuery(value)) {
            this.#query(value, place);
            return;
        }
        const column = as(node, 'ColumnDef');
        if (column?.colname !== undefined)
            column.colname = this.#column(table, column.colname);
        const element = as(node, 'IndexElem') ?? as(node, 'PartitionElem') ?? as(node, 'StatsElem');
        if (element?.name !== undefined)
            element.name = this.#column(table, element.name);
        const constraint = as(node, 'Constraint');
        if (constraint) {
            for (const list of [constraint.keys, constraint.including, constraint.fk_attrs])
                this.#list(list, table);
            if (constraint.pktable)
                this.#list(constraint.pk_attrs, relationName(constraint.pktable));
        }
        const published = kind === 'pubtable' ? value : undefined;
        if (published)
            this.#list(published.columns, relationName(published.relation));
        const reference = as(node, 'ColumnRef');
        // Fields that can only hold a table or a type have no kind around them.
        if (reference)
            this.#reference(reference, place);
        else if (isRangeVar(value))
            this.#relation(value);
        else if (isTypeName(value))
            this.#type(value.names);
        else
            this.#walk(value, published ? { ...place, table: relationName(published.relation) } : place);
    }
    #relation(relation) {
        const fresh = this.#tables.get(relationName(relation));
        if (!fresh)
            return;
        [relation.schemaname, relation.relname] = [fresh.at(-2) ?? '', fresh.at(-1) ?? ''];
    }
    #type(names) {
        const fresh = names && this.#tables.get(qualified(strings(names)));
        if (fresh)
            names.splice(0, names.length, ...fresh.map((sval) => ({ String: { sval } })));
    }
    #query(query, place) {
        const tables = new Map();
        tablesIn(query.fromClause, tables);
        const inside = { ...place, queries: [tables, ...place.queries] };
        for (const target of tree_all(query.targetList, 'ResTarget')) {
            const column = as(target.val, 'ColumnRef');
            const name = strings(column?.fields).at(-1);
            this.#walk(target.val, inside);
            // A view's own column keeps its name.
            if (name !== undefined && strings(column?.fields).at(-1) !== name)
                target.name ??= name;
        }
        const { targetList: _, ...rest } = query;
        for (const [key, value] of Object.entries(rest))
            this.#node(key, value, inside);
    }
    #reference({ fields = [] }, { table, queries }) {
        const names = strings(fields);
        if (names.length !== fields.length)
            return;
        const column = names.at(-1) ?? '';
        const set = (values) => fields.splice(0, fields.length, ...values.map((sval) => ({ String: { sval } })));
        if (names.length === 1) {
            const all = [...queries.flatMap((one) => [...one.values()]), ...(table === undefined ? [] : [table])];
            const owner = all.find((one) => this.#columns.has(`${one}.${identifier(column)}`));
            if (owner !== undefined)
                set([this.#column(owner, column)]);
            return;
        }
        const [alias = ''] = names.slice(-2);
        const isOwn = table !== undefined && (alias === namesIn(table).at(-1) || alias === 'old' || alias === 'new');
        const owner = queries.find((one) => one.has(alias))?.get(alias) ?? (isOwn ? table : undefined);
        if (owner === undefined)
            return;
        // An alias stays; a table's own name changes with it.
        const isName = alias === namesIn(owner).at(-1);
        set([(isName ? this.#tables.get(owner)?.at(-1) : undefined) ?? alias, this.#column(owner, column)]);
    }
}
/** The table that a statement is about. */
function relationOf(node) {
    const [granted] = tree_all(as(node, 'GrantStmt')?.objects, 'RangeVar');
    const [measured] = tree_all(as(node, 'CreateStatsStmt')?.relations, 'RangeVar');
    return (as(node, 'CreateStmt')?.relation ??
        as(node, 'CreateForeignTableStmt')?.base?.relation ??
        as(node, 'AlterTableStmt')?.relation ??
        as(node, 'IndexStmt')?.relation ??
        as(node, 'CreatePolicyStmt')?.table ??
        as(node, 'CreateTrigStmt')?.relation ??
        as(node, 'RuleStmt')?.relation ??
        as(node, 'CompositeTypeStmt')?.typevar ??
        granted ??
        measured);
}
function isRangeVar(value) {
    return typeof value === 'object' && value !== null && 'relname' in value && 'relpersistence' in value;
}
function isQuery(value) {
    return typeof value === 'object' && value !== null && 'op' in value && 'limitOption' in value;
}
function isTypeName(value) {
    return typeof value === 'object' && value !== null && 'names' in value && 'typemod' in value;
}
/** The tables that a query reads, by alias. */
function tablesIn(from, tables) {
    for (const node of from ?? []) {
        const relation = as(node, 'RangeVar');
        if (relation)
            tables.set(relation.alias?.aliasname ?? relation.relname ?? '', relationName(relation));
        const join = as(node, 'JoinExpr');
        if (join)
            tablesIn([join.larg, join.rarg].filter((one) => one !== undefined), tables);
    }
}
/** The parts of a qualified name as SQL writes it, without quotes. */
function namesIn(name) {
    return (name.match(/"(?:[^"]|"")*"|[^."]+/g) ?? []).map((part) => part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part);
}

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
    return found.filter((one) => !isRepeat(one)).map(({ rule, object, detail }) => ({ rule, object, detail }));
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

;// CONCATENATED MODULE: ./js/schema/type.js

/** What SQL calls the types whose internal name it does not use. */
const names = new Map([
    ['int2', 'smallint'],
    ['int4', 'integer'],
    ['int8', 'bigint'],
    ['float4', 'real'],
    ['float8', 'double precision'],
    ['bool', 'boolean'],
    ['bpchar', 'character'],
    ['varchar', 'character varying'],
    ['varbit', 'bit varying'],
    ['time', 'time without time zone'],
    ['timetz', 'time with time zone'],
    ['timestamp', 'timestamp without time zone'],
    ['timestamptz', 'timestamp with time zone'],
]);
function readType(tree) {
    const parts = strings(tree?.names);
    // Postgres' own names are never quoted, except for the one that would mean another type.
    const isOwn = parts[0] === 'pg_catalog' && parts[1] !== 'char';
    const name = isOwn ? parts.slice(1).join('.') : qualified(parts[0] === 'pg_catalog' ? parts.slice(1) : parts);
    const modifiers = (tree?.typmods ?? []).map(readModifier);
    return { name, modifiers, isArray: (tree?.arrayBounds?.length ?? 0) > 0 };
}
function readModifier(node) {
    const constant = as(node, 'A_Const');
    if (constant?.ival)
        return constant.ival.ival ?? 0;
    return constant?.sval?.sval ?? strings(as(node, 'ColumnRef')?.fields).join('.');
}
/** The type as SQL writes it. */
function formatType({ name, modifiers, isArray }) {
    // Without a length, `character` would be `character(1)`.
    const unlimited = name === 'bpchar' && modifiers.length === 0;
    const [first = '', ...rest] = (unlimited ? name : (names.get(name) ?? name)).split(' ');
    const shown = name === 'interval' ? modifiers.slice(1) : modifiers;
    const list = shown.length > 0 ? `(${shown.join(',')})` : '';
    const isTime = /^time/.test(name);
    const text = isTime ? [`${first}${list}`, ...rest].join(' ') : `${[first, ...rest].join(' ')}${list}`;
    return isArray ? `${text}[]` : text;
}
/** The types of a function's arguments, by which Postgres tells functions of one name apart. */
function formatTypes(trees) {
    return trees.map((tree) => formatType(readType(tree))).join(', ');
}

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
            findings.push(found(column)('drop-column', [formatType(before.type), guess].filter(Boolean).join('; ')));
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
        findings.push(found('drop-column', `${formatType(before.type)}, replaced by a generated column`));
    }
    const rule = ruleOf[changeOfType(before.type, after.type, sides)];
    if (rule)
        findings.push(found(rule, `${formatType(before.type)} → ${formatType(after.type)}`));
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
        findings.push(found('add-not-null-column', formatType(type)));
    else if (!type.isArray && strictDomains(type, schema).length > 0)
        findings.push(found('rewrite-type', `${formatType(type)}, a domain with constraints`));
    if (generated?.stored)
        findings.push(found('stored-generated', formatType(type)));
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
    const found = (rule, name, detail) => ({ rule, object: name, detail });
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
            const texts = [type, now].map((one) => one && formatType(one));
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

;// CONCATENATED MODULE: ./js/schema/model.js
function emptySchema() {
    return {
        schemas: new Set(),
        extensions: new Map(),
        tables: new Map(),
        views: new Map(),
        materializedViews: new Set(),
        sequences: new Map(),
        indexes: new Map(),
        enums: new Map(),
        domains: new Map(),
        types: new Map(),
        functions: new Map(),
        volatility: new Map(),
        publications: new Map(),
        owners: new Map(),
        grants: new Map(),
        disabledTriggers: new Set(),
        others: new Map(),
        unknown: new Set(),
    };
}
/** The key of an object in `owners` and `grants`. Tables, views and sequences share their names. */
function objectKey(kind, name) {
    return `${kind} ${name}`;
}

;// CONCATENATED MODULE: ./js/schema/read-rights.js



/** What `ALL` means, by kind of object. */
const everything = {
    OBJECT_TABLE: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN'],
    OBJECT_SEQUENCE: ['USAGE', 'SELECT', 'UPDATE'],
    OBJECT_SCHEMA: ['USAGE', 'CREATE'],
    OBJECT_FUNCTION: ['EXECUTE'],
    OBJECT_PROCEDURE: ['EXECUTE'],
    OBJECT_ROUTINE: ['EXECUTE'],
    OBJECT_DATABASE: ['CREATE', 'CONNECT', 'TEMPORARY'],
    OBJECT_LARGEOBJECT: ['SELECT', 'UPDATE'],
};
/** What PUBLIC may do with an object unless the schema revokes it. */
function defaultsOf(key) {
    if (key === objectKey('schema', 'public'))
        return ['USAGE'];
    if (/^function |^other future (function|routine|procedure)s(?! in schema)/.test(key))
        return ['EXECUTE'];
    if (/^type |^other (language |future types(?! in schema))/.test(key))
        return ['USAGE'];
    return [];
}
/** What each role may do with an object. */
function rightsOn(schema, key) {
    return schema.grants.get(key) ?? new Map([['PUBLIC', new Set(defaultsOf(key))]]);
}
/** Privileges as a list, or `ALL` for all that there are. */
function inShort(key, privileges) {
    const isAll = Object.entries(everything).some(([kind, all]) => {
        const isKind = key.startsWith('relation ')
            ? /TABLE|SEQUENCE/.test(kind)
            : key.startsWith(kind.replace('OBJECT_', '').toLowerCase());
        // Before version 17 there was no MAINTAIN.
        return isKind && all.length > 2 && all.every((one) => privileges.includes(one) || one === 'MAINTAIN');
    });
    const options = privileges.filter((one) => one.endsWith(' WITH GRANT OPTION'));
    return isAll ? ['ALL', ...(options.length > 0 ? ['with grant options'] : [])].join(' ') : privileges.join(', ');
}
function readGrant(schema, tree) {
    for (const object of tree.objects ?? []) {
        apply(schema, keyOf(tree.objtype, object), tree);
    }
}
/** Rights on objects that are made later. */
function readDefaultRights(schema, { options, action }) {
    if (!action)
        return;
    const named = (option) => as(tree_all(options, 'DefElem').find(({ defname }) => defname === option)?.arg, 'List')?.items;
    const kind = (action.objtype ?? '').replace('OBJECT_', '').toLowerCase();
    const owners = tree_all(named('roles'), 'RoleSpec').map(roleName);
    const schemas = strings(named('schemas')).map(identifier);
    for (const owner of owners.length > 0 ? owners : ['']) {
        for (const within of schemas.length > 0 ? schemas : ['']) {
            const place = `future ${kind}s${within ? ` in schema ${within}` : ''}${owner ? ` of ${owner}` : ''}`;
            apply(schema, objectKey('other', place), action);
        }
    }
}
function apply(schema, key, tree) {
    const roles = rightsOn(schema, key);
    schema.grants.set(key, roles);
    const privileges = privilegesOf(tree);
    for (const grantee of tree_all(tree.grantees, 'RoleSpec')) {
        const name = roleName(grantee);
        const held = roles.get(name) ?? new Set();
        roles.set(name, held);
        for (const privilege of privileges) {
            const option = `${privilege} WITH GRANT OPTION`;
            if (tree.is_grant !== true) {
                held.delete(option);
                // REVOKE GRANT OPTION FOR leaves the right itself.
                if (tree.grant_option !== true)
                    held.delete(privilege);
                continue;
            }
            held.add(privilege);
            if (tree.grant_option === true)
                held.add(option);
        }
    }
}
/** `SELECT`, or `SELECT (email)` for a column. */
function privilegesOf({ privileges, objtype }) {
    if (!privileges?.length)
        return everything[objtype ?? 'OBJECT_TABLE'] ?? ['USAGE'];
    return tree_all(privileges, 'AccessPriv').flatMap(({ priv_name, cols }) => {
        const names = priv_name === undefined ? ['SELECT', 'INSERT', 'UPDATE', 'REFERENCES'] : [priv_name.toUpperCase()];
        const columns = strings(cols).map(identifier);
        return columns.length === 0 ? names : names.flatMap((name) => columns.map((column) => `${name} (${column})`));
    });
}
function readOwner(schema, { object, objectType, newowner }) {
    if (object)
        schema.owners.set(keyOf(objectType, object), roleName(newowner));
}
/** The object of a GRANT or an OWNER TO. */
function keyOf(kind, object) {
    const relation = as(object, 'RangeVar');
    if (relation)
        return objectKey('relation', relationName(relation));
    const routine = as(object, 'ObjectWithArgs');
    if (routine) {
        const types = (routine.objargs ?? []).map((type) => as(type, 'TypeName'));
        const args = kind === 'OBJECT_AGGREGATE' && types.length === 0 ? '*' : formatTypes(types);
        return objectKey('function', `${qualified(strings(routine.objname))}(${args})`);
    }
    const parts = as(object, 'String')
        ? strings([object])
        : strings(as(object, 'List')?.items ?? as(object, 'TypeName')?.names);
    const name = qualified(parts);
    if (kind === 'OBJECT_SCHEMA')
        return objectKey('schema', name);
    if (kind === 'OBJECT_TYPE' || kind === 'OBJECT_DOMAIN')
        return objectKey('type', name);
    return objectKey('other', `${(kind ?? '').replace('OBJECT_', '').replaceAll('_', ' ').toLowerCase()} ${name}`);
}

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
        const was = rightsOn(before, key);
        return [...rightsOn(after, key)].flatMap(([role, rights]) => {
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
                ? [{ rule: 'grant', object: nameOf(key), detail: `${inShort(key, known)} to ${role}` }]
                : [];
        });
    });
}
function owners({ before, after }) {
    // Postgres makes the schema `public` itself, and pg_dump leaves its owner out as long as it is the usual one.
    const initial = [[objectKey('schema', 'public'), 'its initial owner']];
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
        [objectKey('relation', name)]: [schema.tables, schema.views, schema.materializedViews, schema.sequences],
        [objectKey('function', name)]: [schema.functions],
        [objectKey('type', name)]: [schema.enums, schema.domains, schema.types],
        [objectKey('schema', name)]: [schema.schemas, new Set(['public'])],
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

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./js/schema/boundaries.js

/** What pg_dump writes before each object. */
const header = /^-- (?:Data for )?Name: .*; Type: .*/;
const nextHeader = /\n--\n-- (?:Data for )?Name: .*; Type: /g;
const semicolon = /;[ \t\r]*(?:\n|$)/g;
/** Where to cut a text, at or after a place, so that probably no statement is cut in two: before an object, else after a semicolon. */
function cutAfter(text, from, within) {
    if (from >= text.length)
        return text.length;
    nextHeader.lastIndex = from;
    const found = nextHeader.exec(text.slice(0, from + within))?.index;
    if (found !== undefined)
        return found;
    semicolon.lastIndex = from;
    return semicolon.exec(text) ? semicolon.lastIndex : text.length;
}
/** Where the last statement of a text ends that ends in it; 0 if none does. */
function lastEnd(text) {
    // The text may end within a string. Then a line before it doesn't.
    for (let [end, tries] = [text.length, 0]; end > 0 && tries < 8; tries++) {
        const tokens = tokensOf(text.slice(0, end));
        if (tokens)
            return endsOf(text, tokens).at(-1) ?? 0;
        end = text.lastIndexOf(';\n', end - 1) + 1;
    }
    return 0;
}
/** Whether there is nothing but comments. */
function isBlank(text) {
    return tokensOf(text)?.every(isComment) ?? false;
}
/** Where the first statement starts and ends; undefined if more text is needed. `isLast`: there is no more. */
function firstStatement(text, isLast) {
    for (let length = 256; length < text.length * 2; length *= 2) {
        const tokens = tokensOf(text.slice(0, length)) ?? [];
        const [end] = endsOf(text, tokens);
        if (end !== undefined)
            return { start: startOf(text, tokens), end };
    }
    if (!isLast)
        return undefined;
    // A parenthesis, function body or quote is never closed. For the first two, end the statement at the next semicolon; for a quote, at
    // the next pg_dump header.
    const tokens = tokensOf(text) ?? [];
    const start = startOf(text, tokens);
    nextHeader.lastIndex = start;
    const [end = nextHeader.exec(text)?.index ?? text.length] = endsOf(text, tokens, { flat: true });
    return { start, end };
}
/** Without comments before it. */
function startOf(text, tokens) {
    const first = tokens.find((token) => !isComment(token));
    return first ? byteOffsets(text)(first.start) : text.search(/\S/);
}
/** Undefined if a quote has no end, or the like. */
function tokensOf(text) {
    if (text.trim() === '')
        return [];
    try {
        return (0,wasm.scanSync)(text).tokens;
    }
    catch (error) {
        // The scanner's message comes as text that is not JSON.
        if (error instanceof SyntaxError)
            return undefined;
        throw error;
    }
}
function isComment({ tokenName }) {
    return tokenName.endsWith('_COMMENT');
}
/** Where statements end. `flat`: also at a semicolon within parentheses or a body. */
function endsOf(text, tokens, { flat = false } = {}) {
    const at = byteOffsets(text);
    const ends = [];
    let nesting = new Nesting();
    let isOpen = false;
    for (const token of tokens) {
        // A new object begins, whatever is still open.
        const isCut = isComment(token) && isOpen && header.test(token.text);
        if (isComment(token) && !isCut)
            continue;
        isOpen = true;
        if (!isCut && (token.text !== ';' || (nesting.isOpen && !flat)))
            nesting.add(token.text.toLowerCase());
        else {
            ends.push(at(isCut ? token.start : token.end));
            nesting = new Nesting();
            isOpen = false;
        }
    }
    return ends;
}
/** Converts byte offsets into offsets in the text. They must not decrease from call to call. */
function byteOffsets(text) {
    if (Buffer.byteLength(text) === text.length)
        return (offset) => offset;
    const bytes = Buffer.from(text);
    let [byte, index] = [0, 0];
    return (offset) => {
        index += bytes.toString('utf8', byte, offset).length;
        byte = offset;
        return index;
    };
}
/** Tells whether a semicolon is within parentheses or a function body of SQL, and so ends no statement. */
class Nesting {
    #parentheses = 0;
    #blocks = 0;
    #previous = '';
    get isOpen() {
        return this.#parentheses > 0 || this.#blocks > 0;
    }
    add(token) {
        if (token === '(')
            this.#parentheses++;
        if (token === ')')
            this.#parentheses = Math.max(0, this.#parentheses - 1);
        if (token === 'atomic' && this.#previous === 'begin')
            this.#blocks++;
        if (token === 'case' && this.#blocks > 0)
            this.#blocks++;
        if (token === 'end' && this.#blocks > 0)
            this.#blocks--;
        this.#previous = token;
    }
}

;// CONCATENATED MODULE: ./js/schema/parser.js



/** The parser crashed, which says nothing about the schema. */
class ParserError extends Error {
}
/** A chunk is parsed in a few milliseconds, and its syntax tree takes a few megabytes. */
const chunkLength = 128 * 1024;
/** After a statement that the parser does not know: more of them may follow, and each ends a chunk. */
const shortChunk = 2 * 1024;
/**
 * Splits a schema into statements with Postgres' own parser. Works through the text in chunks: if everything up to a semicolon
 * parses, the statement really ends there. Throws a `ParserError`, or the signal's reason.
 */
async function parseSchema(options) {
    const { signal } = options;
    // A NUL would end the text for the parser, and hide what follows.
    const text = options.text.replaceAll('\0', ' ');
    await (0,wasm.loadModule)().catch((error) => {
        throw new ParserError('the SQL parser could not be loaded', { cause: error });
    });
    const statements = [];
    let start = 0;
    let length = chunkLength;
    while (start < text.length) {
        await (0,promises_.setImmediate)();
        signal.throwIfAborted();
        const end = cutAfter(text, start + length, length);
        const chunk = text.slice(start, end);
        const read = readChunk(chunk, end === text.length);
        for (const one of read.statements)
            statements.push({ ...one, start: start + one.start, end: start + one.end });
        start += read.length;
        // If nothing ends in the chunk, a statement is longer than it.
        if (read.length === 0)
            length *= 2;
        else
            length = read.isBroken ? shortChunk : Math.min(length * 2, chunkLength);
    }
    return statements;
}
/** The statements at the beginning of a chunk: all of them, those before the first that does not parse, or that one. */
function readChunk(chunk, isLast) {
    const whole = parse(chunk);
    if (whole.statements)
        return { statements: whole.statements, length: chunk.length, isBroken: false };
    const beforeError = chunk.slice(0, whole.error);
    const known = lastEnd(beforeError);
    const before = known > 0 ? parse(chunk.slice(0, known)).statements : undefined;
    if (before)
        return { statements: before, length: known, isBroken: false };
    if (chunk[beforeError.length] === '\\' && isBlank(beforeError)) {
        // A line for psql, such as `\restrict x`.
        const line = chunk.indexOf('\n', beforeError.length);
        return { statements: [], length: line < 0 ? chunk.length : line, isBroken: false };
    }
    const first = firstStatement(chunk, isLast);
    if (!first)
        return { statements: [], length: 0, isBroken: true };
    const statements = parse(chunk.slice(0, first.end)).statements ?? [{ node: undefined, ...first }];
    return { statements, length: first.end, isBroken: true };
}
/** The statements of a text, or where the first error is. */
function parse(text) {
    if (text.trim() === '')
        return { statements: [] };
    try {
        const { stmts = [] } = (0,wasm.parseSync)(text);
        const at = byteOffsets(text);
        const statements = stmts.map(({ stmt, stmt_location = 0, stmt_len }) => {
            const start = at(stmt_location);
            return { node: stmt, start, end: stmt_len === undefined ? text.length : at(stmt_location + stmt_len) };
        });
        return { statements };
    }
    catch (error) {
        if (!(0,wasm.hasSqlDetails)(error))
            throw new ParserError('the SQL parser crashed', { cause: error });
        return { error: offsetOf(text, error.sqlDetails?.cursorPosition ?? 0) };
    }
}
/** Where the parser's position is in a text: it counts code points. */
function offsetOf(text, position) {
    let offset = 0;
    for (let point = 0; point < position && offset < text.length; point++) {
        offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
    }
    return offset;
}

;// CONCATENATED MODULE: ./js/schema/walk.js

/** All nodes of one kind in a tree, at any depth. */
function nodesIn(tree, kind) {
    const found = [];
    const open = [tree];
    while (open.length > 0) {
        const next = open.pop();
        if (typeof next !== 'object' || next === null)
            continue;
        for (const [key, value] of Object.entries(next)) {
            if (key === kind)
                found.push(value);
            open.push(value);
        }
    }
    return found;
}
/** The columns of its table that an expression reads. */
function columnsIn(tree) {
    return nodesIn(tree, 'ColumnRef').flatMap(({ fields }) => strings(fields).at(-1) ?? []);
}
function readExpression(node) {
    return {
        text: canonical(node),
        calls: nodesIn(node, 'FuncCall').map(({ funcname }) => {
            const parts = strings(funcname);
            return qualified(parts[0] === 'pg_catalog' ? parts.slice(1) : parts);
        }),
    };
}

;// CONCATENATED MODULE: ./js/schema/read-constraint.js


const kinds = {
    CONSTR_CHECK: { kind: 'check', suffix: 'check' },
    CONSTR_UNIQUE: { kind: 'unique', suffix: 'key' },
    CONSTR_PRIMARY: { kind: 'primary key', suffix: 'pkey' },
    CONSTR_EXCLUSION: { kind: 'exclusion', suffix: 'excl' },
    CONSTR_FOREIGN: { kind: 'foreign key', suffix: 'fkey' },
};
/** A constraint with its name; undefined for NOT NULL, defaults and the like, which belong to their column. */
function readConstraint(tree, of) {
    const { kind, suffix } = kinds[tree.contype ?? 'CONSTR_NULL'] ?? {};
    if (kind === undefined)
        return undefined;
    const listed = [
        ...strings(tree.keys),
        ...strings(tree.including),
        ...strings(tree.fk_attrs),
        ...columnsIn([tree.raw_expr, tree.exclusions]),
    ];
    const names = of.column === undefined ? [...new Set(listed)] : [of.column];
    // Postgres names a constraint like this if nobody else does.
    const middle = kind === 'primary key' ? [] : names;
    const name = identifier(tree.conname ?? [of.table, ...middle, suffix].join('_'));
    const definition = canonical(of.column === undefined ? tree : { ...tree, column: of.column }, ['conname', 'inh']);
    const validated = tree.skip_validation !== true && tree.is_enforced !== false;
    const test = as(tree.raw_expr, 'NullTest');
    const refusesNull = test?.nulltesttype === 'IS_NOT_NULL' && as(test.arg, 'ColumnRef') !== undefined;
    return [name, { kind, definition, columns: names.map(identifier), validated, refusesNull }];
}

;// CONCATENATED MODULE: ./js/schema/read-table.js





function readTable(schema, tree, foreign = false) {
    const key = tree.partspec && canonical(tree.partspec);
    const table = {
        made: foreign ? 'foreign' : (key ?? ''),
        columns: new Map(),
        constraints: new Map(),
        triggers: new Map(),
        disabledTriggers: new Set(),
        policies: new Map(),
        rowSecurity: false,
        forcedRowSecurity: false,
        unlogged: tree.relation?.relpersistence === 'u',
    };
    const parents = tree_all(tree.inhRelations, 'RangeVar').map(relationName);
    if (parents[0] !== undefined)
        table.partitionOf = parents[0];
    // pg_dump leaves out the columns that a table inherits.
    for (const parent of parents) {
        for (const [name, column] of schema.tables.get(parent)?.columns ?? [])
            table.columns.set(name, { ...column });
    }
    schema.tables.set(relationName(tree.relation), table);
    const name = tree.relation?.relname ?? '';
    for (const column of tree_all(tree.tableElts, 'ColumnDef'))
        readColumn(table, name, column);
    const written = [...tree_all(tree.tableElts, 'Constraint'), ...tree_all(tree.constraints, 'Constraint')];
    for (const constraint of [...written, ...tree_all(tree.nnconstraints, 'Constraint')])
        addConstraint(table, name, constraint);
}
function readColumn(table, tableName, tree) {
    const name = tree.colname ?? '';
    const column = { type: readType(tree.typeName), notNull: false };
    table.columns.set(identifier(name), column);
    for (const constraint of tree_all(tree.constraints, 'Constraint')) {
        if (constraint.contype === 'CONSTR_NOTNULL')
            setNotNull(column, constraint);
        else if (constraint.contype === 'CONSTR_DEFAULT')
            column.default = readExpression(constraint.raw_expr);
        else if (constraint.contype === 'CONSTR_IDENTITY')
            setIdentity(column, constraint);
        else if (constraint.contype === 'CONSTR_GENERATED') {
            column.generated = { ...readExpression(constraint.raw_expr), stored: constraint.generated_kind !== 'v' };
        }
        else
            addConstraint(table, tableName, constraint, name);
    }
}
function setIdentity(column, { generated_when }) {
    // `a` or `d`, as in the catalog.
    column.identity = generated_when === 'd' ? 'by default' : 'always';
    column.notNull = true;
}
function setNotNull(column, { conname }) {
    column.notNull = true;
    if (conname !== undefined)
        column.notNullName = identifier(conname);
}
/** `column`: the column that the constraint is written next to. */
function addConstraint(table, tableName, tree, column) {
    const read = readConstraint(tree, { table: tableName, ...(column === undefined ? {} : { column }) });
    if (read)
        table.constraints.set(...read);
    const makesNotNull = read?.[1].kind === 'primary key' || (tree.contype === 'CONSTR_NOTNULL' && tree.skip_validation !== true);
    if (!makesNotNull)
        return;
    for (const key of read?.[1].columns ?? strings(tree.keys).map(identifier)) {
        const found = table.columns.get(key);
        if (!found)
            continue;
        if (read)
            found.notNull = true;
        else
            setNotNull(found, tree);
    }
}
/** Returns whether row-level security, for example, is that of a table in the model. */
function readAlterTable(schema, tree) {
    const name = relationName(tree.relation);
    for (const command of tree_all(tree.cmds, 'AlterTableCmd')) {
        const partition = as(command.def, 'PartitionCmd');
        const table = schema.tables.get(name);
        if (command.subtype === 'AT_ChangeOwner') {
            schema.owners.set(objectKey('relation', name), roleName(command.newowner));
        }
        else if (partition && tree.objtype === 'OBJECT_INDEX') {
            const part = schema.indexes.get(relationName(partition.name));
            if (part)
                part.partOf = name;
        }
        else if (partition) {
            const part = schema.tables.get(relationName(partition.name));
            if (part)
                part.partitionOf = name;
        }
        else if (table)
            alter(table, tree.relation?.relname ?? '', command);
        else if (/RowSecurity|AddConstraint|Trig|Rule/.test(command.subtype ?? ''))
            return false;
    }
    return true;
}
function alter(table, tableName, command) {
    const column = table.columns.get(identifier(command.name ?? ''));
    const constraint = as(command.def, 'Constraint');
    switch (command.subtype) {
        case 'AT_AddConstraint':
            if (constraint)
                addConstraint(table, tableName, constraint);
            break;
        case 'AT_ColumnDefault':
            if (column && command.def)
                column.default = readExpression(command.def);
            break;
        case 'AT_SetNotNull':
            if (column)
                column.notNull = true;
            break;
        case 'AT_AddIdentity':
            if (column)
                setIdentity(column, constraint ?? {});
            break;
        case 'AT_DisableTrig':
        case 'AT_DisableRule':
        // It only fires while the table is a replica.
        case 'AT_EnableReplicaTrig':
        case 'AT_EnableReplicaRule':
            table.disabledTriggers.add(identifier(command.name ?? ''));
            break;
        case 'AT_EnableRowSecurity':
            table.rowSecurity = true;
            break;
        case 'AT_ForceRowSecurity':
            table.forcedRowSecurity = true;
            break;
        case 'AT_SetUnLogged':
            table.unlogged = true;
            break;
        // The others, such as statistics, storage and clustering, change neither data nor privileges.
        default:
    }
}

;// CONCATENATED MODULE: ./js/schema/read.js








/** Builds the model from the statements of a schema, as `pg_dump --schema-only` orders them. */
function readSchema(text, statements) {
    const schema = emptySchema();
    // In the comments that pg_dump begins with. Until version 14, PUBLIC may create objects in the schema `public`.
    const [, version] = /^(?:(?:--.*|\\restrict .*)?\n)*?-- Dumped from database version (\d+)/.exec(text) ?? [];
    if (Number(version) < 15) {
        schema.grants.set(objectKey('schema', 'public'), new Map([['PUBLIC', new Set(['USAGE', 'CREATE'])]]));
    }
    for (const { node, start, end } of statements) {
        const sql = () => text.slice(start, end).replace(/\s+/g, ' ').replace(/;$/, '').trim();
        if (!node)
            schema.unknown.add(sql());
        else if (!read(schema, node) && !isIgnored(node))
            schema.others.set(canonical(node), { sql: sql(), table: tableOf(node) });
    }
    return schema;
}
/** The table that an object goes with. */
function tableOf(node) {
    const label = as(node, 'SecLabelStmt');
    if (label)
        return qualified(strings(as(label.object, 'List')?.items).slice(0, 2));
    const [relation] = tree_all(as(node, 'CreateStatsStmt')?.relations, 'RangeVar');
    const on = as(node, 'RuleStmt')?.relation ?? relation;
    return on && relationName(on);
}
/** What changes neither data nor privileges: comments, settings, queries. */
function isIgnored(node) {
    return ['CommentStmt', 'VariableSetStmt', 'SelectStmt', 'AlterSeqStmt'].some((kind) => kind in node);
}
/** Whether the statement is about an object that the model has. It has no table whose CREATE the parser does not know. */
function read(schema, node) {
    return readRelation(schema, node) || readTypes(schema, node) || readRoutine(schema, node) || readRest(schema, node);
}
function readRelation(schema, node) {
    const foreign = as(node, 'CreateForeignTableStmt');
    const table = as(node, 'CreateStmt') ?? foreign?.base;
    const view = as(node, 'ViewStmt');
    const query = as(node, 'CreateTableAsStmt');
    const sequence = as(node, 'CreateSeqStmt');
    const owned = as(node, 'AlterSeqStmt');
    const index = as(node, 'IndexStmt');
    const alter = as(node, 'AlterTableStmt');
    if (table)
        readTable(schema, table, foreign !== undefined);
    else if (view) {
        schema.views.set(relationName(view.view), {
            columns: readViewColumns(schema, view),
            definition: canonical(view.query),
            invoker: isOn(view.options, 'security_invoker'),
            triggers: new Map(),
        });
    }
    else if (query?.objtype === 'OBJECT_MATVIEW')
        schema.materializedViews.add(relationName(query.into?.rel));
    else if (sequence)
        schema.sequences.set(relationName(sequence.sequence), readSequence(sequence.options));
    else if (owned) {
        const known = schema.sequences.get(relationName(owned.sequence)) ?? readSequence([]);
        const owner = ownerOf(owned.options);
        if (owner !== undefined)
            schema.sequences.set(relationName(owned.sequence), { ...known, owner });
    }
    else if (index) {
        const table = relationName(index.relation);
        const name = qualified([index.relation?.schemaname ?? [], index.idxname ?? ''].flat());
        const params = [...tree_all(index.indexParams, 'IndexElem'), ...tree_all(index.indexIncludingParams, 'IndexElem')];
        schema.indexes.set(name, {
            table,
            unique: index.unique === true,
            definition: canonical(index, ['idxname', 'inh', 'concurrent', 'if_not_exists']),
            columns: params.flatMap(({ name }) => (name === undefined ? [] : identifier(name))),
        });
    }
    else
        return alter !== undefined && readAlterTable(schema, alter);
    return true;
}
/** The column in `OWNED BY`; undefined for `NONE`. */
function ownerOf(options) {
    const parts = strings(as(optionOf(tree_all(options, 'DefElem'), 'owned_by'), 'List')?.items);
    return parts.length > 1 ? qualified(parts) : undefined;
}
const limitsOf = {
    int2: [-(2n ** 15n), 2n ** 15n - 1n],
    int4: [-(2n ** 31n), 2n ** 31n - 1n],
};
function readSequence(options) {
    const list = tree_all(options, 'DefElem');
    const number = (name) => {
        const arg = optionOf(list, name);
        const written = as(arg, 'Float')?.fval ?? as(arg, 'Integer')?.ival;
        return written === undefined && !as(arg, 'Integer') ? undefined : BigInt(written ?? 0);
    };
    const type = readType(as(optionOf(list, 'as'), 'TypeName')).name;
    const [least, most] = limitsOf[type] ?? [-(2n ** 63n), 2n ** 63n - 1n];
    const isDescending = (number('increment') ?? 1n) < 0n;
    const owner = ownerOf(options);
    return {
        low: number('minvalue') ?? (isDescending ? least : 1n),
        high: number('maxvalue') ?? (isDescending ? -1n : most),
        ...(owner !== undefined && { owner }),
    };
}
/** Whether an option is on: `WITH (security_invoker)`, `=on`, `='t'`, `='TRUE'`, `=1`. */
function isOn(options, name) {
    const option = tree_all(options, 'DefElem').find(({ defname }) => defname === name);
    if (!option)
        return false;
    const { arg } = option;
    const value = as(arg, 'String')?.sval ?? as(arg, 'Integer')?.ival ?? as(arg, 'TypeName')?.names ?? 'true';
    const word = Array.isArray(value) ? strings(value).at(-1) : String(value);
    return /^(?:t|tr|tru|true|y|ye|yes|on|1)$/i.test(word ?? '');
}
/** The columns of a view, with the types of those that a table has or a cast gives. */
function readViewColumns(schema, { query, aliases }) {
    let select = as(query, 'SelectStmt');
    // A union has the columns of its first part.
    while (select?.larg)
        select = select.larg;
    const tables = new Map();
    tablesIn(select?.fromClause, tables);
    const typeOf = (value) => {
        const cast = as(value, 'TypeCast');
        if (cast)
            return readType(cast.typeName);
        const parts = strings(as(value, 'ColumnRef')?.fields);
        const table = parts.length > 1 ? tables.get(parts.at(-2) ?? '') : tables.size === 1 ? [...tables.values()][0] : '';
        const column = identifier(parts.at(-1) ?? '');
        return (schema.tables.get(table ?? '')?.columns.get(column)?.type ?? schema.views.get(table ?? '')?.columns.get(column));
    };
    const targets = tree_all(select?.targetList, 'ResTarget');
    const given = strings(aliases);
    return new Map(targets.map(({ name, val }, index) => [
        identifier(given[index] ?? name ?? outputName(val) ?? `?column${index}?`),
        typeOf(val),
    ]));
}
/** What Postgres calls a column without a name. */
function outputName(value) {
    const [cast, call] = [as(value, 'TypeCast'), as(value, 'FuncCall')];
    if (cast)
        return outputName(cast.arg) ?? strings(cast.typeName?.names).at(-1);
    if (call)
        return strings(call.funcname).at(-1);
    return strings(as(value, 'ColumnRef')?.fields).at(-1) ?? (as(value, 'CaseExpr') ? 'case' : undefined);
}
function readTypes(schema, node) {
    const enumeration = as(node, 'CreateEnumStmt');
    const domain = as(node, 'CreateDomainStmt');
    const alterDomain = as(node, 'AlterDomainStmt');
    const composite = as(node, 'CompositeTypeStmt');
    const range = as(node, 'CreateRangeStmt');
    const defined = as(node, 'DefineStmt');
    if (enumeration)
        schema.enums.set(qualified(strings(enumeration.typeName)), strings(enumeration.vals));
    else if (domain) {
        const name = strings(domain.domainname);
        const written = tree_all(domain.constraints, 'Constraint');
        const initial = written.find(({ contype }) => contype === 'CONSTR_DEFAULT');
        const constraints = written
            .map((one) => readConstraint(one, { table: name.at(-1) ?? '' }))
            .filter((one) => one !== undefined);
        schema.domains.set(qualified(name), {
            base: readType(domain.typeName),
            notNull: written.some(({ contype }) => contype === 'CONSTR_NOTNULL'),
            ...(initial && { default: readExpression(initial.raw_expr) }),
            constraints: new Map(constraints),
        });
    }
    else if (alterDomain) {
        const name = strings(alterDomain.typeName);
        const tree = as(alterDomain.def, 'Constraint');
        const read = tree && readConstraint(tree, { table: name.at(-1) ?? '' });
        if (read)
            schema.domains.get(qualified(name))?.constraints.set(...read);
    }
    else if (composite) {
        const attributes = tree_all(composite.coldeflist, 'ColumnDef').map(({ colname, typeName }) => [identifier(colname ?? ''), formatType(readType(typeName))]);
        schema.types.set(relationName(composite.typevar), new Map(attributes));
    }
    else if (range)
        schema.types.set(qualified(strings(range.typeName)), new Map());
    else if (defined?.kind === 'OBJECT_TYPE')
        schema.types.set(qualified(strings(defined.defnames)), new Map());
    else
        return false;
    return true;
}
function readRoutine(schema, node) {
    const created = as(node, 'CreateFunctionStmt');
    const aggregate = as(node, 'DefineStmt');
    if (created) {
        const parameters = tree_all(created.parameters, 'FunctionParameter');
        const isOutput = ({ mode }) => mode === 'FUNC_PARAM_OUT' || mode === 'FUNC_PARAM_TABLE';
        const inputs = parameters.filter((one) => !isOutput(one));
        const outputs = parameters.filter((one) => isOutput(one) || one.mode === 'FUNC_PARAM_INOUT');
        const name = qualified(strings(created.funcname));
        const options = tree_all(created.options, 'DefElem');
        const path = options.map(({ arg }) => as(arg, 'VariableSetStmt')).find((one) => one?.name === 'search_path');
        schema.functions.set(`${name}(${formatTypes(inputs.map(({ argType }) => argType))})`, {
            securityDefiner: as(optionOf(options, 'security'), 'Boolean')?.boolval === true,
            result: canonical([
                created.is_procedure === true,
                created.returnType,
                outputs.map((one) => [one.name, one.argType]),
            ]),
            ...(path && { searchPath: canonical(path.args) }),
            inputs: inputs.map(({ argType }) => formatType(readType(argType))),
            defaults: inputs.filter(({ defexpr }) => defexpr !== undefined).length,
            definition: canonical(created),
        });
        const volatile = (as(optionOf(options, 'volatility'), 'String')?.sval ?? 'volatile') === 'volatile';
        schema.volatility.set(name, volatile || schema.volatility.get(name) === true);
    }
    else if (aggregate?.kind === 'OBJECT_AGGREGATE') {
        const [list] = aggregate.args ?? [];
        const types = tree_all(as(list, 'List')?.items, 'FunctionParameter').map(({ argType }) => argType);
        const name = `${qualified(strings(aggregate.defnames))}(${types.length > 0 ? formatTypes(types) : '*'})`;
        schema.functions.set(name, {
            securityDefiner: false,
            result: 'aggregate',
            inputs: types.map((type) => formatType(readType(type))),
            defaults: 0,
            definition: canonical(aggregate),
        });
    }
    else
        return false;
    return true;
}
function optionOf(options, name) {
    return options.find(({ defname }) => defname === name)?.arg;
}
function readRest(schema, node) {
    const created = as(node, 'CreateSchemaStmt');
    const extension = as(node, 'CreateExtensionStmt');
    const publication = as(node, 'CreatePublicationStmt') ?? as(node, 'AlterPublicationStmt');
    const policy = as(node, 'CreatePolicyStmt');
    const trigger = as(node, 'CreateTrigStmt');
    const grant = as(node, 'GrantStmt');
    const defaults = as(node, 'AlterDefaultPrivilegesStmt');
    const owner = as(node, 'AlterOwnerStmt');
    const event = as(node, 'AlterEventTrigStmt');
    if (created)
        schema.schemas.add(qualified([created.schemaname ?? '']));
    else if (extension) {
        const place = as(optionOf(tree_all(extension.options, 'DefElem'), 'schema'), 'String')?.sval;
        schema.extensions.set(qualified([extension.extname ?? '']), place && identifier(place));
    }
    else if (publication) {
        const name = qualified([publication.pubname ?? '']);
        const written = schema.publications.get(name) ?? new Set();
        schema.publications.set(name, written.add(canonical(publication)));
    }
    else if (policy) {
        // pg_dump writes the roles in no fixed order.
        const roles = tree_all(policy.roles, 'RoleSpec').map(roleName).sort();
        const definition = canonical([roles, policy], ['policy_name', 'table', 'roles']);
        const table = schema.tables.get(relationName(policy.table));
        if (!table)
            return false;
        table.policies.set(qualified([policy.policy_name ?? '']), { definition, permissive: policy.permissive === true });
    }
    else if (trigger) {
        const definition = canonical(trigger, ['trigname', 'replace']);
        const on = relationName(trigger.relation);
        const relation = schema.tables.get(on) ?? schema.views.get(on);
        if (!relation)
            return false;
        relation.triggers.set(qualified([trigger.trigname ?? '']), definition);
    }
    else if (grant)
        readGrant(schema, grant);
    else if (defaults)
        readDefaultRights(schema, defaults);
    else if (owner)
        readOwner(schema, owner);
    else if (event) {
        // `D` or `R`, as in the catalog.
        if (/^[DR]$/i.test(event.tgenabled ?? ''))
            schema.disabledTriggers.add(qualified([event.trigname ?? '']));
    }
    else
        return false;
    return true;
}

;// CONCATENATED MODULE: ./js/schema/renames.js



/**
 * Finds renames that the schemas prove. Tables: the names of constraints, indexes and sequences stay when a table is renamed. Columns:
 * new ones are always added at the end, so a new name in front of a column that stayed is an old column's; and the names of what is
 * built on a column stay.
 */
function findRenames(before, after) {
    const evidence = { renames: noRenames(), addedAgain: new Set(), maybe: new Map() };
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
    return namesIn(name).slice(0, -1).join('.');
}
/** The name without its schema and its quotes. */
function bare(name) {
    return namesIn(name).at(-1) ?? '';
}
/** What Postgres calls a NOT NULL constraint that has no name of its own. */
function usualNotNull(table, column) {
    return identifier(`${bare(table)}_${bare(column)}_not_null`);
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
    return [...table.columns].map(([name, { type }]) => `${name} ${formatType(type)}`).join(', ');
}
function compareColumns(pair) {
    const { old, was, fresh, is, evidence } = pair;
    const [olds, news] = [[...was.columns.keys()], [...is.columns.keys()]];
    if (olds.join() === news.join())
        return;
    const typeIn = (table, column) => {
        const found = table.columns.get(column);
        return found && formatType(found.type);
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
    return JSON.stringify(namesIn(name)[0] ?? '');
}

// EXTERNAL MODULE: ./js/schema/rules.js
var rules = __webpack_require__(11);
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
    try {
        const statements = await parseSchema({ text: options.before, signal });
        const was = readSchema(options.before, statements);
        const after = readSchema(options.after, await parseSchema({ text: options.after, signal }));
        const evidence = options.renames
            ? { renames: options.renames, addedAgain: new Set(), maybe: new Map() }
            : findRenames(was, after);
        const { tables, columns } = evidence.renames;
        const isSame = tables.size + columns.size === 0;
        const before = isSame ? was : readSchema(options.before, withRenames(statements, evidence.renames));
        const sides = { before, after, was, evidence };
        const checks = [checkObjects, checkTables, checkColumns, checkRights, checkConstraints];
        const found = [...renamed(sides), ...checks.flatMap((check) => check(sides))];
        return { findings: withoutRepeats(found, sides).sort(byLevel) };
    }
    catch (error) {
        if (!(error instanceof ParserError))
            throw error;
        return { findings: [], incomplete: `The schema could not be reviewed: ${error.message}.` };
    }
}
/** Parts of a partitioned table have the new names of its columns, too. */
function renamed({ was, evidence }) {
    const { tables, columns } = evidence.renames;
    return [
        ...[...tables].map(([object, fresh]) => ({ rule: 'rename-table', object, detail: `now ${fresh}` })),
        ...[...columns]
            .filter(([object]) => {
            const parts = namesIn(object);
            const table = was.tables.get(qualified(parts.slice(0, -1)));
            return !columns.has(`${table?.partitionOf}.${identifier(parts.at(-1) ?? '')}`);
        })
            .map(([object, fresh]) => ({ rule: 'rename-column', object, detail: `now ${fresh}` })),
    ];
}
function byLevel(a, b) {
    return rules/* levels */.yr.indexOf((0,rules/* levelOf */.In)(a)) - rules/* levels */.yr.indexOf((0,rules/* levelOf */.In)(b));
}


/***/ })

};
