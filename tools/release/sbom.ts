import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As much of CycloneDX 1.5 as is read and written here. */
export interface Sbom {
  metadata: { component: { 'bom-ref': string; name: string } };
  components: { 'bom-ref': string; name: string; version?: string }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/** The packages that `dist` is made of, by its licence texts: `pg@8.0.0`. */
export function packagesIn(licenses: string): string[] {
  return licenses.split(/^-{80}$/m).map((entry) => {
    const [, name, version] = /^\s*(\S+) (\d\S*)\n/.exec(entry) ?? [];
    if (name === undefined) throw new Error(`no package is named in: ${entry.slice(0, 80)}`);
    return `${name}@${version}`;
  });
}

/** The bill of materials of `dist`: of npm's own list, which has all packages of the lock file, only what is in it. */
export function sbomOf(root: string): Sbom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', args, { cwd: root, maxBuffer: 64 * 1024 ** 2, stdio: ['ignore', 'pipe', 'ignore'] });
  const all = JSON.parse(text.toString()) as Sbom;
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string };
  // npm takes the name of the folder.
  const own = { ...all.metadata.component, name };
  const components = packagesIn(readFileSync(join(root, 'dist/licenses.txt'), 'utf8')).map((id) => {
    const found = all.components.find((one) => one['bom-ref'] === id);
    if (!found) throw new Error(`npm's bill of materials lacks ${id}, which is in dist`);
    return found;
  });
  const refs = new Set([own, ...components].map((one) => one['bom-ref']));
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  return { ...all, metadata: { ...all.metadata, component: own }, components, dependencies };
}
