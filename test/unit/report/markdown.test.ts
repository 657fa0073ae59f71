import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../../src/text/inert.ts';
import { code, fenced, plain, sentence, table } from '../../../src/text/markdown.ts';
import { livingIn, rendered, seen } from '../../support/rendered.ts';

/** Hostile titles, refs and messages. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '@octocat',
        '@github/team',
        '#123',
        'octo/repo#1',
        'GH-7',
        'https://evil.test/x',
        'www.evil.test',
        'a@evil.test',
        'mailto:a@b.test',
        '<img src=x onerror=alert(1)>',
        '<!-- marker -->',
        '</td></table>',
        '<details>',
        '&lt;b&gt;',
        '&#64;octocat',
        '&amp;',
        '&#35;1',
        '[link](https://evil.test)',
        '![image](https://evil.test/i.png)',
        '[a]: https://evil.test',
        '[^1]',
        '**bold**',
        '_it_',
        '__b__',
        '~~no~~',
        '`code`',
        '``',
        '```',
        '$x$',
        '$$',
        '|',
        '||',
        '\\',
        '\\|',
        '- item',
        '1. item',
        '# head',
        '> quote',
        '+ x',
        '---',
        '===',
        '***',
        '\t',
        '    ',
        '\n',
        '\r\n\r\n',
        '\u200b',
        '\u202e',
        '- [ ] task',
        ' ',
        '  ',
        '\\@octocat',
        'http',
        ':',
        '//',
        '@',
        '#',
        '_',
        '*',
        '1',
        ')',
        '.',
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 10 },
  )
  .map((words) => words.join(''));

const paragraph = (html: string): string | undefined =>
  /^(?:<p>([\s\S]*)<\/p>)?$/.exec(html.trim())?.[1] ?? (html === '' ? '' : undefined);
const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();

describe('untrusted text in Markdown', () => {
  it('is rendered unchanged, as plain text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = rendered(`It is ${plain(text)} in a sentence.`);
        expect(paragraph(html)).not.toMatch(/<(?!$)/);
        expect(squeezed(seen(html))).toBe(squeezed(`It is ${oneLine(text, 300)} in a sentence.`));
        expect(livingIn(html)).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  it('is plain text at the start of a line too', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = rendered(plain(text));
        expect(paragraph(html)).toBeDefined();
        expect(paragraph(html)).not.toMatch(/</);
        expect(squeezed(seen(html))).toBe(squeezed(oneLine(text, 300)));
      }),
      { numRuns: 250 },
    );
  });

  it('stays in one table cell, whatever it contains', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const html = rendered(table({ head: ['a', 'b', 'c'], body: [[plain(one), code(two), 'end']] }));
        expect(html.match(/<td>/g)).toHaveLength(3);
        expect(html).toContain('<td>end</td>');
        const [first = '', second = ''] = [...html.matchAll(/<td>([\s\S]*?)<\/td>/g)].map((match) => match[1] ?? '');
        expect(first).not.toContain('<');
        expect(squeezed(seen(first))).toBe(squeezed(oneLine(one, 300)));
        expect(second.replace(/^<code>|<\/code>$/g, '')).not.toContain('<');
        expect(squeezed(seen(second))).toBe(squeezed(oneLine(two, 300)));
      }),
      { numRuns: 250 },
    );
  });

  it('stays readable in the source if it is harmless', () => {
    for (const text of [
      'preview/pr-7',
      'snake_case_name',
      'feature/a-b.c',
      '10:30',
      'a+b=c',
      'Größe (neu)!',
      'C# and F#',
    ])
      expect(plain(text)).toBe(text);
  });
});

describe('a sentence', () => {
  it('shows its code as code', () => {
    expect(sentence('Set `on_limit: prune`, or `a|b`.')).toBe('Set `on_limit: prune`, or <code>a&#124;b</code>.');
  });

  it('has nothing else that Markdown interprets, whatever backticks come from outside', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const text = `Set \`command: create\` for ${one} and \`${two}\`, or ${two}.`;
        const html = rendered(sentence(text));
        expect(paragraph(html)?.replace(/<\/?code>/g, '')).not.toContain('<');
        const bare = (all: string) => squeezed(all.replaceAll('`', '')).replaceAll(' ', '');
        expect(bare(seen(html))).toBe(bare(oneLine(text, 2_000)));
        expect(livingIn(html.replace(/<code>[\s\S]*?<\/code>/g, 'x'))).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });
});

describe('code', () => {
  it('is rendered unchanged', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = rendered(`It is ${code(text)} here.`);
        const inner = /<p>It is <code>([\s\S]*)<\/code> here\.<\/p>/.exec(html)?.[1];
        expect(inner).toBeDefined();
        expect(inner).not.toContain('<');
        expect(squeezed(seen(inner ?? ''))).toBe(squeezed(oneLine(text, 300)));
      }),
      { numRuns: 250 },
    );
  });

  it('is in backticks for a plain name', () => {
    expect(code('preview/pr-7')).toBe('`preview/pr-7`');
  });
});

describe('a code block', () => {
  it('shows every character that would show nothing', () => {
    expect(fenced('a\u00adb\u200bc\ufe0fd\u034fe\u202ef\u0007g\th\n')).toBe(
      '```\na\\u00adb\\u200bc\\ufe0fd\\u034fe\\u202ef\\u0007g\th\n```',
    );
  });
});
