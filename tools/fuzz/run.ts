import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { diff } from '../../src/diff/action.ts';
import { lifecycle } from '../../src/lifecycle/action.ts';
import { manage } from '../../src/manage/action.ts';
import { prune } from '../../src/prune/action.ts';
import { rehearse } from '../../src/rehearse/action.ts';
import { bodyProperty } from './bodies.ts';
import { eventProperty } from './events.ts';
import { type AnyAction, inputProperty } from './inputs.ts';
import { nameProperty } from './names.ts';
import { pruneProperty } from './prune.ts';

/** Every property and its share of the cases, larger where more can go wrong. */
export const properties = {
  inputs: {
    property: inputProperty([lifecycle, diff, manage, prune, rehearse] as AnyAction[]) as fc.IRawProperty<unknown>,
    share: 0.1,
  },
  events: { property: eventProperty as fc.IRawProperty<unknown>, share: 0.25 },
  bodies: { property: bodyProperty as fc.IRawProperty<unknown>, share: 0.2 },
  prune: { property: pruneProperty as fc.IRawProperty<unknown>, share: 0.35 },
  names: { property: nameProperty as fc.IRawProperty<unknown>, share: 0.1 },
};

export type PropertyName = keyof typeof properties;

/** Checks a property. Returns the counterexample and how to reproduce it; undefined if it holds. */
export async function tryProperty(
  name: PropertyName,
  options: { cases: number; seed: number; path?: string },
): Promise<string | undefined> {
  const { cases, seed, path } = options;
  const report = await fc.check(properties[name].property, {
    numRuns: Math.ceil(cases * properties[name].share),
    seed,
    ...(path === undefined ? {} : { path }),
  });
  if (!report.failed) return undefined;
  const { errorInstance: error, counterexamplePath } = report;
  const why = error instanceof Error ? error.stack : String(error);
  return `${name}: ${fc.defaultReportMessage(report)}\n${why}\nReproduce with: npm run fuzz -- --only ${name} --seed ${seed} --path ${counterexamplePath}`;
}

/** `npm run fuzz -- [--cases 150000] [--seed 1] [--only NAME] [--path 3:1]` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '150000' },
      seed: { type: 'string' },
      only: { type: 'string' },
      path: { type: 'string' },
    },
  });
  const { path, only, cases } = values;
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const names = (Object.keys(properties) as PropertyName[]).filter((name) => (only ?? name) === name);
  if (names.length === 0 || !Number.isSafeInteger(seed)) throw new Error('Unknown property or invalid seed');
  for (const name of names) {
    const started = performance.now();
    const failure = await tryProperty(name, { cases: Number(cases), seed, ...(path === undefined ? {} : { path }) });
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    console.log(
      failure ?? `${name}: holds in ${Math.ceil(Number(cases) * properties[name].share)} cases (${seconds} s)`,
    );
    if (failure !== undefined) process.exitCode = 1;
  }
  console.log(`Fuzz: seed ${seed}: ${process.exitCode ? 'a property does not hold' : 'all hold'}`);
}

if (import.meta.main) await main();
