import type { Address } from '../compute.ts';
import type { BranchClusters } from './branch-clusters.ts';
import { EndpointProxy } from './proxy.ts';

const HOST = '127.0.0.1';

interface OpenEndpoint {
  proxy: EndpointProxy;
  branchId: string;
  /** `blocked` refuses connections; `idle` is started by the next connection. */
  access: 'blocked' | 'active' | 'idle';
}

/** The compute endpoints: each is a port that forwards connections to its branch's server. */
export class Endpoints {
  readonly #clusters: BranchClusters;
  readonly #onWake: (endpointId: string) => void;
  readonly #endpoints = new Map<string, OpenEndpoint>();

  constructor(clusters: BranchClusters, onWake: (endpointId: string) => void) {
    this.#clusters = clusters;
    this.#onWake = onWake;
  }

  /** Whether the branch has an active endpoint, so that its server must keep running. */
  isActive(branchId: string): boolean {
    return this.#of(branchId).some(({ access }) => access === 'active');
  }

  /** Opens a port for the endpoint, blocked until it is started. */
  async open(endpointId: string, branchId: string): Promise<Address> {
    const proxy = await EndpointProxy.open(() => this.#acceptConnection(endpointId));
    this.#endpoints.set(endpointId, { proxy, branchId, access: 'blocked' });
    return { host: HOST, poolerHost: HOST, port: proxy.port };
  }

  async start(endpointId: string): Promise<void> {
    const endpoint = this.#get(endpointId);
    const cluster = this.#clusters.get(endpoint.branchId);
    await cluster.exclusively(() => cluster.start());
    endpoint.access = 'active';
  }

  async suspend(endpointId: string): Promise<void> {
    const endpoint = this.#endpoints.get(endpointId);
    if (endpoint) await this.#disconnect(endpoint, 'idle');
  }

  async block(endpointId: string): Promise<void> {
    await this.#disconnect(this.#get(endpointId), 'blocked');
  }

  async close(endpointId: string): Promise<void> {
    const endpoint = this.#endpoints.get(endpointId);
    if (!endpoint) return;
    this.#endpoints.delete(endpointId);
    await endpoint.proxy.close();
    await this.#clusters.stopIfUnused(endpoint.branchId);
  }

  async closeAll(): Promise<void> {
    for (const { proxy } of this.#endpoints.values()) await proxy.close();
  }

  /** Blocks all endpoints of a branch. The returned function makes them idle. */
  blockBranch(branchId: string): () => void {
    const endpoints = this.#of(branchId);
    for (const endpoint of endpoints) {
      endpoint.access = 'blocked';
      endpoint.proxy.disconnectAll();
    }
    return () => {
      for (const endpoint of endpoints) endpoint.access = 'idle';
    };
  }

  /** Returns the port to forward a new connection to. Starts the server if the endpoint is idle. */
  async #acceptConnection(endpointId: string): Promise<number> {
    const endpoint = this.#get(endpointId);
    if (endpoint.access === 'blocked') throw new Error(`endpoint ${endpointId} is blocked`);
    const cluster = this.#clusters.get(endpoint.branchId);
    const port = await cluster.exclusively(() => cluster.start());
    if (endpoint.access === 'idle') {
      endpoint.access = 'active';
      this.#onWake(endpointId);
    }
    return port;
  }

  async #disconnect(endpoint: OpenEndpoint, access: 'blocked' | 'idle'): Promise<void> {
    endpoint.access = access;
    endpoint.proxy.disconnectAll();
    await this.#clusters.stopIfUnused(endpoint.branchId);
  }

  #get(endpointId: string): OpenEndpoint {
    const endpoint = this.#endpoints.get(endpointId);
    if (!endpoint) throw new Error(`endpoint ${endpointId} is not open`);
    return endpoint;
  }

  #of(branchId: string): OpenEndpoint[] {
    return [...this.#endpoints.values()].filter((endpoint) => endpoint.branchId === branchId);
  }
}
