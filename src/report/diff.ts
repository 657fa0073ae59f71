import { type DatabaseDiff, findingsOf, isChanged, type SchemaDiff } from '../result.ts';
import { type Finding, type Level, levelOf, levels, rules } from '../schema/rules.ts';
import { asSentence, count, listOf } from '../text/format.ts';
import { code, fenced, folded, plain, sentence, table } from './markdown.ts';
import { countsOf, failingIn, gateOf, linesOf, lostIn, sinceForkIn, unmaskedIn } from './review-sentences.ts';

/** Findings of one rule and database that a table lists. */
const maxListed = 20;

const meanings: Record<Level, string> = {
  destructive: 'loses rows or values',
  exposing: 'loses protection',
  breaking: 'the previous version of the application fails',
  locking: 'may rewrite or lock a table with rows',
  notice: 'worth knowing',
};

/** How the sides differ, as a sentence. */
export function comparison(diff: SchemaDiff, branchName: string): string {
  const { databases, all } = diff;
  const changed = databases.filter(isChanged).length;
  const where = all ? ` in ${changed} of ${count(databases.length, 'database')}` : '';
  const sides = `between ${code(branchName)} and ${baseOf(diff)}`;
  if (changed === 0) return `No schema difference ${sides}${all ? ` in ${count(databases.length, 'database')}` : ''}.`;
  return `Schema difference ${sides}${where}: **${linesOf(diff)}**.`;
}

/** The base, with the point in its history. */
export function baseOf({ baseName, basePoint }: SchemaDiff): string {
  return basePoint === undefined ? code(baseName) : `${code(baseName)} at ${plain(basePoint)}`;
}

/** The findings and the schema difference as Markdown. `docsUrl` has the pages that the rules link to. */
export function diffSection(diff: SchemaDiff, docsUrl: string | undefined): string[] {
  const { all, databases } = diff;
  const parent = [
    ...sinceForkIn(diff),
    ...[...lostIn(diff), ...unmaskedIn(diff)].map((line) => `> [!WARNING]\n> ${plain(line, 1_000)}`),
  ];
  if (!databases.some(isChanged)) return [...parent, ...incompletes(databases)];
  const sections = databases.flatMap((one) => [
    ...(all ? [`#### Database ${code(one.database)}`, changeOf(one, diff)] : []),
    ...databaseSection(one, docsUrl),
  ]);
  return [...parent, ...verdict(diff), ...sections];
}

/** `2 destructive, 1 exposing, 3 locking`, as an alert if any of them may do harm. An incomplete review that found nothing has none. */
function verdict(diff: SchemaDiff): string[] {
  const found = findingsOf(diff);
  if (found.length === 0) {
    if (diff.databases.some(({ incomplete }) => incomplete !== undefined)) return [];
    const ignored = diff.databases.reduce((sum, one) => sum + one.ignored.length + (one.small?.length ?? 0), 0);
    const unread = unreadIn(diff);
    const them = /^1 [a-z ]+$/.test(unread) && !unread.includes(' and ') ? 'it' : 'them';
    const but = unread === '' ? '' : ` It doesn't cover ${unread}; check ${them} in the diff.`;
    return [`The schema review has no findings${ignored > 0 ? ` (${ignored} ignored)` : ''}.${but}`];
  }
  const has = (...some: Level[]) => found.some(({ level }) => some.includes(level));
  const fails = failingIn(diff).length > 0 ? `: the step fails (${gateOf(diff.failOn)})` : '';
  const line = `**${countsOf(found)}**${fails}`;
  const alert = has('destructive', 'exposing') ? 'CAUTION' : has('locking') ? 'WARNING' : undefined;
  return [alert === undefined ? line : `> [!${alert}]\n> ${line}`];
}

/** `2 new triggers and 1 changed function`, of all databases; empty if there are none. */
function unreadIn({ databases }: SchemaDiff): string {
  const all = databases.flatMap(({ unread = {} }) => Object.entries(unread));
  const counts = [...Map.groupBy(all, ([kind]) => kind)].map(([kind, some]) =>
    count(
      some.reduce((sum, [, number]) => sum + number, 0),
      kind,
    ),
  );
  return listOf(counts, 'and');
}

/** What happened to one of several databases, as a sentence. */
function changeOf(one: DatabaseDiff, diff: SchemaDiff): string {
  if (one.isNew) return `New: ${code(diff.baseName)} has no such database, so there is nothing to compare.`;
  if (one.isGone) return `Only in ${code(diff.baseName)}, and not compared: the branch has no such database.`;
  if (!isChanged(one)) return 'No schema difference.';
  return [linesOf({ databases: [one] }), countsOf(one.findings)].filter(Boolean).join('; ').concat('.');
}

function databaseSection(one: DatabaseDiff, docsUrl: string | undefined): string[] {
  const { text, findings, ignored, small = [] } = one;
  const ofLevel = (level: Level) => findings.filter((finding) => levelOf(finding) === level);
  const parts = incompletes([one]);
  for (const level of levels) {
    const some = ofLevel(level);
    if (some.length === 0) continue;
    const rows = findingTable(some, docsUrl);
    if (level === 'notice') parts.push(folded(count(some.length, 'notice'), rows));
    else parts.push(`**${level[0]?.toUpperCase()}${level.slice(1)}**: ${meanings[level]}`, rows);
  }
  if (ignored.length > 0) {
    parts.push(
      folded(`${count(ignored.length, 'ignored finding')} (<code>ignore_rules</code>)`, findingTable(ignored, docsUrl)),
    );
  }
  if (small.length > 0) {
    const title = `${count(small.length, 'finding')} about small tables (<code>ignore_below</code>)`;
    parts.push(folded(title, findingTable(small, docsUrl)));
  }
  if (text !== '') parts.push(folded(`Diff (${count(text.split('\n').length - 1, 'line')})`, fenced(text, 'diff')));
  return parts;
}

function incompletes(databases: DatabaseDiff[]): string[] {
  return databases.flatMap(({ incomplete }) =>
    incomplete === undefined
      ? []
      : [`> [!WARNING]\n> The schema could not be fully reviewed: ${sentence(asSentence(incomplete), 1_000)}`],
  );
}

/** One row for each rule, so that what it means is said once however many objects it is about. */
function findingTable(findings: Finding[], docsUrl: string | undefined): string {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  return table({
    head: ['Rule', 'Objects', 'What happens', 'Safer approach'],
    body: [...byRule].map(([rule, some]) => [
      docsUrl === undefined ? rule : `[${rule}](${docsUrl}/schema-review.md#${rule})`,
      objectList(some),
      rules[rule].why,
      rules[rule].safer,
    ]),
  });
}

function objectList(findings: Finding[]): string {
  const listed = findings
    .slice(0, maxListed)
    .map(({ object, detail }) => (detail === '' ? code(object) : `${code(object)}: ${plain(detail)}`));
  const more = findings.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more in the output \`findings\``] : [])].join('<br>');
}
