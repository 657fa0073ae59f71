import type { Schema } from './model.ts';
import { parseSchema, type Statement } from './parser.ts';
import { readSchema } from './read.ts';

/** A schema as its text says it. */
interface ReadSchema {
  statements: Statement[];
  model: Schema;
}

/** Reads a schema as `pg_dump --schema-only` writes it. Throws what `parseSchema` throws. */
export type SchemaReader = (text: string) => Promise<ReadSchema>;

/** A reader that parses each text once, because one comparison asks several questions about the same schemas. */
export function schemaReader(signal: AbortSignal): SchemaReader {
  const known = new Map<string, Promise<ReadSchema>>();
  const read = async (text: string) => {
    const statements = await parseSchema({ text, signal });
    return { statements, model: readSchema(text, statements) };
  };
  return (text) => {
    const schema = known.get(text) ?? read(text);
    known.set(text, schema);
    return schema;
  };
}
