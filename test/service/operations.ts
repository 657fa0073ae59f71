import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation, OperationAction, OperationStatus } from '@neon/sdk/raw';
import type { OperationFault } from './faults.ts';
import { newOperationId, stamp } from './generate.ts';

/** One operation to be: what it is called, and what it really does. */
export interface Step {
  action: OperationAction;
  branchId?: string;
  endpointId?: string;
  work?: () => Promise<void>;
  /** How long it takes at least, in milliseconds, where that is not the service's usual time. */
  ms?: number;
  /** Runs once the operation has ended well. */
  after?: () => void;
}

/** What a request touches. A parent is shared: several children may come from it at once, but nothing may change it. */
export interface Lock {
  id: string;
  shared?: boolean;
}

interface Entry {
  operation: Operation;
  step: Step;
  fault: OperationFault | undefined;
}

interface Chain {
  locks: Lock[];
  done: Promise<void>;
  /** It will never end, so nobody should wait for it. */
  stuck: boolean;
  onBroken: (() => void) | undefined;
}

export interface OperationsOptions {
  projectId: string;
  now: () => number;
  /** How long an operation takes at least, in milliseconds. */
  duration: (action: OperationAction) => number;
  /** How many operations of the project run at the same time. */
  slots: number;
  fault: (operation: Operation) => OperationFault | undefined;
}

const overlap = (a: Lock[], b: Lock[]): boolean =>
  a.some((one) => b.some((other) => one.id === other.id && !(one.shared && other.shared)));

/** The operations of one project: each request starts a chain of them, and they run one after another. */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #chains = new Set<Chain>();
  readonly #queue: (() => void)[] = [];
  #free: number;
  #stopped = false;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#free = options.slots;
  }

  /** Whether something is under way that these locks cannot stand beside; without locks, anything at all. */
  busy(locks?: Lock[]): boolean {
    for (const chain of this.#chains) if (locks === undefined || overlap(chain.locks, locks)) return true;
    return false;
  }

  /** Starts the steps, after whatever is under way on the same objects, and returns at once. */
  start(steps: Step[], locks: Lock[], onBroken?: () => void): Operation[] {
    if (steps.length === 0) return [];
    const entries = steps.map((step) => this.#enter(step));
    const before = [...this.#chains].filter((chain) => overlap(chain.locks, locks)).map((chain) => chain.done);
    const chain: Chain = { locks, done: Promise.resolve(), stuck: false, onBroken };
    this.#chains.add(chain);
    chain.done = this.#run(chain, entries, before).finally(() => this.#chains.delete(chain));
    return entries.map((entry) => entry.operation);
  }

  get(id: string): Operation | undefined {
    const entry = this.#entries.get(id);
    return entry?.fault?.outcome === 'unknown' ? undefined : entry?.operation;
  }

  /** Newest first. */
  all(): Operation[] {
    return [...this.#entries.values()].map((entry) => entry.operation).reverse();
  }

  /** Resolves when nothing is under way that could still end. */
  async idle(): Promise<void> {
    for (;;) {
      const open = [...this.#chains].filter((chain) => !chain.stuck);
      if (open.length === 0) return;
      await Promise.race(open.map((chain) => chain.done));
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  #enter(step: Step): Entry {
    const at = stamp(this.#options.now());
    const operation: Operation = {
      id: newOperationId(),
      project_id: this.#options.projectId,
      ...(step.branchId !== undefined && { branch_id: step.branchId }),
      ...(step.endpointId !== undefined && { endpoint_id: step.endpointId }),
      action: step.action,
      status: 'scheduling',
      failures_count: 0,
      created_at: at,
      updated_at: at,
      total_duration_ms: 0,
    };
    const entry = { operation, step, fault: this.#options.fault(operation) };
    this.#entries.set(operation.id, entry);
    return entry;
  }

  async #run(chain: Chain, entries: Entry[], before: Promise<void>[]): Promise<void> {
    if (before.length > 0) await Promise.all(before);
    let broken = false;
    for (const entry of entries) {
      if (broken) {
        this.#set(entry, 'cancelled');
        continue;
      }
      await this.#take();
      try {
        broken = !(await this.#perform(chain, entry));
      } finally {
        this.#give();
      }
      if (broken) chain.onBroken?.();
      if (chain.stuck) {
        if (entry.fault?.locks === false) this.#chains.delete(chain);
        await new Promise<never>(() => {});
      }
    }
  }

  /** True when the operation ended well and the next one of its chain may start. */
  async #perform(chain: Chain, entry: Entry): Promise<boolean> {
    const { operation, step, fault } = entry;
    const started = performance.now();
    const least = step.ms ?? this.#options.duration(step.action);
    const elapse = async (ms: number): Promise<void> => {
      const left = started + ms - performance.now();
      if (left > 0 && !this.#stopped) await sleep(left);
    };
    this.#set(entry, 'running');
    switch (fault?.outcome) {
      case 'error':
      case 'cancelled':
        await elapse(least);
        if (fault.outcome === 'error') operation.error = fault.message ?? 'the compute node did not start';
        operation.total_duration_ms = Math.round(performance.now() - started);
        this.#set(entry, fault.outcome);
        return false;
      case 'failed':
        await elapse(least);
        operation.error = fault.message ?? 'the compute node did not start';
        operation.failures_count = 1;
        this.#set(entry, 'failed');
        chain.stuck = true;
        this.#chains.delete(chain);
        return false;
      case 'never':
        chain.stuck = true;
        return false;
      case 'recovers':
        for (let failures = 1; failures <= (fault.failures ?? 1); failures++) {
          await elapse(least * failures);
          operation.error = fault.message ?? 'the compute node did not start yet';
          operation.failures_count = failures;
          const pause = fault.retryMs ?? 50;
          operation.retry_at = new Date(this.#options.now() + pause).toISOString();
          this.#set(entry, 'failed');
          if (!this.#stopped) await sleep(pause);
          delete operation.retry_at;
          this.#set(entry, 'running');
        }
        break;
      default:
    }
    try {
      if (!this.#stopped) await step.work?.();
    } catch (error) {
      operation.error = error instanceof Error ? error.message : String(error);
      this.#set(entry, 'error');
      return false;
    }
    await elapse(least);
    operation.total_duration_ms = Math.round(performance.now() - started);
    delete operation.error;
    step.after?.();
    this.#set(entry, 'finished');
    return true;
  }

  #set(entry: Entry, status: OperationStatus): void {
    entry.operation.status = status;
    entry.operation.updated_at = stamp(this.#options.now());
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  #give(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#free++;
  }
}
