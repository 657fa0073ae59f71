import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidValue } from '../../../src/step/invalid.ts';
import { apiHost } from '../../../src/step/values.ts';
import { near, rejected } from '../../support/rejected.ts';

describe('api_host', () => {
  const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
  const domain = fc.tuple(label, label).map(([one, two]) => `${one}.${two}.example`);
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }).filter((one) => one !== 443 && one !== 80));
  const withPort = (host: string, at: number | null) => (at === null ? host : `${host}:${at}`);

  it('has three forms for the same URL', () => {
    fc.assert(
      fc.property(domain, port, fc.constantFrom('', '/', '//'), (host, at, slash) => {
        const authority = withPort(host, at);
        const base = `https://${authority}/api/v2`;
        expect(apiHost(`${authority}${slash}`)).toBe(base);
        expect(apiHost(`https://${authority}${slash}`)).toBe(base);
        expect(apiHost(`${base}${slash}`)).toBe(base);
        expect(apiHost(`HTTPS://${authority}/other/path${slash}`)).toBe(`https://${authority}/other/path`);
      }),
    );
  });

  const loopback = fc.constantFrom('localhost', '127.0.0.1', '127.8.9.1', '[::1]');

  it('may be plain http on loopback only, where it is the default', () => {
    fc.assert(
      fc.property(loopback, port, (host, at) => {
        const authority = withPort(host, at);
        expect(apiHost(authority)).toBe(`http://${authority}/api/v2`);
        expect(apiHost(`http://${authority}`)).toBe(`http://${authority}/api/v2`);
        expect(apiHost(`https://${authority}`)).toBe(`https://${authority}/api/v2`);
      }),
    );
    fc.assert(
      fc.property(domain, port, (host, at) => {
        expect(rejected(() => apiHost(`http://${withPort(host, at)}`)).message).toContain('loopback');
      }),
    );
    for (const host of [
      'http://localhost.example',
      'http://127.0.0.1.example',
      'http://10.0.0.1',
      'http://0.0.0.0',
      'http://[::2]',
    ])
      rejected(() => apiHost(host));
    expect(apiHost('localhost:443')).toBe('http://localhost:443/api/v2');
    expect(apiHost('localhost:80')).toBe('http://localhost/api/v2');
    expect(apiHost('http://127.1:8080')).toBe('http://127.0.0.1:8080/api/v2');
  });

  it.each([
    'https://user:secret99@host.example',
    'https://secret99@host.example',
    'user:secret99@host.example',
    'postgresql://user:secret99@host.example/db',
    'ftp://host.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https:host.example',
    'https:/host.example',
    'http:/127.0.0.1',
    'https://',
    'https://host.example?x=1',
    'https://host.example/#x',
    'https://host.example\\@evil.example',
    'host.example evil.example',
    'https://host.example\n.evil.example',
    'https://host .example',
    'host.example:99999',
    ':8080',
    '/api/v2',
    '//host.example',
    'https://[::1',
  ])('cannot be %j', (text) => {
    const error = rejected(() => apiHost(text));
    expect(`${error.message} ${error.shown ?? ''}`).not.toContain('secret99');
  });

  it('never leads to another origin, and never has credentials', () => {
    fc.assert(
      fc.property(near('ab1.:/@#?%[]\\', 'htps', ' -_'), (text) => {
        let base: string;
        try {
          base = apiHost(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidValue);
          return;
        }
        const url = new URL(base);
        expect(url.username + url.password + url.search + url.hash).toBe('');
        expect(base).toBe(`${url.origin}${url.pathname}`);
        expect(base).not.toMatch(/\/$/);
        const bare = text.replace(/^https?:\/\//i, '').toLowerCase();
        expect(new URL(`http://${bare}`).hostname).toBe(url.hostname);
      }),
      { numRuns: 500 },
    );
  });
});
