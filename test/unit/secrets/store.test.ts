import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../../src/secrets/store.ts';
import { oneLine, show } from '../../../src/text/inert.ts';
import { secretForms } from '../../support/masks.ts';

/** Passwords with everything that an encoding, a quoting or a replacement might trip over. */
const secret = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 6, maxLength: 24 }),
    fc.string({
      unit: fc.constantFrom(...'aZ9 $&`\'"\\/%+*()[]{}|^.?#:@=<>~!-_\n\tü€😀'),
      minLength: 6,
      maxLength: 24,
    }),
    fc.string({ unit: 'binary', minLength: 6, maxLength: 12 }),
  )
  .filter((text) => text.trim().length >= 6);

describe('secrets', () => {
  it('do not survive, in any form in which a log, a URI or JSON might show them', () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 3 }), fc.string(), fc.string(), (all, before, after) => {
        const secrets = createSecrets();
        for (const one of all) secrets.add(one);
        for (const one of all) {
          for (const [form] of secretForms(one)) {
            // a form of stars alone would be found in what stands in for it
            if (/^\*+$/.test(form)) continue;
            expect(secrets.redact(`${before} ${form} ${after}`)).not.toContain(form);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('do not survive on one line, nor quoted there, nor cut off in the middle', () => {
    const word = fc.constantFrom('', 'x', ' ', '::error::', ' ::', ': ', '"', 'a b');
    fc.assert(
      fc.property(secret, word, word, fc.integer({ min: 0, max: 30 }), (one, before, after, most) => {
        const secrets = createSecrets();
        secrets.add(one);
        const seen = oneLine(one, 1_000);
        fc.pre(seen.length >= 6 && !/^[*\s]+$/.test(seen));
        const text = `${before}${one}${after}`;
        for (const line of [oneLine(text), show(text), oneLine(text, most), show(text, most)]) {
          const shown = secrets.redact(line);
          // neither the whole nor a half of it that gives it away
          if (!before.includes(seen.slice(0, 4))) expect(shown).not.toContain(seen.slice(0, 6));
          expect(shown).not.toContain(JSON.stringify(seen.slice(0, 6)).slice(1, -1));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('hide the longer of two that begin alike whole', () => {
    const secrets = createSecrets();
    secrets.add('napi_abc');
    secrets.add('napi_abcdef');
    expect(secrets.redact('key napi_abcdef and napi_abc.')).toBe('key *** and ***.');
  });

  it('hide any URI with a password, though nobody named it', () => {
    const secrets = createSecrets();
    expect(secrets.redact('at postgres://u:never%40seen@h/db, and never@seen again')).toBe('at *** and *** again');
  });

  it('leave a text without any as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/:\/\//.test(text));
        expect(createSecrets().redact(text)).toBe(text);
      }),
    );
  });

  it('are each given out once, and an empty one never', () => {
    const secrets = createSecrets();
    expect(secrets.add('')).toEqual([]);
    expect(secrets.add('  \n')).toEqual([]);
    expect(secrets.add('p/w-1')).toEqual(expect.arrayContaining(['p/w-1', 'p%2Fw-1']));
    expect(secrets.add('p/w-1')).toEqual([]);
    expect(secrets.add('p%2Fw-1')).not.toContain('p/w-1');
  });

  it('take half a character without falling over', () => {
    expect(() => createSecrets().add('abc\ud83ddef')).not.toThrow();
  });
});
