import type { AlterTableCmd, AlterTableStmt, ColumnDef, Constraint, CreateStmt, Node } from 'libpg-query';
import {
  type Column,
  type ConstraintKind,
  type Schema,
  type Sequence,
  setOwner,
  type Table,
  type Constraint as TableConstraint,
} from './model.ts';
import { identifier, qualified } from './names.ts';
import { all, as, canonical, columnsIn, optionOf, readExpression, relationName, roleName, strings } from './tree.ts';
import { readType } from './type.ts';

export function readTable(schema: Schema, tree: CreateStmt, foreign = false): void {
  const table: Table = {
    made: foreign ? 'foreign' : canonical(tree.partspec),
    columns: new Map(),
    constraints: new Map(),
    triggers: new Map(),
    disabledTriggers: new Set(),
    policies: new Map(),
    rowSecurity: false,
    forcedRowSecurity: false,
    unlogged: tree.relation?.relpersistence === 'u',
  };
  const parents = all(tree.inhRelations, 'RangeVar').map(relationName);
  if (parents[0] !== undefined) table.partitionOf = parents[0];
  // pg_dump leaves out the columns that a table inherits.
  for (const parent of parents) {
    for (const [name, column] of schema.tables.get(parent)?.columns ?? []) table.columns.set(name, { ...column });
  }
  schema.tables.set(relationName(tree.relation), table);
  for (const column of all(tree.tableElts, 'ColumnDef')) readColumn(table, column);
  for (const constraint of all(tree.tableElts, 'Constraint')) addConstraint(table, constraint);
}

function readColumn(table: Table, tree: ColumnDef): void {
  const column: Column = { type: readType(tree.typeName, tree.collClause), notNull: false };
  table.columns.set(identifier(tree.colname ?? ''), column);
  for (const constraint of all(tree.constraints, 'Constraint')) {
    if (constraint.contype === 'CONSTR_NOTNULL') setNotNull(column, constraint);
    else if (constraint.contype === 'CONSTR_DEFAULT') column.default = readExpression(constraint.raw_expr);
    else if (constraint.contype === 'CONSTR_IDENTITY') setIdentity(column, constraint);
    else if (constraint.contype === 'CONSTR_GENERATED') {
      column.generated = { ...readExpression(constraint.raw_expr), stored: constraint.generated_kind !== 'v' };
    }
  }
}

function setIdentity(column: Column, { generated_when }: Constraint): void {
  // `a` or `d`, as in the catalog.
  column.identity = generated_when === 'd' ? 'by default' : 'always';
  column.notNull = true;
}

function setNotNull(column: Column, { conname }: Constraint): void {
  column.notNull = true;
  column.notNullName = conname === undefined ? '' : identifier(conname);
}

function addConstraint(table: Table, tree: Constraint): void {
  const read = readConstraint(tree);
  if (read) table.constraints.set(...read);
  const makesNotNull =
    read?.[1].kind === 'primary key' || (tree.contype === 'CONSTR_NOTNULL' && tree.skip_validation !== true);
  if (!makesNotNull) return;
  for (const key of read?.[1].columns ?? strings(tree.keys).map(identifier)) {
    const found = table.columns.get(key);
    if (found && read) found.notNull = true;
    else if (found) setNotNull(found, tree);
  }
}

/** Returns whether row-level security, for example, is that of a table in the model. */
export function readAlterTable(schema: Schema, tree: AlterTableStmt): boolean {
  const name = relationName(tree.relation);
  for (const command of all(tree.cmds, 'AlterTableCmd')) {
    const partition = as(command.def, 'PartitionCmd');
    const table = schema.tables.get(name);
    if (command.subtype === 'AT_ChangeOwner') {
      setOwner(schema, { kind: 'relation', name }, roleName(command.newowner));
    } else if (partition && tree.objtype === 'OBJECT_INDEX') {
      const part = schema.indexes.get(relationName(partition.name));
      if (part) part.partOf = name;
    } else if (partition) {
      const part = schema.tables.get(relationName(partition.name));
      if (part) Object.assign(part, { partitionOf: name, isDefault: partition.bound?.is_default === true });
    } else if (table) {
      alter(table, command);
      if (command.subtype === 'AT_AddIdentity') readIdentity(schema, name, command);
    } else if (/RowSecurity|AddConstraint|Trig|Rule/.test(command.subtype ?? '')) return false;
  }
  return true;
}

/** The sequence of an identity column, which is written nowhere else. */
function readIdentity(schema: Schema, table: string, { name = '', def }: AlterTableCmd): void {
  const options = as(def, 'Constraint')?.options;
  const parts = strings(as(optionOf(options, 'sequence_name'), 'List')?.items);
  if (parts.length === 0) return;
  schema.sequences.set(qualified(parts), { ...readSequence(options), owner: `${table}.${identifier(name)}` });
}

function alter(table: Table, command: AlterTableCmd): void {
  const column = table.columns.get(identifier(command.name ?? ''));
  const constraint = as(command.def, 'Constraint');
  switch (command.subtype) {
    case 'AT_AddConstraint':
      if (constraint) addConstraint(table, constraint);
      break;
    case 'AT_ColumnDefault':
      if (column && command.def) column.default = readExpression(command.def);
      break;
    case 'AT_SetNotNull':
      if (column) column.notNull = true;
      break;
    case 'AT_AddIdentity':
      if (column) setIdentity(column, constraint ?? {});
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
    // The others, such as statistics, storage and clustering, change neither data nor privileges.
    default:
  }
}

const kinds: Partial<Record<NonNullable<Constraint['contype']>, ConstraintKind>> = {
  CONSTR_CHECK: 'check',
  CONSTR_UNIQUE: 'unique',
  CONSTR_PRIMARY: 'primary key',
  CONSTR_EXCLUSION: 'exclusion',
  CONSTR_FOREIGN: 'foreign key',
};

/** A constraint with its name; undefined for NOT NULL, defaults and the like, which belong to their column. */
export function readConstraint(tree: Constraint): [name: string, constraint: TableConstraint] | undefined {
  const kind = kinds[tree.contype ?? 'CONSTR_NULL'];
  if (kind === undefined) return undefined;
  const columns = [
    ...strings(tree.keys),
    ...strings(tree.including),
    ...strings(tree.fk_attrs),
    ...columnsIn([tree.raw_expr, tree.exclusions]),
  ];
  // A foreign key can be made deferrable without a look at the rows.
  const except = ['conname', 'inh', ...(kind === 'foreign key' ? ['deferrable', 'initdeferred'] : [])];
  const definition = canonical(tree, except);
  const validated = tree.skip_validation !== true && tree.is_enforced !== false;
  const test = as(tree.raw_expr, 'NullTest');
  const refusesNull = test?.nulltesttype === 'IS_NOT_NULL' && as(test.arg, 'ColumnRef') !== undefined;
  const name = identifier(tree.conname ?? '');
  return [name, { kind, definition, columns: [...new Set(columns)].map(identifier), validated, refusesNull }];
}

/** The column in `OWNED BY`; undefined for `NONE`. */
export function ownedBy(options: Node[] | undefined): string | undefined {
  const parts = strings(as(optionOf(options, 'owned_by'), 'List')?.items);
  return parts.length > 1 ? qualified(parts) : undefined;
}

const limits = new Map([
  ['int2', 2n ** 15n - 1n],
  ['int4', 2n ** 31n - 1n],
]);

export function readSequence(options: Node[] | undefined): Sequence {
  const number = (name: string) => {
    const arg = optionOf(options, name);
    const written = as(arg, 'Float')?.fval ?? as(arg, 'Integer')?.ival;
    return written === undefined && !as(arg, 'Integer') ? undefined : BigInt(written ?? 0);
  };
  const type = readType(as(optionOf(options, 'as'), 'TypeName')).name;
  const owner = ownedBy(options);
  const others = (options ?? []).filter((one) => as(one, 'DefElem')?.defname !== 'owned_by');
  return {
    definition: canonical(others),
    low: number('minvalue') ?? 1n,
    high: number('maxvalue') ?? limits.get(type) ?? 2n ** 63n - 1n,
    ...(owner !== undefined && { owner }),
  };
}
