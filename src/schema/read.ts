import type { FunctionParameter, Node, SelectStmt, ViewStmt } from 'libpg-query';
import { tablesIn } from './apply-renames.ts';
import { emptySchema, objectKey, type Schema, type View } from './model.ts';
import type { Statement } from './parser.ts';
import { readDefaultRights, readGrant, readOwner } from './read-rights.ts';
import { optionOf, ownedBy, readAlterTable, readConstraint, readSequence, readTable } from './read-table.ts';
import { all, as, canonical, identifier, qualified, readExpression, relationName, roleName, strings } from './tree.ts';
import { formatType, formatTypes, readType, type Type } from './type.ts';

/** Builds the model from the statements of a schema, as `pg_dump --schema-only` orders them. */
export function readSchema(text: string, statements: Statement[]): Schema {
  const schema = emptySchema();
  // In the comments that pg_dump begins with. Until version 14, PUBLIC may create objects in the schema `public`.
  const [, version] = /^(?:(?:--.*|\\restrict .*)?\n)*?-- Dumped from database version (\d+)/.exec(text) ?? [];
  if (Number(version) < 15) {
    schema.grants.set(objectKey('schema', 'public'), new Map([['PUBLIC', new Set(['USAGE', 'CREATE'])]]));
  }
  for (const { node, start, end } of statements) {
    const sql = () => text.slice(start, end).replace(/\s+/g, ' ').replace(/;$/, '').trim();
    if (!node) schema.unknown.add(sql());
    else if (!read(schema, node) && !isIgnored(node))
      schema.others.set(canonical(node), { sql: sql(), table: tableOf(node) });
  }
  return schema;
}

/** The table that an object goes with. */
function tableOf(node: Node): string | undefined {
  const label = as(node, 'SecLabelStmt');
  if (label) return qualified(strings(as(label.object, 'List')?.items).slice(0, 2));
  const [relation] = all(as(node, 'CreateStatsStmt')?.relations, 'RangeVar');
  const on = as(node, 'RuleStmt')?.relation ?? relation;
  return on && relationName(on);
}

/** What changes neither data nor privileges: comments, settings, queries. */
function isIgnored(node: Node): boolean {
  return ['CommentStmt', 'VariableSetStmt', 'SelectStmt', 'AlterSeqStmt'].some((kind) => kind in node);
}

/** Whether the statement is about an object that the model has. It has no table whose CREATE the parser does not know. */
function read(schema: Schema, node: Node): boolean {
  return readRelation(schema, node) || readTypes(schema, node) || readRoutine(schema, node) || readRest(schema, node);
}

function readRelation(schema: Schema, node: Node): boolean {
  const foreign = as(node, 'CreateForeignTableStmt');
  const table = as(node, 'CreateStmt') ?? foreign?.base;
  const view = as(node, 'ViewStmt');
  const query = as(node, 'CreateTableAsStmt');
  const sequence = as(node, 'CreateSeqStmt');
  const owned = as(node, 'AlterSeqStmt');
  const index = as(node, 'IndexStmt');
  const alter = as(node, 'AlterTableStmt');
  if (table) readTable(schema, table, foreign !== undefined);
  else if (view) {
    schema.views.set(relationName(view.view), {
      columns: readViewColumns(schema, view),
      definition: canonical(view.query),
      invoker: isOn(view.options, 'security_invoker'),
      triggers: new Map(),
    });
  } else if (query?.objtype === 'OBJECT_MATVIEW') schema.materializedViews.add(relationName(query.into?.rel));
  else if (sequence) schema.sequences.set(relationName(sequence.sequence), readSequence(sequence.options));
  else if (owned) {
    const known = schema.sequences.get(relationName(owned.sequence)) ?? readSequence([]);
    const owner = ownedBy(owned.options);
    if (owner !== undefined) schema.sequences.set(relationName(owned.sequence), { ...known, owner });
  } else if (index) {
    const table = relationName(index.relation);
    const name = qualified([index.relation?.schemaname ?? [], index.idxname ?? ''].flat());
    const params = [...all(index.indexParams, 'IndexElem'), ...all(index.indexIncludingParams, 'IndexElem')];
    schema.indexes.set(name, {
      table,
      unique: index.unique === true,
      definition: canonical(index, ['idxname', 'inh', 'concurrent', 'if_not_exists']),
      columns: params.flatMap(({ name }) => (name === undefined ? [] : identifier(name))),
    });
  } else return alter !== undefined && readAlterTable(schema, alter);
  return true;
}

/** Whether an option is on: `WITH (security_invoker)`, `=on`, `='t'`, `='TRUE'`, `=1`. */
function isOn(options: Node[] | undefined, name: string): boolean {
  const option = all(options, 'DefElem').find(({ defname }) => defname === name);
  if (!option) return false;
  const { arg } = option;
  const value = as(arg, 'String')?.sval ?? as(arg, 'Integer')?.ival ?? as(arg, 'TypeName')?.names ?? 'true';
  const word = Array.isArray(value) ? strings(value).at(-1) : String(value);
  return /^(?:t|tr|tru|true|y|ye|yes|on|1)$/i.test(word ?? '');
}

/** The columns of a view, with the types of those that a table has or a cast gives. */
function readViewColumns(schema: Schema, { query, aliases }: ViewStmt): View['columns'] {
  const columns = [...columnsOf(schema, as(query, 'SelectStmt'))];
  const given = strings(aliases);
  return new Map(
    columns.map(([name, type], index) => [given[index] === undefined ? name : identifier(given[index]), type]),
  );
}

/** The columns of a query by name. */
function columnsOf(schema: Schema, query: SelectStmt | undefined): View['columns'] {
  let select = query;
  // A union has the columns of its first part.
  while (select?.larg) select = select.larg;
  const sources = sourcesIn(schema, select?.fromClause);
  const typeOf = (value: Node | undefined): Type | undefined => {
    const cast = as(value, 'TypeCast');
    if (cast) return readType(cast.typeName);
    const link = as(value, 'SubLink');
    if (link?.subLinkType === 'EXPR_SUBLINK')
      return [...columnsOf(schema, as(link.subselect, 'SelectStmt')).values()][0];
    const parts = strings(as(value, 'ColumnRef')?.fields);
    const column = identifier(parts.at(-1) ?? '');
    const [only] = sources.size === 1 ? sources.values() : [];
    return (parts.length > 1 ? sources.get(parts.at(-2) ?? '') : only)?.get(column);
  };
  return new Map(
    all(select?.targetList, 'ResTarget').map(({ name, val }, index) => [
      identifier(name ?? outputName(val) ?? `?column${index}?`),
      typeOf(val),
    ]),
  );
}

/** What a query reads from, by alias: each with its columns. */
function sourcesIn(schema: Schema, from: Node[] | undefined): Map<string, View['columns']> {
  const tables = new Map<string, string>();
  tablesIn(from, tables);
  const typesOf = (name: string): View['columns'] => {
    const columns = schema.tables.get(name)?.columns;
    if (columns) return new Map([...columns].map(([column, { type }]) => [column, type]));
    return schema.views.get(name)?.columns ?? new Map();
  };
  const sources = new Map([...tables].map(([alias, name]) => [alias, typesOf(name)]));
  const open = [...(from ?? [])];
  for (let node = open.pop(); node; node = open.pop()) {
    const subquery = as(node, 'RangeSubselect');
    if (subquery) sources.set(subquery.alias?.aliasname ?? '', columnsOf(schema, as(subquery.subquery, 'SelectStmt')));
    const join = as(node, 'JoinExpr');
    open.push(...[join?.larg, join?.rarg].filter((one) => one !== undefined));
  }
  return sources;
}

/** What Postgres calls a column without a name. */
function outputName(value: Node | undefined): string | undefined {
  const [cast, call] = [as(value, 'TypeCast'), as(value, 'FuncCall')];
  if (cast) return outputName(cast.arg) ?? strings(cast.typeName?.names).at(-1);
  if (call) return strings(call.funcname).at(-1);
  return strings(as(value, 'ColumnRef')?.fields).at(-1) ?? (as(value, 'CaseExpr') ? 'case' : undefined);
}

function readTypes(schema: Schema, node: Node): boolean {
  const enumeration = as(node, 'CreateEnumStmt');
  const domain = as(node, 'CreateDomainStmt');
  const alterDomain = as(node, 'AlterDomainStmt');
  const composite = as(node, 'CompositeTypeStmt');
  const range = as(node, 'CreateRangeStmt');
  const defined = as(node, 'DefineStmt');
  if (enumeration) schema.enums.set(qualified(strings(enumeration.typeName)), strings(enumeration.vals));
  else if (domain) {
    const name = strings(domain.domainname);
    const written = all(domain.constraints, 'Constraint');
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
  } else if (alterDomain) {
    const name = strings(alterDomain.typeName);
    const tree = as(alterDomain.def, 'Constraint');
    const read = tree && readConstraint(tree, { table: name.at(-1) ?? '' });
    if (read) schema.domains.get(qualified(name))?.constraints.set(...read);
  } else if (composite) {
    const attributes = all(composite.coldeflist, 'ColumnDef').map(
      ({ colname, typeName }) => [identifier(colname ?? ''), readType(typeName)] as const,
    );
    schema.types.set(relationName(composite.typevar), new Map(attributes));
  } else if (range) schema.types.set(qualified(strings(range.typeName)), new Map());
  else if (defined?.kind === 'OBJECT_TYPE') schema.types.set(qualified(strings(defined.defnames)), new Map());
  else return false;
  return true;
}

function readRoutine(schema: Schema, node: Node): boolean {
  const created = as(node, 'CreateFunctionStmt');
  const aggregate = as(node, 'DefineStmt');
  if (created) {
    const parameters = all(created.parameters, 'FunctionParameter');
    const isOutput = ({ mode }: FunctionParameter) => mode === 'FUNC_PARAM_OUT' || mode === 'FUNC_PARAM_TABLE';
    const inputs = parameters.filter((one) => !isOutput(one));
    const outputs = parameters.filter((one) => isOutput(one) || one.mode === 'FUNC_PARAM_INOUT');
    const name = qualified(strings(created.funcname));
    const options = all(created.options, 'DefElem');
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
  } else if (aggregate?.kind === 'OBJECT_AGGREGATE') {
    const [list] = aggregate.args ?? [];
    const types = all(as(list, 'List')?.items, 'FunctionParameter').map(({ argType }) => argType);
    const name = `${qualified(strings(aggregate.defnames))}(${types.length > 0 ? formatTypes(types) : '*'})`;
    schema.functions.set(name, {
      securityDefiner: false,
      result: 'aggregate',
      inputs: types.map((type) => formatType(readType(type))),
      defaults: 0,
      definition: canonical(aggregate),
    });
  } else return false;
  return true;
}

function readRest(schema: Schema, node: Node): boolean {
  const created = as(node, 'CreateSchemaStmt');
  const extension = as(node, 'CreateExtensionStmt');
  const publication = as(node, 'CreatePublicationStmt') ?? as(node, 'AlterPublicationStmt');
  const policy = as(node, 'CreatePolicyStmt');
  const trigger = as(node, 'CreateTrigStmt');
  const grant = as(node, 'GrantStmt');
  const defaults = as(node, 'AlterDefaultPrivilegesStmt');
  const owner = as(node, 'AlterOwnerStmt');
  const event = as(node, 'AlterEventTrigStmt');
  if (created) schema.schemas.add(qualified([created.schemaname ?? '']));
  else if (extension) {
    const place = as(optionOf(all(extension.options, 'DefElem'), 'schema'), 'String')?.sval;
    schema.extensions.set(qualified([extension.extname ?? '']), place && identifier(place));
  } else if (publication) {
    const name = qualified([publication.pubname ?? '']);
    const written = schema.publications.get(name) ?? new Set();
    schema.publications.set(name, written.add(canonical(publication)));
  } else if (policy) {
    // pg_dump writes the roles in no fixed order.
    const roles = all(policy.roles, 'RoleSpec').map(roleName).sort();
    const definition = canonical([roles, policy], ['policy_name', 'table', 'roles']);
    const table = schema.tables.get(relationName(policy.table));
    if (!table) return false;
    table.policies.set(qualified([policy.policy_name ?? '']), { definition, permissive: policy.permissive === true });
  } else if (trigger) {
    const definition = canonical(trigger, ['trigname', 'replace']);
    const on = relationName(trigger.relation);
    const relation = schema.tables.get(on) ?? schema.views.get(on);
    if (!relation) return false;
    relation.triggers.set(qualified([trigger.trigname ?? '']), definition);
  } else if (grant) readGrant(schema, grant);
  else if (defaults) readDefaultRights(schema, defaults);
  else if (owner) readOwner(schema, owner);
  else if (event) {
    // `D` or `R`, as in the catalog.
    if (/^[DR]$/i.test(event.tgenabled ?? '')) schema.disabledTriggers.add(qualified([event.trigname ?? '']));
  } else return false;
  return true;
}
