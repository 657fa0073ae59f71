import { type Leak, leaksIn, leaksInMarkdown } from './log.ts';
import { Masker } from './masks.ts';
import type { Run, Stage } from './runner.ts';

/** Shorter secrets would be found everywhere. */
const shortest = 4;

/**
 * Throws if one of the secrets can be read in anything that a run has written: log, stderr, annotations, summary, state for the
 * post step, unmasked outputs and variables, and texts sent to GitHub, such as comments.
 */
export function refuseLeaks(run: Run, secrets: string[], sent: string[] = []): void {
  const sought = [...new Set(secrets)].filter((secret) => secret.length >= shortest);
  const stages: [string, Stage][] = [['main', run], ...(run.post ? [['post', run.post] as [string, Stage]] : [])];
  const inSent = sent.flatMap((text) => leaksInMarkdown('sent to GitHub', text, sought)).map(describe);
  const inStages = stages.flatMap(([name, stage]) =>
    [...stage.leaks(sought), ...leaksInFiles(stage, sought)].map((leak) => `${name} step, ${describe(leak)}`),
  );
  const found = [...inStages, ...inSent];
  if (found.length > 0) throw new Error(`A secret can be read:\n${found.join('\n')}`);
}

/** Values that the runner keeps. A secret in one must be covered literally by the step's masks. */
function leaksInFiles({ masks, outputs, env, state }: Stage, secrets: string[]): Leak[] {
  const masker = new Masker({ encoded: false });
  for (const mask of masks) masker.add(mask);
  const values = [
    ...Object.entries(outputs).map(([name, value]) => [`output ${name}`, masker.hide(value)] as const),
    ...Object.entries(env).map(([name, value]) => [`variable ${name}`, masker.hide(value)] as const),
    // The runner writes the state of each action into its diagnostic log.
    ...Object.entries(state).map(([name, value]) => [`state ${name}`, value] as const),
  ];
  return values.flatMap(([where, text]) => leaksIn(where, text, secrets));
}

function describe({ where, form, text }: Leak): string {
  return `${where} (${form}): ${text}`;
}
