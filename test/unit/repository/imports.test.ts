import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { filesBelow, read } from './files.ts';

/**
 * The floors of `src` from the top down, from the table in `docs/architecture.md`: a file imports from its own folder and from
 * floors below, never from a floor above, and never from another place on its own floor.
 */
const floors = [...read('docs/architecture.md').matchAll(/^\| (`src\/[^|]+?) \|/gm)].map(([, cell = '']) =>
  [...cell.matchAll(/`src\/([\w.-]+)\/?`/g)].map(([, place = '']) => place),
);

/** The most files that a folder holds, and the most lines of a file, unless it is listed with a reason. */
const mostFiles = 16;
const mostLines = 200;
const longFiles: Record<string, string> = {
  'src/schema/rules.ts': 'one table, with two sentences for each rule',
};

const files = filesBelow('src', /\.ts$/);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** The files of `src` that a file imports, types and what is loaded on demand included. */
function importsOf(file: string): string[] {
  const specifiers = [...read(file).matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) => path);
  return specifiers.map((path) => join(dirname(file), path));
}

/** The folder of a file, or the file itself if it is directly in `src`. */
function placeOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function floorOf(file: string): number {
  return floors.findIndex((places) => places.includes(placeOf(file)));
}

describe('the imports in src', () => {
  it('has a floor for each file', () => {
    expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  });

  it('lists no place that does not exist', () => {
    const places = new Set(files.map(placeOf));
    expect(floors.flat().filter((place) => !places.has(place))).toEqual([]);
  });

  it('point down', () => {
    const wrong = files.flatMap((file) =>
      (imports.get(file) ?? [])
        .filter((target) => placeOf(target) !== placeOf(file) && floorOf(target) <= floorOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have no cycle, not even of types', () => {
    expect(cycles()).toEqual([]);
  });

  it('lead to files that exist', () => {
    const missing = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => !imports.has(target)).map((target) => `${file} imports ${target}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the size of src', () => {
  it('keeps every file short, or gives a reason', () => {
    const long = files.filter((file) => read(file).split('\n').length - 1 > mostLines);
    expect(long).toEqual(Object.keys(longFiles));
  });

  it('keeps every folder small', () => {
    const counts = Map.groupBy(files, placeOf);
    expect([...counts].filter(([, group]) => group.length > mostFiles).map(([place]) => place)).toEqual([]);
  });
});

/** One line for each import that closes a cycle. */
function cycles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return found;
}
