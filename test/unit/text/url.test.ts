import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../src/text/url.ts';

/** Plain HTTP is allowed only there, and no proxy is used, so a host that only looks like it must not count. */
describe('loopback', () => {
  const hosts = ['localhost', 'localhost.', '127.0.0.1', '127.10.200.255', '[::1]'];

  it.each(hosts)('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
    // as a URL has it
    expect(new URL(`http://${host}`).hostname).toBe(host);
  });

  it.each([
    ...['example.com', 'localhost.example.com', 'notlocalhost', 'local.host', ''],
    ...['128.0.0.1', '127.0.0', '127.0.0.1.example.com', '10.127.0.0.1', 'a127.0.0.1', '127.0.0.1234', '127.0.0.x'],
    ...['[::2]', '::1', '[::1]x', '[1::1]', '[::ffff:8f00:1]', '[::ffff:7f0:1]', '[::ffff:7fgg:1]', '[::ffff:7f00:g]'],
    ...['[::ffff:7f00:1]x', 'x[::ffff:7f00:1]', '[::ffff:7f00:12345]', '[::ffff:7f000:1]'],
  ])('is not %j', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
