import { pullRequest, schedule } from '../support/events.ts';
import type { Run } from '../support/runner.ts';
import { connected, contentsOf, countsIn, MIGRATION, NEW_ROWS, refusalOf } from './shop.ts';
import type { Stage } from './stage.ts';

/** What one act leaves for the next. */
export interface Preview {
  branchId: string;
  uri: string;
}

const PULL = { number: 7, head: 'feature/tiers', title: 'Give customers a tier' };
const NAME = 'preview/pr-7';

export async function opened(stage: Stage): Promise<Preview> {
  const { account, service } = stage;
  account.act('Pull request #7 is opened: the branch is made');
  const run = await stage.step({ event: pullRequest({ ...PULL, action: 'opened' }) });
  const { branch_name, branch_id = '', created, db_url: uri = '', db_host, db_url_pooled = '' } = run.outputs;
  account.check(
    'created=true, branch_name=preview/pr-7',
    { created, branch_name },
    { created: 'true', branch_name: NAME },
  );
  account.check('one branch besides main', namesOf(stage), [service.main.name, NAME]);
  const contents = await contentsOf(uri);
  account.check(`its tables are main's, row for row: ${countsIn(contents)}`, contents, stage.main);
  account.check('the pooled address leads to the same rows', await contentsOf(db_url_pooled), stage.main);
  account.check('the host is an output that may travel to other jobs', run.jobOutputs.db_host, db_host);
  account.check('the addresses are not: they hold the password', 'db_url' in run.jobOutputs, false);
  return { branchId: branch_id, uri };
}

export async function worked(stage: Stage, preview: Preview): Promise<void> {
  const { account } = stage;
  account.act('The pull request works with it: a migration, and new rows');
  await connected(preview.uri, async (client) => {
    await client.query(MIGRATION);
    await client.query(NEW_ROWS);
  });
  const contents = await contentsOf(preview.uri);
  account.check(`on the branch: ${countsIn(contents)}`, rowsOf(contents, ['customers', 'vouchers']), [625, 40]);
  await stage.mainIsWhole();
}

export async function pushed(stage: Stage, preview: Preview): Promise<void> {
  const { account } = stage;
  account.act('A commit is pushed: the same branch is used again');
  const before = await contentsOf(preview.uri);
  const run = await stage.step({ event: pullRequest({ ...PULL, action: 'synchronize' }) });
  const { created, branch_id, db_url } = run.outputs;
  account.check(
    'created=false, and the ID is the same',
    { created, branch_id },
    { created: 'false', branch_id: preview.branchId },
  );
  account.check('the address is the same', db_url === preview.uri);
  account.check('the migration and the rows are still there', await contentsOf(preview.uri), before);
}

export async function deployed(stage: Stage, preview: Preview): Promise<void> {
  const { account } = stage;
  account.act('The deploy job gets the addresses by the branch ID: secrets never cross jobs');
  const event = pullRequest({ ...PULL, action: 'synchronize' });
  const run = await stage.step({ event, inputs: { command: 'get', branch_id: preview.branchId } });
  const { created, db_url, db_url_pooled = '' } = run.outputs;
  account.check(
    'created=false, and the address is the same',
    { created, same: db_url === preview.uri },
    { created: 'false', same: true },
  );
  const [row] = await connected(db_url_pooled, async (client) => {
    return (await client.query("SELECT count(*)::int AS gold FROM customers WHERE tier = 'gold'")).rows;
  });
  account.check('an application reads what the migration made: 50 gold customers', row, { gold: 50 });
}

export async function compared(stage: Stage): Promise<void> {
  const { account, github } = stage;
  account.act('The schema is compared with main, and the pull request is told');
  github.state.addPull({ ...PULL });
  const event = pullRequest({ ...PULL, action: 'synchronize' });
  const run = await stage.step({ event, inputs: { command: 'diff', comment: 'true' } });
  const { schema_diff = '', schema_changed, comment_url } = run.outputs;
  account.log(schema_diff.split('\n').filter((line) => /^[+-] *\w/.test(line)));
  account.check('schema_changed=true', schema_changed, 'true');
  const lines = ['+CREATE TABLE public.vouchers (', "+    tier text DEFAULT 'basic'::text NOT NULL"];
  const missing = lines.filter((line) => !schema_diff.includes(line));
  account.check('the difference is the migration: the new table and the new column', missing, []);
  const comments = github.state.comments.filter(({ issue }) => issue === PULL.number);
  account.check(
    'one comment on the pull request has it',
    comments.map(({ body }) => body.includes('vouchers')),
    [true],
  );
  account.check('its address is an output', comment_url?.endsWith(`#issuecomment-${comments[0]?.id}`));
}

export async function reset(stage: Stage, preview: Preview): Promise<void> {
  const { account } = stage;
  account.act('Somebody asks for a fresh start: the branch is reset to main');
  const event = pullRequest({ ...PULL, action: 'labeled', label: 'reset database' });
  const run = await stage.step({ event, inputs: { command: 'reset' } });
  account.check('the address is the same', run.outputs.db_url === preview.uri);
  const contents = await contentsOf(preview.uri);
  account.check(`it leads to main's tables, row for row: ${countsIn(contents)}`, contents, stage.main);
}

export async function closed(stage: Stage, preview: Preview): Promise<void> {
  const { account, service } = stage;
  account.act('The pull request is merged: the branch is deleted');
  const event = pullRequest({ ...PULL, action: 'closed', merged: true });
  const run = await stage.step({ event });
  account.check('command=delete, deleted=true', [run.outputs.command, run.outputs.deleted], ['delete', 'true']);
  account.check('only main is left', namesOf(stage), [service.main.name]);
  const refusal = await refusalOf(preview.uri);
  account.check(`nobody can connect to it any more (${refusal})`, refusal !== undefined);
  const again = await stage.step({ event });
  account.check('once more: deleted=false, and that is a success', again.outputs.deleted, 'false');
}

/** Two more pull requests; the run for the closing of one never came, as where it has a merge conflict. */
export async function pruned(stage: Stage): Promise<void> {
  const { account, github, service } = stage;
  account.act('Two more pull requests; #8 is closed and no run comes: the nightly prune finds its branch');
  for (const number of [8, 9]) {
    github.state.addPull({ number, state: number === 8 ? 'closed' : 'open' });
    await stage.step({ event: pullRequest({ number, head: `feature/${number}` }) });
  }
  account.check('both have a branch', namesOf(stage), [service.main.name, 'preview/pr-8', 'preview/pr-9']);
  const first = await stage.step({ event: schedule(), inputs: { command: 'prune', dry_run: 'true' } });
  account.check(
    'a dry run tells of one, and deletes none',
    [prunedNames(first), namesOf(stage).length],
    [['preview/pr-8'], 3],
  );
  const run = await stage.step({ event: schedule(), inputs: { command: 'prune' } });
  account.check('prune deletes the branch of #8', prunedNames(run), ['preview/pr-8']);
  account.check('the branch of #9, which is open, is still there', namesOf(stage), [service.main.name, 'preview/pr-9']);
  await stage.step({ event: pullRequest({ number: 9, head: 'feature/9', action: 'closed', merged: true }) });
  account.check('only main is left', namesOf(stage), [service.main.name]);
}

function prunedNames({ outputs }: Run): string[] {
  return (JSON.parse(outputs.pruned ?? '[]') as { name: string }[]).map(({ name }) => name);
}

function namesOf({ service }: Stage): string[] {
  return service.branches().map((branch) => branch.name);
}

function rowsOf(contents: Record<string, { rows: number }>, tables: string[]): (number | undefined)[] {
  return tables.map((name) => contents[name]?.rows);
}
