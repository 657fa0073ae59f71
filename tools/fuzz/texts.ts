import fc from 'fast-check';

/** Texts that often break things: runner commands, direction marks, line breaks, lone surrogates. */
const awkward = [
  '',
  ' ',
  '\n',
  '\r\n',
  '::set-output name=x::y',
  '##[error]x',
  '::add-mask::x',
  '`x`',
  '|',
  '<img src=x>',
  '@team',
  '\u202e',
  '\u0000',
  '\ud800',
  '%0A',
  '../..',
  '__proto__',
  'constructor',
  'null',
  '-1',
  '0',
  '1e999',
  'refs/heads/',
  'refs/pull/7/merge',
  'refs/tags/v1',
  '*',
  '[',
  '{',
  '🐘'.repeat(60),
  'x'.repeat(300),
];

/** Any character of Unicode. fast-check's own arbitrary for these takes more than a second to be set up. */
export const anyCharacter = fc
  .nat({ max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

/** Any text, often an awkward one, or several in a row. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(...awkward),
  fc
    .array(fc.oneof(fc.constantFrom(...awkward), fc.string({ maxLength: 8 })), { maxLength: 4 })
    .map((all) => all.join('')),
);
