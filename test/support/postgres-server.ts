import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { KeyAndCertificate } from '../../tools/service/certificate.ts';

/** A message of Postgres' protocol. */
function message(type: string, data: Buffer | string = ''): Buffer {
  const body = Buffer.from(data);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** An authentication request; 0 means that no password is required, and 3 that a clear-text password is. */
export function authentication(type: number, data: Buffer | string = ''): Buffer {
  const number = Buffer.alloc(4);
  number.writeInt32BE(type);
  return message('R', Buffer.concat([number, Buffer.from(data)]));
}

/** A request for authentication with one of these SASL mechanisms. */
export const sasl = (...mechanisms: string[]) => authentication(10, `${mechanisms.join('\0')}\0\0`);

export const accepted = Buffer.concat([authentication(0), message('Z', 'I')]);
const oneRow = Buffer.concat([message('C', 'SELECT 1\0'), message('Z', 'I')]);

export const refusal = (code: string, text: string) => message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);

export interface PostgresServer {
  /** `127.0.0.1:<port>` */
  host: string;
  /** What clients have sent, without the requests for TLS; latin1. */
  received: string[];
  /** Connections so far, and those that are still open. */
  visits(): number;
  open(): number;
  close(): void;
}

/**
 * A server that speaks as much of Postgres' protocol as a login and a query without rows need. `login` gives what it sends for a
 * message of the nth connection that is not a query, counted from 1 (the startup message): by default it accepts every login; undefined closes the
 * connection.
 */
export async function startPostgresServer(
  options: { tls?: KeyAndCertificate; login?: (nth: number, message: number) => Buffer | undefined } = {},
): Promise<PostgresServer> {
  const { tls, login = () => accepted } = options;
  const received: string[] = [];
  const sockets = new Set<Socket>();
  let visits = 0;
  const serve = (stream: Duplex, nth: number) => {
    let messages = 0;
    stream.on('error', () => {});
    stream.on('data', (data: Buffer) => {
      received.push(data.toString('latin1'));
      const reply = data[0] === 'Q'.charCodeAt(0) ? oneRow : login(nth, ++messages);
      if (reply) stream.write(reply);
      else stream.destroy();
    });
  };
  const server = createServer((socket) => {
    const nth = ++visits;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.once('data', (first: Buffer) => {
      const wantsTls = first.length === 8 && first.readInt32BE(4) === 80_877_103;
      if (wantsTls) socket.write(tls ? 'S' : 'N');
      if (wantsTls && tls) return serve(new TLSSocket(socket, { isServer: true, ...tls }), nth);
      serve(socket, nth);
      if (!wantsTls) socket.emit('data', first);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    ...{ host: `127.0.0.1:${port}`, received },
    visits: () => visits,
    open: () => sockets.size,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
