import { type DatabaseDiff, findingsOf, isChanged, type SchemaDiff } from '../result.ts';
import { type Finding, type Level, levelOf, levels, rules } from '../schema/rules.ts';
import { asSentence, count, listOf } from '../text/format.ts';
import { alert, code, fenced, folded, plain, sentence, table } from './markdown.ts';
import { countsOf, failingIn, gateOf, linesOf, lostIn, sinceForkIn, unmaskedIn } from './review-sentences.ts';

/** Findings of one rule and database that a table lists. */
const maxListed = 20;

const meanings: Record<Exclude<Level, 'notice'>, string> = {
  destructive: 'loses rows or values',
  exposing: 'loses protection',
  breaking: 'breaks the previous version of the application',
  locking: 'may rewrite or lock a table with rows',
};

/** How the sides differ, as a sentence. */
export function comparison(diff: SchemaDiff): string {
  const { databases, all } = diff;
  const changed = databases.filter(isChanged).length;
  const where = all ? ` in ${changed} of ${count(databases.length, 'database')}` : '';
  const sides = `between ${code(diff.branchName)} and ${baseOf(diff)}`;
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
    ...[...lostIn(diff), ...unmaskedIn(diff)].map((line) => alert('WARNING', plain(line, 1_000))),
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
    const ignored = diff.databases.reduce((sum, one) => sum + one.ignored.length, 0);
    const unread = unreadIn(diff);
    const them = unread.length === 1 && unread[0]?.startsWith('1 ') ? 'it' : 'them';
    const but = unread.length === 0 ? '' : ` It doesn't cover ${listOf(unread, 'and')}; check ${them} in the diff.`;
    return [`The schema review has no findings${ignored > 0 ? ` (${ignored} ignored)` : ''}.${but}`];
  }
  const has = (...some: Level[]) => found.some(({ level }) => some.includes(level));
  const fails = failingIn(diff).length > 0 ? `: the step fails (${gateOf(diff.failOn)})` : '';
  const line = `**${countsOf(found)}**${fails}`;
  if (has('destructive', 'exposing')) return [alert('CAUTION', line)];
  return [has('locking') ? alert('WARNING', line) : line];
}

/** What the review doesn't look into, of all databases: `2 new triggers`, `1 changed function`. */
function unreadIn({ databases }: SchemaDiff): string[] {
  const sums = new Map<string, number>();
  for (const { unread = {} } of databases) {
    for (const [kind, number] of Object.entries(unread)) sums.set(kind, (sums.get(kind) ?? 0) + number);
  }
  return [...sums].map(([kind, number]) => count(number, kind));
}

/** What happened to one of several databases, as a sentence. */
function changeOf(one: DatabaseDiff, diff: SchemaDiff): string {
  if (one.isNew) return `New: ${code(diff.baseName)} has no such database, so there is nothing to compare.`;
  if (one.isGone) return `Only in ${code(diff.baseName)}, and not compared: the branch has no such database.`;
  if (!isChanged(one)) return 'No schema difference.';
  return [linesOf({ databases: [one] }), countsOf(one.findings)].filter(Boolean).join('; ').concat('.');
}

function databaseSection(one: DatabaseDiff, docsUrl: string | undefined): string[] {
  const { text, findings } = one;
  const parts = incompletes([one]);
  const byLevel = Map.groupBy(findings, levelOf);
  for (const level of levels.filter((level) => level !== 'notice')) {
    const some = byLevel.get(level);
    if (!some) continue;
    parts.push(`**${level[0]?.toUpperCase()}${level.slice(1)}**: ${meanings[level]}`, findingTable(some, docsUrl));
  }
  const fold = (some: Finding[], title: string) => {
    if (some.length > 0) parts.push(folded(title, findingTable(some, docsUrl)));
  };
  const notices = byLevel.get('notice') ?? [];
  fold(notices, count(notices.length, 'notice'));
  const [small, ignored] = [
    one.ignored.filter(({ isSmall }) => isSmall),
    one.ignored.filter(({ isSmall }) => !isSmall),
  ];
  fold(ignored, `${count(ignored.length, 'ignored finding')} (<code>ignore_rules</code>)`);
  fold(small, `${count(small.length, 'finding')} about small tables (<code>ignore_below</code>)`);
  if (text !== '') parts.push(folded(`Diff (${count(text.split('\n').length - 1, 'line')})`, fenced(text, 'diff')));
  return parts;
}

function incompletes(databases: DatabaseDiff[]): string[] {
  const clauses = databases.flatMap(({ incomplete = [] }) => incomplete);
  const head = 'The schema could not be fully reviewed';
  return clauses.map((clause) => alert('WARNING', `${head}: ${sentence(asSentence(clause), 1_000)}`));
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
