import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The address of a compute endpoint: a port that stays the same for as long as the endpoint lives, while the server behind
 * it is started, stopped and replaced. Bytes pass through untouched, so TLS and channel binding are the server's own.
 */
export class Door {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `lead` says which port to go to, and may take its time; it rejects where nobody is let in. */
  static async open(lead: () => Promise<number>): Promise<Door> {
    const server = createServer();
    const door = new Door(server);
    server.on('connection', (visitor) => {
      door.#keep(visitor);
      lead().then(
        (port) => door.#join(visitor, port),
        () => visitor.destroy(),
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    // An open door alone does not keep a test from ending.
    server.unref();
    return door;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Sends everybody away who is inside. */
  clear(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.clear();
    });
  }

  #join(visitor: Socket, port: number): void {
    if (visitor.destroyed) return;
    const inner = connect({ port, host: '127.0.0.1', noDelay: true });
    visitor.setNoDelay(true);
    this.#keep(inner);
    visitor.pipe(inner);
    inner.pipe(visitor);
    visitor.once('close', () => inner.destroy());
    inner.once('close', () => visitor.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A connection that breaks closes; there is nobody else to tell.
    socket.on('error', () => {});
  }
}
