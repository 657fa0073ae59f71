import { createPrivateKey, X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { expect, it } from 'vitest';
import { selfSigned } from '../certificate.ts';
import { startService } from '../index.ts';

it('creates a certificate that is its own CA, for loopback, valid now', () => {
  const { key, cert } = selfSigned();
  const certificate = new X509Certificate(cert);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.ca).toBe(true);
  expect(certificate.checkHost('localhost')).toBe('localhost');
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now());
});

it('serves HTTPS to clients that trust the certificate, and to no others', async () => {
  const service = await startService({ compute: 'none', tls: true });
  const get = (ca: string | undefined): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${service.apiKey}` };
      request(`${service.baseUrl}/users/me`, { headers, ca }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  try {
    expect(service.baseUrl).toMatch(/^https:/);
    expect(await get(service.certificate)).toBe(200);
    await expect(get(undefined)).rejects.toThrow(/self-signed certificate/);
  } finally {
    await service.stop();
  }
});
