export const id = 160;
export const ids = [160];
export const modules = {

/***/ 9160:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   changesBetween: () => (/* binding */ changesBetween)
/* harmony export */ });
/* harmony import */ var _parser_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2279);
/* harmony import */ var _read_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2390);


/** The objects that differ between two schemas. Of a table that is new or gone, only the table. Throws what `parseSchema` throws. */
async function changesBetween(options) {
    const { before, after, signal } = options;
    if (before === after)
        return [];
    const model = async (text) => (0,_read_js__WEBPACK_IMPORTED_MODULE_1__/* .readSchema */ .G)(text, await (0,_parser_js__WEBPACK_IMPORTED_MODULE_0__/* .parseSchema */ .D)({ text, signal }));
    const [was, is] = [await model(before), await model(after)];
    const [then, now] = [inventoryOf(was), inventoryOf(is)];
    const changes = [];
    for (const key of new Set([...then.keys(), ...now.keys()])) {
        const [a, b] = [then.get(key), now.get(key)];
        const { kind, table } = a ?? b ?? { kind: 'table' };
        if (a?.text === b?.text)
            continue;
        const isWithTable = table !== undefined && was.tables.has(table) !== is.tables.has(table);
        if (!isWithTable)
            changes.push({ kind, object: key.slice(kind.length + 1), now: b?.text });
    }
    return changes;
}
function inventoryOf(schema) {
    const items = new Map();
    const add = (kind, object, value, table) => items.set(`${kind} ${object}`, { kind, text: textOf(value), ...(table !== undefined && { table }) });
    for (const [name, table] of schema.tables) {
        const { columns, constraints, policies, triggers, ...own } = table;
        add('table', name, own);
        for (const [part, one] of columns)
            add('column', `${name}.${part}`, one, name);
        for (const [part, one] of constraints)
            add('constraint', `${name}.${part}`, one, name);
        for (const [part, one] of policies)
            add('policy', `${name}.${part}`, one, name);
        for (const [part, one] of triggers)
            add('trigger', `${name}.${part}`, one, name);
    }
    for (const [name, index] of schema.indexes)
        add('index', name, index, index.table);
    for (const [name, view] of schema.views)
        add('view', name, view);
    for (const [name, routine] of schema.functions)
        add('function', name, routine);
    for (const [name, values] of schema.enums)
        add('type', name, values);
    for (const [name, domain] of schema.domains)
        add('type', name, domain);
    for (const [name, attributes] of schema.types)
        add('type', name, attributes);
    for (const [name, sequence] of schema.sequences)
        if (sequence.owner === undefined)
            add('sequence', name, sequence);
    return items;
}
function textOf(value) {
    return JSON.stringify(value, (_, one) => {
        if (typeof one === 'bigint')
            return String(one);
        return one instanceof Map || one instanceof Set ? [...one] : one;
    });
}


/***/ })

};
