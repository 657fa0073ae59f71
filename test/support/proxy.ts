import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ForwardProxy {
  /** for `HTTPS_PROXY` and `HTTP_PROXY` */
  url: string;
  /** `host:port` of each tunnel or request */
  hosts: string[];
  /** tunnels that were not opened, because of `connectStatus` or `silent` */
  refused: string[];
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** the status of the response to each CONNECT, or to the first `failures` of them, which then opens no tunnel */
  connectStatus?: number;
  failures?: number;
  /** never responds to CONNECT */
  silent?: boolean;
  /** hosts that only the proxy can reach: `api.internal:443` → `127.0.0.1:41234` */
  routes?: Record<string, string>;
}

/** A forward proxy on loopback: tunnels (`CONNECT`) and plain requests in absolute form. */
export async function startProxy({
  connectStatus,
  failures = Number.POSITIVE_INFINITY,
  silent = false,
  routes = {},
}: ProxyOptions = {}): Promise<ForwardProxy> {
  const hosts: string[] = [];
  const refused: string[] = [];
  const sockets = new Set<Duplex>();

  /** Where a host is. */
  const admit = (host: string): URL => {
    hosts.push(host);
    return new URL(`http://${routes[host] ?? host}`);
  };
  const hang = (socket: Duplex) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const target = new URL(request.url ?? '');
    const to = admit(`${target.hostname}:${target.port || 80}`);
    const { 'proxy-connection': _, ...headers } = request.headers;
    const { method } = request;
    const path = `${target.pathname}${target.search}`;
    const upstream = forward({ host: to.hostname, port: to.port || 80, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.writeHead(502).end());
    request.pipe(upstream);
  });
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    hang(client);
    if (silent) return void refused.push(request.url ?? '');
    if (connectStatus !== undefined && refused.length < failures) {
      refused.push(request.url ?? '');
      return void client.end(`HTTP/1.1 ${connectStatus} No\r\nContent-Length: 0\r\n\r\n`);
    }
    const to = admit(request.url ?? '');
    const upstream: Socket = connect(Number(to.port || 80), to.hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    hang(upstream);
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    hosts,
    refused,
    async close() {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
