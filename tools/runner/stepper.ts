/**
 * The process that `reused.ts` starts: it runs one script after the other, each as if the process were its own. A script gets its
 * environment, its folder and fresh modules, and ends when the event loop has nothing left to do, or with the process.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

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
  const globals = new Set(Reflect.ownKeys(globalThis));
  const added = (event: string) => process.rawListeners(event).filter((one) => !ours.get(event)?.includes(one));
  let steps = 0;
  let isRunning = false;
  let scripts = '';

  // The bundle keeps state in its modules, so each step gets new ones. Chunks hold no state: only functions that make modules.
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const isEntry = found.url.startsWith(scripts) && /\/(index|post|start)\.m?js$/.test(found.url);
      return isEntry ? { ...found, url: `${found.url}?step=${steps}` } : found;
    },
  });

  process.on('message', ({ script, cwd, env }: StepRequest) => {
    isRunning = true;
    steps += 1;
    process.exitCode = undefined;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.chdir(cwd);
    // from here on, the process lives as long as the step has something to wait for
    process.channel?.unref();
    const { href } = pathToFileURL(script);
    scripts = new URL('.', href).href;
    void import(href);
  });
  process.on('disconnect', () => process.exit());
  process.on('beforeExit', () => {
    if (!isRunning) return;
    isRunning = false;
    for (const listener of added('exit')) listener.call(process, process.exitCode ?? 0);
    for (const event of events)
      for (const listener of added(event)) process.removeListener(event, listener as (...args: unknown[]) => void);
    for (const key of Reflect.ownKeys(globalThis))
      if (!globals.has(key) && !Reflect.deleteProperty(globalThis, key)) Reflect.set(globalThis, key, undefined);
    process.chdir(home);
    for (const stream of [process.stderr, process.stdout]) stream.write(`${endMark} with ${process.exitCode ?? 0}\n`);
    process.channel?.ref();
  });
}
