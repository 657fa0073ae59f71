import { byKey, missing } from './compare.ts';
import type { Schema } from './model.ts';
import { bare, tableOf } from './names.ts';

/** What only one of two schemas says of indexes, constraints, policies, views and the like, as syntax trees in JSON. */
export class ChangedTexts {
  readonly #schemas: [before: Schema, after: Schema];
  /** Read only if needed: they are as large as the schemas. */
  #texts: Record<'before' | 'after', Map<string, string[]>> | undefined;

  constructor(before: Schema, after: Schema) {
    this.#schemas = [before, after];
  }

  #read() {
    const [was, is] = this.#schemas.map((schema) => new Set(textsIn(schema))) as [Set<string>, Set<string>];
    return { before: byString(missing(was, is)), after: byString(missing(is, was)) };
  }

  followColumn(table: string, old: string, fresh: string): boolean {
    return this.#follow(table, columnParts(old), columnParts(fresh));
  }

  followValues(type: string, names: Map<string, string>): boolean {
    const parts = (values: Iterable<string>) => [...values].map((value) => `"sval":{"sval":${JSON.stringify(value)}}`);
    return this.#follow(type, parts(names.keys()), parts(names.values()));
  }

  /** Whether something about a table or type is now the same with other parts of a tree. */
  #follow(of: string, olds: string[], fresh: string[]): boolean {
    this.#texts ??= this.#read();
    const about = JSON.stringify(bare(of));
    // A view's own column keeps its name.
    const after = this.#texts.after.get(about)?.map((text) => text.replaceAll(`${olds[0]},`, '')) ?? [];
    const before = this.#texts.before.get(about)?.filter((text) => olds.some((old) => text.includes(old))) ?? [];
    const renamed = (text: string) => olds.reduce((now, old, n) => now.replaceAll(old, fresh[n] ?? ''), text);
    return before.some((text) => after.includes(renamed(text)));
  }
}

/** The texts by each of the strings in them. */
function byString(texts: string[]): Map<string, string[]> {
  return byKey(texts, (text) => text.match(/"(?:[^"\\]|\\.)*"/g) ?? []);
}

/** How a tree has the name of a column: on its own, and where it is one of several things. */
function columnParts(column: string): string[] {
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
