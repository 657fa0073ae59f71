import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { findAddress } from '../objects/endpoint-record.ts';
import type { State } from '../state.ts';

const BINARY = 0x2;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;
/** What RFC 6455 appends to a client's key. */
const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * Connects a WebSocket to the endpoint in `?address=host:port`, as the package `@neondatabase/serverless` expects it: each message
 * is a piece of the TCP stream.
 */
export function connectWebSocket(state: State, message: IncomingMessage, client: Duplex, head: Buffer): void {
  client.on('error', () => client.destroy());
  const url = new URL(message.url ?? '/', 'http://loopback');
  const [host = '', port = ''] = (url.searchParams.get('address') ?? '').split(':');
  const address = url.pathname === '/v2' ? findAddress(state, host, port) : undefined;
  const key = message.headers['sec-websocket-key'];
  if (!address || key === undefined) {
    client.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return;
  }
  const accept = createHash('sha1').update(`${key}${MAGIC}`).digest('base64');
  client.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const server = connect({ ...address, noDelay: true });
  server.on('data', (data) => client.write(frame(BINARY, data)));
  server.on('error', () => server.destroy());
  server.once('close', () => client.end(frame(CLOSE, Buffer.alloc(0))));
  client.once('close', () => server.destroy());
  let unread = head;
  const read = (data: Buffer): void => {
    unread = Buffer.concat([unread, data]);
    for (;;) {
      const next = readFrame(unread);
      if (!next) return;
      unread = unread.subarray(next.length);
      if (next.opcode === CLOSE) server.end();
      else if (next.opcode === PING) client.write(frame(PONG, next.payload));
      else if (next.opcode !== PONG) server.write(next.payload);
    }
  };
  client.on('data', read);
  read(Buffer.alloc(0));
}

/** A whole message from the server, which is not masked. */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** The first frame from a client, unmasked, and its length with head; undefined while it is incomplete. */
function readFrame(data: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  if (data.length < 2) return undefined;
  const short = data.readUInt8(1) & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (data.length < start + 4) return undefined;
  const size = start === 2 ? short : start === 4 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
  const length = start + 4 + size;
  if (data.length < length) return undefined;
  const mask = data.subarray(start, start + 4);
  const payload = Buffer.from(data.subarray(start + 4, length));
  for (const [index, byte] of payload.entries()) payload[index] = byte ^ (mask[index % 4] ?? 0);
  return { opcode: data.readUInt8(0) & 0x0f, payload, length };
}
