import type { ColumnRef, Node, RangeVar, SelectStmt, TypeName } from 'libpg-query';
import { isObject } from '../text/json.ts';
import { bare, identifier, namesIn, qualified } from './names.ts';
import type { Statement } from './parser.ts';
import { all, as, type ByKind, ofKind, relationName, strings, tablesIn } from './tree.ts';

/** What has another name than before, and is the same object. Names are qualified and written as SQL writes them. */
export interface Renames {
  /** Old names of tables, with the new ones. */
  tables: Map<string, string>;
  /** Old names of columns, with the new ones: `public.users.email` → `public.users.mail`. */
  columns: Map<string, string>;
  /** Old names of enums, domains and composite types, with the new ones. */
  types: Map<string, string>;
  /** Old names of an enum's values, with the new ones, by the enum's old name. */
  values: Map<string, Map<string, string>>;
}

export function noRenames(): Renames {
  return { tables: new Map(), columns: new Map(), types: new Map(), values: new Map() };
}

/** The statements of a schema with the new names put in. */
export function withRenames(statements: Statement[], renames: Renames): Statement[] {
  if (Object.values(renames).every((names: Map<string, unknown>) => names.size === 0)) return statements;
  const renamer = new Renamer(renames);
  return statements.map((one) => {
    if (!one.node) return one;
    const node = structuredClone(one.node);
    renamer.walk(node, new Map());
    return { ...one, node };
  });
}

/** The tables that a name can be about, by alias, the innermost first. The one that the statement is about has no alias: ''. */
type Scope = Map<string, string>;

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

  readonly #name = (table: string, tree: { name?: string }): void => {
    if (tree.name !== undefined) tree.name = this.#column(table, tree.name);
  };

  /** How to change the names that are plain text, by the kind of node that has them. `table`: the one that it is about. */
  readonly #texts: ByKind<[table: string], void> = {
    AccessPriv: (table, { cols }) => this.#list(cols, table),
    AlterTableCmd: (table, command) => {
      const ofColumn = /Column|NotNull|Identity|Statistics|Storage|Compression|Options/;
      if (ofColumn.test(command.subtype ?? '')) this.#name(table, command);
    },
    ColumnDef: (table, tree) => {
      if (tree.colname !== undefined) tree.colname = this.#column(table, tree.colname);
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
      if (defname !== 'owned_by') return;
      const parts = as(arg, 'List')?.items ?? [];
      const [column = '', ...rest] = strings(parts).reverse();
      const table = rest.reverse();
      put(parts, [...(this.#names.get(qualified(table)) ?? table), this.#column(qualified(table), column)]);
    },
    IndexElem: this.#name,
    PartitionElem: this.#name,
    PublicationObjSpec: (table, { pubtable }) => this.#list(pubtable?.columns, table),
    StatsElem: this.#name,
    TypeCast: (_, { arg, typeName }) => {
      const constant = as(arg, 'A_Const')?.sval;
      if (constant) constant.sval = this.#value(typeName?.names, constant.sval);
    },
  };

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

  walk(tree: unknown, scope: Scope): void {
    if (Array.isArray(tree)) for (const one of tree) this.walk(one, scope);
    else if (isObject(tree)) for (const [kind, value] of Object.entries(tree)) this.#node(kind, value, scope);
  }

  #node(kind: string, value: unknown, scope: Scope): void {
    // Fields that can only hold a table or a type have no kind around them, nor have the sides of a UNION.
    if (isQuery(value)) this.#query(value, scope);
    else if (isRangeVar(value)) this.#relation(value);
    else if (isTypeName(value)) this.#type(value.names);
    else if (kind === 'ColumnRef') this.#reference(value as ColumnRef, scope);
    else {
      const relation = ofKind(relations, kind)?.(value);
      const table = relationName(relation);
      const inside = relation ? new Map(['', bare(table), 'old', 'new'].map((alias) => [alias, table])) : scope;
      ofKind(this.#texts, kind)?.(inside.get('') ?? '', value);
      this.walk(value, inside);
    }
  }

  #relation(relation: RangeVar): void {
    const fresh = this.#names.get(relationName(relation));
    if (fresh) [relation.schemaname, relation.relname] = [fresh.at(-2) ?? '', fresh.at(-1) ?? ''];
  }

  #type(names: Node[] | undefined): void {
    const fresh = names && this.#names.get(qualified(strings(names)));
    if (fresh) put(names, fresh);
  }

  #query(query: SelectStmt, scope: Scope): void {
    const own = tablesIn(query.fromClause);
    const inside = new Map([...own, ...[...scope].filter(([alias]) => !own.has(alias))]);
    for (const target of all(query.targetList, 'ResTarget')) {
      const nameOf = () => strings(as(target.val, 'ColumnRef')?.fields).at(-1);
      const name = nameOf();
      this.walk(target.val, inside);
      // A view's own column keeps its name. It comes first, as from the parser.
      if (name === undefined || target.name !== undefined || nameOf() === name) continue;
      const { val } = target;
      delete target.val;
      Object.assign(target, { name, val });
    }
    const { targetList: _, ...rest } = query;
    this.walk(rest, inside);
  }

  #reference({ fields = [] }: ColumnRef, scope: Scope): void {
    const names = strings(fields);
    if (names.length !== fields.length) return;
    const [column = '', alias] = names.reverse();
    const isOwner = (table: string) => this.#columns.has(`${table}.${identifier(column)}`);
    const owner = alias === undefined ? [...scope.values()].find(isOwner) : scope.get(alias);
    if (owner === undefined) return;
    // An alias stays; a table's own name changes with it.
    const table = alias === bare(owner) ? (this.#names.get(owner)?.at(-1) ?? alias) : alias;
    put(fields, [...(table === undefined ? [] : [table]), this.#column(owner, column)]);
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
