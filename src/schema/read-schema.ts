import type {
  AlterPublicationStmt,
  CreateDomainStmt,
  CreateFunctionStmt,
  CreatePublicationStmt,
  DefineStmt,
  FunctionParameter,
  Node,
  SelectStmt,
} from 'libpg-query';
import { keyOf, publicSchema, type Routine, Schema, type View } from './model.ts';
import { identifier, qualified } from './names.ts';
import { parseSchema, type Statement } from './parser.ts';
import { readDefaultRights, readGrant, readOwner } from './read-rights.ts';
import { ownedBy, readAlterTable, readConstraint, readSequence, readTable } from './read-table.ts';
import {
  all,
  as,
  type ByKind,
  canonical,
  joinedIn,
  ofKind,
  optionOf,
  readExpression,
  relationName,
  roleName,
  strings,
  tablesIn,
  withoutSubselects,
} from './tree.ts';
import { formatType, formatTypes, readType, type Type } from './type.ts';

export interface ParsedSchema {
  text: string;
  statements: Statement[];
  model: Schema;
}

/** Reads a schema as `pg_dump --schema-only` writes it. Throws what `parseSchema` throws. */
export async function readSchema(text: string, signal: AbortSignal): Promise<ParsedSchema> {
  const statements = await parseSchema({ text, signal });
  return { text, statements, model: modelOf(text, statements) };
}

/** Builds the model from the statements of a schema, as `pg_dump --schema-only` orders them. */
export function modelOf(text: string, statements: Statement[]): Schema {
  const schema = new Schema();
  // In the comments that pg_dump begins with. Until version 14, PUBLIC may create objects in the schema `public`.
  const [, version] = /^(?:(?:--.*|\\restrict .*)?\n)*?-- Dumped from database version (\d+)/.exec(text) ?? [];
  schema.namesNotNull = version === undefined || Number(version) >= 18;
  if (Number(version) < 15) {
    const roles = new Map([['PUBLIC', new Set(['USAGE', 'CREATE'])]]);
    schema.grants.set(keyOf(publicSchema), { on: publicSchema, roles });
  }
  for (const { node, start, end } of statements) {
    if (node && read(schema, node)) continue;
    const sql = text.slice(start, end).replace(/\s+/g, ' ').replace(/;$/, '').trim();
    schema.others.set(node ? canonical(node) : sql, { sql, table: node && tableOf(node), isKnown: node !== undefined });
  }
  return schema;
}

/** Whether the model has what the statement is about. */
function read(schema: Schema, node: Node): boolean {
  const [[kind, tree] = []] = Object.entries(node);
  const reader = ofKind(readers, kind);
  return reader !== undefined && reader(schema, tree) !== false;
}

/** The table that an object goes with. */
function tableOf(node: Node): string | undefined {
  const label = as(node, 'SecLabelStmt');
  if (label) return qualified(strings(as(label.object, 'List')?.items).slice(0, 2));
  const [relation] = all(as(node, 'CreateStatsStmt')?.relations, 'RangeVar');
  const on = as(node, 'RuleStmt')?.relation ?? relation;
  return on && relationName(on);
}

/**
 * How to read a statement, by its kind; those of other kinds are compared as text. So is one whose reader returns false, because the
 * model does not have its object: there is no table whose CREATE the parser does not know.
 */
const readers: ByKind<[Schema], unknown> = {
  CreateStmt: (schema, tree) => readTable(schema, tree),
  CreateForeignTableStmt: (schema, { base = {} }) => readTable(schema, base, true),
  AlterTableStmt: readAlterTable,
  ViewStmt: (schema, tree) =>
    schema.views.set(relationName(tree.view), {
      columns: columnsOf(schema, as(tree.query, 'SelectStmt')),
      definition: canonical(tree.query),
      invoker: isOn(tree.options, 'security_invoker'),
      barrier: isOn(tree.options, 'security_barrier'),
      checked: (tree.withCheckOption ?? 'NO_CHECK_OPTION') !== 'NO_CHECK_OPTION',
      triggers: new Map(),
    }),
  CreateTableAsStmt: ({ materializedViews }, { objtype, into }) =>
    objtype === 'OBJECT_MATVIEW' && materializedViews.add(relationName(into?.rel)),
  CreateSeqStmt: (schema, { sequence, options }) => schema.sequences.set(relationName(sequence), readSequence(options)),
  AlterSeqStmt(schema, { sequence, options }) {
    const known = schema.sequences.get(relationName(sequence)) ?? readSequence([]);
    const owner = ownedBy(options);
    if (owner !== undefined) schema.sequences.set(relationName(sequence), { ...known, owner });
  },
  IndexStmt(schema, tree) {
    const name = qualified([tree.relation?.schemaname ?? [], tree.idxname ?? ''].flat());
    const params = [...all(tree.indexParams, 'IndexElem'), ...all(tree.indexIncludingParams, 'IndexElem')];
    schema.indexes.set(name, {
      table: relationName(tree.relation),
      unique: tree.unique === true,
      definition: canonical(tree, ['idxname', 'inh', 'concurrent', 'if_not_exists']),
      columns: params.flatMap(({ name }) => (name === undefined ? [] : identifier(name))),
      plain: !tree.whereClause && params.every(({ expr }) => !expr),
    });
  },
  CreatePolicyStmt(schema, tree) {
    // pg_dump writes the roles in no fixed order.
    const roles = all(tree.roles, 'RoleSpec').map(roleName).sort();
    const definition = canonical(withoutSubselects([roles, tree]), ['policy_name', 'table', 'roles']);
    const table = schema.tables.get(relationName(tree.table));
    if (!table) return false;
    return table.policies.set(qualified([tree.policy_name ?? '']), {
      definition,
      permissive: tree.permissive === true,
    });
  },
  CreateTrigStmt(schema, tree) {
    const on = relationName(tree.relation);
    const relation = schema.tables.get(on) ?? schema.views.get(on);
    if (!relation) return false;
    return relation.triggers.set(qualified([tree.trigname ?? '']), canonical(tree, ['trigname', 'replace']));
  },
  AlterEventTrigStmt({ disabledEventTriggers }, { trigname = '', tgenabled = '' }) {
    // As in the catalog.
    if (/^[DR]$/i.test(tgenabled)) disabledEventTriggers.add(identifier(trigname));
  },
  CreateEnumStmt: (schema, { typeName, vals }) => schema.enums.set(qualified(strings(typeName)), strings(vals)),
  CreateDomainStmt: readDomain,
  AlterDomainStmt(schema, { typeName, def }) {
    const tree = as(def, 'Constraint');
    const read = tree && readConstraint(tree);
    if (read) schema.domains.get(qualified(strings(typeName)))?.constraints.set(...read);
  },
  CompositeTypeStmt(schema, { typevar, coldeflist }) {
    const attributes = all(coldeflist, 'ColumnDef').map(
      ({ colname, typeName }) => [identifier(colname ?? ''), readType(typeName)] as const,
    );
    schema.types.set(relationName(typevar), new Map(attributes));
  },
  CreateRangeStmt: (schema, { typeName }) => schema.types.set(qualified(strings(typeName)), new Map()),
  DefineStmt(schema, tree) {
    if (tree.kind === 'OBJECT_TYPE') return schema.types.set(qualified(strings(tree.defnames)), new Map());
    return tree.kind === 'OBJECT_AGGREGATE' && readAggregate(schema, tree);
  },
  CreateFunctionStmt: readFunction,
  CreateSchemaStmt: ({ schemas }, { schemaname = '' }) => schemas.add(qualified([schemaname])),
  CreateExtensionStmt: ({ extensions }, { extname = '' }) => extensions.add(qualified([extname])),
  CreatePublicationStmt: readPublication,
  AlterPublicationStmt: readPublication,
  GrantStmt: readGrant,
  AlterDefaultPrivilegesStmt: readDefaultRights,
  AlterOwnerStmt: readOwner,
  // What changes neither data nor privileges: comments, settings, queries.
  CommentStmt() {},
  VariableSetStmt() {},
  SelectStmt() {},
};

/** Whether an option is on: `WITH (security_invoker='true')`, `=yes`. */
function isOn(options: Node[] | undefined, name: string): boolean {
  const value = optionOf(options, name);
  const word = as(value, 'String')?.sval ?? strings(as(value, 'TypeName')?.names).at(-1) ?? '';
  return /^(?:t|true|y|yes|on|1)$/i.test(word);
}

/** The columns of a query by name, with the types of those that a table has or a cast gives. */
function columnsOf(schema: Schema, query: SelectStmt | undefined): View['columns'] {
  // A union has the names of its first part, and types that both parts fit.
  if (query?.larg) {
    const [left, right] = [[...columnsOf(schema, query.larg)], [...columnsOf(schema, query.rarg).values()]];
    return new Map(left.map(([name, type], index) => [name, commonType([type, right[index]], schema)]));
  }
  const sources = sourcesIn(schema, query?.fromClause);
  const typeOf = (value: Node | undefined): Type | undefined => {
    const cast = as(value, 'TypeCast');
    if (cast) return readType(cast.typeName);
    const link = as(value, 'SubLink');
    if (link?.subLinkType === 'EXPR_SUBLINK')
      return [...columnsOf(schema, as(link.subselect, 'SelectStmt')).values()][0];
    const call = as(value, 'FuncCall');
    if (call) return resultOf(strings(call.funcname).at(-1) ?? '', typeOf(call.args?.[0]));
    const either =
      as(value, 'CoalesceExpr')?.args ?? all(as(value, 'CaseExpr')?.args, 'CaseWhen').map((one) => one.result);
    if (either.length > 0) return commonType(either.map(typeOf), schema);
    const parts = strings(as(value, 'ColumnRef')?.fields);
    const column = identifier(parts.at(-1) ?? '');
    const [only] = sources.size === 1 ? sources.values() : [];
    return (parts.length > 1 ? sources.get(parts.at(-2) ?? '') : only)?.get(column);
  };
  return new Map(
    // Only a column of a table needs no name of its own.
    all(query?.targetList, 'ResTarget').map(({ name, val }, index) => [
      identifier(name ?? strings(as(val, 'ColumnRef')?.fields).at(-1) ?? `?column${index}?`),
      typeOf(val),
    ]),
  );
}

/** The type of what may have several types; of a NULL, none is known. Different domains are what they are made of. */
function commonType(types: (Type | undefined)[], { domains }: Schema): Type | undefined {
  const known = types.filter((type) => type !== undefined);
  const isSame = known.every(({ name }) => name === known[0]?.name);
  const plain = isSame ? known : known.map((type) => domains.get(type.name)?.base ?? type);
  return plain.sort((a, b) => numbers.indexOf(b.name) - numbers.indexOf(a.name))[0];
}

/** Each holds the values of those in front of it. */
const numbers = ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'];

/** What Postgres' own aggregates return. */
function resultOf(name: string, type: Type | undefined): Type | undefined {
  const plain = (name: string): Type => ({ name, modifiers: [], isArray: false, collation: '' });
  if (name === 'count') return plain('int8');
  if (type === undefined || name === 'min' || name === 'max') return /^(min|max)$/.test(name) ? type : undefined;
  if (name === 'array_agg') return { ...plain(type.name), isArray: true };
  const number = numbers.indexOf(type.name);
  if (number < 0 || (name !== 'sum' && name !== 'avg')) return undefined;
  if (number > numbers.indexOf('numeric')) return name === 'sum' ? type : plain('float8');
  return plain(name === 'sum' && number < 2 ? 'int8' : 'numeric');
}

/** What a query reads from, by alias: each with its columns. */
function sourcesIn(schema: Schema, from: Node[] | undefined): Map<string, View['columns']> {
  const typesOf = (name: string): View['columns'] => {
    const columns = schema.tables.get(name)?.columns;
    if (columns) return new Map([...columns].map(([column, { type }]) => [column, type]));
    return schema.views.get(name)?.columns ?? new Map();
  };
  const sources = new Map([...tablesIn(from)].map(([alias, name]) => [alias, typesOf(name)]));
  for (const { alias, subquery } of all(joinedIn(from), 'RangeSubselect')) {
    sources.set(alias?.aliasname ?? '', columnsOf(schema, as(subquery, 'SelectStmt')));
  }
  return sources;
}

function readDomain(schema: Schema, { domainname, typeName, collClause, constraints }: CreateDomainStmt): void {
  const written = all(constraints, 'Constraint');
  const initial = written.find(({ contype }) => contype === 'CONSTR_DEFAULT');
  const read = written.map(readConstraint);
  schema.domains.set(qualified(strings(domainname)), {
    base: readType(typeName, collClause),
    notNull: written.some(({ contype }) => contype === 'CONSTR_NOTNULL'),
    ...(initial && { default: readExpression(initial.raw_expr) }),
    constraints: new Map(read.filter((one) => one !== undefined)),
  });
}

function readFunction(schema: Schema, tree: CreateFunctionStmt): void {
  const parameters = all(tree.parameters, 'FunctionParameter');
  const isOutput = ({ mode }: FunctionParameter) => mode === 'FUNC_PARAM_OUT' || mode === 'FUNC_PARAM_TABLE';
  const outputs = parameters.filter((one) => isOutput(one) || one.mode === 'FUNC_PARAM_INOUT');
  const settings = all(tree.options, 'DefElem').map(({ arg }) => as(arg, 'VariableSetStmt'));
  const path = settings.find((one) => one?.name === 'search_path');
  const inputs = parameters.filter((one) => !isOutput(one));
  addRoutine(schema, tree.funcname, inputs, {
    volatile: (as(optionOf(tree.options, 'volatility'), 'String')?.sval ?? 'volatile') === 'volatile',
    securityDefiner: as(optionOf(tree.options, 'security'), 'Boolean')?.boolval === true,
    result: canonical([tree.is_procedure === true, tree.returnType, outputs.map((one) => [one.name, one.argType])]),
    ...(path && { searchPath: canonical(path.args) }),
  });
}

function readAggregate(schema: Schema, { defnames, args: [list] = [] }: DefineStmt): void {
  const inputs = all(as(list, 'List')?.items, 'FunctionParameter');
  const kind = { volatile: false, securityDefiner: false, result: 'aggregate' };
  addRoutine(schema, defnames, inputs, kind, inputs.length === 0 ? '*' : undefined);
}

function addRoutine(
  { functions }: Schema,
  nodes: Node[] | undefined,
  parameters: FunctionParameter[],
  rest: Omit<Routine, 'name' | 'inputs' | 'inputNames' | 'defaults'>,
  types = formatTypes(parameters.map(({ argType }) => argType)),
): void {
  const name = qualified(strings(nodes));
  functions.set(`${name}(${types})`, {
    ...rest,
    name,
    inputs: parameters.map(({ argType }) => formatType(readType(argType))),
    inputNames: parameters.map(({ name }) => name),
    defaults: parameters.filter(({ defexpr }) => defexpr !== undefined).length,
  });
}

function readPublication(schema: Schema, tree: CreatePublicationStmt | AlterPublicationStmt): void {
  const name = qualified([tree.pubname ?? '']);
  const written = schema.publications.get(name) ?? new Set();
  schema.publications.set(name, written.add(canonical(tree)));
}
