import { type Finding, levelOf, levels } from '../../../src/schema/rules.ts';
import { table } from '../figures.ts';
import type { Fact } from './facts.ts';

/** One step, with what the review found and what really happened. */
export interface Played {
  project: string;
  step: string;
  findings: Finding[];
  facts: Fact[];
}

interface Counts {
  findings: number;
  true: number;
  /** Of the false ones: drops that say "possibly renamed to …", and were in fact renames. */
  asked: number;
  dangers: number;
  found: number;
  hidden: number;
}

export interface Score {
  table: string;
  /** Each false finding, and each danger that was not found, as a line. */
  mistakes: string[];
}

/** Findings that are false, and dangers that were missed, by level. */
export function score(played: Played[]): Score {
  const none: Counts = { findings: 0, true: 0, asked: 0, dangers: 0, found: 0, hidden: 0 };
  const counts = new Map<string, Counts>(levels.map((level) => [level, { ...none }]));
  const mistakes: string[] = [];
  for (const { project, step, findings, facts } of played) {
    for (const finding of findings) {
      const count = counts.get(levelOf(finding)) as Counts;
      const isTrue = facts.some((fact) => matches(fact, finding));
      count.findings++;
      if (isTrue) count.true++;
      else {
        const isAsked = facts.some((fact) => asks(finding, fact));
        if (isAsked) count.asked++;
        mistakes.push(
          `${project} ${step}: ${isAsked ? 'ASKED' : 'FALSE'} ${levelOf(finding)} ${finding.rule} ${finding.object} (${finding.detail})`,
        );
      }
    }
    for (const fact of facts) {
      const count = counts.get(fact.level) as Counts;
      const isFound = findings.some((finding) => matches(fact, finding));
      if (fact.hidden && !isFound) {
        count.hidden++;
        continue;
      }
      count.dangers++;
      if (isFound) count.found++;
      else mistakes.push(`${project} ${step}: MISSED ${fact.level} ${fact.rules[0]} ${fact.objects[0]}`);
    }
  }
  const share = (part: number, whole: number) => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)}%`);
  const rows = [...counts].map(([level, one]) => [
    `\`${level}\``,
    one.findings,
    share(one.true, one.findings),
    one.asked,
    one.dangers,
    share(one.found, one.dangers),
    one.hidden,
  ]);
  return { table: table(['level', 'findings', 'true', 'asked', 'dangers', 'found', 'not visible'], rows), mistakes };
}

/** Whether a drop names the object's actual new name. */
function asks({ object, detail }: Finding, { rules, objects }: Fact): boolean {
  const guesses = / possibly renamed to (.*)$/.exec(` ${detail}`)?.[1]?.split(' or ') ?? [];
  const isRename = rules.some((rule) => rule.startsWith('rename-'));
  const last = (name: string) => name.slice(name.lastIndexOf('.') + 1);
  return (
    isRename &&
    objects.includes(object) &&
    guesses.some((guess) => objects.some((name) => name !== object && last(name) === last(guess)))
  );
}

function matches({ rules, objects }: Fact, { rule, object }: Finding): boolean {
  if (!rules.includes(rule)) return false;
  return objects.some((name) => {
    if (name.endsWith('.')) return object.startsWith(name);
    return name.endsWith('*') ? object.startsWith(name.slice(0, -1)) : object === name;
  });
}
