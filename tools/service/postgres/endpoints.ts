import type { Address } from '../compute.ts';
import type { BranchClusters } from './branch-clusters.ts';
import { EndpointProxy, LOOPBACK } from './proxy.ts';

interface OpenEndpoint {
  proxy: EndpointProxy;
  branchId: string;
  /** `closed` closes connections, `starting` holds them; `idle` is started by the next connection. */
  access: 'closed' | 'starting' | 'active' | 'idle';
  /** Connections that are held until `access` changes. */
  waiting: (() => void)[];
}

function setAccess(endpoint: OpenEndpoint, access: OpenEndpoint['access']): void {
  endpoint.access = access;
  for (const resolve of endpoint.waiting.splice(0)) resolve();
}

/** The compute endpoints: each is an address that forwards connections to its branch's server. */
export class Endpoints {
  readonly #clusters: BranchClusters;
  readonly #onWake: (endpointId: string) => void;
  readonly #endpoints = new Map<string, OpenEndpoint>();

  constructor(given: { clusters: BranchClusters; onWake: (endpointId: string) => void }) {
    this.#clusters = given.clusters;
    this.#onWake = given.onWake;
  }

  /** Whether the branch has an active endpoint, so that its server must keep running. */
  isActive(branchId: string): boolean {
    return this.#of(branchId).some(({ access }) => access === 'active');
  }

  /** Opens an address for the endpoint. Connections are held until it is started. */
  async open(endpointId: string, branchId: string): Promise<Address> {
    const proxy = await EndpointProxy.open(() => this.#acceptConnection(endpointId));
    this.#endpoints.set(endpointId, { proxy, branchId, access: 'starting', waiting: [] });
    return { host: LOOPBACK, poolerHost: LOOPBACK, port: proxy.port };
  }

  async start(endpointId: string): Promise<void> {
    const endpoint = this.#get(endpointId);
    const cluster = this.#clusters.get(endpoint.branchId);
    await cluster.exclusively(() => cluster.start());
    setAccess(endpoint, 'active');
  }

  async suspend(endpointId: string): Promise<void> {
    const endpoint = this.#endpoints.get(endpointId);
    if (!endpoint) return;
    setAccess(endpoint, 'idle');
    endpoint.proxy.disconnectAll();
    await this.#clusters.stopIfUnused(endpoint.branchId);
  }

  async close(endpointId: string): Promise<void> {
    const endpoint = this.#endpoints.get(endpointId);
    if (!endpoint) return;
    this.#endpoints.delete(endpointId);
    setAccess(endpoint, 'closed');
    await endpoint.proxy.close();
    await this.#clusters.stopIfUnused(endpoint.branchId);
  }

  async move(endpointId: string, branchId: string): Promise<void> {
    const endpoint = this.#get(endpointId);
    await this.suspend(endpointId);
    endpoint.branchId = branchId;
  }

  async closeAll(): Promise<void> {
    for (const { proxy } of this.#endpoints.values()) await proxy.close();
  }

  /** Ends all connections to a branch and holds new ones. The returned function makes its endpoints idle. */
  holdBranch(branchId: string): () => void {
    const endpoints = this.#of(branchId);
    for (const endpoint of endpoints) {
      setAccess(endpoint, 'starting');
      endpoint.proxy.disconnectAll();
    }
    return () => {
      for (const endpoint of endpoints) setAccess(endpoint, 'idle');
    };
  }

  /** Returns the port to forward a new connection to. Starts the server if the endpoint is idle. */
  async #acceptConnection(endpointId: string): Promise<number> {
    const endpoint = this.#get(endpointId);
    while (endpoint.access === 'starting') await new Promise<void>((resolve) => endpoint.waiting.push(resolve));
    if (endpoint.access === 'closed') throw new Error(`endpoint ${endpointId} is closed`);
    const cluster = this.#clusters.get(endpoint.branchId);
    const port = await cluster.exclusively(() => cluster.start());
    if (endpoint.access === 'idle') {
      setAccess(endpoint, 'active');
      this.#onWake(endpointId);
    }
    return port;
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
