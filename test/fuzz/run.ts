import fc from 'fast-check';
import { answerProperty } from './answers.ts';
import { eventProperty } from './events.ts';
import { inputProperty } from './inputs.ts';
import { manageProperty } from './manage.ts';
import { pruneProperty } from './prune.ts';

/** Every property, and which part of all cases it gets: where most can go wrong, most are tried. */
export const properties = {
  inputs: { property: inputProperty as fc.IRawProperty<unknown>, share: 0.3 },
  events: { property: eventProperty as fc.IRawProperty<unknown>, share: 0.23 },
  answers: { property: answerProperty as fc.IRawProperty<unknown>, share: 0.25 },
  manage: { property: manageProperty as fc.IRawProperty<unknown>, share: 0.14 },
  prune: { property: pruneProperty as fc.IRawProperty<unknown>, share: 0.08 },
};

export type PropertyName = keyof typeof properties;

export interface Figures {
  cases: number;
  ms: number;
  /** Why it does not hold, with the case, and how to see it again; undefined where all holds. */
  failure?: string;
}

/** Tries one property. A promise that nobody waits for may fail in no case. */
export async function tryProperty(
  name: PropertyName,
  options: { cases: number; seed: number; path?: string },
): Promise<Figures> {
  const { cases, seed, path } = options;
  const started = performance.now();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const report = await fc.check(properties[name].property, {
      numRuns: Math.ceil(cases * properties[name].share),
      seed,
      ...(path === undefined ? {} : { path }),
    });
    // Node tells of a rejection once the turn that it belongs to is over.
    await new Promise((resolve) => setImmediate(resolve));
    const figures = { cases: report.numRuns, ms: performance.now() - started };
    if (report.failed) {
      const again = `npm run fuzz -- --only ${name} --seed ${seed} --path ${report.counterexamplePath}`;
      const { errorInstance: error } = report;
      const why = error instanceof Error ? error.stack : String(error);
      return { ...figures, failure: `${fc.defaultReportMessage(report)}\n${why}\nThe same again: ${again}` };
    }
    if (unhandled.length === 0) return figures;
    const reasons = unhandled.slice(0, 3).map((reason) => (reason instanceof Error ? reason.stack : String(reason)));
    return { ...figures, failure: `Rejections that nobody handled (--seed ${seed}):\n${reasons.join('\n')}` };
  } finally {
    process.off('unhandledRejection', note);
  }
}
