import { asSentence, count, listSome } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { type DiffFacts, failingIn, gateOf } from './facts.ts';
import { goneIn, inWords } from './report.ts';

/** Findings that the error of a failed step names one by one. */
const maxNamed = 5;

/**
 * Why the step fails, as sentences: because of findings that `fail_on` names, or because a database could not be reviewed, or is missing on
 * the branch.
 */
export function gateFailure(facts: DiffFacts): string | undefined {
  if (facts.failOn.length === 0) return undefined;
  const failing = failingIn(facts);
  const sentences: string[] = [];
  const [first] = failing;
  if (first) {
    const named = listSome(
      failing.map((one) => inWords(one, facts)),
      maxNamed,
      '; ',
    );
    const example = /^[\w."]+$/.test(first.object) ? `, such as \`ignore_rules: ${first.rule}:${first.object}\`` : '';
    sentences.push(
      `The schema review has ${count(failing.length, 'finding')} that ${failing.length === 1 ? 'fails' : 'fail'} the step (${gateOf(facts.failOn)}): ${named}. Change the migration, or accept a finding with \`ignore_rules\`${example}.`,
    );
  }
  const unreviewed = facts.databases.filter(({ incomplete }) => incomplete !== undefined);
  for (const { database, incomplete = '' } of unreviewed) {
    sentences.push(
      `\`fail_on\` is set, and database ${show(database)} could not be fully reviewed: ${asSentence(oneLine(incomplete))}`,
    );
  }
  if (unreviewed.length > 0) sentences.push('To pass without a review, set `fail_on: never`.');
  sentences.push(...goneIn(facts).map((line) => `\`fail_on\` is set, but not all was compared. ${line}`));
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
