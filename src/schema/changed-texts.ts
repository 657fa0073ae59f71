import { missing } from './compare.ts';
import type { Schema } from './model.ts';
import { bare, tableOf } from './names.ts';

/** What only one of two schemas says of indexes, constraints, policies, views and the like, as syntax trees in JSON. */
export class ChangedTexts {
  readonly #schemas: [before: Schema, after: Schema];
  /** Read only if needed: they are as large as the schemas. */
  #texts: { before: string[]; after: string[] } | undefined;

  constructor(before: Schema, after: Schema) {
    this.#schemas = [before, after];
  }

  #read() {
    const [was, is] = this.#schemas.map((schema) => new Set(textsIn(schema))) as [Set<string>, Set<string>];
    return { before: missing(was, is), after: missing(is, was) };
  }

  followColumn(table: string, old: string, fresh: string): boolean {
    const [was, is] = [columnParts(old), columnParts(fresh)];
    return this.#follow(
      table,
      was.map((part, n) => [part, is[n] ?? '']),
    );
  }

  followValues(type: string, names: Map<string, string>): boolean {
    const part = (value: string) => `"sval":{"sval":${JSON.stringify(value)}}`;
    return this.#follow(
      type,
      [...names].map(([old, fresh]) => [part(old), part(fresh)]),
    );
  }

  /** Whether something about a table or type is now the same with other parts of a tree. */
  #follow(of: string, parts: [old: string, fresh: string][]): boolean {
    this.#texts ??= this.#read();
    // A view's own column keeps its name.
    const withoutAlias = (text: string) => text.replaceAll(`${parts[0]?.[0]},`, '');
    const after = this.#texts.after.filter((text) => parts.some(([, fresh]) => text.includes(fresh))).map(withoutAlias);
    const before = this.#texts.before.filter(
      (text) => text.includes(JSON.stringify(bare(of))) && parts.some(([old]) => text.includes(old)),
    );
    return before.some((text) => after.includes(parts.reduce((now, [old, fresh]) => now.replaceAll(old, fresh), text)));
  }
}

/** How a tree has the name of a column: on its own, and where it is one of several things. */
function columnParts(column: string): [alone: string, among: string] {
  const name = JSON.stringify(bare(column));
  return [`"name":${name}`, `"String":{"sval":${name}}`];
}

/** Each with its own name and its table's: a new object has another one. */
function textsIn({ tables, indexes, sequences, views, publications, others }: Schema): string[] {
  const texts = [...others.keys()];
  const add = (names: string[], tree = '') => texts.push(`${JSON.stringify(names)} ${tree}`);
  for (const [table, { made, columns, constraints, policies, triggers }] of tables) {
    const of = bare(table);
    add([of], made);
    for (const [column, { generated }] of columns) if (generated) add([of], `${columnParts(column)} ${generated.text}`);
    for (const [name, { definition, kind }] of constraints) {
      // A new primary key gets the usual name, too.
      if (kind !== 'primary key' || bare(name) !== `${of}_pkey`) add([of, name], definition);
    }
    for (const [name, { definition }] of policies) add([of, name], definition);
    for (const [name, definition] of triggers) add([of, name], definition);
  }
  for (const [name, { definition }] of [...indexes, ...views]) add([name], definition);
  for (const [name, { owner = '' }] of sequences) add([name, bare(tableOf(owner))], `${columnParts(owner)}`);
  for (const [name, statements] of publications) for (const one of statements) add([name], one);
  return texts;
}
