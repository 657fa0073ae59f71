import { describe, expect, it } from 'vitest';
import { dropUnsafeSettings, proxyOf } from '../../../src/http/environment.ts';

it('drops and names settings that turn off certificate checks', () => {
  const unsafe = { NODE_TLS_REJECT_UNAUTHORIZED: '0', PATH: '/bin' };
  expect(dropUnsafeSettings(unsafe)).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored');
  expect(unsafe).toEqual({ PATH: '/bin' });
  for (const value of [undefined, '', '1'])
    expect(dropUnsafeSettings({ NODE_TLS_REJECT_UNAUTHORIZED: value })).toBeUndefined();
});

describe('the proxy of a URL', () => {
  const url = 'https://api.example.com/api/v2';
  it.each([
    [{ HTTPS_PROXY: 'http://u:pr0xyPass@proxy:3128' }, { name: 'HTTPS_PROXY', host: 'proxy:3128' }],
    [{ HTTP_PROXY: 'http://proxy' }, { name: 'HTTP_PROXY', host: 'proxy' }],
    [
      { https_proxy: 'http://small', HTTPS_PROXY: 'http://big' },
      { name: 'https_proxy', host: 'small' },
    ],
    [{ HTTPS_PROXY: '' }, undefined],
    [{ HTTPS_PROXY: 'nonsense' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: 'other, .example.com:443' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy', no_proxy: '*' }, undefined],
    [
      { HTTPS_PROXY: 'http://proxy', NO_PROXY: 'ample.com' },
      { name: 'HTTPS_PROXY', host: 'proxy' },
    ],
  ])('with %j', (variables, expected) => {
    expect(proxyOf(url, variables)).toEqual(expected);
  });

  it('is none on loopback', () => {
    expect(proxyOf('http://127.0.0.1:80/api/v2', { HTTP_PROXY: 'http://proxy' })).toBeUndefined();
  });
});
