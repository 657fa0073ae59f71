import { createServer, type Server, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Loopback } from './loopback.ts';
import { connectClient } from './startup.ts';

/**
 * A TCP proxy with a fixed address, so that an endpoint keeps its address while the server behind it is started, stopped or
 * replaced. Only startup parameters are changed, see `connectClient`.
 */
export class EndpointProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #host = '';

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * Opens a proxy at a free address. `resolvePort` returns the port to forward a new connection to; if it rejects, the connection is
   * closed.
   */
  static async open(
    loopback: Loopback,
    tls: SecureContext,
    resolvePort: () => Promise<number>,
  ): Promise<EndpointProxy> {
    const server = createServer();
    const proxy = new EndpointProxy(server);
    server.on('connection', (client) => {
      proxy.#track(client);
      resolvePort()
        .then((port) => proxy.#forward(client, port, tls))
        .catch(() => client.destroy());
    });
    proxy.#host = await loopback.listen(
      (host, port) =>
        new Promise<void>((resolve, reject) => {
          server.once('error', reject);
          server.listen(port, host, () => {
            server.removeListener('error', reject);
            resolve();
          });
        }),
    );
    // The proxy alone must not keep the process running.
    server.unref();
    return proxy;
  }

  get host(): string {
    return this.#host;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  disconnectAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.disconnectAll();
    });
  }

  async #forward(client: Socket, port: number, tls: SecureContext): Promise<void> {
    if (client.destroyed) return;
    client.setNoDelay(true);
    const own: Socket[] = [client];
    const track = (socket: Socket): void => {
      own.push(socket);
      this.#track(socket);
      // None outlives the others.
      socket.once('close', () => {
        for (const one of own) one.destroy();
      });
    };
    client.once('close', () => {
      for (const one of own) one.destroy();
    });
    const [near, far] = await connectClient({ client, port, tls, track });
    near.pipe(far);
    far.pipe(near);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Errors are followed by `close`.
    socket.on('error', () => {});
  }
}
