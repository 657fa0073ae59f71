import type { DefElem, Node } from 'libpg-query';
import { emptySchema, objectKey, type Schema } from './model.ts';
import type { Statement } from './parser.ts';
import { readConstraint } from './read-constraint.ts';
import { readDefaultRights, readGrant, readOwner } from './read-rights.ts';
import { readAlterTable, readTable } from './read-table.ts';
import { all, as, canonical, identifier, qualified, relationName, roleName, strings } from './tree.ts';
import { formatTypes, readType } from './type.ts';
import { readExpression } from './walk.ts';

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
    const invoker = isOn(view.options, 'security_invoker');
    schema.views.set(relationName(view.view), { invoker, triggers: new Map() });
  } else if (query?.objtype === 'OBJECT_MATVIEW') schema.materializedViews.add(relationName(query.into?.rel));
  else if (sequence) schema.sequences.set(relationName(sequence.sequence), { owned: ownerOf(sequence.options) });
  else if (owned) {
    if (ownerOf(owned.options)) schema.sequences.set(relationName(owned.sequence), { owned: true });
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

function ownerOf(options: Node[] | undefined): boolean {
  const owner = all(options, 'DefElem').find(({ defname }) => defname === 'owned_by')?.arg;
  return strings(as(owner, 'List')?.items).length > 1;
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
    const attributes = all(composite.coldeflist, 'ColumnDef').map(({ colname }) => identifier(colname ?? ''));
    schema.types.set(relationName(composite.typevar), attributes);
  } else if (range) schema.types.set(qualified(strings(range.typeName)), []);
  else if (defined?.kind === 'OBJECT_TYPE') schema.types.set(qualified(strings(defined.defnames)), []);
  else return false;
  return true;
}

function readRoutine(schema: Schema, node: Node): boolean {
  const created = as(node, 'CreateFunctionStmt');
  const aggregate = as(node, 'DefineStmt');
  if (created) {
    const inputs = all(created.parameters, 'FunctionParameter').filter(
      ({ mode }) => mode !== 'FUNC_PARAM_OUT' && mode !== 'FUNC_PARAM_TABLE',
    );
    const name = qualified(strings(created.funcname));
    const options = all(created.options, 'DefElem');
    schema.functions.set(`${name}(${formatTypes(inputs.map(({ argType }) => argType))})`, {
      securityDefiner: as(optionOf(options, 'security'), 'Boolean')?.boolval === true,
      result: canonical([created.is_procedure === true, created.returnType]),
      searchPath: options.some(({ arg }) => as(arg, 'VariableSetStmt')?.name === 'search_path'),
    });
    const volatile = (as(optionOf(options, 'volatility'), 'String')?.sval ?? 'volatile') === 'volatile';
    schema.volatility.set(name, volatile || schema.volatility.get(name) === true);
  } else if (aggregate?.kind === 'OBJECT_AGGREGATE') {
    const [list] = aggregate.args ?? [];
    const types = all(as(list, 'List')?.items, 'FunctionParameter').map(({ argType }) => argType);
    const name = `${qualified(strings(aggregate.defnames))}(${types.length > 0 ? formatTypes(types) : '*'})`;
    schema.functions.set(name, { securityDefiner: false, searchPath: false, result: 'aggregate' });
  } else return false;
  return true;
}

function optionOf(options: DefElem[], name: string): Node | undefined {
  return options.find(({ defname }) => defname === name)?.arg;
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
  else if (extension) schema.extensions.add(qualified([extension.extname ?? '']));
  else if (publication) {
    const name = qualified([publication.pubname ?? '']);
    const written = schema.publications.get(name) ?? new Set();
    schema.publications.set(name, written.add(canonical(publication)));
  } else if (policy) {
    // pg_dump writes the roles in no fixed order.
    const roles = all(policy.roles, 'RoleSpec').map(roleName).sort();
    const definition = canonical([roles, policy], ['policy_name', 'table', 'roles']);
    const table = schema.tables.get(relationName(policy.table));
    if (!table) return false;
    table.policies.set(qualified([policy.policy_name ?? '']), definition);
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
