export const id = 999;
export const ids = [999];
export const modules = {

/***/ 6999:
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
function keptTables({ before, after }) {
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

;// CONCATENATED MODULE: ./js/schema/renames.js

/**
 * Guesses which new name an old one may have been changed to: a name that disappeared, and one that appeared in its place. `isAlike`
 * tells whether the two may be the same thing.
 */
function guessRenames(before, after, isAlike) {
    const removed = byPlace(before, new Set(after));
    const added = byPlace(after, new Set(before));
    const guesses = new Map();
    for (const [place, names] of removed) {
        for (const [index, old] of names.entries()) {
            const fresh = added.get(place)?.[index];
            if (fresh !== undefined && isAlike(old, fresh))
                guesses.set(old, fresh);
        }
    }
    return guesses;
}
/** The names that do not stay, by the name before them that does. */
function byPlace(names, others) {
    const places = new Map();
    let place;
    for (const name of names) {
        const here = places.get(place);
        if (others.has(name))
            place = name;
        else if (here)
            here.push(name);
        else
            places.set(place, [name]);
    }
    return places;
}
/** The columns that may have been renamed, by their old names. */
function renamedColumns(was, is) {
    const typeOf = (table, name) => {
        const column = table.columns.get(name);
        return column && formatType(column.type);
    };
    return guessRenames([...was.columns.keys()], [...is.columns.keys()], (old, fresh) => typeOf(was, old) === typeOf(is, fresh));
}
/** The columns of a table with their types, as text: a renamed table keeps it. */
function shapeOf(table) {
    return [...table.columns].map(([name, { type }]) => `${name} ${formatType(type)}`).join(', ');
}
/** A definition from before with the columns' new names. */
function withNewNames(definition, renames) {
    let text = definition;
    for (const [old, fresh] of renames)
        text = text.replaceAll(`:${inTree(old)}`, `:${inTree(fresh)}`);
    return text;
}
/** How a syntax tree writes a name. */
function inTree(name) {
    return JSON.stringify(name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);
}

;// CONCATENATED MODULE: ./js/schema/type-changes.js
/** The types that hold every value of a type; of dates, every one before the year 294277. */
const wider = new Map([
    ['int2', ['int4', 'int8', 'float4', 'float8']],
    ['int4', ['int8', 'float8']],
    ['float4', ['float8']],
    ['date', ['timestamp']],
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
 * Types between which values are converted with a loss, unless `wider` says otherwise. Types with a time zone are not among them: what a
 * value becomes depends on the time zone of the session.
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
        const renames = renamedColumns(was, is);
        const findings = [];
        for (const [column, before] of was.columns) {
            const after = is.columns.get(column);
            const renamed = renames.get(column);
            if (!after)
                findings.push(found(column)('drop-column', formatType(before.type)));
            if (renamed !== undefined)
                findings.push(found(column)('rename-column', `${column} → ${renamed}`));
            if (after)
                findings.push(...changed({ before, after, sides, found: found(column) }));
        }
        for (const [column, after] of is.columns) {
            if (!was.columns.has(column))
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
    const { before, after, sides, found } = options;
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
    if (after.notNull && !before.notNull)
        findings.push(found('set-not-null', ''));
    if (before.notNull && !after.notNull)
        findings.push(found('drop-not-null', ''));
    const fills = after.default || after.identity || after.generated;
    if ((before.default || before.generated) && !fills)
        findings.push(found('drop-default', ''));
    if (before.identity && !after.identity)
        findings.push(found('drop-identity', ''));
    if (after.generated?.stored && after.generated.text !== before.generated?.text) {
        findings.push(found('stored-generated', 'its expression changed'));
    }
    return findings;
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
        const renames = renamedColumns(was, is);
        const pair = {
            table: name,
            was: { constraints: was.constraints, indexes: new Map(before.get(name)), columns: was.columns },
            is: { constraints: is.constraints, indexes: new Map(after.get(name)), columns: is.columns },
            inherited: constraintsAbove(was, sides.before),
            renamed: (definition) => withNewNames(definition, renames),
            isGone: (column) => was.columns.has(column) && !is.columns.has(column) && !renames.has(column),
        };
        return [...constraintsOf(pair), ...indexesOf(pair, sides)];
    });
    const views = [...sides.before.materializedViews].filter((name) => sides.after.materializedViews.has(name));
    const inViews = views.flatMap((name) => {
        const side = (indexes) => ({
            constraints: new Map(),
            indexes: new Map(indexes.get(name)),
            columns: new Map(),
        });
        return indexesOf({ table: name, was: side(before), is: side(after), renamed: (text) => text, isGone: () => false }, sides);
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
function constraintsOf({ table, was, is, inherited, renamed, isGone }) {
    const known = new Set([...was.constraints.values(), ...inherited].map(({ definition }) => renamed(definition)));
    const kept = new Set([...is.constraints.values()].map(({ definition }) => definition));
    const found = (rule, name, { definition }, detail) => ({
        rule,
        object: `${table}.${name}`,
        detail,
        table,
        part: definition,
    });
    const added = [...is.constraints]
        .filter(([, one]) => one.validated && !known.has(one.definition) && !hasIndex(was, one))
        .map(([name, one]) => found(addRules[one.kind], name, one, columnList(one.columns)));
    const dropped = [...was.constraints]
        .filter(([, one]) => !kept.has(renamed(one.definition)) && !one.columns.some(isGone))
        .map(([name, one]) => {
        const rule = one.kind === 'foreign key' ? 'drop-foreign-key' : 'drop-constraint';
        return found(rule, name, one, is.constraints.has(name) ? `${one.kind}, changed` : one.kind);
    });
    return [...added, ...dropped];
}
/** Whether a unique index existed that the constraint may use. */
function hasIndex({ indexes }, { kind, columns }) {
    if (kind !== 'unique' && kind !== 'primary key')
        return false;
    return [...indexes.values()].some((index) => isUniqueOn(index, columns));
}
/** An index of some rows, or of an expression, is of no use to a constraint. */
function isUniqueOn(index, columns) {
    const isPlain = !/"(?:whereClause|expr)"/.test(index.definition);
    return index.unique && isPlain && `${index.columns}` === `${columns}`;
}
function indexesOf({ table, was, is, renamed, isGone }, { before, after }) {
    const known = new Set([...was.indexes.values()].map(({ definition }) => renamed(definition)));
    const kept = new Set([...is.indexes.values()].map(({ definition }) => definition));
    const isNew = ({ definition }) => !known.has(definition);
    const isDropped = ({ definition }) => !kept.has(renamed(definition));
    const found = (rule, name, detail) => ({ rule, object: name, detail });
    const added = [...is.indexes]
        .filter(([, index]) => isNew(index) && !isPart(index, after.indexes, before.indexes))
        .map(([name, index]) => found(index.unique ? 'add-unique' : 'add-index', name, on(table, index)));
    const dropped = [...was.indexes]
        .filter(([, index]) => isDropped(index) && !isPart(index, before.indexes, after.indexes))
        .filter(([, index]) => !index.columns.some(isGone) && !isPromoted(index, is))
        .map(([name, index]) => found('drop-index', name, on(table, index)));
    return [...added, ...dropped];
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

;// CONCATENATED MODULE: ./js/schema/check-objects.js


/** Everything that is neither a table nor a part of one. */
function checkObjects(sides) {
    const { before, after } = sides;
    const dropped = (rule, was, is) => missing(was, is).map((object) => ({ rule, object, detail: '' }));
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
function functions({ before, after }) {
    const nameOf = (signature) => signature.slice(0, signature.indexOf('('));
    const added = Map.groupBy(missing(after.functions.keys(), before.functions), nameOf);
    const replaced = [...before.functions].filter(([name, { result }]) => {
        const is = after.functions.get(name);
        return is !== undefined && is.result !== result;
    });
    const changed = replaced.map(([object]) => ({ rule: 'drop-function', object, detail: 'return type changed' }));
    const dropped = missing(before.functions.keys(), after.functions).map((object) => {
        const [other] = added.get(nameOf(object)) ?? [];
        return { rule: 'drop-function', object, detail: other === undefined ? '' : `now ${other}` };
    });
    return [...dropped, ...changed];
}
/** Columns of a composite type lose the values of an attribute that is gone. */
function attributes({ before, after }) {
    return [...before.types].flatMap(([name, was]) => missing(was, new Set(after.types.get(name) ?? was)).map((one) => ({ rule: 'drop-column', object: `${name}.${one}`, detail: 'attribute of a composite type' })));
}
function enums({ before, after }) {
    return [...before.enums].flatMap(([object, was]) => {
        const is = after.enums.get(object);
        if (!is)
            return [];
        const removed = missing(was, new Set(is));
        const renames = guessRenames(was, is, () => true);
        const list = removed.map((value) => literal(value)).join(', ');
        const pairs = [...renames].map(([old, fresh]) => `${literal(old)} → ${literal(fresh)}`).join(', ');
        return [
            ...(removed.length > 0 ? [{ rule: 'drop-enum-value', object, detail: list }] : []),
            ...(renames.size > 0 ? [{ rule: 'rename-enum-value', object, detail: pairs }] : []),
        ];
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
        extensions: new Set(),
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
    return [...policies(sides), ...definers(sides), ...grants(sides), ...owners(sides)];
}
function policies(sides) {
    return keptTables(sides).flatMap(({ name, was, is }) => {
        const found = [];
        if (was.rowSecurity && !is.rowSecurity)
            found.push({ rule: 'disable-rls', object: name, detail: '' });
        else if (was.forcedRowSecurity && !is.forcedRowSecurity) {
            found.push({ rule: 'disable-rls', object: name, detail: 'no longer forced for the owner' });
        }
        const definitions = new Set(is.policies.values());
        for (const [policy, definition] of was.policies) {
            const object = `${name}.${policy}`;
            const now = is.policies.get(policy);
            if (now !== undefined && now !== definition)
                found.push({ rule: 'change-policy', object, detail: '' });
            // Under another name it protects as before.
            if (now === undefined && !definitions.has(definition))
                found.push({ rule: 'drop-policy', object, detail: '' });
        }
        return found;
    });
}
function definers({ before, after }) {
    const functions = [...before.functions]
        .filter(([name, was]) => !was.securityDefiner && after.functions.get(name)?.securityDefiner)
        .map(([object]) => ({ rule: 'security-definer', object, detail: '' }));
    const views = [...before.views]
        .filter(([name, was]) => was.invoker && after.views.get(name)?.invoker === false)
        .map(([object]) => ({ rule: 'security-definer', object, detail: 'no longer `security_invoker`' }));
    const paths = [...before.functions]
        .filter(([name, was]) => {
        const is = after.functions.get(name);
        return was.securityDefiner && was.searchPath && is?.securityDefiner && !is.searchPath;
    })
        .map(([object]) => ({ rule: 'security-definer', object, detail: 'no longer sets `search_path`' }));
    return [...functions, ...paths, ...views];
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
                ? [{ rule: 'grant', object: nameOf(key), detail: `${known.join(', ')} to ${role}` }]
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
        if (is === undefined || is === was || before.sequences.get(nameOf(key))?.owned)
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
function droppedTables({ before, after }) {
    const dropped = missing(before.tables.keys(), after.tables);
    const added = missing(after.tables.keys(), before.tables);
    const byShape = (names, { tables }) => Map.groupBy(names, (name) => shapeOf(tables.get(name)));
    const [alike, candidates] = [byShape(dropped, before), byShape(added, after)];
    const partitions = Map.groupBy(dropped, (name) => before.tables.get(name)?.partitionOf);
    return dropped.flatMap((name) => {
        const table = before.tables.get(name);
        // Goes with the partitioned table.
        if (table.partitionOf !== undefined && !after.tables.has(table.partitionOf))
            return [];
        const parts = partitions.get(name)?.length ?? 0;
        const found = {
            rule: 'drop-table',
            object: name,
            detail: parts > 0 ? `with ${(0,format/* count */.U9)(parts, 'partition')}` : '',
        };
        const shape = shapeOf(table);
        const [renamed, ...others] = candidates.get(shape) ?? [];
        const isGuess = renamed !== undefined && others.length === 0 && alike.get(shape)?.length === 1 && shape !== '';
        return isGuess ? [found, { rule: 'rename-table', object: name, detail: `${name} → ${renamed}` }] : [found];
    });
}
/** Only dropping a table, or giving it another name, makes room for one of another kind. */
function otherKind({ made }) {
    return `replaced by ${made === 'foreign' ? 'a foreign' : made === '' ? 'an ordinary' : 'a differently partitioned'} table`;
}
function changesOf({ name, was, is }) {
    const found = [];
    if (withNewNames(was.made, renamedColumns(was, is)) !== is.made) {
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
    return [name, { kind, definition, columns: names.map(identifier), validated }];
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
    const column = { type: readType(tree.typeName), notNull: false, identity: false };
    table.columns.set(identifier(name), column);
    for (const constraint of tree_all(tree.constraints, 'Constraint')) {
        if (constraint.contype === 'CONSTR_NOTNULL')
            column.notNull = true;
        else if (constraint.contype === 'CONSTR_DEFAULT')
            column.default = readExpression(constraint.raw_expr);
        else if (constraint.contype === 'CONSTR_IDENTITY')
            setIdentity(column);
        else if (constraint.contype === 'CONSTR_GENERATED') {
            column.generated = { ...readExpression(constraint.raw_expr), stored: constraint.generated_kind !== 'v' };
        }
        else
            addConstraint(table, tableName, constraint, name);
    }
}
function setIdentity(column) {
    column.identity = true;
    column.notNull = true;
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
        if (found)
            found.notNull = true;
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
                setIdentity(column);
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
        const invoker = isOn(view.options, 'security_invoker');
        schema.views.set(relationName(view.view), { invoker, triggers: new Map() });
    }
    else if (query?.objtype === 'OBJECT_MATVIEW')
        schema.materializedViews.add(relationName(query.into?.rel));
    else if (sequence)
        schema.sequences.set(relationName(sequence.sequence), { owned: ownerOf(sequence.options) });
    else if (owned) {
        if (ownerOf(owned.options))
            schema.sequences.set(relationName(owned.sequence), { owned: true });
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
function ownerOf(options) {
    const owner = tree_all(options, 'DefElem').find(({ defname }) => defname === 'owned_by')?.arg;
    return strings(as(owner, 'List')?.items).length > 1;
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
        const attributes = tree_all(composite.coldeflist, 'ColumnDef').map(({ colname }) => identifier(colname ?? ''));
        schema.types.set(relationName(composite.typevar), attributes);
    }
    else if (range)
        schema.types.set(qualified(strings(range.typeName)), []);
    else if (defined?.kind === 'OBJECT_TYPE')
        schema.types.set(qualified(strings(defined.defnames)), []);
    else
        return false;
    return true;
}
function readRoutine(schema, node) {
    const created = as(node, 'CreateFunctionStmt');
    const aggregate = as(node, 'DefineStmt');
    if (created) {
        const inputs = tree_all(created.parameters, 'FunctionParameter').filter(({ mode }) => mode !== 'FUNC_PARAM_OUT' && mode !== 'FUNC_PARAM_TABLE');
        const name = qualified(strings(created.funcname));
        const options = tree_all(created.options, 'DefElem');
        schema.functions.set(`${name}(${formatTypes(inputs.map(({ argType }) => argType))})`, {
            securityDefiner: as(optionOf(options, 'security'), 'Boolean')?.boolval === true,
            result: canonical([created.is_procedure === true, created.returnType]),
            searchPath: options.some(({ arg }) => as(arg, 'VariableSetStmt')?.name === 'search_path'),
        });
        const volatile = (as(optionOf(options, 'volatility'), 'String')?.sval ?? 'volatile') === 'volatile';
        schema.volatility.set(name, volatile || schema.volatility.get(name) === true);
    }
    else if (aggregate?.kind === 'OBJECT_AGGREGATE') {
        const [list] = aggregate.args ?? [];
        const types = tree_all(as(list, 'List')?.items, 'FunctionParameter').map(({ argType }) => argType);
        const name = `${qualified(strings(aggregate.defnames))}(${types.length > 0 ? formatTypes(types) : '*'})`;
        schema.functions.set(name, { securityDefiner: false, searchPath: false, result: 'aggregate' });
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
    else if (extension)
        schema.extensions.add(qualified([extension.extname ?? '']));
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
        table.policies.set(qualified([policy.policy_name ?? '']), definition);
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
    const { signal, renames = noRenames() } = options;
    if (options.before === options.after)
        return { findings: [] };
    const longest = Math.max(options.before.length, options.after.length);
    if (longest > longestSchema) {
        return { findings: [], incomplete: `The schema is too large to review (${longest} characters).` };
    }
    try {
        const before = await modelOf(options.before, signal, renames);
        const after = await modelOf(options.after, signal);
        const sides = { before, after };
        const checks = [checkObjects, checkTables, checkColumns, checkRights, checkConstraints];
        const found = [...renamed(renames), ...checks.flatMap((check) => check(sides))];
        return { findings: withoutRepeats(found, sides).sort(byLevel) };
    }
    catch (error) {
        if (!(error instanceof ParserError))
            throw error;
        return { findings: [], incomplete: `The schema could not be reviewed: ${error.message}.` };
    }
}
async function modelOf(text, signal, renames = noRenames()) {
    return readSchema(text, withRenames(await parseSchema({ text, signal }), renames));
}
function renamed({ tables, columns }) {
    const found = (rule, names) => [...names].map(([object, fresh]) => ({ rule, object, detail: `now ${fresh}` }));
    return [...found('rename-table', tables), ...found('rename-column', columns)];
}
function byLevel(a, b) {
    return rules/* levels */.yr.indexOf((0,rules/* levelOf */.In)(a)) - rules/* levels */.yr.indexOf((0,rules/* levelOf */.In)(b));
}


/***/ })

};
