import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** DER: a tag, the length of the content, and the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const set = (...parts: Buffer[]): Buffer => der(0x31, ...parts);
const octets = (content: Buffer): Buffer => der(0x04, content);
const bits = (content: Buffer): Buffer => der(0x03, Buffer.of(0), content);
const explicit = (number: number, content: Buffer): Buffer => der(0xa0 + number, content);
const text = (value: string): Buffer => der(0x0c, Buffer.from(value));
const yes = der(0x01, Buffer.of(0xff));
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const time = (ms: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

const COMMON_NAME = oid('550403');
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const BASIC_CONSTRAINTS = oid('551d13');
const KEY_USAGE = oid('551d0f');
const SUBJECT_ALT_NAME = oid('551d11');

export interface KeyAndCertificate {
  /** Both are PEM. */
  key: string;
  cert: string;
}

/**
 * A key and a self-signed certificate for loopback (`localhost` and the `hosts`), and for two names under which it may be
 * reached through a proxy (`0.0.0.0`, `service.test`), valid from yesterday to tomorrow. It is encoded
 * by hand (X.509, RFC 5280) because Node.js cannot create certificates and openssl may not be installed. It is also a CA, so
 * trusting it (`NODE_EXTRA_CA_CERTS`, `sslrootcert`) is enough for full verification.
 */
export function selfSigned(hosts = ['127.0.0.1'], now = Date.now()): KeyAndCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const name = sequence(set(sequence(COMMON_NAME, text('localhost'))));
  const alternatives = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x82, Buffer.from('service.test')),
    ...[...hosts, '0.0.0.0'].map((host) => der(0x87, Buffer.from(host.split('.').map(Number)))),
  );
  const serial = randomBytes(16);
  serial[0] = 0x40;
  const body = sequence(
    explicit(0, der(0x02, Buffer.of(2))),
    der(0x02, serial),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(now - 86_400_000), time(now + 86_400_000)),
    name,
    publicKey,
    explicit(
      3,
      sequence(
        sequence(BASIC_CONSTRAINTS, yes, octets(sequence(yes))),
        // digitalSignature and keyCertSign
        sequence(KEY_USAGE, yes, octets(der(0x03, Buffer.of(2, 0x84)))),
        sequence(SUBJECT_ALT_NAME, octets(alternatives)),
      ),
    ),
  );
  const signature = sign('sha256', body, createPrivateKey(privateKey));
  const certificate = sequence(body, ECDSA_WITH_SHA256, bits(signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
