import { ruleTexts } from '../../src/schema/rule-texts.ts';
import { client } from '../rehearse/measure.ts';
import { pullRequest, schedule } from '../runner/events.ts';
import type { Demo } from './demo.ts';
import { seconds } from './report.ts';
import { connect, contentsOf, MIGRATION, NEW_ROWS, RISKY_MIGRATION, rowCounts } from './shop.ts';

/** The branch of pull request #7, as created by the first scene. */
export interface Preview {
  branchId: string;
  uri: string;
}

const PULL = { number: 7, head: 'feature/tiers', title: 'Give customers a tier' };
const NAME = 'preview/pr-7';
const pushed = pullRequest({ ...PULL, action: 'synchronize' });

export async function openPullRequest(demo: Demo): Promise<Preview> {
  const { report, service } = demo;
  report.section('Pull request #7 is opened: the action creates a branch');
  const run = await demo.step({ event: pullRequest({ ...PULL, action: 'opened' }) });
  const { branch_name, branch_id = '', created, db_url: uri = '', db_host, db_url_pooled = '' } = run.outputs;
  report.check(
    'created=true, branch_name=preview/pr-7',
    { created, branch_name },
    { created: 'true', branch_name: NAME },
  );
  report.check('there is one branch besides main', branchNames(demo), [service.main.name, NAME]);
  const contents = await contentsOf(uri);
  report.check(`the branch's tables equal main's, row for row: ${rowCounts(contents)}`, contents, demo.main);
  report.check('the pooled URI shows the same rows', await contentsOf(db_url_pooled), demo.main);
  report.check('db_host can be a job output', run.jobOutputs.db_host, db_host);
  report.check("db_url can't: it contains the password", 'db_url' in run.jobOutputs, false);
  return { branchId: branch_id, uri };
}

export async function migrateAndPush(demo: Demo, preview: Preview): Promise<void> {
  const { report } = demo;
  report.section('The branch is migrated and gets new rows, and a commit is pushed: the action reuses the branch');
  await connect(preview.uri, (client) => client.query(MIGRATION + NEW_ROWS));
  const migrated = await contentsOf(preview.uri);
  report.check(`on the branch: ${rowCounts(migrated)}`, [migrated.customers?.rows, migrated.vouchers?.rows], [625, 40]);
  await demo.checkMainUnchanged();
  const { outputs } = await demo.step({ event: pushed });
  const { created, branch_id } = outputs;
  const expected = { created: 'false', branch_id: preview.branchId };
  report.check('created=false, and the branch ID is the same', { created, branch_id }, expected);
  report.check('the connection URI is the same', outputs.db_url === preview.uri);
  report.check('the migration and the rows are still there', await contentsOf(preview.uri), migrated);
}

/** The migration goes further than it should, and a gate stops it. */
export async function reviewSchema(demo: Demo, preview: Preview): Promise<void> {
  const { report, github } = demo;
  report.section('The next commit drops and shortens columns: the action comments on it, and the gate fails the step');
  github.state.addPull({ ...PULL });
  await connect(preview.uri, (client) => client.query(RISKY_MIGRATION));
  const inputs = { comment: 'true', fail_on: 'destructive, exposing' };
  const run = await demo.step({ event: pushed, action: 'diff', inputs, fails: true });
  const { schema_diff = '', findings = '[]', comment_url } = run.outputs;
  report.log(schema_diff.split('\n').filter((line) => /^[+-] *\w/.test(line)));
  report.check('the diff shows the new table', schema_diff.includes('+CREATE TABLE public.vouchers ('));
  const found = JSON.parse(findings) as Record<'level' | 'rule' | 'object' | 'detail', string>[];
  report.log(found.map(({ level, rule, object, detail }) => [level, rule, object, detail].join('  ')));
  const destructive = found.filter(({ level }) => level === 'destructive').map(({ rule, object }) => [rule, object]);
  report.check('the findings name both columns', destructive.sort(), [
    ['drop-column', 'public.customers.joined'],
    ['narrow-type', 'public.products.title'],
  ]);
  const [comment, ...others] = github.state.comments;
  const table = (comment?.body ?? '').split('\n').filter((line) => /^(> \*\*|\| \*\*)/.test(line));
  report.log(table);
  report.check(
    "the pull request has one comment, whose table shows each change's effect and a safer approach",
    [others.length, table.some((line) => line.includes(ruleTexts['drop-column'].safer))],
    [0, true],
  );
  report.check('comment_url links to it', comment_url?.endsWith(`#issuecomment-${comment?.id}`));
  const ignore_rules = 'drop-column:public.customers.joined, narrow-type';
  const accepted = await demo.step({ event: pushed, action: 'diff', inputs: { ...inputs, ignore_rules } });
  report.check('with ignore_rules, the step passes: destructive=false', accepted.outputs.destructive, 'false');
}

/** The same change, rehearsed twice: once as it is often written, once as it should be. */
export async function rehearseMigration(demo: Demo): Promise<void> {
  const { report } = demo;
  report.section(
    'A migration is rehearsed on a copy, in one transaction and then in many: what does each variant block?',
  );
  const add = "ALTER TABLE customers ADD COLUMN region text DEFAULT 'eu'";
  // Stands for the time that all rows of a large table take.
  const fill = "UPDATE customers SET region = 'us' WHERE id % 2 = 0; SELECT pg_sleep(0.8)";
  const rehearse = async (statements: string[], options: { fails: boolean }) => {
    const env = { STEPS: JSON.stringify(statements.map((sql) => ({ sql }))) };
    const inputs = { run: client, max_lock: '1s' };
    const run = await demo.step({ action: 'rehearse', event: pushed, inputs, env, ...options });
    return JSON.parse(run.outputs.rehearsal ?? '{}') as { locks: { table: string; blocks: string; held_ms: number }[] };
  };
  const slow = await rehearse(['BEGIN', add, fill, fill, 'COMMIT'], { fails: true });
  const safe = await rehearse([add, fill, fill], { fails: false });
  const longest = ({ locks }: typeof slow) => Math.max(0, ...locks.map(({ held_ms }) => held_ms));
  report.log([
    `${'one transaction'.padEnd(36)}many transactions`,
    `${`customers blocked for ${seconds(longest(slow))}`.padEnd(36)}customers blocked for ${seconds(longest(safe))}`,
  ]);
  report.check(
    'in one transaction, customers can be neither read nor written until the last row is done',
    [slow.locks[0]?.table, slow.locks[0]?.blocks, longest(slow) > 1_500],
    ['public.customers', 'reads and writes', true],
  );
  report.check('in many transactions, customers is blocked for less than half a second', longest(safe) < 500);
  await demo.checkMainUnchanged();
}

export async function resetBranch(demo: Demo, preview: Preview): Promise<void> {
  const { report } = demo;
  report.section('The label "reset database" is added: the action resets the branch to main');
  const event = pullRequest({ ...PULL, action: 'labeled', label: 'reset database' });
  const run = await demo.step({ event, inputs: { command: 'reset' } });
  report.check('the connection URI is the same', run.outputs.db_url === preview.uri);
  const contents = await contentsOf(preview.uri);
  report.check(`the branch's tables equal main's again, row for row: ${rowCounts(contents)}`, contents, demo.main);
}

export async function mergePullRequest(demo: Demo, preview: Preview): Promise<void> {
  const { report, service } = demo;
  report.section('The pull request is merged: the action deletes the branch');
  const event = pullRequest({ ...PULL, action: 'closed', merged: true });
  const run = await demo.step({ event });
  report.check('command=delete, deleted=true', [run.outputs.command, run.outputs.deleted], ['delete', 'true']);
  report.check('only main is left', branchNames(demo), [service.main.name]);
  const error = await connect(preview.uri, async () => undefined).catch(String);
  report.check(`connecting to the branch fails (${error})`, error !== undefined);
  const again = await demo.step({ event });
  report.check('running the step again succeeds with deleted=false', again.outputs.deleted, 'false');
}

/** Closing a pull request that has a merge conflict starts no workflow run, so its branch stays until `prune`. */
export async function pruneBranches(demo: Demo): Promise<void> {
  const { report, github, service } = demo;
  report.section('Pull request #8 is closed without a run: the nightly prune deletes its branch and keeps that of #9');
  for (const number of [8, 9]) {
    github.state.addPull({ number, state: number === 8 ? 'closed' : 'open' });
    await demo.step({ event: pullRequest({ number, head: `feature/${number}` }) });
  }
  report.check('#8 and #9 both have a branch', branchNames(demo), [service.main.name, 'preview/pr-8', 'preview/pr-9']);
  const { outputs } = await demo.step({ action: 'prune', event: schedule() });
  const pruned = JSON.parse(outputs.pruned ?? '[]') as { name: string }[];
  report.check(
    'prune deletes the branch of #8',
    pruned.map(({ name }) => name),
    ['preview/pr-8'],
  );
  report.check('the branch of #9, which is open, is kept', branchNames(demo), [service.main.name, 'preview/pr-9']);
  await demo.step({ event: pullRequest({ number: 9, head: 'feature/9', action: 'closed', merged: true }) });
  report.check('only main is left', branchNames(demo), [service.main.name]);
}

function branchNames({ service }: Demo): string[] {
  return service.branches().map((branch) => branch.name);
}
