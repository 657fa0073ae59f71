import type { DatabaseDiff, SchemaDiff } from '../../../src/result.ts';

/** The result of comparing one database with that of `main`. */
export function schemaDiff(database: DatabaseDiff, more: Partial<SchemaDiff> = {}): SchemaDiff {
  return {
    branchName: 'preview/pr-7',
    baseName: 'main',
    basePoint: undefined,
    all: false,
    failOn: [],
    databases: [database],
    ...more,
  };
}
