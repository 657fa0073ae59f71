import { type Clock, type Deadline, deadlineIn } from '../http/clock.ts';
import { StoppedError } from '../http/errors.ts';
import { duration } from '../text/format.ts';

interface StepDeadline extends Deadline {
  /** Removes its timer and signal handlers. */
  clear(): void;
}

/**
 * A deadline that ends after `timeoutMs`, or when the runner cancels the step: it sends SIGINT, then SIGTERM, and
 * then kills (`limits.sigintMs`, `limits.sigtermMs`). The first signal ends every delay and request; the second one ends the process.
 */
export function startDeadline(options: { timeoutMs: number; clock: Clock; limit?: string }): StepDeadline {
  const { timeoutMs, clock, limit } = options;
  const controller = new AbortController();
  const deadline = deadlineIn(timeoutMs, { signal: controller.signal, clock, limit });
  const timer = setTimeout(() => {
    controller.abort(new StoppedError('timeout', `Timed out after ${duration(timeoutMs)} (${deadline.limit})`));
  }, timeoutMs);
  const cancel = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    controller.abort(new StoppedError('cancelled', `The step was cancelled (${name})`));
  };
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  return {
    ...deadline,
    clear() {
      clearTimeout(timer);
      process.off('SIGINT', cancel);
      process.off('SIGTERM', cancel);
    },
  };
}
