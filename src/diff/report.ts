import { ruleTexts } from '../schema/rule-texts.ts';
import { type Finding, type Level, levelOf, levels } from '../schema/rules.ts';
import { limits } from '../step/limits.ts';
import { asSentence, capital, count, listSome } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { alert, code, factTable, fenced, folded, plain, sentence, table } from '../text/markdown.ts';
import { type DatabaseDiff, type DiffFacts, failingIn, findingsOf, gateOf, isChanged } from './facts.ts';
import { countChanges } from './unified-diff.ts';

/** Findings of one rule and database that a table lists, and how many it lists without a fold. */
const maxListed = 50;
const maxUnfolded = 3;
/** Databases that one sentence lists. */
const maxDatabases = 10;

const meanings: Record<Exclude<Level, 'notice'>, string> = {
  destructive: 'loses rows or values',
  exposing: 'loses protection',
  breaking: 'breaks the previous version of the application',
  locking: 'may rewrite or lock a table with rows',
};

/** What a comparison found, as one sentence without its period. */
export function differenceIn(facts: DiffFacts): string {
  const { all, databases } = facts;
  const changed = databases.filter(isChanged);
  const where = all ? count(databases.length, 'database') : `database ${show(databases[0]?.database ?? '')}`;
  const [branch, base] = [show(facts.branch?.name ?? ''), show(facts.base?.name ?? '')];
  const between =
    facts.basePoint === undefined
      ? `between branches ${branch} and ${base}`
      : `between branch ${branch} now and branch ${base} as of ${facts.basePoint}`;
  if (changed.length === 0) return `No schema difference in ${where} ${between}`;
  const some = all ? `${changed.length} of ${where}` : where;
  const counts = countsOf(findingsOf(databases));
  return `The schema differs in ${some} ${between}: ${changesIn(databases)}${counts && `; findings: ${counts}`}`;
}

/** `3 lines added, 1 removed`; if there are none, what else differs. */
function changesIn(databases: DatabaseDiff[]): string {
  const changes = databases.map(({ text }) => countChanges(text));
  const sum = (kind: 'added' | 'removed') => changes.reduce((total, one) => total + one[kind], 0);
  const [added, removed] = [sum('added'), sum('removed')];
  if (added + removed > 0) return `${count(added, 'line')} added, ${removed} removed`;
  if (databases.some(({ isTooLarge }) => isTooLarge)) return 'too much for a diff of their lines';
  const oneSided = databases.filter(({ isNew, isGone }) => isNew || isGone).length;
  return `${count(oneSided, 'database')} ${oneSided === 1 ? 'exists' : 'exist'} on one side only`;
}

/** `2 destructive, 1 exposing, 3 notices`; empty if there are none. */
function countsOf(findings: Finding[]): string {
  const counts = levels.flatMap((level) => {
    const number = findings.filter((one) => levelOf(one) === level).length;
    return number === 0 ? [] : [level === 'notice' ? count(number, 'notice') : `${number} ${level}`];
  });
  return counts.join(', ');
}

/** A warning for each destructive and exposing finding, and for what the review could not see; with a gate, that is why the step fails. */
export function warningsOf(facts: DiffFacts): { line: string; title: string }[] {
  const unseen = facts.failOn.length > 0 ? [] : [...incompleteIn(facts), ...goneIn(facts)];
  const all = [
    ...lostIn(facts).map((line) => ({ line, title: 'fork point not readable' })),
    ...unseen.map((line) => ({ line, title: 'incomplete review' })),
    ...findingsOf(facts.databases)
      .filter(({ level }) => level === 'destructive' || level === 'exposing')
      .map((one) => ({
        line: `${inWords(one, facts)}: ${ruleTexts[one.rule].why} Safer approach: ${ruleTexts[one.rule].safer}`,
        title: `${one.level} change`,
      })),
  ];
  if (all.length <= limits.annotationsPerStep) return all;
  const rest = all.length - limits.annotationsPerStep + 1;
  const line = `${count(rest, 'more warning')} are in the output \`findings\``;
  return [...all.slice(0, -rest), { line, title: count(rest, 'more warning') }];
}

function incompleteIn({ databases }: DiffFacts): string[] {
  return databases.flatMap(({ database, incomplete }) =>
    incomplete === undefined
      ? []
      : [`Database ${show(database)} could not be fully reviewed: ${asSentence(oneLine(incomplete))}`],
  );
}

function lostIn({ databases, base, branch, all, failOn }: DiffFacts): string[] {
  const lost = databases.filter(({ isForkLost }) => isForkLost).map(({ database }) => show(database));
  if (lost.length === 0) return [];
  const where = all ? ` for ${lost.length === 1 ? 'database' : 'databases'} ${listSome(lost, maxDatabases)}` : '';
  const [one, other] = [show(branch?.name ?? ''), show(base?.name ?? '')];
  const gate = failOn.length > 0 ? `\`fail_on\` was not checked${where}: ` : '';
  return [
    `${gate}Branch ${one} was compared with the current state of ${other}${where}, so findings may come from changes to ${other}. The history of ${other} no longer reaches back to the point at which the branch was created or last reset. To compare with a point that can be read, reset ${one}, which discards its changes, and migrate again.`,
  ];
}

/** Databases that the branch lacks, as sentences; only if all are compared, because a single one must be on both sides. */
export function goneIn({ databases, base, branch }: DiffFacts): string[] {
  const gone = databases.filter(({ isGone }) => isGone).map(({ database }) => show(database));
  if (gone.length === 0) return [];
  const [one, other] = [show(branch?.name ?? ''), show(base?.name ?? '')];
  return [
    `Branch ${one} lacks ${gone.length === 1 ? 'a database' : 'databases'} of ${other}, not compared: ${listSome(gone, maxDatabases)}. Create what is missing on ${one}, or set \`database\` to the one to compare.`,
  ];
}

/** `drop-column public.users.email (text)`. */
export function inWords(finding: Finding & { database: string }, { all }: DiffFacts): string {
  const text = oneLine(finding.detail, 120);
  // Columns have their own parentheses.
  const detail = text === '' || text.startsWith('(') ? ` ${text}`.trimEnd() : ` (${text})`;
  const where = all ? ` in database ${show(finding.database)}` : '';
  return `${finding.rule} ${oneLine(finding.object, 200)}${detail}${where}`;
}

/** Summary and comment as Markdown: the gate and the worst finding, then the findings, then what was compared. `docsUrl` has the pages that the rules link to. */
export function reportOf(facts: DiffFacts, docsUrl: string | undefined): string[] {
  const { all, databases, branch, base, basePoint } = facts;
  const sections = databases.flatMap((one) => [
    ...(all ? [`#### Database ${code(one.database)}`, aboutOne(one)] : []),
    ...databaseSection(one, docsUrl),
  ]);
  const point = basePoint === undefined ? '' : ` as of ${plain(basePoint)}`;
  const rows: [string, string][] = [
    ['Branch', `${code(branch?.name ?? '')} (${code(branch?.id ?? '')})`],
    ['Compared with', `${code(base?.name ?? '')}${point}`],
    ['Database', all ? `all (${count(databases.length, 'database')})` : code(databases[0]?.database ?? '')],
  ];
  return [
    ...lostIn(facts).map((line) => alert('WARNING', sentence(line))),
    ...verdict(facts),
    ...sections,
    factTable(rows),
    ...databases.flatMap((one) => diffOf(one, facts)),
  ];
}

/** `2 destructive, 1 exposing, 3 locking`, as an alert if any of them may do harm. An incomplete review that found nothing has none. */
function verdict(facts: DiffFacts): string[] {
  const { databases } = facts;
  const found = findingsOf(databases);
  const [worst] = found;
  if (!worst) {
    if (databases.some(({ incomplete }) => incomplete !== undefined)) return [];
    if (!databases.some(isChanged)) return [`${sentence(differenceIn(facts))}.`];
    const ignored = databases.reduce((sum, one) => sum + one.ignored.length, 0);
    return [`The schema review has no findings${ignored > 0 ? ` (${ignored} ignored)` : ''}.`];
  }
  const failing = failingIn(facts);
  const fails = failing.length > 0 ? `: the step fails (${gateOf(facts.failOn)})` : '';
  const line = `**${countsOf(found)}**${fails}, first ${code(inWords(failing[0] ?? worst, facts))}`;
  if (worst.level === 'destructive' || worst.level === 'exposing') return [alert('CAUTION', line)];
  return [found.some(({ level }) => level === 'locking') ? alert('WARNING', line) : line];
}

/** What happened to one of several databases, as a sentence. */
function aboutOne(one: DatabaseDiff): string {
  if (one.isNew) return 'New: the base has no such database, so there is nothing to compare.';
  if (one.isGone) return 'Only in the base, and not compared: the branch has no such database.';
  if (!isChanged(one)) return 'No schema difference.';
  const counts = countsOf(one.findings);
  return `${capital(changesIn([one]))}${counts && `; findings: ${counts}`}.`;
}

function databaseSection(one: DatabaseDiff, docsUrl: string | undefined): string[] {
  const parts: string[] = [];
  if (one.incomplete !== undefined)
    parts.push(alert('WARNING', `The schema could not be fully reviewed: ${sentence(asSentence(one.incomplete))}`));
  const byLevel = Map.groupBy(one.findings, levelOf);
  for (const level of levels.filter((level) => level !== 'notice')) {
    const some = byLevel.get(level);
    if (some) parts.push(`**${capital(level)}**: ${meanings[level]}`, findingTable(some, docsUrl));
  }
  const fold = (some: Finding[], title: string) => {
    if (some.length > 0) parts.push(folded(title, findingTable(some, docsUrl)));
  };
  const notices = byLevel.get('notice') ?? [];
  fold(notices, count(notices.length, 'notice'));
  const [small, accepted] = [true, false].map((is) => one.ignored.filter(({ isSmall = false }) => isSmall === is));
  fold(accepted ?? [], `${count(accepted?.length ?? 0, 'ignored finding')} (<code>ignore_rules</code>)`);
  fold(small ?? [], `${count(small?.length ?? 0, 'finding')} about small tables (<code>ignore_below</code>)`);
  return parts;
}

function diffOf({ database, text, isTooLarge }: DatabaseDiff, { all }: DiffFacts): string[] {
  const of = all ? ` of ${plain(database)}` : '';
  if (isTooLarge) return [`The schemas${of} are too large and too different for a diff of their lines.`];
  return text === '' ? [] : [folded(`Diff${of} (${count(text.split('\n').length - 1, 'line')})`, fenced(text, 'diff'))];
}

/** One row for each rule, so that what it means is said once however many objects it is about. */
export function findingTable(findings: Finding[], docsUrl: string | undefined): string {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  return table({
    head: ['Rule', 'Objects', 'What happens', 'Safer approach'],
    body: [...byRule].map(([rule, some]) => [
      docsUrl === undefined ? rule : `[${rule}](${docsUrl}/diff.md#${rule})`,
      objectList(some),
      ruleTexts[rule].why,
      ruleTexts[rule].safer,
    ]),
  });
}

function objectList(findings: Finding[]): string {
  const listed = findings
    .slice(0, maxListed)
    .map(({ object, detail }) => (detail === '' ? code(object) : `${code(object)}: ${plain(detail)}`));
  const more = findings.length - listed.length;
  const lines = [...listed, ...(more > 0 ? [`and ${more} more in the output \`findings\``] : [])].join('<br>');
  if (findings.length <= maxUnfolded) return lines;
  return `<details><summary>${count(findings.length, 'object')}</summary>${lines}</details>`;
}
