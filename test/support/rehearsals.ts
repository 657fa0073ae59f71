import { expect } from 'vitest';
import { client } from '../../tools/rehearse/measure.ts';
import type { Step } from '../../tools/rehearse/migrations.ts';
import { pullRequest } from '../../tools/runner/events.ts';
import { type Play, type Played, type Scenario, scenario } from './scenario.ts';

export const event = pullRequest({ number: 7 });

/** A service with a table of users, for all rehearsals of a file. */
export const withUsers = (): Scenario =>
  scenario({
    seed: `CREATE TABLE users (id integer PRIMARY KEY, email text NOT NULL, score integer);
    INSERT INTO users SELECT i, 'user' || i, i FROM generate_series(1, 20000) i;`,
  });

/** A step that rehearses statements, or a script. */
export function rehearsing(what: (string | Step)[] | string, inputs: Record<string, string> = {}): Play {
  const steps = typeof what === 'string' ? [] : what.map((one) => (typeof one === 'string' ? { sql: one } : one));
  return {
    event,
    action: 'rehearse',
    post: true,
    env: { STEPS: JSON.stringify(steps) },
    inputs: { run: typeof what === 'string' ? what : client, ...inputs },
  };
}

/** Waits until a rehearsal has ended, after which the branches that its log names must be gone. Others may run at the same time. */
export async function ended(scene: Scenario, run: Promise<Played>): Promise<Played> {
  const played = await run;
  await scene.service.idle();
  const names = [...played.stdout.matchAll(/"(rehearsal\/[^"]+)"/g)].map(([, name]) => name);
  const left = scene.service.branches().map(({ name }) => name);
  expect(left.filter((name) => (names.length > 0 ? names.includes(name) : name !== 'main'))).toEqual([]);
  return played;
}

interface Output {
  exit_code: number;
  locks: { table: string; mode: string; held_ms: number; waited_ms: number; statement: string }[];
  rewritten: object[];
  rows: object[];
  load: { deadlocks: number; waited_ms: number; table: string; overlapped: boolean } | null;
  probe: { outcome: string; gives_up_ms: number | null } | null;
  then: { exit_code: number } | null;
}
export const outputOf = ({ outputs }: Played) => JSON.parse(outputs.rehearsal ?? '') as Output;
export const findingsIn = ({ outputs }: Played) =>
  (JSON.parse(outputs.findings ?? '[]') as { rule: string; object: string; detail: string }[]).map(
    ({ rule, object, detail }) => `${rule} ${object} ${detail}`.trim(),
  );
