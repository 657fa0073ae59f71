import { describe, expect, it } from 'vitest';
import {
  changedVariables,
  dropUnsafeSettings,
  fingerprintEnvironment,
  proxyOf,
} from '../../../src/http/environment.ts';

const env = { PATH: '/bin', HTTPS_PROXY: 'http://u:pr0xyPass@proxy:3128', no_proxy: 'a,b', HTTP_PROXY: '' };

describe('the fingerprint of the environment', () => {
  it('contains no values, and differs each time', () => {
    const one = fingerprintEnvironment(env);
    expect(one).toMatch(/^[\da-f.]+$/);
    expect(fingerprintEnvironment(env)).not.toBe(one);
    expect(fingerprintEnvironment(env).split('.')).not.toEqual(expect.arrayContaining(one.split('.')));
  });

  it('stays valid if only other variables or the order change', () => {
    const one = fingerprintEnvironment(env);
    expect(changedVariables(one, env)).toEqual([]);
    const { HTTPS_PROXY, ...rest } = env;
    expect(changedVariables(one, { ...rest, GITHUB_ENV: '/tmp/x', PATH: '/evil', HTTPS_PROXY })).toEqual([]);
    const both = { http_proxy: 'http://a', HTTP_PROXY: 'http://b' };
    const reversed = { HTTP_PROXY: 'http://b', http_proxy: 'http://a' };
    expect(changedVariables(fingerprintEnvironment(both), reversed)).toEqual([]);
    // An empty variable counts as unset.
    expect(changedVariables(one, { ...env, HTTP_PROXY: undefined, ALL_PROXY: '' })).toEqual([]);
  });

  it.each([
    ['HTTPS_PROXY', { HTTPS_PROXY: 'http://evil' }],
    ['HTTPS_PROXY', { HTTPS_PROXY: '' }],
    ['HTTPS_PROXY', { https_proxy: 'http://evil' }],
    ['HTTP_PROXY', { Http_Proxy: 'http://evil' }],
    ['NODE_USE_SYSTEM_CA', { NODE_USE_SYSTEM_CA: '1' }],
    ['NODE_USE_ENV_PROXY', { NODE_USE_ENV_PROXY: '1' }],
    ['SSL_CERT_DIR', { SSL_CERT_DIR: '/tmp' }],
    ['NO_PROXY', { no_proxy: 'a' }],
    ['ALL_PROXY', { ALL_PROXY: 'http://evil' }],
    ['NODE_EXTRA_CA_CERTS', { NODE_EXTRA_CA_CERTS: '/tmp/ca.pem' }],
    ['NODE_TLS_REJECT_UNAUTHORIZED', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
    ['SSL_CERT_FILE', { SSL_CERT_FILE: '/tmp/ca.pem' }],
    ['NODE_OPTIONS', { NODE_OPTIONS: '--require /tmp/evil.js' }],
  ])('names %s if it was changed: %j', (name, change) => {
    expect(changedVariables(fingerprintEnvironment(env), { ...env, ...change })).toEqual([name]);
  });

  it.each(['', 'x', '.', 'a.b.c'])('names every variable if it is unreadable: %j', (broken) => {
    expect(changedVariables(broken, env)).toContain('HTTPS_PROXY');
  });
});

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
