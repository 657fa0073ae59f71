import type { Address, Compute, Inventory } from './compute.ts';

const SUFFIX = 'local.test';

/** No servers: every change succeeds at once, and host names are in a domain that never resolves. */
export class NoCompute implements Compute {
  readonly pgVersion = 17;
  readonly proxyHost = SUFFIX;
  readonly certificate = undefined;
  readonly certificateFile = undefined;
  onWake = (): void => {};
  /** What `schema` returns, by branch ID. */
  readonly schemas = new Map<string, string>();
  #lsn = 0x1de2850;

  async createRoot(): Promise<void> {}

  async fork(branchId: string, parentId: string): Promise<string> {
    const schema = this.schemas.get(parentId);
    if (schema !== undefined) this.schemas.set(branchId, schema);
    this.#lsn += 0x60;
    return `0/${this.#lsn.toString(16).toUpperCase()}`;
  }

  async assertInHistory(): Promise<void> {}

  async restore(branchId: string, source: { id: string; backupId?: string | undefined }): Promise<string> {
    if (source.backupId !== undefined) await this.fork(source.backupId, branchId);
    return this.fork(branchId, source.id);
  }

  async truncate(): Promise<void> {}

  async remove(branchId: string): Promise<void> {
    this.schemas.delete(branchId);
  }

  async openEndpoint(endpointId: string): Promise<Address> {
    return { host: `${endpointId}.${SUFFIX}`, poolerHost: `${endpointId}-pooler.${SUFFIX}` };
  }

  async startEndpoint(): Promise<void> {}
  async suspendEndpoint(): Promise<void> {}
  async closeEndpoint(): Promise<void> {}
  async moveEndpoint(): Promise<void> {}
  async createRole(): Promise<void> {}
  async setPassword(): Promise<void> {}
  async dropRole(): Promise<void> {}
  async createDatabase(): Promise<void> {}
  async updateDatabase(): Promise<void> {}
  async dropDatabase(): Promise<void> {}

  async inventory(): Promise<Inventory | undefined> {
    return undefined;
  }

  async query(): Promise<Record<string, unknown>[]> {
    throw new Error("queries require compute: 'postgres'");
  }

  async mask(_: string, rules: unknown[]): Promise<number> {
    return rules.length;
  }

  async schema(branchId: string): Promise<string> {
    return this.schemas.get(branchId) ?? '';
  }

  async stop(): Promise<void> {}
}
