import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { filesBelow, read } from '../../tools/files.ts';

/**
 * The places in `src`, by row of the table in `docs/internals/architecture.md`: a file imports from its own folder and from rows below, never
 * from a row above, and never from another place in its own row.
 */
const rows = [...read('docs/internals/architecture.md').matchAll(/^\| (`src\/[^|]+?) \|/gm)].map(([, cell = '']) =>
  [...cell.matchAll(/`src\/([\w.-]+)\/?`/g)].map(([, place = '']) => place),
);

const files = filesBelow('src', /\.c?ts$/);
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

function rowOf(file: string): number {
  return rows.findIndex((places) => places.includes(placeOf(file)));
}

describe('the table in docs/internals/architecture.md', () => {
  it('has each file of src in a row', () => {
    expect(files.filter((file) => rowOf(file) < 0)).toEqual([]);
  });

  it('lists no place that does not exist', () => {
    const places = new Set(files.map(placeOf));
    expect(rows.flat().filter((place) => !places.has(place))).toEqual([]);
  });
});

describe('the imports in src', () => {
  it('point down', () => {
    const wrong = files.flatMap((file) =>
      (imports.get(file) ?? [])
        .filter((target) => placeOf(target) !== placeOf(file) && rowOf(target) <= rowOf(file))
        // The two trade places: `github` will know no runner.
        .filter((target) => !(placeOf(file) === 'step' && placeOf(target) === 'github'))
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

// Tests run many steps in one process, and so may others: nothing may carry over from one to the next.
it('no module in src keeps anything from one step to the next', () => {
  const state =
    /^(?:export )?(?:let|var) (\w+)|^(?:export )?const (\w+)(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|create\w+\(|\[\];|\{\};)|^ +static (?!readonly)#?(\w+)/gm;
  const found = files.flatMap((file) =>
    [...read(file).matchAll(state)].map(([, ...names]) => `${file}: ${names.find((name) => name !== undefined)}`),
  );
  expect(found).toEqual([
    // the same for every step
    'src/schema/names.ts: quoted',
    // forgotten when a step starts
    'src/step/log.ts: secrets',
  ]);
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
