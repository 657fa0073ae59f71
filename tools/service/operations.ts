import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation, OperationAction, OperationStatus } from '@neon/sdk/raw';
import type { OperationFault } from './faults.ts';
import { newOperationId } from './generate.ts';
import { Slots } from './slots.ts';
import { timestamp } from './time.ts';

/** An operation to start. */
export interface Step {
  action: OperationAction;
  branchId?: string;
  endpointId?: string;
  work?: () => Promise<void>;
  /** Minimum duration in milliseconds, instead of the service's `operationMs`. */
  durationMs?: number;
  /** Called when the operation has succeeded. */
  onFinished?: () => void;
}

/** An object that a request uses. Shared locks don't conflict: a parent can have several children created at once. */
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
  /** It never ends, so `idle` does not wait for it. */
  stuck: boolean;
  onFailure: (() => void) | undefined;
}

export interface OperationsOptions {
  projectId: string;
  now: () => number;
  /** Minimum duration in milliseconds; `Infinity`: until `release`. */
  duration: (action: OperationAction) => number;
  /** How many operations of the project run at the same time. */
  slots: number;
  fault: (operation: Operation) => OperationFault | undefined;
}

const overlap = (a: Lock[], b: Lock[]): boolean =>
  a.some((lock) => b.some((other) => lock.id === other.id && !(lock.shared && other.shared)));

/** The operations of one project. Each request starts a chain of operations that run one after another. */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #chains = new Set<Chain>();
  readonly #slots: Slots;
  /** The operations that wait for `release`, and how many calls of it wait for an operation. */
  readonly #held: (() => void)[] = [];
  #releases = 0;
  #stopped = false;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#slots = new Slots(options.slots);
  }

  /** Whether an unfinished operation conflicts with these locks; without locks, whether there is any. */
  busy(locks?: Lock[]): boolean {
    for (const chain of this.#chains) if (locks === undefined || overlap(chain.locks, locks)) return true;
    return false;
  }

  /**
   * Starts a chain and returns at once. The chain waits for unfinished ones with conflicting locks. If one operation fails,
   * the rest are cancelled and `onFailure` is called.
   */
  start(steps: Step[], locks: Lock[], onFailure?: () => void): Operation[] {
    if (steps.length === 0) return [];
    const entries = steps.map((step) => this.#register(step));
    const before = [...this.#chains].filter((chain) => overlap(chain.locks, locks)).map((chain) => chain.done);
    const chain: Chain = { locks, done: Promise.resolve(), stuck: false, onFailure };
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

  /** Resolves when all operations that can finish have finished. */
  async idle(): Promise<void> {
    for (;;) {
      const open = [...this.#chains].filter((chain) => !chain.stuck);
      if (open.length === 0) return;
      await Promise.race(open.map((chain) => chain.done));
    }
  }

  /** Makes the remaining operations finish at once, without doing their work. */
  stop(): void {
    this.#stopped = true;
    for (const goOn of this.#held.splice(0)) goOn();
  }

  /** Lets one operation go on that waits for this: the one that has waited longest or, if there is none, the next one. */
  release(): void {
    const goOn = this.#held.shift();
    if (goOn) goOn();
    else this.#releases++;
  }

  async #sleep(ms: number): Promise<void> {
    if (ms <= 0 || this.#stopped) return;
    if (ms !== Number.POSITIVE_INFINITY) await sleep(ms);
    else if (this.#releases > 0) this.#releases--;
    else await new Promise<void>((resolve) => this.#held.push(resolve));
  }

  #register(step: Step): Entry {
    const at = timestamp(this.#options.now());
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
    let failed = false;
    for (const entry of entries) {
      if (failed) {
        this.#setStatus(entry, 'cancelled');
        continue;
      }
      failed = !(await this.#slots.use(() => this.#perform(chain, entry)));
      if (failed) chain.onFailure?.();
      if (chain.stuck) await new Promise<never>(() => {});
    }
  }

  /** Returns whether the operation succeeded, so that the next one of its chain may start. */
  async #perform(chain: Chain, entry: Entry): Promise<boolean> {
    const { operation, step, fault } = entry;
    const started = performance.now();
    const minimumMs = step.durationMs ?? this.#options.duration(step.action);
    const waitUntil = (ms: number): Promise<void> => this.#sleep(started + ms - performance.now());
    this.#setStatus(entry, 'running');
    switch (fault?.outcome) {
      case 'error':
      case 'cancelled':
        await waitUntil(minimumMs);
        if (fault.outcome === 'error') operation.error = fault.message ?? 'the compute node did not start';
        operation.total_duration_ms = Math.round(performance.now() - started);
        this.#setStatus(entry, fault.outcome);
        return false;
      case 'never':
        chain.stuck = true;
        return false;
      case 'recovers':
        for (let failures = 1; failures <= (fault.failures ?? 1); failures++) {
          await waitUntil(minimumMs * failures);
          await this.#failAndRetry(entry, fault, failures);
        }
        break;
      default:
    }
    try {
      if (!this.#stopped) await step.work?.();
    } catch (error) {
      operation.error = error instanceof Error ? error.message : String(error);
      this.#setStatus(entry, 'error');
      return false;
    }
    await waitUntil(minimumMs);
    operation.total_duration_ms = Math.round(performance.now() - started);
    delete operation.error;
    step.onFinished?.();
    this.#setStatus(entry, 'finished');
    return true;
  }

  async #failAndRetry(entry: Entry, fault: OperationFault, failures: number): Promise<void> {
    const { operation } = entry;
    const backoffMs = fault.retryMs ?? 50;
    operation.error = fault.message ?? 'the compute node did not start yet';
    operation.failures_count = failures;
    operation.retry_at = new Date(this.#options.now() + Math.min(backoffMs, 60_000)).toISOString();
    this.#setStatus(entry, 'failed');
    await this.#sleep(backoffMs);
    delete operation.retry_at;
    this.#setStatus(entry, 'running');
  }

  #setStatus(entry: Entry, status: OperationStatus): void {
    entry.operation.status = status;
    entry.operation.updated_at = timestamp(this.#options.now());
  }
}
