import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HandlerOptions, handle } from './handle.ts';

export interface ServerOptions extends HandlerOptions {
  /** Serves HTTPS if given. */
  tls: { key: string; cert: string } | undefined;
  /** 0 picks a free port. */
  port: number;
}

export interface ApiServer {
  port: number;
  close(): Promise<void>;
}

/** Starts the HTTP server on loopback. */
export async function startServer(options: ServerOptions): Promise<ApiServer> {
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    // Reading fails if the client disconnects in the middle of its request.
    handle(options, message, response, refuse).catch(() => response.destroy());
  };
  const server = options.tls ? https.createServer(options.tls, onRequest) : http.createServer(onRequest);
  server.keepAliveTimeout = 30_000;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const stopListening = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.resetAndDestroy();
    });
  await listen(options.port);
  const { port } = server.address() as AddressInfo;
  let closed = false;

  async function refuse(ms: number): Promise<void> {
    await stopListening();
    await sleep(ms);
    // The operating system may have given the port to an outgoing connection for a moment.
    while (!closed && !server.listening) await listen(port).catch(() => sleep(10));
    if (closed) await stopListening();
  }

  return {
    port,
    close: () => {
      closed = true;
      return stopListening();
    },
  };
}
