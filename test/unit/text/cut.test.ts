import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToFit } from '../../../src/text/cut.ts';
import { fenced, folded } from '../../../src/text/markdown.ts';
import { rendered } from '../../support/rendered.ts';

const characters = (text: string) => text.length;
const note = '_cut_';
const cut = (text: string, limit: number) => cutToFit(text, { limit, size: characters, note });

describe('Markdown with a limit', () => {
  it('stays as it is if it fits', () => {
    expect(cut('a\nb\n', 4)).toBe('a\nb\n');
  });

  it('is cut at the end of a line, with a note', () => {
    expect(cut('one\ntwo\nthree\nfour\n', 15)).toBe('one\ntwo\n\n_cut_\n');
  });

  it('has open code blocks and details closed after a cut', () => {
    const text = `# t\n\n${folded('line', fenced('x\n'.repeat(100), 'diff'))}\n\nend\n`;
    const short = cut(text, 120);
    expect(short).toMatch(/x\n```\n\n<\/details>\n\n_cut_\n$/);
    expect(short.length).toBeLessThanOrEqual(120);
    expect(rendered(short)).toContain('<em>cut</em>');
  });

  it('has a long fence closed by a long fence', () => {
    expect(cut(`${fenced('```\n'.repeat(50), '')}\n`, 60)).toMatch(/^````\n(```\n)+````\n\n_cut_\n$/);
  });

  it.each([
    ['```', '```\n'],
    ['   ~~~~ sql', '~~~~\n'],
    ['```\r', '```\n'],
    ['```\r\n```\r', ''],
    ['    ```', ''],
    ['a ```', ''],
    ['``', ''],
    ['```\n```  ', ''],
    ['```\n``` sql', '```\n'],
    ['```\n~~~', '```\n'],
    ['````\n```', '````\n'],
    ['```\n````', ''],
    ['<details>', '\n</details>\n'],
    ['<details>\n<details>\n</details>', '\n</details>\n'],
    ['<details>\n</details>', ''],
    ['</details>\n<details>', '\n</details>\n'],
    ['a <details>', ''],
    ['<details>\na </details>', '\n</details>\n'],
    ['```\n<details>', '```\n'],
  ])('has exactly what %j opened closed', (start, closing) => {
    const short = cut(`${start}\n${'x\n'.repeat(100)}`, 100);
    expect(short.slice(short.lastIndexOf('x\n') + 2)).toBe(`${closing}\n${note}\n`);
    expect(short.length).toBeGreaterThan(98);
    expect(short.length).toBeLessThanOrEqual(100);
  });

  it('keeps lines after those that need no more room once they are closed', () => {
    const block = `\`\`\`\`\`\`\`\`\`\`\n\`\`\`\`\`\`\`\`\`\`\n`;
    expect(cut(`${block}${'x'.repeat(99)}`, 30)).toBe(`${block}\n${note}\n`);
  });

  it('is only the note if nothing else fits', () => {
    expect(cut('a\n'.repeat(10), 7)).toBe('\n_cut_\n');
  });

  it('is empty if not even the note fits', () => {
    expect(cut('a\n'.repeat(10), 5)).toBe('');
  });

  it('is never too large, has whole lines, and always ends in a readable note', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[<`~]/g, '')),
      fc.constantFrom(
        '```diff',
        '```',
        '````',
        '~~~',
        '<details>\n<summary>x</summary>\n',
        '\n</details>\n',
        '',
        '| a |',
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.nat(400), (lines, limit) => {
        const text = lines.join('\n');
        const bytes = (one: string) => Buffer.byteLength(one);
        const short = cutToFit(text, { limit, size: bytes, note });
        expect(bytes(short)).toBeLessThanOrEqual(limit);
        if (short === text || short === '') return;
        const given = text.split('\n');
        const kept = short.slice(0, short.lastIndexOf(`\n${note}\n`)).split('\n');
        const whole = kept.findIndex((one, index) => one !== given[index]);
        const closing = whole < 0 ? [] : kept.slice(whole);
        for (const one of closing) expect(one).toMatch(/^(`{3,}|~{3,}|<\/details>|)$/);
        expect(rendered(short)).toContain('<em>cut</em>');
      }),
    );
  });
});
