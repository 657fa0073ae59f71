import { type Level, levels } from '../schema/rules.ts';
import { asSentence, count, findingInWords, listSome } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { type DiffFacts, findingsOf, type LocatedFinding } from './facts.ts';

const maxNamed = 5;

export function failingIn({ databases, failOn }: DiffFacts): LocatedFinding[] {
  return findingsOf(databases.filter(({ isForkLost }) => !isForkLost)).filter(({ level }) => failOn.includes(level));
}

/** `fail_on` as a workflow has it, in Markdown. */
export function gateOf(failOn: Level[]): string {
  return `\`fail_on: ${failOn.length === levels.length ? 'any' : failOn.join(', ')}\``;
}

/** Why the step fails, as sentences; undefined if it does not. */
export function gateFailure(facts: DiffFacts): string | undefined {
  if (facts.failOn.length === 0) return undefined;
  const failing = failingIn(facts);
  const sentences = unseenIn(facts);
  if (sentences.length > 0) sentences.push('To pass without a review, set `fail_on: never`.');
  if (failing.length > 0) {
    sentences.unshift(
      `The step fails because of ${count(failing.length, 'finding')} (${gateOf(facts.failOn)}): ${listInWords(failing, facts)}. Change the migration, or accept a finding with \`ignore_rules\`.`,
    );
  }
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

/** What was not reviewed, as sentences: `fail_on` can't be checked then. */
export function unseenIn({ databases }: DiffFacts): string[] {
  return databases.flatMap(({ database, isGone, incomplete }) => {
    if (isGone) return `The branch lacks database ${show(database)} of the base.`;
    if (incomplete === undefined) return [];
    return `Database ${show(database)} could not be fully reviewed: ${asSentence(oneLine(incomplete))}`;
  });
}

export function lostIn({ databases, base, branch, all, failOn }: DiffFacts): string[] {
  const lost = databases.filter(({ isForkLost }) => isForkLost).map(({ database }) => show(database));
  if (lost.length === 0) return [];
  const where = all ? ` for ${listSome(lost, maxNamed)}` : '';
  const gate = failOn.length > 0 ? `\`fail_on\` was not checked${where}: ` : '';
  return [
    `${gate}Branch ${show(base?.name ?? '')} was compared as it is now, because its history no longer reaches back to the fork point; findings may come from changes to it. To compare with a point that can be read, reset branch ${show(branch?.name ?? '')}, and migrate again.`,
  ];
}

export function listInWords(findings: LocatedFinding[], { all }: DiffFacts): string {
  const words = findings.map((one) => `${findingInWords(one)}${all ? ` in database ${show(one.database)}` : ''}`);
  return listSome(words, maxNamed, '; ');
}
