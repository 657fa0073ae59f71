import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback that makes each round trip take `ms` milliseconds longer. */
export async function delayingProxy(to: number, ms: number): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const pass = (from: Socket, into: Socket) => {
    from.on('data', (chunk) => setTimeout(() => into.writable && into.write(chunk), ms / 2));
    from.on('close', () => setTimeout(() => into.destroy(), ms / 2));
    from.on('error', () => {});
    sockets.add(from);
  };
  const server = createServer((socket) => {
    const upstream = connect(to, '127.0.0.1');
    pass(socket, upstream);
    pass(upstream, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
