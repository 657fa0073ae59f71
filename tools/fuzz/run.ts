import fc from 'fast-check';
import { eventProperty } from './events.ts';
import { inputProperty } from './inputs.ts';

/** Every property and its share of the cases, larger where more can go wrong. */
export const properties = {
  inputs: { property: inputProperty as fc.IRawProperty<unknown>, share: 0.3 },
  events: { property: eventProperty as fc.IRawProperty<unknown>, share: 0.23 },
};

export type PropertyName = keyof typeof properties;

interface Figures {
  cases: number;
  ms: number;
  /** The counterexample and how to reproduce it; undefined if the property holds. */
  failure?: string;
}

/** Checks a property. Unhandled rejections count as failures too. */
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
    // Node reports unhandled rejections at the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    const figures = { cases: report.numRuns, ms: performance.now() - started };
    if (report.failed) {
      const reproduce = `npm run fuzz -- --only ${name} --seed ${seed} --path ${report.counterexamplePath}`;
      const { errorInstance: error } = report;
      const why = error instanceof Error ? error.stack : String(error);
      return { ...figures, failure: `${fc.defaultReportMessage(report)}\n${why}\nReproduce with: ${reproduce}` };
    }
    if (unhandled.length === 0) return figures;
    const reasons = unhandled.slice(0, 3).map((reason) => (reason instanceof Error ? reason.stack : String(reason)));
    return { ...figures, failure: `Unhandled rejections (--seed ${seed}):\n${reasons.join('\n')}` };
  } finally {
    process.off('unhandledRejection', note);
  }
}
