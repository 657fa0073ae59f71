import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderInMemory } from './memory.ts';

it.skipIf(process.platform === 'win32')(
  'a folder for temporary files must exist and have room, and is left as it was',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'memory-'));
    try {
      expect(folderInMemory(folder, 1)).toBe(folder);
      expect(folderInMemory(folder, Number.MAX_SAFE_INTEGER)).toBeUndefined();
      expect(folderInMemory(join(folder, 'missing'), 1)).toBeUndefined();
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
