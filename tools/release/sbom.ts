import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As much of CycloneDX 1.5 as is read and written here. */
export interface Sbom {
  metadata: { component: { 'bom-ref': string; name: string } };
  components: { 'bom-ref': string; type: string; name: string; version?: string; licenses?: unknown }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/** What `dist` is made of, by its licence texts: packages, and code compiled to WebAssembly that they carry. */
export function contentsOf(licenses: string): {
  packages: string[];
  carried: { by: string; name: string; license: string }[];
} {
  const packages: string[] = [];
  const carried: { by: string; name: string; license: string }[] = [];
  for (const entry of licenses.split(/^-{80}$/m)) {
    const [, name, version] = /^\s*(\S+) (\d\S*)\n/.exec(entry) ?? [];
    if (name === undefined || version === undefined) throw new Error(`no package is named in: ${entry.slice(0, 80)}`);
    const by = `${name}@${version}`;
    packages.push(by);
    for (const [, what = '', license = ''] of entry.matchAll(/^It carries (.+)\n(.+)$/gm))
      carried.push({ by, name: what, license });
  }
  return { packages, carried };
}

/**
 * The bill of materials of `dist`. npm's own list is not used as it is: with `--omit dev` it lacks packages that a development
 * package needs too, and without, it has hundreds that are not in `dist`.
 */
export function sbomOf(root: string): Sbom {
  const everything = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 ** 2,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as Sbom;
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string };
  return narrowed(everything, { name, ...contentsOf(readFileSync(join(root, 'dist/licenses.txt'), 'utf8')) });
}

export function narrowed(everything: Sbom, contents: { name: string } & ReturnType<typeof contentsOf>): Sbom {
  const { name, packages, carried } = contents;
  const components = packages.map((id) => {
    const found = everything.components.find((one) => `${one.name}@${one.version}` === id);
    if (!found) throw new Error(`npm's bill of materials lacks ${id}, which is in dist`);
    return found;
  });
  const parts = carried.map((part) => ({
    by: part.by,
    component: {
      'bom-ref': `${part.by}/${part.name}`,
      type: 'library',
      name: part.name,
      licenses: [{ license: { name: part.license } }],
    },
  }));
  const own = everything.metadata.component;
  const refs = new Set([own, ...components].map((one) => one['bom-ref']));
  const dependencies = everything.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => {
      const by = components.find((one) => one['bom-ref'] === ref);
      const inside = parts.filter((part) => by && part.by === `${by.name}@${by.version}`);
      const kept = dependsOn.filter((one) => refs.has(one));
      return { ref, dependsOn: [...kept, ...inside.map(({ component }) => component['bom-ref'])] };
    });
  return {
    ...everything,
    // npm takes the name of the folder
    metadata: { ...everything.metadata, component: { ...own, name } },
    components: [...components, ...parts.map(({ component }) => component)],
    dependencies: [...dependencies, ...parts.map(({ component }) => ({ ref: component['bom-ref'], dependsOn: [] }))],
  };
}
