import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidValue } from '../../../src/step/invalid.ts';
import { requestPath } from '../../../src/step/values.ts';
import { rejected } from '../../support/rejected.ts';

describe('the path of a raw request', () => {
  it.each([
    ['/projects/a/permissions', '/projects/a/permissions'],
    ['users/me', '/users/me'],
    ['/x?a=b..c&d=../e', '/x?a=b..c&d=../e'],
    ['/projects/a%2Fb', '/projects/a%2Fb'],
    // Characters are encoded if necessary, and never twice.
    ['/a b/ä', '/a%20b/%C3%A4'],
    ['/a#b', '/a%23b'],
    ['/100%/%zz', '/100%25/%25zz'],
    ['/x?search=a b&c=d?e#f', '/x?search=a%20b&c=d?e%23f'],
    ['/x?search=%C3%A4+b', '/x?search=%C3%A4+b'],
    ['/roles/"<a>|b`c^', '/roles/%22%3Ca%3E%7Cb%60c%5E'],
    ['/😀', '/%F0%9F%98%80'],
    // Placeholders for other inputs.
    ['/projects/{project_id}/x{y z}', '/projects/{project_id}/x%7By%20z%7D'],
    ['/a.b/...', '/a.b/...'],
  ])('%s is sent as %s', (raw, path) => {
    expect(requestPath(raw)).toBe(path);
    if (!path.includes('{')) expect(new URL(`https://host/api/v2${path}`).href).toBe(`https://host/api/v2${path}`);
  });

  it.each([
    'https://evil.example/',
    'evil:x',
    'javascript:alert(1)',
    '//evil.example',
    '/../x',
    '..',
    '/a/..',
    '/a/%2e%2e/b',
    '/a/%2E./b',
    '/a/%252e%252e/b',
    '/a/..%2Fb',
    '/a%2F..%5Cb',
    '/a/./b',
    '/a/..;/b',
    '/a/..;x=1/b',
    '/a/..%3B/b',
    '/a/%2e%2e;/b',
    '/a/.;',
    '/a/..%20/b',
    '/a\\..\\b',
    '/a\tb',
    '/a\nb',
    '/a%3f/../../../b',
    '/\ud800',
    'postgresql://u:secret@host/db',
    '/../x?token=secret',
    '//x?api_key=secret',
  ])('cannot be %j', (raw) => {
    const error = rejected(() => requestPath(raw));
    expect(`${error.message} ${error.shown}`).not.toContain('secret');
  });

  it('is shown without its query, and not at all if it has a connection URI', () => {
    const shown = (raw: string) => rejected(() => requestPath(raw)).shown;
    expect(shown('/../x')).toBeUndefined();
    expect(shown('/../x?token=secret')).toBe('"/../x" with a query (not shown)');
    expect(shown('/x?uri=postgres://u:secret@h/d')).toBe('a connection URI (not shown)');
  });

  it('is always below the base URL', () => {
    const characters = fc.constantFrom(...Array.from('ab/.%23eEfF5cC?#@:\\{}_ \n'), 'http', '%2e', '%2F', '..', 'ä');
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 12 }), (parts) => {
        const raw = parts.join('');
        let path: string;
        try {
          path = requestPath(raw);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidValue);
          return;
        }
        const url = new URL(`https://api.example/api/v2${path}`);
        expect(url.origin).toBe('https://api.example');
        expect(url.pathname.startsWith('/api/v2/')).toBe(true);
        expect(url.pathname.split('/').length).toBe(`/api/v2${path}`.split('?')[0]?.split('/').length);
        expect(url.hash).toBe('');
        expect(requestPath(path)).toBe(path);
      }),
      { numRuns: 5_000 },
    );
  });
});
