import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** A TCP proxy on a fixed port, so that an endpoint keeps its address while the server behind it is started, stopped or replaced. */
export class EndpointProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `resolvePort` returns the port to forward a new connection to; if it rejects, the connection is closed. */
  static async open(resolvePort: () => Promise<number>): Promise<EndpointProxy> {
    const server = createServer();
    const proxy = new EndpointProxy(server);
    server.on('connection', (client) => {
      proxy.#track(client);
      resolvePort()
        .then((port) => proxy.#forward(client, port))
        .catch(() => client.destroy());
    });
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    // The proxy alone must not keep the process running.
    server.unref();
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
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

  #forward(client: Socket, port: number): void {
    if (client.destroyed) return;
    client.setNoDelay(true);
    const server = connect({ port, host: LOOPBACK, noDelay: true });
    this.#track(server);
    client.pipe(server).once('close', () => client.destroy());
    server.pipe(client).once('close', () => server.destroy());
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Errors are followed by `close`.
    socket.on('error', () => {});
  }
}
