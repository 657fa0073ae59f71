/**
 * The process that `reused.ts` starts: it runs scripts one after another, each as if the process were its own. A script gets its
 * environment and its folder, and ends when the event loop has nothing left to do, or with the process. Only the entry file is loaded
 * again: with fresh modules, a step takes three times as long. So no module may keep any state from one step to the next, which
 * `test/repository/imports.test.ts` checks.
 */
import { createRequire } from 'node:module';

export interface StepRequest {
  script: string;
  cwd: string;
  env: Record<string, string>;
}

/** Ends a step's output. No step writes it: the action keeps control characters out of its log. */
export const endMark = '\0the step has ended';

if (import.meta.main) listen();

function listen(): void {
  const home = process.cwd();
  /** Listeners that a step adds are its own, and go with it. */
  const events = ['exit', 'uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'warning'];
  const ours = new Map(events.map((event) => [event, process.rawListeners(event)]));
  const added = (event: string) => process.rawListeners(event).filter((one) => !ours.get(event)?.includes(one));
  let isRunning = false;
  const require = createRequire(import.meta.url);

  process.on('message', ({ script, cwd, env }: StepRequest) => {
    isRunning = true;
    process.exitCode = undefined;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.chdir(cwd);
    // from here on, the process lives as long as the step has something to wait for
    process.channel?.unref();
    delete require.cache[require.resolve(script)];
    require(script);
  });
  process.on('disconnect', () => process.exit());
  process.on('beforeExit', () => {
    if (!isRunning) return;
    isRunning = false;
    for (const listener of added('exit')) listener.call(process, process.exitCode ?? 0);
    for (const event of events)
      for (const listener of added(event)) process.removeListener(event, listener as (...args: unknown[]) => void);
    process.chdir(home);
    for (const stream of [process.stderr, process.stdout]) stream.write(`${endMark} with ${process.exitCode ?? 0}\n`);
    process.channel?.ref();
  });
}
