import { type DatabaseDiff, findingsOf, isChanged, type SchemaDiff } from '../result.ts';
import { ruleTexts } from '../schema/rule-texts.ts';
import { type Finding, type Level, levelOf, levels } from '../schema/rules.ts';
import { limits } from '../step/limits.ts';
import { asSentence, capital, count, listOf, listSome } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { alert, code, fenced, folded, plain, sentence, table } from '../text/markdown.ts';

/** Findings that the error of a failed step names one by one. */
const maxNamed = 5;
/** Findings of one rule and database that a table lists, and those that it lists without a fold. */
const maxListed = 20;
const maxUnfolded = 20;

const meanings: Record<Exclude<Level, 'notice'>, string> = {
  destructive: 'loses rows or values',
  exposing: 'loses protection',
  breaking: 'breaks the previous version of the application',
  locking: 'may rewrite or lock a table with rows',
};

/** `2 destructive, 1 exposing, 3 notices`; empty if there are none. */
export function countsOf(findings: Finding[]): string {
  const counts = levels.flatMap((level) => {
    const number = findings.filter((one) => levelOf(one) === level).length;
    return number === 0 ? [] : [level === 'notice' ? count(number, 'notice') : `${number} ${level}`];
  });
  return counts.join(', ');
}

interface Warning {
  line: string;
  title: string;
}

/** Databases that one sentence lists. */
const mostListed = 10;

/** A warning for each destructive and exposing finding, and for what the review could not see. `summary`: whether the step writes one. */
export function warningsOf(diff: SchemaDiff, { summary }: { summary: boolean }): Warning[] {
  const all = [
    ...lostIn(diff).map((line) => ({ line, title: 'fork point not readable' })),
    // With a gate, it is the reason why the step fails.
    ...(diff.failOn.length > 0 ? [] : incompleteIn(diff).map((line) => ({ line, title: 'incomplete review' }))),
    ...(diff.failOn.length > 0 ? [] : goneIn(diff).map((line) => ({ line, title: 'missing database' }))),
    ...findingsOf(diff)
      .filter(({ level }) => level === 'destructive' || level === 'exposing')
      .map((one) => ({
        line: `${inWords(one, diff)}: ${ruleTexts[one.rule].why} Safer approach: ${ruleTexts[one.rule].safer}`,
        title: `${one.level} change`,
      })),
  ];
  if (all.length <= limits.annotationsPerStep) return all;
  const rest = all.length - limits.annotationsPerStep + 1;
  return [
    ...all.slice(0, limits.annotationsPerStep - 1),
    {
      line: `${count(rest, 'more warning')} are in ${summary ? 'the job summary and ' : ''}the output \`findings\``,
      title: count(rest, 'more warning'),
    },
  ];
}

/**
 * Why the step fails, as sentences: because of findings that `fail_on` names, or because the review is incomplete, as it is of a database
 * that the branch does not have.
 */
export function gateFailure(diff: SchemaDiff): string | undefined {
  if (diff.failOn.length === 0) return undefined;
  const gate = gateOf(diff.failOn);
  const failing = failingIn(diff);
  const sentences = [...ungated(diff), ...goneIn(diff).map((line) => `${failsBecause}${startOf(line)}`)];
  const [first] = failing;
  if (first) {
    const named = listSome(
      failing.map((one) => inWords(one, diff)),
      maxNamed,
      '; ',
    );
    const example = /^[\w."]+$/.test(first.object) ? `, such as \`ignore_rules: ${first.rule}:${first.object}\`` : '';
    sentences.unshift(
      `The schema review has ${count(failing.length, 'finding')} that ${failing.length === 1 ? 'fails' : 'fail'} the step (${gate}): ${named}. Change the migration, or accept a finding with \`ignore_rules\`${example}.`,
    );
  }
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

/** The findings that fail the step. A database whose fork point is lost doesn't count: its findings may come from changes to the parent. */
function failingIn(diff: SchemaDiff): ReturnType<typeof findingsOf> {
  const databases = diff.databases.filter(({ isForkLost }) => !isForkLost);
  return findingsOf({ ...diff, databases }).filter(({ level }) => diff.failOn.includes(level));
}

/** `fail_on` as a workflow has it, in Markdown. */
function gateOf(failOn: Level[]): string {
  return `\`fail_on: ${failOn.length === levels.length ? 'any' : failOn.join(', ')}\``;
}

function incompleteIn({ databases }: SchemaDiff): string[] {
  return databases.flatMap(({ database, incomplete }) =>
    incomplete === undefined
      ? []
      : [`Database ${show(database)} could not be fully reviewed: ${asSentence(oneLine(incomplete))}`],
  );
}

/** Before a clause about a database that could not be reviewed. */
const failsBecause = 'The step fails because `fail_on` is set and ';

/** That the step fails for databases that could not be reviewed, and how to pass it all the same. */
function ungated(diff: SchemaDiff): string[] {
  const incomplete = incompleteIn(diff);
  return [
    ...incomplete.map((line) => `${failsBecause}${startOf(line)}`),
    ...(incomplete.length > 0 ? ['To pass without a review, set `fail_on: never`.'] : []),
  ];
}

/** A sentence that starts with a word of ours, to follow another part of it. */
function startOf(line: string): string {
  return `${line[0]?.toLowerCase()}${line.slice(1)}`;
}

/** How a branch gets databases that its base has, as sentences. */
export function howToGet(what: 'database' | 'databases', branchName: string): string {
  const branch = show(branchName);
  const it = what === 'database' ? 'it' : 'them';
  return `Create the ${what} on ${branch}. Or, if the parent of ${branch} has ${it}, reset ${branch}, which discards its changes, and migrate again.`;
}

function lostIn({ databases, baseName, branchName, all, failOn }: SchemaDiff): string[] {
  const lost = databases.filter(({ isForkLost }) => isForkLost).map(({ database }) => show(database));
  if (lost.length === 0) return [];
  const where = all ? ` for ${lost.length === 1 ? 'database' : 'databases'} ${listSome(lost, mostListed)}` : '';
  const [branch, base] = [show(branchName), show(baseName)];
  const gate = failOn.length > 0 ? `\`fail_on\` was not checked${where}: ` : '';
  return [
    `${gate}Branch ${branch} was compared with the current state of ${base}${where}, so findings may come from changes to ${base}. The history of ${base} no longer reaches back to the point at which the branch was created or last reset. To compare with a point that can be read, reset ${branch}, which discards its changes, and migrate again.`,
  ];
}

/** Only if all databases are compared: a single one must be on both sides. */
function goneIn({ databases, baseName, branchName }: SchemaDiff): string[] {
  return databases.flatMap(({ database, isGone }) =>
    isGone
      ? [
          `Database ${show(database)} of branch ${show(baseName)} doesn't exist on branch ${show(branchName)}, so it was not compared. ${howToGet('database', branchName)} To compare only one database, set \`database\` to that database instead of \`*\`.`,
        ]
      : [],
  );
}

/** `drop-column public.users.email (text)`. */
function inWords(finding: Finding & { database: string }, { all }: SchemaDiff): string {
  const text = oneLine(finding.detail, 120);
  // Columns have their own parentheses.
  const detail = text === '' || text.startsWith('(') ? ` ${text}`.trimEnd() : ` (${text})`;
  const where = all ? ` in database ${show(finding.database)}` : '';
  return `${finding.rule} ${oneLine(finding.object, 200)}${detail}${where}`;
}

/** The result, the findings and the schema difference as Markdown. `docsUrl` has the pages that the rules link to. */
export function diffSection(diff: SchemaDiff, docsUrl: string | undefined): string[] {
  const { databases } = diff;
  const lost = lostIn(diff).map((line) => alert('WARNING', sentence(line)));
  if (!databases.some(isChanged)) return [...lost, ...incompletes(databases)];
  const sections = databases.flatMap((one) => [...databaseSection(one, docsUrl)]);
  return [...lost, ...verdict(diff), ...sections];
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

function databaseSection(one: DatabaseDiff, docsUrl: string | undefined): string[] {
  const { text, findings } = one;
  const parts = incompletes([one]);
  const byLevel = Map.groupBy(findings, levelOf);
  for (const level of levels.filter((level) => level !== 'notice')) {
    const some = byLevel.get(level);
    if (!some) continue;
    parts.push(`**${capital(level)}**: ${meanings[level]}`, findingTable(some, docsUrl));
  }
  const notices = byLevel.get('notice') ?? [];
  if (notices.length > 0) parts.push(folded(count(notices.length, 'notice'), findingTable(notices, docsUrl)));
  parts.push(...ignoredIn(one, docsUrl));
  if (one.isTooLarge) parts.push(`The schemas are too large and too different for a diff of their lines.`);
  if (text !== '') parts.push(folded(`Diff (${count(text.split('\n').length - 1, 'line')})`, fenced(text, 'diff')));
  return parts;
}

/** The findings that the inputs accept, folded. */
export function ignoredIn({ ignored }: DatabaseDiff, docsUrl: string | undefined): string[] {
  const [small, accepted] = [ignored.filter(({ isSmall }) => isSmall), ignored.filter(({ isSmall }) => !isSmall)];
  const fold = (some: Finding[], title: string) =>
    some.length > 0 ? [folded(title, findingTable(some, docsUrl))] : [];
  return [
    ...fold(accepted, `${count(accepted.length, 'ignored finding')} (<code>ignore_rules</code>)`),
    ...fold(small, `${count(small.length, 'finding')} about small tables (<code>ignore_below</code>)`),
  ];
}

function incompletes(databases: DatabaseDiff[]): string[] {
  const clauses = databases.flatMap(({ incomplete = [] }) => incomplete);
  const head = 'The schema could not be fully reviewed';
  return clauses.map((clause) => alert('WARNING', `${head}: ${sentence(asSentence(clause))}`));
}

/** One row for each rule, so that what it means is said once however many objects it is about. */
function findingTable(findings: Finding[], docsUrl: string | undefined): string {
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
