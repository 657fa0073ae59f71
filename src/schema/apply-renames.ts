import type { ColumnRef, Node, PublicationTable, RangeVar, SelectStmt, TypeName } from 'libpg-query';
import { isObject } from '../text/json.ts';
import type { Statement } from './parser.ts';
import { all, as, identifier, qualified, relationName, strings } from './tree.ts';

/** What has another name than before, and is the same object. Names are qualified and written as SQL writes them. */
export interface Renames {
  /** Old names of tables, with the new ones. */
  tables: Map<string, string>;
  /** Old names of columns, with the new ones: `public.users.email` → `public.people.mail`. */
  columns: Map<string, string>;
  /** Old names of enums, with the new ones. */
  types: Map<string, string>;
  /** Old names of an enum's values, with the new ones, by the enum's old name. */
  values: Map<string, Map<string, string>>;
}

export function noRenames(): Renames {
  return { tables: new Map(), columns: new Map(), types: new Map(), values: new Map() };
}

/** An impossible name, for an object that is gone while another one now has its name: `public.users` → `public."users\0"`. */
export function lost(name: string): string {
  const parts = namesIn(name);
  return qualified([...parts.slice(0, -1), `${parts.at(-1) ?? ''}\0`]);
}

export function isLost(name: string): boolean {
  return name.includes('\0');
}

/** A text with the real names in it. */
export function withoutLost(text: string): string {
  return text.replace(/"((?:[^"\0]|"")*)\0"/g, (_, name: string) => identifier(name.replaceAll('""', '"')));
}

/** Where a name is written, which says what it can mean. */
interface Place {
  /** The table that the statement is about, by its old name. */
  table?: string;
  /** The tables of the queries around it, the innermost first: old names by alias. */
  queries: Map<string, string>[];
}

/** The statements of the old schema with the new names put in, so that only other changes are left to compare. */
export function withRenames(statements: Statement[], renames: Renames): Statement[] {
  if (Object.values(renames).every((names: Map<string, unknown>) => names.size === 0)) return statements;
  const renamer = new Renamer(renames);
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
  /** A table's name is also the name of a type. */
  readonly #types: Map<string, string[]>;

  readonly #values: Renames['values'];

  constructor({ tables, columns, types, values }: Renames) {
    this.#tables = new Map([...tables].map(([old, fresh]) => [old, namesIn(fresh)]));
    this.#types = new Map([...this.#tables, ...[...types].map(([old, fresh]) => [old, namesIn(fresh)] as const)]);
    this.#columns = new Map([...columns].map(([old, fresh]) => [old, namesIn(fresh).at(-1) ?? '']));
    this.#values = values;
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
    const comment = as(node, 'CommentStmt');
    if (comment?.objtype === 'OBJECT_COLUMN') this.#ownedBy(as(comment.object, 'List')?.items ?? []);
    const enumeration = as(node, 'CreateEnumStmt');
    for (const one of all(enumeration?.vals, 'String')) one.sval = this.#value(enumeration?.typeName, one.sval);
    this.#type(enumeration?.typeName);
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

  /** A value's new name, or its old one. */
  #value(type: Node[] | undefined, value = ''): string {
    return this.#values.get(qualified(strings(type)))?.get(value) ?? value;
  }

  #list(nodes: Node[] | undefined, table: string): void {
    for (const one of all(nodes, 'String')) one.sval = this.#column(table, one.sval ?? '');
  }

  #walk(tree: unknown, place: Place): void {
    if (Array.isArray(tree)) for (const one of tree) this.#walk(one, place);
    if (!isObject(tree)) return;
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
    const cast = as(node, 'TypeCast');
    const constant = as(cast?.arg, 'A_Const')?.sval;
    if (constant) constant.sval = this.#value(cast?.typeName?.names, constant.sval);
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
    const fresh = names && this.#types.get(qualified(strings(names)));
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
      // A view's own column keeps its name. It comes first, as from the parser.
      if (name === undefined || target.name !== undefined || strings(column?.fields).at(-1) === name) continue;
      const { val } = target;
      delete target.val;
      Object.assign(target, { name, val });
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
  return isObject(value) && 'relname' in value && 'relpersistence' in value;
}

function isQuery(value: unknown): value is SelectStmt {
  return isObject(value) && 'op' in value && 'limitOption' in value;
}

function isTypeName(value: unknown): value is TypeName {
  return isObject(value) && 'names' in value && 'typemod' in value;
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

/** The name without its schema and its quotes. */
export function bare(name: string): string {
  return namesIn(name).at(-1) ?? '';
}
