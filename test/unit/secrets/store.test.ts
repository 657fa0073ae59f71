import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../../src/secrets/store.ts';
import { oneLine, show } from '../../../src/text/inert.ts';
import { secretForms } from '../../../tools/runner/masks.ts';

/** Passwords with everything that may go wrong in encoding, quoting or replacing. */
const secret = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 6, maxLength: 24 }),
    fc.string({ unit: fc.constantFrom(...'aZ9 $&`\'"\\/%+*()[]{}|^.?#:@=<>~!-_ü€😀'), minLength: 6, maxLength: 24 }),
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
        for (const line of [oneLine(text), show(text), oneLine(text, most), JSON.stringify(oneLine(text, most))]) {
          const shown = secrets.redact(line);
          // Neither all of it nor enough to guess it.
          if (!before.includes(seen.slice(0, 4))) expect(shown).not.toContain(seen.slice(0, 6));
          expect(shown).not.toContain(JSON.stringify(seen.slice(0, 6)).slice(1, -1));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('has nothing left of the longer of two secrets with the same beginning', () => {
    const secrets = createSecrets();
    secrets.add('napi_abc');
    secrets.add('napi_abcdef');
    expect(secrets.redact('key napi_abcdef and napi_abc.')).toBe('key *** and ***.');
  });

  it('has no password in a URI that was not added', () => {
    const secrets = createSecrets();
    secrets.add('pw-1');
    expect(secrets.redact('pw-1 at postgres://u:never@h/db')).toBe('*** at postgres://***@h/db');
  });

  it('is the text itself if it has no secret', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/:\/\/|password/i.test(text));
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
  });

  it('ignores one that is too short to be told from other text', () => {
    const secrets = createSecrets();
    for (const short of ['e', 'abc', ' ab ', '%0A', '\n']) expect(secrets.add(short)).toEqual([]);
    expect(secrets.redact('the abc')).toBe('the abc');
  });

  it('returns the lines of one with several, without those that are too short', () => {
    const secrets = createSecrets();
    const forms = secrets.add('{\n  "key": "s3cr3t"\n}');
    expect(forms).toEqual(expect.arrayContaining(['"key": "s3cr3t"']));
    expect(forms.filter((form) => form.length < 4 || form.includes('\n'))).toEqual([]);
    expect(secrets.redact('{ "key": "s3cr3t" }')).not.toContain('s3cr3t');
  });

  it('works with half a surrogate pair', () => {
    expect(() => createSecrets().add('abc\ud83ddef')).not.toThrow();
  });
});
