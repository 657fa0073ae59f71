import type { Address, Compute, Inventory } from './compute.ts';

const SUFFIX = 'local.test';

/** No servers: hosts that look like the service's, in a domain that never resolves, and every change succeeds at once. */
export class NoCompute implements Compute {
  readonly pgVersion = 17;
  readonly proxyHost = SUFFIX;
  readonly certificate = undefined;
  onWake = (): void => {};
  /** By branch ID: what `schema` answers, for tests of comparisons. */
  readonly schemas = new Map<string, string>();
  #position = 0x1de2850;

  async createRoot(): Promise<void> {}

  async fork(branchId: string, parentId: string): Promise<string> {
    const schema = this.schemas.get(parentId);
    if (schema !== undefined) this.schemas.set(branchId, schema);
    this.#position += 0x60;
    return `0/${this.#position.toString(16).toUpperCase()}`;
  }

  async checkPoint(): Promise<void> {}

  async restore(branchId: string, source: { id: string; keepAs?: string | undefined }): Promise<string> {
    if (source.keepAs !== undefined) await this.fork(source.keepAs, branchId);
    return this.fork(branchId, source.id);
  }

  async empty(): Promise<void> {}
  async halt(): Promise<void> {}

  async remove(branchId: string): Promise<void> {
    this.schemas.delete(branchId);
  }

  async openEndpoint(endpointId: string): Promise<Address> {
    return { host: `${endpointId}.${SUFFIX}`, poolerHost: `${endpointId}-pooler.${SUFFIX}` };
  }

  async startEndpoint(): Promise<void> {}
  async suspendEndpoint(): Promise<void> {}
  async lockEndpoint(): Promise<void> {}
  async closeEndpoint(): Promise<void> {}
  async createRole(): Promise<void> {}
  async setPassword(): Promise<void> {}
  async dropRole(): Promise<void> {}
  async createDatabase(): Promise<void> {}
  async changeDatabase(): Promise<void> {}
  async dropDatabase(): Promise<void> {}

  async inventory(): Promise<Inventory | undefined> {
    return undefined;
  }

  async query(): Promise<Record<string, unknown>[]> {
    throw new Error("compute: 'none' has no database to ask");
  }

  async mask(_: string, rules: unknown[]): Promise<number> {
    return rules.length;
  }

  async schema(branchId: string): Promise<string> {
    return this.schemas.get(branchId) ?? '';
  }

  async stop(): Promise<void> {}
}
