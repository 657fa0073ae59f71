import { randomInt } from 'node:crypto';

/** The port of a connection URI that names none. */
export const POSTGRES_PORT = 5432;
const COMMON_HOST = '127.0.0.1';
/** If the port is taken on this many addresses in a row, a server is listening on all addresses, so no other one is tried. */
const MOST_TAKEN = 3;

/** Listens at an address, and rejects if it cannot. */
export type Listen = (host: string, port: number) => Promise<void>;

/**
 * The loopback addresses of a service's endpoints: `127.<x>.<y>.1` to `.254`. Clients that compose a URI from an endpoint's host
 * know no port, so each endpoint gets port 5432 of an address of its own. Only Linux and Windows have all of 127/8. Elsewhere, if
 * the port is taken, or if `own` is false, endpoints are ports of 127.0.0.1.
 */
export class Loopback {
  readonly #network = `127.${randomInt(1, 255)}.${randomInt(256)}`;
  #free: string[];

  constructor(own: boolean) {
    this.#free = own ? Array.from({ length: 254 }, (_, index) => `${this.#network}.${index + 1}`) : [];
  }

  /** Every address that an endpoint may get. */
  get all(): string[] {
    return [COMMON_HOST, ...this.#free];
  }

  /** Listens at a free address, and returns its host. Another service may have the same addresses. */
  async listen(listen: Listen): Promise<string> {
    for (let taken = 0; taken < MOST_TAKEN; taken++) {
      const host = this.#free.shift();
      if (host === undefined) break;
      try {
        await listen(host, POSTGRES_PORT);
        return host;
      } catch {
        // The next address may do.
      }
    }
    await listen(COMMON_HOST, 0);
    return COMMON_HOST;
  }

  /** Makes the address of a closed endpoint available again. */
  release(host: string): void {
    if (host !== COMMON_HOST) this.#free.push(host);
  }
}
