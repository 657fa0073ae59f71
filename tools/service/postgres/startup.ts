import { connect, type Socket } from 'node:net';
import { type SecureContext, connect as secure, TLSSocket } from 'node:tls';

/** Codes in place of a protocol version, and the response "yes" to a request for TLS. */
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const YES = 0x53;

/** A startup packet has at most this many bytes. */
const LONGEST = 10_000;

/**
 * Connects a client to the server at a port. As the service's proxy does, it drops startup parameters that no server knows:
 * some clients send on whatever is in a URI's query, such as `channel_binding`. To read them, it ends the client's TLS, with the
 * server's own certificate, so that channel binding holds, and uses TLS to the server if the client does. Returns the two ends;
 * `track` is called with every socket as soon as there is one.
 */
export async function connectClient(options: {
  client: Socket;
  port: number;
  tls: SecureContext;
  track: (socket: Socket) => void;
}): Promise<[Socket, Socket]> {
  const { port, tls, track } = options;
  let { client } = options;
  let packet: Buffer;
  for (;;) {
    const [first = 0] = await readBytes(client, 1);
    client.unshift(Buffer.of(first));
    if (first === 0x16 && !(client instanceof TLSSocket)) {
      // TLS without asking for it first
      client = serveTls(client, tls, track);
      continue;
    }
    packet = await readPacket(client);
    const code = packet.readUInt32BE(4);
    if (code === SSL_REQUEST && !(client instanceof TLSSocket)) {
      client.write('S');
      client = serveTls(client, tls, track);
    } else if (code === GSS_REQUEST || code === SSL_REQUEST) client.write('N');
    else break;
  }
  const server = await connectServer({ port, encrypted: client instanceof TLSSocket, track });
  server.write(packet.readUInt32BE(4) === CANCEL_REQUEST ? packet : withKnownParameters(packet));
  return [client, server];
}

function serveTls(client: Socket, tls: SecureContext, track: (socket: Socket) => void): TLSSocket {
  const encrypted = new TLSSocket(client, {
    isServer: true,
    secureContext: tls,
    ALPNProtocols: ['postgresql'],
  });
  track(encrypted);
  return encrypted;
}

async function connectServer(options: {
  port: number;
  encrypted: boolean;
  track: (socket: Socket) => void;
}): Promise<Socket> {
  const { port, encrypted, track } = options;
  const server = connect({ port, host: '127.0.0.1', noDelay: true });
  track(server);
  if (!encrypted) return server;
  const request = Buffer.alloc(8);
  request.writeUInt32BE(8, 0);
  request.writeUInt32BE(SSL_REQUEST, 4);
  server.write(request);
  const [response] = await readBytes(server, 1);
  if (response !== YES) throw new Error('the server has no TLS');
  // It is our own server on loopback; the client verifies the same certificate.
  const over = secure({ socket: server, rejectUnauthorized: false });
  track(over);
  return over;
}

async function readPacket(socket: Socket): Promise<Buffer> {
  const head = await readBytes(socket, 4);
  const length = head.readUInt32BE(0);
  if (length < 8 || length > LONGEST) throw new Error(`not a startup packet: ${length} bytes`);
  return Buffer.concat([head, await readBytes(socket, length - 4)]);
}

/** Reads this many bytes and leaves the rest. */
async function readBytes(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const chunk: Buffer | null = socket.read(length);
    if (chunk?.length === length) return chunk;
    if (chunk !== null || socket.readableEnded || socket.destroyed) throw new Error('the connection has ended');
    await new Promise<void>((resolve) => {
      const events = ['readable', 'end', 'close'];
      const done = (): void => {
        for (const event of events) socket.off(event, done);
        resolve();
      };
      for (const event of events) socket.on(event, done);
    });
  }
}

/** Settings that clients send at startup. The service knows only some of them, but dropping too few harms no client. */
const known = new Set(
  `user database options replication application_name client_encoding client_min_messages datestyle intervalstyle timezone
  search_path role session_authorization extra_float_digits bytea_output standard_conforming_strings statement_timeout
  lock_timeout transaction_timeout idle_in_transaction_session_timeout idle_session_timeout default_transaction_isolation
  default_transaction_read_only default_transaction_deferrable geqo jit row_security synchronous_commit work_mem xmloption`.split(
    /\s+/,
  ),
);

/** A startup packet without parameters that the server would reject. */
function withKnownParameters(packet: Buffer): Buffer {
  const texts = packet.subarray(8).toString('latin1').split('\0');
  const kept: string[] = [];
  for (let index = 0; index + 1 < texts.length && texts[index]; index += 2) {
    const [name = '', value = ''] = texts.slice(index, index + 2);
    // A name with a dot is a setting of an extension or, as `_pq_.…`, of the protocol.
    if (name.includes('.') || known.has(name.toLowerCase())) kept.push(name, value);
  }
  const body = Buffer.from(`${kept.map((text) => `${text}\0`).join('')}\0`, 'latin1');
  const head = Buffer.from(packet.subarray(0, 8));
  head.writeUInt32BE(8 + body.length, 0);
  return Buffer.concat([head, body]);
}
