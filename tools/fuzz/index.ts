import { parseArgs } from 'node:util';
import { type PropertyName, properties, tryProperty } from './run.ts';

/** `npm run fuzz -- [--cases 150000] [--seed 1] [--only inputs|events] [--path 3:1]` */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '150000' },
    seed: { type: 'string' },
    only: { type: 'string' },
    path: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const names = (Object.keys(properties) as PropertyName[]).filter((name) => (values.only ?? name) === name);
if (names.length === 0 || !Number.isSafeInteger(seed)) throw new Error('Unknown property or invalid seed');

let cases = 0;
let ms = 0;
const parts: string[] = [];
for (const name of names) {
  const { path } = values;
  const figures = await tryProperty(name, {
    cases: Number(values.cases),
    seed,
    ...(path === undefined ? {} : { path }),
  });
  cases += figures.cases;
  ms += figures.ms;
  parts.push(`${name} ${figures.cases} in ${(figures.ms / 1000).toFixed(1)} s`);
  if (figures.failure === undefined) continue;
  console.error(`${name}: ${figures.failure}`);
  process.exitCode = 1;
}
console.log(
  `Fuzz: ${cases} cases in ${(ms / 1000).toFixed(1)} s (${parts.join(', ')}), seed ${seed}: ${process.exitCode ? 'a property does not hold' : 'all hold'}`,
);
