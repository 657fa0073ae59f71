import { isHistorical } from '../branches/checks.ts';
import type { Point } from '../compute.ts';
import { Cluster } from './cluster.ts';
import { copyCluster } from './copy.ts';
import { inheritHistory, recoverTo } from './history.ts';
import type { Workspace } from './workspace.ts';

/** The cluster of each branch. A server runs only while it is needed. */
export class BranchClusters {
  readonly #workspace: Workspace;
  readonly #clusters = new Map<string, Cluster>();
  /** Whether an active endpoint leads to the branch. */
  readonly #isActive: (branchId: string) => boolean;

  constructor(workspace: Workspace, isActive: (branchId: string) => boolean) {
    this.#workspace = workspace;
    this.#isActive = isActive;
  }

  /** A new cluster without data, not yet of any branch. */
  newCluster(): Cluster {
    return new Cluster(this.#workspace);
  }

  get(branchId: string): Cluster {
    const cluster = this.#clusters.get(branchId);
    if (!cluster) throw new Error(`branch ${branchId} has no data`);
    return cluster;
  }

  set(branchId: string, cluster: Cluster): void {
    this.#clusters.set(branchId, cluster);
  }

  async remove(branchId: string): Promise<void> {
    const cluster = this.#clusters.get(branchId);
    this.#clusters.delete(branchId);
    await cluster?.remove();
  }

  /** Uses a branch's cluster, and stops its server afterwards if it is not needed. */
  async use<T>(branchId: string, task: (cluster: Cluster) => Promise<T>): Promise<T> {
    try {
      return await task(this.get(branchId));
    } finally {
      await this.stopIfUnused(branchId);
    }
  }

  async stopIfUnused(branchId: string): Promise<void> {
    const cluster = this.#clusters.get(branchId);
    if (!cluster) return;
    await cluster.exclusively(async () => {
      if (!this.#isActive(branchId) && !cluster.busy) await cluster.stop();
    });
  }

  /** Runs SQL statements as the administrator. */
  execute(branchId: string, database: string, statements: string[]): Promise<void> {
    return this.use(branchId, (cluster) =>
      cluster.session(database, async (client) => {
        for (const statement of statements) await client.query(statement);
      }),
    );
  }

  /** Fills a new cluster with a branch's state at a point. Returns the LSN. Removes the cluster if that fails. */
  async copyState(cluster: Cluster, sourceId: string, point: Point): Promise<string> {
    try {
      return await this.use(sourceId, async (source) => {
        cluster.historyStart = source.historyStart;
        const lsn = isHistorical(point) ? await recoverTo(source, cluster, point) : await copyCluster(source, cluster);
        inheritHistory(source, cluster);
        return lsn;
      });
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }
}
