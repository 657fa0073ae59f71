import { ruleTexts } from '../schema/rule-texts.ts';
import { type Finding, levelOf, levels } from '../schema/rules.ts';
import { asSentence, capital, count } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { alert, code, factTable, fenced, folded, plain, sentence, table } from '../text/markdown.ts';
import { type DatabaseDiff, type DiffFacts, findingsOf, isChanged } from './facts.ts';
import { failingIn, gateOf, listInWords, lostIn, unseenIn } from './gate.ts';

/** Findings of one rule and database that a table lists, and how many it lists without a fold. */
const maxListed = 50;
const maxUnfolded = 3;

/** What a comparison found, as one sentence without its period. */
export function differenceIn({ all, databases, branch, base, basePoint }: DiffFacts): string {
  const changed = databases.filter(isChanged);
  const where = all ? count(databases.length, 'database') : `database ${show(databases[0]?.database ?? '')}`;
  const point = basePoint === undefined ? '' : ` as of ${basePoint}`;
  const between = `between branch ${show(branch?.name ?? '')} and branch ${show(base?.name ?? '')}${point}`;
  if (changed.length === 0) return `No schema difference in ${where} ${between}`;
  const found = findingsOf(databases);
  const findings = found.length > 0 ? `; findings: ${countsOf(found)}` : '';
  return `The schema differs in ${all ? `${changed.length} of ` : ''}${where} ${between}${findings}`;
}

/** `2 destructive, 1 exposing, 3 notices`. */
function countsOf(findings: Finding[]): string {
  const counts = levels.flatMap((level) => {
    const number = findings.filter((one) => levelOf(one) === level).length;
    return number === 0 ? [] : [level === 'notice' ? count(number, 'notice') : `${number} ${level}`];
  });
  return counts.join(', ');
}

/** Warnings for what loses data or protection, and for what the review could not see; with a gate, that is why the step fails. */
export function warningsOf(facts: DiffFacts): string[] {
  const found = findingsOf(facts.databases);
  const changes = (['destructive', 'exposing'] as const).flatMap((level) => {
    const some = found.filter((one) => one.level === level);
    return some.length > 0 ? [`${capital(level)}: ${listInWords(some, facts)}`] : [];
  });
  return [...lostIn(facts), ...(facts.failOn.length > 0 ? [] : unseenIn(facts)), ...changes];
}

/** Summary and comment as Markdown: the gate and the worst finding, then the findings, then what was compared. */
export function reportOf(facts: DiffFacts): string[] {
  const { all, databases, branch, base, basePoint } = facts;
  const point = basePoint === undefined ? '' : ` as of ${plain(basePoint)}`;
  return [
    ...lostIn(facts).map((line) => alert('WARNING', sentence(line))),
    ...verdict(facts),
    ...databases.flatMap((one) => [
      ...(all ? [`#### Database ${code(one.database)}`, ...aboutOne(one)] : []),
      ...databaseSection(one),
    ]),
    factTable([
      ['Branch', `${code(branch?.name ?? '')} (${code(branch?.id ?? '')})`],
      ['Compared with', `${code(base?.name ?? '')}${point}`],
      ['Database', all ? `all (${count(databases.length, 'database')})` : code(databases[0]?.database ?? '')],
    ]),
    ...databases.flatMap(({ database, text }) => {
      const of = all ? ` of ${plain(database)}` : '';
      if (text === '') return [];
      return [folded(`Diff${of} (${count(text.split('\n').length - 1, 'line')})`, fenced(text, 'diff'))];
    }),
  ];
}

/** `2 destructive, 1 exposing, 3 locking`, as an alert if any of them may do harm. An incomplete review that found nothing has none. */
function verdict(facts: DiffFacts): string[] {
  const { databases } = facts;
  const found = findingsOf(databases);
  const [worst] = found;
  const gate = `the step fails (${gateOf(facts.failOn)})`;
  const [unseen] = facts.failOn.length > 0 ? unseenIn(facts) : [];
  if (!worst) {
    if (unseen !== undefined) return [alert('WARNING', `${capital(gate)}: ${sentence(unseen)}`)];
    if (databases.some(({ incomplete }) => incomplete !== undefined)) return [];
    if (!databases.some(isChanged)) return [`${sentence(differenceIn(facts))}.`];
    const ignored = databases.reduce((sum, one) => sum + one.ignored.length, 0);
    return [`The schema review has no findings${ignored > 0 ? ` (${ignored} ignored)` : ''}.`];
  }
  const failing = failingIn(facts);
  const fails = failing.length > 0 || unseen !== undefined ? `: ${gate}` : '';
  const line = `**${countsOf(found)}**${fails}, first ${code(listInWords([failing[0] ?? worst], facts))}`;
  if (worst.level === 'notice') return [line];
  return [alert(worst.level === 'destructive' || worst.level === 'exposing' ? 'CAUTION' : 'WARNING', line)];
}

/** Why one of several databases has no findings and no diff, if so. */
function aboutOne(one: DatabaseDiff): string[] {
  if (one.isNew) return ['Only the branch has it.'];
  if (one.isGone) return ['Only the base has it.'];
  return isChanged(one) ? [] : ['No schema difference.'];
}

function databaseSection({ findings, ignored, incomplete }: DatabaseDiff): string[] {
  const notices = findings.filter((one) => levelOf(one) === 'notice');
  const others = findings.filter((one) => levelOf(one) !== 'notice');
  const fold = (some: Finding[], noun: string) =>
    some.length > 0 && folded(count(some.length, noun), findingTable(some));
  return [
    incomplete !== undefined &&
      alert('WARNING', `The schema could not be fully reviewed: ${sentence(asSentence(incomplete))}`),
    others.length > 0 && findingTable(others),
    fold(notices, 'notice'),
    fold(ignored, 'ignored finding'),
  ].filter((part) => typeof part === 'string');
}

/** One row for each rule, so that what it means is said once however many objects it is about. */
function findingTable(findings: Finding[]): string {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  return table({
    head: ['Rule', 'Objects', 'What happens', 'Safer approach'],
    body: [...byRule].map(([rule, some]) => [
      `**${capital(levelOf({ rule }))}**<br>${rule}`,
      objectList(some),
      ruleTexts[rule].why,
      ruleTexts[rule].safer,
    ]),
  });
}

function objectList(findings: Finding[]): string {
  const lines = findings
    .slice(0, maxListed)
    .map(({ object, detail }) => (detail === '' ? code(object) : `${code(object)}: ${plain(detail)}`));
  if (findings.length > maxListed) lines.push(`and ${findings.length - maxListed} more in the output \`findings\``);
  const listed = lines.join('<br>');
  if (findings.length <= maxUnfolded) return listed;
  return `<details><summary>${count(findings.length, 'object')}</summary>${listed}</details>`;
}
