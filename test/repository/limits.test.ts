import { describe, expect, it } from 'vitest';
import { limits } from '../../src/step/limits.ts';
import { filesBelow, read } from '../../tools/files.ts';

const source = read('src/step/limits.ts');
const page = read('docs/internals/limits.md');

describe("GitHub's limits", () => {
  it('each name the page they come from', () => {
    const [, body = ''] = source.split('export const limits = {');
    const entries = body.split(/(?=\/\*\*)/).slice(1);
    expect(entries.length).toBeGreaterThan(3);
    expect(entries.filter((entry) => !/^ {3}\* https:\/\/\S+$/m.test(entry))).toEqual([]);
  });

  it('are on the page about them, with the same sources', () => {
    const numbers = Object.values(limits).map((limit) => limit.toLocaleString('en'));
    expect(numbers.filter((number) => !new RegExp(`(?<![\\d,])${number} `).test(page))).toEqual([]);
    const sources = [...source.matchAll(/https:\/\/\S+$/gm)].map(([url]) => url);
    expect(sources.filter((url) => !page.includes(`](${url})`))).toEqual([]);
  });

  it('are nowhere else in the sources', () => {
    const numbers = /\b(65_?536|1024 \* 1024|1_?048_?576|4_?096)\b/;
    const files = [...filesBelow('src', /\.ts$/), ...filesBelow('test/support', /\.ts$/)];
    expect(files.filter((path) => numbers.test(read(path)))).toEqual(['src/step/limits.ts']);
  });
});
