import type { Schema } from './model.ts';
import { ParserError, parseSchema, type Statement } from './parser.ts';
import { readSchema } from './read.ts';

/** A schema as its text says it. */
export interface ReadSchema {
  statements: Statement[];
  model: Schema;
}

/** Reads a schema as `pg_dump --schema-only` writes it. Throws what `parseSchema` throws. */
export type SchemaReader = (text: string) => Promise<ReadSchema>;

/** A schema of this many UTF-16 code units takes the parser a few seconds, and a few hundred megabytes. */
const longestSchema = 64_000_000;

/** A reader that parses each text once, because one comparison asks several questions about the same schemas. */
export function schemaReader(signal: AbortSignal): SchemaReader {
  const known = new Map<string, Promise<ReadSchema>>();
  const read = async (text: string) => {
    if (text.length > longestSchema) {
      throw new ParserError(`the schema is too large (${text.length.toLocaleString('en-US')} characters)`);
    }
    const statements = await parseSchema({ text, signal });
    return { statements, model: readSchema(text, statements) };
  };
  return (text) => {
    const schema = known.get(text) ?? read(text);
    known.set(text, schema);
    return schema;
  };
}
