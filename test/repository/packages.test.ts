import { describe, expect, it } from 'vitest';
import { read } from '../../tools/files.ts';

interface Manifest {
  type: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}
interface Lock {
  packages: Record<string, { version?: string; resolved?: string; hasInstallScript?: boolean; cpu?: string[] }>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const lock = JSON.parse(read('package-lock.json')) as Lock;

describe('the packages', () => {
  it('hold undici once: each further copy would be most of a megabyte in the bundle', () => {
    const copies = Object.keys(lock.packages).filter((path) => /(^|\/)node_modules\/undici$/.test(path));
    expect(copies).toEqual(['node_modules/undici']);
    expect(lock.packages['node_modules/undici']?.version).toBe(manifest.dependencies.undici);
  });

  it('are pinned to exact versions', () => {
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    // The stand-in for the toolkit's HTTP client is a folder.
    expect(
      all.filter(([, version]) => !/^(file:tools\/build\/[\w-]+|(npm:\w+@)?\d+\.\d+\.\d+(-[\w.]+)?)$/.test(version)),
    ).toEqual([]);
  });

  it('may come from any registry', () => {
    const addressed = Object.entries(lock.packages).filter(([, entry]) => /:/.test(entry.resolved ?? ''));
    expect(addressed.map(([path]) => path)).toEqual([]);
    // So that it stays like that, whoever updates a package.
    expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true\n');
  });

  it('run scripts when they are installed only if that was decided', () => {
    expect(read('.npmrc')).toContain('strict-allow-scripts=true\n');
    const withScripts = Object.entries(lock.packages).filter(
      ([, { hasInstallScript, cpu = ['x64'] }]) => hasInstallScript && cpu.some((one) => /^(x64|arm64)$/.test(one)),
    );
    const names = withScripts.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names.sort()).toEqual(Object.keys(manifest.allowScripts).sort());
  });

  it('are modules, as the toolkit is', () => {
    expect(manifest.type).toBe('module');
  });
});
