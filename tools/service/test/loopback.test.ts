import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Service, startService } from '../index.ts';
import { Loopback } from '../postgres/loopback.ts';

const POSTGRES_PORT = 5432;

/** A system where listening fails as `taken` says, and what was tried on it. */
function system(taken: (host: string, port: number) => boolean) {
  const tried: string[] = [];
  const listen = async (host: string, port: number) => {
    tried.push(`${host}:${port}`);
    if (taken(host, port)) throw new Error('EADDRINUSE');
  };
  return { tried, listen };
}

it('gives each endpoint port 5432 of an address of its own, and a closed one its address back', async () => {
  const loopback = new Loopback(true);
  const { tried, listen } = system(() => false);
  const hosts: string[] = [];
  for (let count = 0; count < 254; count++) hosts.push(await loopback.listen(listen));
  expect(new Set(hosts).size).toBe(254);
  expect(tried).toEqual(hosts.map((host) => `${host}:${POSTGRES_PORT}`));
  for (const host of hosts) expect(host).toMatch(/^127\.[1-9]\d*\.\d+\.[1-9]\d*$/);
  expect(await loopback.listen(listen)).toBe('127.0.0.1');
  loopback.release(hosts[7] ?? '');
  expect(await loopback.listen(listen)).toBe(hosts[7]);
});

it('skips an address that is taken, and uses ports of 127.0.0.1 if the port is taken everywhere', async () => {
  const one = system((_, port) => port === POSTGRES_PORT && one.tried.length === 1);
  expect(await new Loopback(true).listen(one.listen)).toMatch(/\.2$/);
  const all = system((_, port) => port === POSTGRES_PORT);
  expect(await new Loopback(true).listen(all.listen)).toBe('127.0.0.1');
  expect(all.tried).toHaveLength(4);
  expect(await new Loopback(false).listen(all.listen)).toBe('127.0.0.1');
  expect(all.tried.slice(3)).toEqual(['127.0.0.1:0', '127.0.0.1:0']);
});

it.runIf(process.platform === 'linux')('lets several services run at once', async () => {
  const services = await Promise.all([1, 2].map(() => startService({ seed: 'CREATE TABLE t (n int)' })));
  try {
    const addresses = (service: Service) => service.endpoints().map(({ host }) => host);
    for (const service of services) {
      await service.addBranch({ name: 'second' });
      // Another program may have taken port 5432, which is no failure.
      if (service.main.uri.includes('127.0.0.1')) continue;
      expect(new Set(addresses(service)).size).toBe(2);
      expect(service.uri('second')).toBe(service.uri('second', { pooled: true }));
      const certificate = new X509Certificate(service.certificate ?? '');
      for (const host of addresses(service)) expect(certificate.checkIP(host)).toBe(host);
    }
    const all = services.flatMap(addresses).filter((host) => host !== '127.0.0.1');
    expect(new Set(all).size).toBe(all.length);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
});
