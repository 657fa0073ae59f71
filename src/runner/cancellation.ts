import type { Clock } from '../http/clock.ts';
import { setDeadline } from '../http/deadline.ts';
import { StoppedError } from '../http/errors.ts';
import { duration } from '../text/format.ts';

/** What ends a step early: its time is over, or the runner cancels it. */
export interface Stop {
  signal: AbortSignal;
  /** Takes the timer and the signal handlers away. */
  clear(): void;
}

/**
 * A signal that aborts after `timeoutMs`, or when the runner cancels the step: it sends SIGINT, SIGTERM 7.5 s later, and kills
 * 2.5 s after that. The first is enough to end every pause and request; the second one ends the process.
 */
export function createStop(options: { timeoutMs: number; clock: Clock; what?: string }): Stop {
  const { timeoutMs, clock } = options;
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(
      new StoppedError(
        'timeout',
        options.what ?? `The time for the step is over (\`timeout\`, ${duration(timeoutMs)})`,
      ),
    );
  }, timeoutMs);
  const cancel = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    controller.abort(new StoppedError('cancelled', `The step was cancelled (${name})`));
  };
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  setDeadline(controller.signal, clock.now() + timeoutMs);
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      process.off('SIGINT', cancel);
      process.off('SIGTERM', cancel);
    },
  };
}
