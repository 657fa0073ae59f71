import type { ColumnRef, Node, PublicationTable, RangeVar, SelectStmt, TypeName } from 'libpg-query';
import type { Statement } from './parser.ts';
import { all, as, identifier, qualified, relationName, strings } from './tree.ts';

/** What has another name than before, and is the same object. Names are qualified and written as SQL writes them. */
export interface Renames {
  /** Old names of tables, with the new ones. */
  tables: Map<string, string>;
  /** Old names of columns, with the new ones: `public.users.email` → `public.people.mail`. */
  columns: Map<string, string>;
}

export function noRenames(): Renames {
  return { tables: new Map(), columns: new Map() };
}

/** Where a name is written, which says what it can mean. */
interface Place {
  /** The table that the statement is about, by its old name. */
  table?: string;
  /** The tables of the queries around it, the innermost first: old names by alias. */
  queries: Map<string, string>[];
}

/** The statements of the old schema with the new names put in, so that only other changes are left to compare. */
export function withRenames(statements: Statement[], { tables, columns }: Renames): Statement[] {
  if (tables.size + columns.size === 0) return statements;
  const renamer = new Renamer(tables, columns);
  return statements.map((one) => {
    if (!one.node) return one;
    const node = structuredClone(one.node);
    renamer.statement(node);
    return { ...one, node };
  });
}

/** Changes trees in place. */
class Renamer {
  readonly #tables: Map<string, string[]>;
  readonly #columns: Map<string, string>;

  constructor(tables: Map<string, string>, columns: Map<string, string>) {
    this.#tables = new Map([...tables].map(([old, fresh]) => [old, namesIn(fresh)]));
    this.#columns = new Map([...columns].map(([old, fresh]) => [old, namesIn(fresh).at(-1) ?? '']));
  }

  statement(node: Node): void {
    const relation = relationOf(node);
    const place: Place = { queries: [], ...(relation && { table: relationName(relation) }) };
    this.#namesOf(node, place);
    this.#walk(node, place);
  }

  /** Names that are plain text in this kind of statement. */
  #namesOf(node: Node, { table = '' }: Place): void {
    const owned = as(node, 'AlterSeqStmt');
    for (const { defname, arg } of all(owned?.options, 'DefElem')) {
      if (defname === 'owned_by') this.#ownedBy(as(arg, 'List')?.items ?? []);
    }
    this.#list(as(node, 'CreateTrigStmt')?.columns, table);
    const grant = as(node, 'GrantStmt');
    for (const { cols } of all(grant?.privileges, 'AccessPriv')) this.#list(cols, table);
    for (const command of all(as(node, 'AlterTableStmt')?.cmds, 'AlterTableCmd')) {
      const isOfColumn = /Column|NotNull|Identity|Statistics|Storage|Compression|Options/.test(command.subtype ?? '');
      if (isOfColumn && command.name !== undefined) command.name = this.#column(table, command.name);
    }
  }

  #ownedBy(parts: Node[]): void {
    const names = strings(parts);
    const [table, column = ''] = [qualified(names.slice(0, -1)), names.at(-1)];
    const fresh = [...(this.#tables.get(table) ?? names.slice(0, -1)), this.#column(table, column)];
    parts.splice(0, parts.length, ...fresh.map((sval) => ({ String: { sval } })));
  }

  /** A column's new name, or its old one. */
  #column(table: string, name: string): string {
    return this.#columns.get(`${table}.${identifier(name)}`) ?? name;
  }

  #list(nodes: Node[] | undefined, table: string): void {
    for (const one of all(nodes, 'String')) one.sval = this.#column(table, one.sval ?? '');
  }

  #walk(tree: unknown, place: Place): void {
    if (Array.isArray(tree)) for (const one of tree) this.#walk(one, place);
    if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return;
    for (const [kind, value] of Object.entries(tree)) this.#node(kind, value, place);
  }

  #node(kind: string, value: unknown, place: Place): void {
    const node = { [kind]: value } as unknown as Node;
    const { table = '' } = place;
    // The sides of a UNION have no kind around them.
    if (isQuery(value)) {
      this.#query(value, place);
      return;
    }
    const column = as(node, 'ColumnDef');
    if (column?.colname !== undefined) column.colname = this.#column(table, column.colname);
    const element = as(node, 'IndexElem') ?? as(node, 'PartitionElem') ?? as(node, 'StatsElem');
    if (element?.name !== undefined) element.name = this.#column(table, element.name);
    const constraint = as(node, 'Constraint');
    if (constraint) {
      for (const list of [constraint.keys, constraint.including, constraint.fk_attrs]) this.#list(list, table);
      if (constraint.pktable) this.#list(constraint.pk_attrs, relationName(constraint.pktable));
    }
    const published = kind === 'pubtable' ? (value as PublicationTable) : undefined;
    if (published) this.#list(published.columns, relationName(published.relation));
    const reference = as(node, 'ColumnRef');
    // Fields that can only hold a table or a type have no kind around them.
    if (reference) this.#reference(reference, place);
    else if (isRangeVar(value)) this.#relation(value);
    else if (isTypeName(value)) this.#type(value.names);
    else this.#walk(value, published ? { ...place, table: relationName(published.relation) } : place);
  }

  #relation(relation: RangeVar): void {
    const fresh = this.#tables.get(relationName(relation));
    if (!fresh) return;
    [relation.schemaname, relation.relname] = [fresh.at(-2) ?? '', fresh.at(-1) ?? ''];
  }

  #type(names: Node[] | undefined): void {
    const fresh = names && this.#tables.get(qualified(strings(names)));
    if (fresh) names.splice(0, names.length, ...fresh.map((sval) => ({ String: { sval } })));
  }

  #query(query: SelectStmt, place: Place): void {
    const tables = new Map<string, string>();
    tablesIn(query.fromClause, tables);
    const inside = { ...place, queries: [tables, ...place.queries] };
    for (const target of all(query.targetList, 'ResTarget')) {
      const column = as(target.val, 'ColumnRef');
      const name = strings(column?.fields).at(-1);
      this.#walk(target.val, inside);
      // A view's own column keeps its name.
      if (name !== undefined && strings(column?.fields).at(-1) !== name) target.name ??= name;
    }
    const { targetList: _, ...rest } = query;
    for (const [key, value] of Object.entries(rest)) this.#node(key, value, inside);
  }

  #reference({ fields = [] }: ColumnRef, { table, queries }: Place): void {
    const names = strings(fields);
    if (names.length !== fields.length) return;
    const column = names.at(-1) ?? '';
    const set = (values: string[]) => fields.splice(0, fields.length, ...values.map((sval) => ({ String: { sval } })));
    if (names.length === 1) {
      const all = [...queries.flatMap((one) => [...one.values()]), ...(table === undefined ? [] : [table])];
      const owner = all.find((one) => this.#columns.has(`${one}.${identifier(column)}`));
      if (owner !== undefined) set([this.#column(owner, column)]);
      return;
    }
    const [alias = ''] = names.slice(-2);
    const isOwn = table !== undefined && (alias === namesIn(table).at(-1) || alias === 'old' || alias === 'new');
    const owner = queries.find((one) => one.has(alias))?.get(alias) ?? (isOwn ? table : undefined);
    if (owner === undefined) return;
    // An alias stays; a table's own name changes with it.
    const isName = alias === namesIn(owner).at(-1);
    set([(isName ? this.#tables.get(owner)?.at(-1) : undefined) ?? alias, this.#column(owner, column)]);
  }
}

/** The table that a statement is about. */
function relationOf(node: Node): RangeVar | undefined {
  const [granted] = all(as(node, 'GrantStmt')?.objects, 'RangeVar');
  const [measured] = all(as(node, 'CreateStatsStmt')?.relations, 'RangeVar');
  return (
    as(node, 'CreateStmt')?.relation ??
    as(node, 'CreateForeignTableStmt')?.base?.relation ??
    as(node, 'AlterTableStmt')?.relation ??
    as(node, 'IndexStmt')?.relation ??
    as(node, 'CreatePolicyStmt')?.table ??
    as(node, 'CreateTrigStmt')?.relation ??
    as(node, 'RuleStmt')?.relation ??
    as(node, 'CompositeTypeStmt')?.typevar ??
    granted ??
    measured
  );
}

function isRangeVar(value: unknown): value is RangeVar {
  return typeof value === 'object' && value !== null && 'relname' in value && 'relpersistence' in value;
}

function isQuery(value: unknown): value is SelectStmt {
  return typeof value === 'object' && value !== null && 'op' in value && 'limitOption' in value;
}

function isTypeName(value: unknown): value is TypeName {
  return typeof value === 'object' && value !== null && 'names' in value && 'typemod' in value;
}

/** The tables that a query reads, by alias. */
export function tablesIn(from: Node[] | undefined, tables: Map<string, string>): void {
  for (const node of from ?? []) {
    const relation = as(node, 'RangeVar');
    if (relation) tables.set(relation.alias?.aliasname ?? relation.relname ?? '', relationName(relation));
    const join = as(node, 'JoinExpr');
    if (join)
      tablesIn(
        [join.larg, join.rarg].filter((one) => one !== undefined),
        tables,
      );
  }
}

/** The parts of a qualified name as SQL writes it, without quotes. */
export function namesIn(name: string): string[] {
  return (name.match(/"(?:[^"]|"")*"|[^."]+/g) ?? []).map((part) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part,
  );
}
