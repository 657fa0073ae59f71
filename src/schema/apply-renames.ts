import type { ColumnRef, Node, RangeVar, SelectStmt, TypeName } from 'libpg-query';
import { isObject } from '../text/json.ts';
import { bare, identifier, namesIn, qualified } from './names.ts';
import type { Statement } from './parser.ts';
import { all, as, type ByKind, ofKind, relationName, strings, tablesIn } from './tree.ts';

/** What has another name than before, and is the same object. Names are qualified and written as SQL writes them. */
export interface Renames {
  /** Old names of tables, with the new ones. */
  tables: Map<string, string>;
  /** Old names of columns, with the new ones: `public.users.email` → `public.people.mail`. */
  columns: Map<string, string>;
  /** Old names of enums, domains and composite types, with the new ones. */
  types: Map<string, string>;
  /** Old names of an enum's values, with the new ones, by the enum's old name. */
  values: Map<string, Map<string, string>>;
}

export function noRenames(): Renames {
  return { tables: new Map(), columns: new Map(), types: new Map(), values: new Map() };
}

/** Where a name is written, which says what it can mean. */
interface Place {
  /** The table that the statement, or the part of it, is about, by its old name. */
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
    renamer.walk(node);
    return { ...one, node };
  });
}

/** Changes trees in place. */
class Renamer {
  /** Of tables and types, which share their names: a table is also a type. */
  readonly #names: Map<string, string[]>;
  readonly #columns: Map<string, string>;
  readonly #values: Renames['values'];

  constructor({ tables, columns, types, values }: Renames) {
    this.#names = new Map([...tables, ...types].map(([old, fresh]) => [old, namesIn(fresh)]));
    this.#columns = new Map([...columns].map(([old, fresh]) => [old, bare(fresh)]));
    this.#values = values;
  }

  /** How to change the names that are plain text, by the kind of node that has them. `table`: the one that it is about. */
  readonly #texts: ByKind<[table: string], void> = {
    AccessPriv: (table, { cols }) => this.#list(cols, table),
    AlterTableCmd: (table, command) => {
      const isOfColumn = /Column|NotNull|Identity|Statistics|Storage|Compression|Options/.test(command.subtype ?? '');
      if (isOfColumn) this.#name(command, table);
    },
    ColumnDef: (table, tree) => {
      if (tree.colname !== undefined) tree.colname = this.#column(table, tree.colname);
    },
    CommentStmt: (_, { objtype, object }) => {
      if (objtype === 'OBJECT_COLUMN') this.#qualifiedColumn(object);
    },
    Constraint: (table, { keys, including, fk_attrs, pktable, pk_attrs }) => {
      for (const list of [keys, including, fk_attrs]) this.#list(list, table);
      this.#list(pk_attrs, relationName(pktable));
    },
    AlterDomainStmt: (_, { typeName }) => this.#type(typeName),
    CreateDomainStmt: (_, { domainname }) => this.#type(domainname),
    CreateEnumStmt: (_, { typeName, vals }) => {
      for (const one of all(vals, 'String')) one.sval = this.#value(typeName, one.sval);
      this.#type(typeName);
    },
    CreateTrigStmt: (table, { columns }) => this.#list(columns, table),
    DefElem: (_, { defname, arg }) => {
      if (defname === 'owned_by') this.#qualifiedColumn(arg);
    },
    IndexElem: (table, tree) => this.#name(tree, table),
    PartitionElem: (table, tree) => this.#name(tree, table),
    PublicationObjSpec: (table, { pubtable }) => this.#list(pubtable?.columns, table),
    StatsElem: (table, tree) => this.#name(tree, table),
    TypeCast: (_, { arg, typeName }) => {
      const constant = as(arg, 'A_Const')?.sval;
      if (constant) constant.sval = this.#value(typeName?.names, constant.sval);
    },
  };

  #qualifiedColumn(list: Node | undefined): void {
    const parts = as(list, 'List')?.items ?? [];
    const names = strings(parts);
    const [table, column = ''] = [qualified(names.slice(0, -1)), names.at(-1)];
    put(parts, [...(this.#names.get(table) ?? names.slice(0, -1)), this.#column(table, column)]);
  }

  #name(tree: { name?: string }, table: string): void {
    if (tree.name !== undefined) tree.name = this.#column(table, tree.name);
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

  walk(tree: unknown, place: Place = { queries: [] }): void {
    if (Array.isArray(tree)) for (const one of tree) this.walk(one, place);
    if (!isObject(tree)) return;
    for (const [kind, value] of Object.entries(tree)) this.#node(kind, value, place);
  }

  #node(kind: string, value: unknown, place: Place): void {
    // Fields that can only hold a table or a type have no kind around them, nor have the sides of a UNION.
    if (isQuery(value)) this.#query(value, place);
    else if (isRangeVar(value)) this.#relation(value);
    else if (isTypeName(value)) this.#type(value.names);
    else if (kind === 'ColumnRef') this.#reference(value as ColumnRef, place);
    else {
      const relation = ofKind(relations, kind)?.(value);
      const inside = relation ? { ...place, table: relationName(relation) } : place;
      ofKind(this.#texts, kind)?.(inside.table ?? '', value);
      this.walk(value, inside);
    }
  }

  #relation(relation: RangeVar): void {
    const fresh = this.#names.get(relationName(relation));
    if (!fresh) return;
    [relation.schemaname, relation.relname] = [fresh.at(-2) ?? '', fresh.at(-1) ?? ''];
  }

  #type(names: Node[] | undefined): void {
    const fresh = names && this.#names.get(qualified(strings(names)));
    if (fresh) put(names, fresh);
  }

  #query(query: SelectStmt, place: Place): void {
    const inside = { ...place, queries: [tablesIn(query.fromClause), ...place.queries] };
    for (const target of all(query.targetList, 'ResTarget')) {
      const column = as(target.val, 'ColumnRef');
      const name = strings(column?.fields).at(-1);
      this.walk(target.val, inside);
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
    if (names.length === 1) {
      const all = [...queries.flatMap((one) => [...one.values()]), ...(table === undefined ? [] : [table])];
      const owner = all.find((one) => this.#columns.has(`${one}.${identifier(column)}`));
      if (owner !== undefined) put(fields, [this.#column(owner, column)]);
      return;
    }
    const [alias = ''] = names.slice(-2);
    const isOwn = table !== undefined && (alias === bare(table) || alias === 'old' || alias === 'new');
    const owner = queries.find((one) => one.has(alias))?.get(alias) ?? (isOwn ? table : undefined);
    if (owner === undefined) return;
    // An alias stays; a table's own name changes with it.
    const isName = alias === bare(owner);
    put(fields, [(isName ? this.#names.get(owner)?.at(-1) : undefined) ?? alias, this.#column(owner, column)]);
  }
}

/** Replaces the parts of a name. */
function put(nodes: Node[], parts: string[]): void {
  nodes.splice(0, nodes.length, ...parts.map((sval) => ({ String: { sval } })));
}

/** The table that a node is about, by the node's kind. */
const relations: ByKind<[], RangeVar | undefined> = {
  AlterTableStmt: ({ relation }) => relation,
  CompositeTypeStmt: ({ typevar }) => typevar,
  CreateForeignTableStmt: ({ base }) => base?.relation,
  CreatePolicyStmt: ({ table }) => table,
  CreateStatsStmt: ({ relations }) => all(relations, 'RangeVar')[0],
  CreateStmt: ({ relation }) => relation,
  CreateTrigStmt: ({ relation }) => relation,
  GrantStmt: ({ objects }) => all(objects, 'RangeVar')[0],
  IndexStmt: ({ relation }) => relation,
  PublicationObjSpec: ({ pubtable }) => pubtable?.relation,
  RuleStmt: ({ relation }) => relation,
};

function isRangeVar(value: unknown): value is RangeVar {
  return isObject(value) && 'relname' in value && 'relpersistence' in value;
}

function isQuery(value: unknown): value is SelectStmt {
  return isObject(value) && 'op' in value && 'limitOption' in value;
}

function isTypeName(value: unknown): value is TypeName {
  return isObject(value) && 'names' in value && 'typemod' in value;
}
