import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../../src/secrets/store.ts';
import { oneLine, show } from '../../../src/text/inert.ts';
import { secretForms } from '../../support/masks.ts';

/** Passwords with everything that may go wrong in encoding, quoting or replacing. */
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

describe('redacted text', () => {
  it('has no secret in any form: raw, percent-encoded or JSON-escaped', () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 3 }), fc.string(), fc.string(), (all, before, after) => {
        const secrets = createSecrets();
        for (const one of all) secrets.add(one);
        for (const one of all) {
          for (const [form] of secretForms(one)) {
            // A secret of stars alone would be found in its replacement.
            if (/^\*+$/.test(form)) continue;
            expect(secrets.redact(`${before} ${form} ${after}`)).not.toContain(form);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('has no secret that was put on one line, quoted or cut before', () => {
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
          // Neither all of it nor enough to guess it.
          if (!before.includes(seen.slice(0, 4))) expect(shown).not.toContain(seen.slice(0, 6));
          expect(shown).not.toContain(JSON.stringify(seen.slice(0, 6)).slice(1, -1));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('has nothing left of the longer of two secrets with the same beginning', () => {
    const secrets = createSecrets();
    secrets.add('napi_abc');
    secrets.add('napi_abcdef');
    expect(secrets.redact('key napi_abcdef and napi_abc.')).toBe('key *** and ***.');
  });

  it('has no URI with a password, even if that was not added', () => {
    const secrets = createSecrets();
    expect(secrets.redact('at postgres://u:never%40seen@h/db, and never@seen again')).toBe('at *** and *** again');
  });

  it('is the text itself if it has no secret', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/:\/\//.test(text));
        expect(createSecrets().redact(text)).toBe(text);
      }),
    );
  });
});

describe('adding a secret', () => {
  it('returns each form to mask once, and none for an empty secret', () => {
    const secrets = createSecrets();
    expect(secrets.add('')).toEqual([]);
    expect(secrets.add('  \n')).toEqual([]);
    expect(secrets.add('p/w-1')).toEqual(expect.arrayContaining(['p/w-1', 'p%2Fw-1']));
    expect(secrets.add('p/w-1')).toEqual([]);
    expect(secrets.add('p%2Fw-1')).not.toContain('p/w-1');
  });

  it('works with half a surrogate pair', () => {
    expect(() => createSecrets().add('abc\ud83ddef')).not.toThrow();
  });
});
