import { describe, expect, it } from 'vitest';
import { filesBelow } from '../files.ts';
import { filesOf } from './index.ts';

describe('npm run mutation', () => {
  const folders = ['http', 'text'];
  const all = folders.flatMap((folder) => filesBelow(`src/${folder}`, /\.ts$/));

  it('spreads every file over the shards, each to one', () => {
    const shards = ['1/3', '2/3', '3/3'].map((shard) => filesOf(folders, shard));
    expect(shards.flat().sort()).toEqual(all.sort());
    const sizes = shards.map((files) => files.length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    expect(filesOf(folders)).toHaveLength(all.length);
  });

  it.each(['0/2', '3/2', '2', 'a/b'])('refuses the shard %s', (shard) => {
    expect(() => filesOf(folders, shard)).toThrow('expected a value such as 2/4');
  });

  it('refuses folders that do not exist', () => {
    expect(() => filesOf(['htpp'])).toThrow('src has no htpp');
  });
});
