export const id = 427;
export const ids = [427];
export const modules = {

/***/ 74:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   JA: () => (/* binding */ noRenames),
/* harmony export */   N$: () => (/* binding */ tablesIn),
/* harmony export */   Q3: () => (/* binding */ withRenames),
/* harmony export */   wX: () => (/* binding */ namesIn)
/* harmony export */ });
/* harmony import */ var _tree_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7186);

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
        const place = { queries: [], ...(relation && { table: (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .relationName */ .CJ)(relation) }) };
        this.#namesOf(node, place);
        this.#walk(node, place);
    }
    /** Names that are plain text in this kind of statement. */
    #namesOf(node, { table = '' }) {
        const owned = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'AlterSeqStmt');
        for (const { defname, arg } of (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)(owned?.options, 'DefElem')) {
            if (defname === 'owned_by')
                this.#ownedBy((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(arg, 'List')?.items ?? []);
        }
        this.#list((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'CreateTrigStmt')?.columns, table);
        const grant = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'GrantStmt');
        for (const { cols } of (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)(grant?.privileges, 'AccessPriv'))
            this.#list(cols, table);
        for (const command of (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'AlterTableStmt')?.cmds, 'AlterTableCmd')) {
            const isOfColumn = /Column|NotNull|Identity|Statistics|Storage|Compression|Options/.test(command.subtype ?? '');
            if (isOfColumn && command.name !== undefined)
                command.name = this.#column(table, command.name);
        }
    }
    #ownedBy(parts) {
        const names = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(parts);
        const [table, column = ''] = [(0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .qualified */ .LX)(names.slice(0, -1)), names.at(-1)];
        const fresh = [...(this.#tables.get(table) ?? names.slice(0, -1)), this.#column(table, column)];
        parts.splice(0, parts.length, ...fresh.map((sval) => ({ String: { sval } })));
    }
    /** A column's new name, or its old one. */
    #column(table, name) {
        return this.#columns.get(`${table}.${(0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .identifier */ .Cv)(name)}`) ?? name;
    }
    #list(nodes, table) {
        for (const one of (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)(nodes, 'String'))
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
        const column = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'ColumnDef');
        if (column?.colname !== undefined)
            column.colname = this.#column(table, column.colname);
        const element = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'IndexElem') ?? (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'PartitionElem') ?? (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'StatsElem');
        if (element?.name !== undefined)
            element.name = this.#column(table, element.name);
        const constraint = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'Constraint');
        if (constraint) {
            for (const list of [constraint.keys, constraint.including, constraint.fk_attrs])
                this.#list(list, table);
            if (constraint.pktable)
                this.#list(constraint.pk_attrs, (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .relationName */ .CJ)(constraint.pktable));
        }
        const published = kind === 'pubtable' ? value : undefined;
        if (published)
            this.#list(published.columns, (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .relationName */ .CJ)(published.relation));
        const reference = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'ColumnRef');
        // Fields that can only hold a table or a type have no kind around them.
        if (reference)
            this.#reference(reference, place);
        else if (isRangeVar(value))
            this.#relation(value);
        else if (isTypeName(value))
            this.#type(value.names);
        else
            this.#walk(value, published ? { ...place, table: (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .relationName */ .CJ)(published.relation) } : place);
    }
    #relation(relation) {
        const fresh = this.#tables.get((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .relationName */ .CJ)(relation));
        if (!fresh)
            return;
        [relation.schemaname, relation.relname] = [fresh.at(-2) ?? '', fresh.at(-1) ?? ''];
    }
    #type(names) {
        const fresh = names && this.#tables.get((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .qualified */ .LX)((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(names)));
        if (fresh)
            names.splice(0, names.length, ...fresh.map((sval) => ({ String: { sval } })));
    }
    #query(query, place) {
        const tables = new Map();
        tablesIn(query.fromClause, tables);
        const inside = { ...place, queries: [tables, ...place.queries] };
        for (const target of (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)(query.targetList, 'ResTarget')) {
            const column = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(target.val, 'ColumnRef');
            const name = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(column?.fields).at(-1);
            this.#walk(target.val, inside);
            // A view's own column keeps its name.
            if (name !== undefined && (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(column?.fields).at(-1) !== name)
                target.name ??= name;
        }
        const { targetList: _, ...rest } = query;
        for (const [key, value] of Object.entries(rest))
            this.#node(key, value, inside);
    }
    #reference({ fields = [] }, { table, queries }) {
        const names = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(fields);
        if (names.length !== fields.length)
            return;
        const column = names.at(-1) ?? '';
        const set = (values) => fields.splice(0, fields.length, ...values.map((sval) => ({ String: { sval } })));
        if (names.length === 1) {
            const all = [...queries.flatMap((one) => [...one.values()]), ...(table === undefined ? [] : [table])];
            const owner = all.find((one) => this.#columns.has(`${one}.${(0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .identifier */ .Cv)(column)}`));
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
    const [granted] = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'GrantStmt')?.objects, 'RangeVar');
    const [measured] = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'CreateStatsStmt')?.relations, 'RangeVar');
    return ((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'CreateStmt')?.relation ??
        (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'CreateForeignTableStmt')?.base?.relation ??
        (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'AlterTableStmt')?.relation ??
        (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'IndexStmt')?.relation ??
        (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'CreatePolicyStmt')?.table ??
        (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'CreateTrigStmt')?.relation ??
        (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'RuleStmt')?.relation ??
        (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'CompositeTypeStmt')?.typevar ??
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
        const relation = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'RangeVar');
        if (relation)
            tables.set(relation.alias?.aliasname ?? relation.relname ?? '', (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .relationName */ .CJ)(relation));
        const join = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'JoinExpr');
        if (join)
            tablesIn([join.larg, join.rarg].filter((one) => one !== undefined), tables);
    }
}
/** The parts of a qualified name as SQL writes it, without quotes. */
function namesIn(name) {
    return (name.match(/"(?:[^"]|"")*"|[^."]+/g) ?? []).map((part) => part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part);
}


/***/ }),

/***/ 4057:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   T: () => (/* binding */ objectKey),
/* harmony export */   b: () => (/* binding */ emptySchema)
/* harmony export */ });
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


/***/ }),

/***/ 2279:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  s: () => (/* binding */ ParserError),
  D: () => (/* binding */ parseSchema)
});

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ../../node_modules/libpg-query/wasm/index.cjs
var wasm = __webpack_require__(4951);
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



/** The parser crashed or would take too long, which says nothing about the schema. */
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
    checkOperators(text);
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
/** A second of scanning, in which no signal would be heard: characters that the scanner reads. */
const mostScanned = 20_000_000;
/** Shorter runs add up to a fraction of a second per chunk, and a signal is heard between chunks. */
const operatorRun = /(?<![-~!@#^&|`?+*/%<>=])[-~!@#^&|`?+*/%<>=]{200,}/g;
/**
 * Throws if the text has what the scanner takes a quadratic time for. It reads operator characters to the end of their run, and
 * again from each place in it where a comment starts or ends, or an operator ends early.
 */
function checkOperators(text) {
    let scanned = 0;
    for (const [run] of text.matchAll(operatorRun)) {
        scanned += run.length * (run.match(/\/\*|\*\/|\+/g)?.length ?? 0);
        if (scanned > mostScanned) {
            throw new ParserError('it has thousands of comment signs or operators without a space, which take the SQL parser too long');
        }
    }
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


/***/ }),

/***/ 4028:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A7: () => (/* binding */ readOwner),
/* harmony export */   fF: () => (/* binding */ readDefaultRights),
/* harmony export */   pt: () => (/* binding */ rightsOn),
/* harmony export */   v7: () => (/* binding */ readGrant),
/* harmony export */   wZ: () => (/* binding */ inShort)
/* harmony export */ });
/* harmony import */ var _model_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(4057);
/* harmony import */ var _tree_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7186);
/* harmony import */ var _type_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9946);



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
    if (key === (0,_model_js__WEBPACK_IMPORTED_MODULE_2__/* .objectKey */ .T)('schema', 'public'))
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
    const named = (option) => (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)(options, 'DefElem').find(({ defname }) => defname === option)?.arg, 'List')?.items;
    const kind = (action.objtype ?? '').replace('OBJECT_', '').toLowerCase();
    const owners = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)(named('roles'), 'RoleSpec').map(_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .roleName */ .S3);
    const schemas = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(named('schemas')).map(_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .identifier */ .Cv);
    for (const owner of owners.length > 0 ? owners : ['']) {
        for (const within of schemas.length > 0 ? schemas : ['']) {
            const place = `future ${kind}s${within ? ` in schema ${within}` : ''}${owner ? ` of ${owner}` : ''}`;
            apply(schema, (0,_model_js__WEBPACK_IMPORTED_MODULE_2__/* .objectKey */ .T)('other', place), action);
        }
    }
}
function apply(schema, key, tree) {
    const roles = rightsOn(schema, key);
    schema.grants.set(key, roles);
    const privileges = privilegesOf(tree);
    for (const grantee of (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)(tree.grantees, 'RoleSpec')) {
        const name = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .roleName */ .S3)(grantee);
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
    return (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .all */ .Q7)(privileges, 'AccessPriv').flatMap(({ priv_name, cols }) => {
        const names = priv_name === undefined ? ['SELECT', 'INSERT', 'UPDATE', 'REFERENCES'] : [priv_name.toUpperCase()];
        const columns = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(cols).map(_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .identifier */ .Cv);
        return columns.length === 0 ? names : names.flatMap((name) => columns.map((column) => `${name} (${column})`));
    });
}
function readOwner(schema, { object, objectType, newowner }) {
    if (object)
        schema.owners.set(keyOf(objectType, object), (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .roleName */ .S3)(newowner));
}
/** The object of a GRANT or an OWNER TO. */
function keyOf(kind, object) {
    const relation = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(object, 'RangeVar');
    if (relation)
        return (0,_model_js__WEBPACK_IMPORTED_MODULE_2__/* .objectKey */ .T)('relation', (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .relationName */ .CJ)(relation));
    const routine = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(object, 'ObjectWithArgs');
    if (routine) {
        const types = (routine.objargs ?? []).map((type) => (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(type, 'TypeName'));
        const args = kind === 'OBJECT_AGGREGATE' && types.length === 0 ? '*' : (0,_type_js__WEBPACK_IMPORTED_MODULE_1__/* .formatTypes */ .fg)(types);
        return (0,_model_js__WEBPACK_IMPORTED_MODULE_2__/* .objectKey */ .T)('function', `${(0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .qualified */ .LX)((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(routine.objname))}(${args})`);
    }
    const parts = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(object, 'String')
        ? (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)([object])
        : (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(object, 'List')?.items ?? (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(object, 'TypeName')?.names);
    const name = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .qualified */ .LX)(parts);
    if (kind === 'OBJECT_SCHEMA')
        return (0,_model_js__WEBPACK_IMPORTED_MODULE_2__/* .objectKey */ .T)('schema', name);
    if (kind === 'OBJECT_TYPE' || kind === 'OBJECT_DOMAIN')
        return (0,_model_js__WEBPACK_IMPORTED_MODULE_2__/* .objectKey */ .T)('type', name);
    return (0,_model_js__WEBPACK_IMPORTED_MODULE_2__/* .objectKey */ .T)('other', `${(kind ?? '').replace('OBJECT_', '').replaceAll('_', ' ').toLowerCase()} ${name}`);
}


/***/ }),

/***/ 2390:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  G: () => (/* binding */ readSchema)
});

// EXTERNAL MODULE: ./js/schema/apply-renames.js
var apply_renames = __webpack_require__(74);
// EXTERNAL MODULE: ./js/schema/model.js
var model = __webpack_require__(4057);
// EXTERNAL MODULE: ./js/schema/tree.js
var schema_tree = __webpack_require__(7186);
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
    return nodesIn(tree, 'ColumnRef').flatMap(({ fields }) => (0,schema_tree/* strings */.P$)(fields).at(-1) ?? []);
}
function readExpression(node) {
    return {
        text: (0,schema_tree/* canonical */.$N)(node),
        calls: nodesIn(node, 'FuncCall').map(({ funcname }) => {
            const parts = (0,schema_tree/* strings */.P$)(funcname);
            return (0,schema_tree/* qualified */.LX)(parts[0] === 'pg_catalog' ? parts.slice(1) : parts);
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
        ...(0,schema_tree/* strings */.P$)(tree.keys),
        ...(0,schema_tree/* strings */.P$)(tree.including),
        ...(0,schema_tree/* strings */.P$)(tree.fk_attrs),
        ...columnsIn([tree.raw_expr, tree.exclusions]),
    ];
    const names = of.column === undefined ? [...new Set(listed)] : [of.column];
    // Postgres names a constraint like this if nobody else does.
    const middle = kind === 'primary key' ? [] : names;
    const name = (0,schema_tree/* identifier */.Cv)(tree.conname ?? [of.table, ...middle, suffix].join('_'));
    const definition = (0,schema_tree/* canonical */.$N)(of.column === undefined ? tree : { ...tree, column: of.column }, ['conname', 'inh']);
    const validated = tree.skip_validation !== true && tree.is_enforced !== false;
    const test = (0,schema_tree.as)(tree.raw_expr, 'NullTest');
    const refusesNull = test?.nulltesttype === 'IS_NOT_NULL' && (0,schema_tree.as)(test.arg, 'ColumnRef') !== undefined;
    return [name, { kind, definition, columns: names.map(schema_tree/* identifier */.Cv), validated, refusesNull }];
}

// EXTERNAL MODULE: ./js/schema/read-rights.js
var read_rights = __webpack_require__(4028);
// EXTERNAL MODULE: ./js/schema/type.js
var schema_type = __webpack_require__(9946);
;// CONCATENATED MODULE: ./js/schema/read-table.js





function readTable(schema, tree, foreign = false) {
    const key = tree.partspec && (0,schema_tree/* canonical */.$N)(tree.partspec);
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
    const parents = (0,schema_tree/* all */.Q7)(tree.inhRelations, 'RangeVar').map(schema_tree/* relationName */.CJ);
    if (parents[0] !== undefined)
        table.partitionOf = parents[0];
    // pg_dump leaves out the columns that a table inherits.
    for (const parent of parents) {
        for (const [name, column] of schema.tables.get(parent)?.columns ?? [])
            table.columns.set(name, { ...column });
    }
    schema.tables.set((0,schema_tree/* relationName */.CJ)(tree.relation), table);
    const name = tree.relation?.relname ?? '';
    for (const column of (0,schema_tree/* all */.Q7)(tree.tableElts, 'ColumnDef'))
        readColumn(table, name, column);
    const written = [...(0,schema_tree/* all */.Q7)(tree.tableElts, 'Constraint'), ...(0,schema_tree/* all */.Q7)(tree.constraints, 'Constraint')];
    for (const constraint of [...written, ...(0,schema_tree/* all */.Q7)(tree.nnconstraints, 'Constraint')])
        addConstraint(table, name, constraint);
}
function readColumn(table, tableName, tree) {
    const name = tree.colname ?? '';
    const column = { type: (0,schema_type/* readType */.hq)(tree.typeName), notNull: false };
    table.columns.set((0,schema_tree/* identifier */.Cv)(name), column);
    for (const constraint of (0,schema_tree/* all */.Q7)(tree.constraints, 'Constraint')) {
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
        column.notNullName = (0,schema_tree/* identifier */.Cv)(conname);
}
/** `column`: the column that the constraint is written next to. */
function addConstraint(table, tableName, tree, column) {
    const read = readConstraint(tree, { table: tableName, ...(column === undefined ? {} : { column }) });
    if (read)
        table.constraints.set(...read);
    const makesNotNull = read?.[1].kind === 'primary key' || (tree.contype === 'CONSTR_NOTNULL' && tree.skip_validation !== true);
    if (!makesNotNull)
        return;
    for (const key of read?.[1].columns ?? (0,schema_tree/* strings */.P$)(tree.keys).map(schema_tree/* identifier */.Cv)) {
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
    const name = (0,schema_tree/* relationName */.CJ)(tree.relation);
    for (const command of (0,schema_tree/* all */.Q7)(tree.cmds, 'AlterTableCmd')) {
        const partition = (0,schema_tree.as)(command.def, 'PartitionCmd');
        const table = schema.tables.get(name);
        if (command.subtype === 'AT_ChangeOwner') {
            schema.owners.set((0,model/* objectKey */.T)('relation', name), (0,schema_tree/* roleName */.S3)(command.newowner));
        }
        else if (partition && tree.objtype === 'OBJECT_INDEX') {
            const part = schema.indexes.get((0,schema_tree/* relationName */.CJ)(partition.name));
            if (part)
                part.partOf = name;
        }
        else if (partition) {
            const part = schema.tables.get((0,schema_tree/* relationName */.CJ)(partition.name));
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
    const column = table.columns.get((0,schema_tree/* identifier */.Cv)(command.name ?? ''));
    const constraint = (0,schema_tree.as)(command.def, 'Constraint');
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
            table.disabledTriggers.add((0,schema_tree/* identifier */.Cv)(command.name ?? ''));
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
    const schema = (0,model/* emptySchema */.b)();
    // In the comments that pg_dump begins with. Until version 14, PUBLIC may create objects in the schema `public`.
    const [, version] = /^(?:(?:--.*|\\restrict .*)?\n)*?-- Dumped from database version (\d+)/.exec(text) ?? [];
    if (Number(version) < 15) {
        schema.grants.set((0,model/* objectKey */.T)('schema', 'public'), new Map([['PUBLIC', new Set(['USAGE', 'CREATE'])]]));
    }
    for (const { node, start, end } of statements) {
        const sql = () => text.slice(start, end).replace(/\s+/g, ' ').replace(/;$/, '').trim();
        if (!node)
            schema.unknown.add(sql());
        else if (!read(schema, node) && !isIgnored(node))
            schema.others.set((0,schema_tree/* canonical */.$N)(node), { sql: sql(), table: tableOf(node) });
    }
    return schema;
}
/** The table that an object goes with. */
function tableOf(node) {
    const label = (0,schema_tree.as)(node, 'SecLabelStmt');
    if (label)
        return (0,schema_tree/* qualified */.LX)((0,schema_tree/* strings */.P$)((0,schema_tree.as)(label.object, 'List')?.items).slice(0, 2));
    const [relation] = (0,schema_tree/* all */.Q7)((0,schema_tree.as)(node, 'CreateStatsStmt')?.relations, 'RangeVar');
    const on = (0,schema_tree.as)(node, 'RuleStmt')?.relation ?? relation;
    return on && (0,schema_tree/* relationName */.CJ)(on);
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
    const foreign = (0,schema_tree.as)(node, 'CreateForeignTableStmt');
    const table = (0,schema_tree.as)(node, 'CreateStmt') ?? foreign?.base;
    const view = (0,schema_tree.as)(node, 'ViewStmt');
    const query = (0,schema_tree.as)(node, 'CreateTableAsStmt');
    const sequence = (0,schema_tree.as)(node, 'CreateSeqStmt');
    const owned = (0,schema_tree.as)(node, 'AlterSeqStmt');
    const index = (0,schema_tree.as)(node, 'IndexStmt');
    const alter = (0,schema_tree.as)(node, 'AlterTableStmt');
    if (table)
        readTable(schema, table, foreign !== undefined);
    else if (view) {
        schema.views.set((0,schema_tree/* relationName */.CJ)(view.view), {
            columns: readViewColumns(schema, view),
            definition: (0,schema_tree/* canonical */.$N)(view.query),
            invoker: isOn(view.options, 'security_invoker'),
            triggers: new Map(),
        });
    }
    else if (query?.objtype === 'OBJECT_MATVIEW')
        schema.materializedViews.add((0,schema_tree/* relationName */.CJ)(query.into?.rel));
    else if (sequence)
        schema.sequences.set((0,schema_tree/* relationName */.CJ)(sequence.sequence), readSequence(sequence.options));
    else if (owned) {
        const known = schema.sequences.get((0,schema_tree/* relationName */.CJ)(owned.sequence)) ?? readSequence([]);
        const owner = ownerOf(owned.options);
        if (owner !== undefined)
            schema.sequences.set((0,schema_tree/* relationName */.CJ)(owned.sequence), { ...known, owner });
    }
    else if (index) {
        const table = (0,schema_tree/* relationName */.CJ)(index.relation);
        const name = (0,schema_tree/* qualified */.LX)([index.relation?.schemaname ?? [], index.idxname ?? ''].flat());
        const params = [...(0,schema_tree/* all */.Q7)(index.indexParams, 'IndexElem'), ...(0,schema_tree/* all */.Q7)(index.indexIncludingParams, 'IndexElem')];
        schema.indexes.set(name, {
            table,
            unique: index.unique === true,
            definition: (0,schema_tree/* canonical */.$N)(index, ['idxname', 'inh', 'concurrent', 'if_not_exists']),
            columns: params.flatMap(({ name }) => (name === undefined ? [] : (0,schema_tree/* identifier */.Cv)(name))),
        });
    }
    else
        return alter !== undefined && readAlterTable(schema, alter);
    return true;
}
/** The column in `OWNED BY`; undefined for `NONE`. */
function ownerOf(options) {
    const parts = (0,schema_tree/* strings */.P$)((0,schema_tree.as)(optionOf((0,schema_tree/* all */.Q7)(options, 'DefElem'), 'owned_by'), 'List')?.items);
    return parts.length > 1 ? (0,schema_tree/* qualified */.LX)(parts) : undefined;
}
const limitsOf = {
    int2: [-(2n ** 15n), 2n ** 15n - 1n],
    int4: [-(2n ** 31n), 2n ** 31n - 1n],
};
function readSequence(options) {
    const list = (0,schema_tree/* all */.Q7)(options, 'DefElem');
    const number = (name) => {
        const arg = optionOf(list, name);
        const written = (0,schema_tree.as)(arg, 'Float')?.fval ?? (0,schema_tree.as)(arg, 'Integer')?.ival;
        return written === undefined && !(0,schema_tree.as)(arg, 'Integer') ? undefined : BigInt(written ?? 0);
    };
    const type = (0,schema_type/* readType */.hq)((0,schema_tree.as)(optionOf(list, 'as'), 'TypeName')).name;
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
    const option = (0,schema_tree/* all */.Q7)(options, 'DefElem').find(({ defname }) => defname === name);
    if (!option)
        return false;
    const { arg } = option;
    const value = (0,schema_tree.as)(arg, 'String')?.sval ?? (0,schema_tree.as)(arg, 'Integer')?.ival ?? (0,schema_tree.as)(arg, 'TypeName')?.names ?? 'true';
    const word = Array.isArray(value) ? (0,schema_tree/* strings */.P$)(value).at(-1) : String(value);
    return /^(?:t|tr|tru|true|y|ye|yes|on|1)$/i.test(word ?? '');
}
/** The columns of a view, with the types of those that a table has or a cast gives. */
function readViewColumns(schema, { query, aliases }) {
    let select = (0,schema_tree.as)(query, 'SelectStmt');
    // A union has the columns of its first part.
    while (select?.larg)
        select = select.larg;
    const tables = new Map();
    (0,apply_renames/* tablesIn */.N$)(select?.fromClause, tables);
    const typeOf = (value) => {
        const cast = (0,schema_tree.as)(value, 'TypeCast');
        if (cast)
            return (0,schema_type/* readType */.hq)(cast.typeName);
        const parts = (0,schema_tree/* strings */.P$)((0,schema_tree.as)(value, 'ColumnRef')?.fields);
        const table = parts.length > 1 ? tables.get(parts.at(-2) ?? '') : tables.size === 1 ? [...tables.values()][0] : '';
        const column = (0,schema_tree/* identifier */.Cv)(parts.at(-1) ?? '');
        return (schema.tables.get(table ?? '')?.columns.get(column)?.type ?? schema.views.get(table ?? '')?.columns.get(column));
    };
    const targets = (0,schema_tree/* all */.Q7)(select?.targetList, 'ResTarget');
    const given = (0,schema_tree/* strings */.P$)(aliases);
    return new Map(targets.map(({ name, val }, index) => [
        (0,schema_tree/* identifier */.Cv)(given[index] ?? name ?? outputName(val) ?? `?column${index}?`),
        typeOf(val),
    ]));
}
/** What Postgres calls a column without a name. */
function outputName(value) {
    const [cast, call] = [(0,schema_tree.as)(value, 'TypeCast'), (0,schema_tree.as)(value, 'FuncCall')];
    if (cast)
        return outputName(cast.arg) ?? (0,schema_tree/* strings */.P$)(cast.typeName?.names).at(-1);
    if (call)
        return (0,schema_tree/* strings */.P$)(call.funcname).at(-1);
    return (0,schema_tree/* strings */.P$)((0,schema_tree.as)(value, 'ColumnRef')?.fields).at(-1) ?? ((0,schema_tree.as)(value, 'CaseExpr') ? 'case' : undefined);
}
function readTypes(schema, node) {
    const enumeration = (0,schema_tree.as)(node, 'CreateEnumStmt');
    const domain = (0,schema_tree.as)(node, 'CreateDomainStmt');
    const alterDomain = (0,schema_tree.as)(node, 'AlterDomainStmt');
    const composite = (0,schema_tree.as)(node, 'CompositeTypeStmt');
    const range = (0,schema_tree.as)(node, 'CreateRangeStmt');
    const defined = (0,schema_tree.as)(node, 'DefineStmt');
    if (enumeration)
        schema.enums.set((0,schema_tree/* qualified */.LX)((0,schema_tree/* strings */.P$)(enumeration.typeName)), (0,schema_tree/* strings */.P$)(enumeration.vals));
    else if (domain) {
        const name = (0,schema_tree/* strings */.P$)(domain.domainname);
        const written = (0,schema_tree/* all */.Q7)(domain.constraints, 'Constraint');
        const initial = written.find(({ contype }) => contype === 'CONSTR_DEFAULT');
        const constraints = written
            .map((one) => readConstraint(one, { table: name.at(-1) ?? '' }))
            .filter((one) => one !== undefined);
        schema.domains.set((0,schema_tree/* qualified */.LX)(name), {
            base: (0,schema_type/* readType */.hq)(domain.typeName),
            notNull: written.some(({ contype }) => contype === 'CONSTR_NOTNULL'),
            ...(initial && { default: readExpression(initial.raw_expr) }),
            constraints: new Map(constraints),
        });
    }
    else if (alterDomain) {
        const name = (0,schema_tree/* strings */.P$)(alterDomain.typeName);
        const tree = (0,schema_tree.as)(alterDomain.def, 'Constraint');
        const read = tree && readConstraint(tree, { table: name.at(-1) ?? '' });
        if (read)
            schema.domains.get((0,schema_tree/* qualified */.LX)(name))?.constraints.set(...read);
    }
    else if (composite) {
        const attributes = (0,schema_tree/* all */.Q7)(composite.coldeflist, 'ColumnDef').map(({ colname, typeName }) => [(0,schema_tree/* identifier */.Cv)(colname ?? ''), (0,schema_type/* formatType */.sg)((0,schema_type/* readType */.hq)(typeName))]);
        schema.types.set((0,schema_tree/* relationName */.CJ)(composite.typevar), new Map(attributes));
    }
    else if (range)
        schema.types.set((0,schema_tree/* qualified */.LX)((0,schema_tree/* strings */.P$)(range.typeName)), new Map());
    else if (defined?.kind === 'OBJECT_TYPE')
        schema.types.set((0,schema_tree/* qualified */.LX)((0,schema_tree/* strings */.P$)(defined.defnames)), new Map());
    else
        return false;
    return true;
}
function readRoutine(schema, node) {
    const created = (0,schema_tree.as)(node, 'CreateFunctionStmt');
    const aggregate = (0,schema_tree.as)(node, 'DefineStmt');
    if (created) {
        const parameters = (0,schema_tree/* all */.Q7)(created.parameters, 'FunctionParameter');
        const isOutput = ({ mode }) => mode === 'FUNC_PARAM_OUT' || mode === 'FUNC_PARAM_TABLE';
        const inputs = parameters.filter((one) => !isOutput(one));
        const outputs = parameters.filter((one) => isOutput(one) || one.mode === 'FUNC_PARAM_INOUT');
        const name = (0,schema_tree/* qualified */.LX)((0,schema_tree/* strings */.P$)(created.funcname));
        const options = (0,schema_tree/* all */.Q7)(created.options, 'DefElem');
        const path = options.map(({ arg }) => (0,schema_tree.as)(arg, 'VariableSetStmt')).find((one) => one?.name === 'search_path');
        schema.functions.set(`${name}(${(0,schema_type/* formatTypes */.fg)(inputs.map(({ argType }) => argType))})`, {
            securityDefiner: (0,schema_tree.as)(optionOf(options, 'security'), 'Boolean')?.boolval === true,
            result: (0,schema_tree/* canonical */.$N)([
                created.is_procedure === true,
                created.returnType,
                outputs.map((one) => [one.name, one.argType]),
            ]),
            ...(path && { searchPath: (0,schema_tree/* canonical */.$N)(path.args) }),
            inputs: inputs.map(({ argType }) => (0,schema_type/* formatType */.sg)((0,schema_type/* readType */.hq)(argType))),
            defaults: inputs.filter(({ defexpr }) => defexpr !== undefined).length,
            definition: (0,schema_tree/* canonical */.$N)(created),
        });
        const volatile = ((0,schema_tree.as)(optionOf(options, 'volatility'), 'String')?.sval ?? 'volatile') === 'volatile';
        schema.volatility.set(name, volatile || schema.volatility.get(name) === true);
    }
    else if (aggregate?.kind === 'OBJECT_AGGREGATE') {
        const [list] = aggregate.args ?? [];
        const types = (0,schema_tree/* all */.Q7)((0,schema_tree.as)(list, 'List')?.items, 'FunctionParameter').map(({ argType }) => argType);
        const name = `${(0,schema_tree/* qualified */.LX)((0,schema_tree/* strings */.P$)(aggregate.defnames))}(${types.length > 0 ? (0,schema_type/* formatTypes */.fg)(types) : '*'})`;
        schema.functions.set(name, {
            securityDefiner: false,
            result: 'aggregate',
            inputs: types.map((type) => (0,schema_type/* formatType */.sg)((0,schema_type/* readType */.hq)(type))),
            defaults: 0,
            definition: (0,schema_tree/* canonical */.$N)(aggregate),
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
    const created = (0,schema_tree.as)(node, 'CreateSchemaStmt');
    const extension = (0,schema_tree.as)(node, 'CreateExtensionStmt');
    const publication = (0,schema_tree.as)(node, 'CreatePublicationStmt') ?? (0,schema_tree.as)(node, 'AlterPublicationStmt');
    const policy = (0,schema_tree.as)(node, 'CreatePolicyStmt');
    const trigger = (0,schema_tree.as)(node, 'CreateTrigStmt');
    const grant = (0,schema_tree.as)(node, 'GrantStmt');
    const defaults = (0,schema_tree.as)(node, 'AlterDefaultPrivilegesStmt');
    const owner = (0,schema_tree.as)(node, 'AlterOwnerStmt');
    const event = (0,schema_tree.as)(node, 'AlterEventTrigStmt');
    if (created)
        schema.schemas.add((0,schema_tree/* qualified */.LX)([created.schemaname ?? '']));
    else if (extension) {
        const place = (0,schema_tree.as)(optionOf((0,schema_tree/* all */.Q7)(extension.options, 'DefElem'), 'schema'), 'String')?.sval;
        schema.extensions.set((0,schema_tree/* qualified */.LX)([extension.extname ?? '']), place && (0,schema_tree/* identifier */.Cv)(place));
    }
    else if (publication) {
        const name = (0,schema_tree/* qualified */.LX)([publication.pubname ?? '']);
        const written = schema.publications.get(name) ?? new Set();
        schema.publications.set(name, written.add((0,schema_tree/* canonical */.$N)(publication)));
    }
    else if (policy) {
        // pg_dump writes the roles in no fixed order.
        const roles = (0,schema_tree/* all */.Q7)(policy.roles, 'RoleSpec').map(schema_tree/* roleName */.S3).sort();
        const definition = (0,schema_tree/* canonical */.$N)([roles, policy], ['policy_name', 'table', 'roles']);
        const table = schema.tables.get((0,schema_tree/* relationName */.CJ)(policy.table));
        if (!table)
            return false;
        table.policies.set((0,schema_tree/* qualified */.LX)([policy.policy_name ?? '']), { definition, permissive: policy.permissive === true });
    }
    else if (trigger) {
        const definition = (0,schema_tree/* canonical */.$N)(trigger, ['trigname', 'replace']);
        const on = (0,schema_tree/* relationName */.CJ)(trigger.relation);
        const relation = schema.tables.get(on) ?? schema.views.get(on);
        if (!relation)
            return false;
        relation.triggers.set((0,schema_tree/* qualified */.LX)([trigger.trigname ?? '']), definition);
    }
    else if (grant)
        (0,read_rights/* readGrant */.v7)(schema, grant);
    else if (defaults)
        (0,read_rights/* readDefaultRights */.fF)(schema, defaults);
    else if (owner)
        (0,read_rights/* readOwner */.A7)(schema, owner);
    else if (event) {
        // `D` or `R`, as in the catalog.
        if (/^[DR]$/i.test(event.tgenabled ?? ''))
            schema.disabledTriggers.add((0,schema_tree/* qualified */.LX)([event.trigname ?? '']));
    }
    else
        return false;
    return true;
}


/***/ }),

/***/ 7186:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $N: () => (/* binding */ canonical),
/* harmony export */   CJ: () => (/* binding */ relationName),
/* harmony export */   Cv: () => (/* binding */ identifier),
/* harmony export */   LX: () => (/* binding */ qualified),
/* harmony export */   P$: () => (/* binding */ strings),
/* harmony export */   Q7: () => (/* binding */ all),
/* harmony export */   S3: () => (/* binding */ roleName),
/* harmony export */   as: () => (/* binding */ as)
/* harmony export */ });
/* harmony import */ var libpg_query__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4951);

/** The node as one of a kind; undefined if it is of another. */
function as(node, kind) {
    return node?.[kind];
}
/** The nodes of one kind in a list. */
function all(nodes, kind) {
    return (nodes ?? []).map((node) => as(node, kind)).filter((tree) => tree !== undefined);
}
/** The parts of a name, or the items of a list of names. */
function strings(nodes) {
    return all(nodes, 'String').map(({ sval }) => sval ?? '');
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
    return ((0,libpg_query__WEBPACK_IMPORTED_MODULE_0__.scanSync)(word).tokens[0]?.keywordKind ?? 0) > 1;
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


/***/ }),

/***/ 9946:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   fg: () => (/* binding */ formatTypes),
/* harmony export */   hq: () => (/* binding */ readType),
/* harmony export */   sg: () => (/* binding */ formatType)
/* harmony export */ });
/* harmony import */ var _tree_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7186);

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
    const parts = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)(tree?.names);
    // Postgres' own names are never quoted, except for the one that would mean another type.
    const isOwn = parts[0] === 'pg_catalog' && parts[1] !== 'char';
    const name = isOwn ? parts.slice(1).join('.') : (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .qualified */ .LX)(parts[0] === 'pg_catalog' ? parts.slice(1) : parts);
    const modifiers = (tree?.typmods ?? []).map(readModifier);
    return { name, modifiers, isArray: (tree?.arrayBounds?.length ?? 0) > 0 };
}
function readModifier(node) {
    const constant = (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'A_Const');
    if (constant?.ival)
        return constant.ival.ival ?? 0;
    return constant?.sval?.sval ?? (0,_tree_js__WEBPACK_IMPORTED_MODULE_0__/* .strings */ .P$)((0,_tree_js__WEBPACK_IMPORTED_MODULE_0__.as)(node, 'ColumnRef')?.fields).join('.');
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


/***/ })

};
