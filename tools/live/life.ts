import { once } from 'node:events';
import { Report, seconds } from '../demo/report.ts';
import { connect } from '../demo/shop.ts';
import type { GitHub } from '../github/index.ts';
import type { ActionName } from '../runner/action.ts';
import { type GitHubEvent, pullRequest, schedule, workflowDispatch } from '../runner/events.ts';
import { cancelSignals } from '../runner/process.ts';
import { type Run, runAction } from '../runner/runner.ts';
import type { Account } from './projects.ts';

/** Settings of this machine's network that the steps need too. */
const network = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS'];

const PULL = { number: 7, title: 'Let customers log in' };
/** The longest that one step may take, in milliseconds; its own `timeout` ends it before. */
const longestStepMs = 6 * 60_000;

interface Given {
  account: Account;
  github: GitHub;
  stop: AbortSignal;
}
type More = { action?: ActionName; post?: boolean };

/** The life of a pull request in a new project. Every step is the built action, started as a runner starts it. */
export class Life {
  readonly report = new Report(() => this.secrets);
  private readonly of: Given;
  private readonly stopped: Promise<unknown>;
  private readonly secrets = new Set<string>();
  private projectId = '';

  constructor(of: Given) {
    this.of = of;
    this.stopped = once(of.stop, 'abort');
    this.secrets.add(of.account.apiKey);
  }

  async play(projectName: string): Promise<void> {
    await this.createProject(projectName);
    const uri = await this.openPullRequest();
    await this.migrate(uri);
    await this.reset(uri);
    await this.endJob();
    await this.close();
    await this.prune();
    await this.deleteProject();
  }

  private async createProject(name: string): Promise<void> {
    this.report.section('A project is created');
    const project = {
      name,
      ...(this.of.account.orgId && { org_id: this.of.account.orgId }),
      default_endpoint_settings: { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 },
    };
    const inputs = { resource: 'project', verb: 'create', body: JSON.stringify({ project }) };
    const run = await this.step(workflowDispatch(), inputs, { action: 'manage' });
    const response = JSON.parse(run.outputs.response ?? '{}') as { project?: { id?: string } };
    this.projectId = response.project?.id ?? '';
    this.report.check(
      'created=true, and the response has its ID',
      [run.outputs.created, this.projectId !== ''],
      ['true', true],
    );
  }

  private async openPullRequest(): Promise<string> {
    this.report.section('Pull request #7 is opened');
    const run = await this.step(pullRequest({ ...PULL, action: 'opened' }), {
      expires_in: '2h',
      check_connection: 'true',
    });
    const { created, branch_name, expires_at, db_url = '', db_url_pooled = '' } = run.outputs;
    this.report.check('created=true', { created, branch_name }, { created: 'true', branch_name: 'preview/pr-7' });
    this.report.check('the branch expires', expires_at !== '' && expires_at !== undefined);
    this.report.check(
      'the direct and the pooled URI lead to Postgres',
      [await one(db_url), await one(db_url_pooled)],
      [1, 1],
    );
    return db_url;
  }

  private async migrate(uri: string): Promise<void> {
    this.report.section('A commit with a migration is pushed');
    const reused = await this.step(pullRequest({ ...PULL, action: 'synchronize' }));
    this.report.check('the branch is reused', reused.outputs.created, 'false');
    await connect(uri, (client) => client.query('CREATE TABLE customers (id integer PRIMARY KEY, email text)'));
    const run = await this.step(pullRequest({ ...PULL, action: 'synchronize' }), {}, { action: 'diff' });
    this.report.check('the difference is found', run.outputs.schema_changed, 'true');
    this.report.check('the diff has the table', run.outputs.schema_diff?.includes('customers'), true);
  }

  private async reset(uri: string): Promise<void> {
    this.report.section('The branch is reset');
    const event = pullRequest({ ...PULL, action: 'synchronize' });
    const run = await this.step(event, { command: 'reset', check_connection: 'true' });
    this.report.check('the connection URI is the same', run.outputs.db_url === uri);
    const diff = await this.step(event, {}, { action: 'diff' });
    this.report.check('the table is gone', diff.outputs.schema_changed, 'false');
  }

  private async endJob(): Promise<void> {
    this.report.section('A job with `ephemeral` ends');
    const run = await this.step(
      pullRequest({ ...PULL, action: 'synchronize' }),
      { command: 'create', branch_name: 'live-job', ephemeral: 'true' },
      { post: true },
    );
    this.report.check('the post step has no warnings', run.post?.annotations.warning, []);
    this.report.check('its branch is gone', await this.isGone('live-job'));
  }

  private async close(): Promise<void> {
    this.report.section('Pull request #7 is closed');
    const run = await this.step(pullRequest({ ...PULL, action: 'closed' }));
    this.report.check('deleted=true', run.outputs.deleted, 'true');
    this.report.check('its branch is gone', await this.isGone('preview/pr-7'));
  }

  private async prune(): Promise<void> {
    this.report.section('Pull request #8 is closed without a run, and its branch is pruned');
    await this.step(pullRequest({ number: 8, title: 'Forgotten', action: 'opened' }));
    this.of.github.state.addPull({ number: 8, state: 'closed' });
    const run = await this.step(schedule(), {}, { action: 'prune' });
    const pruned = JSON.parse(run.outputs.pruned ?? '[]') as { name: string }[];
    this.report.check(
      'prune deletes its branch',
      pruned.map(({ name }) => name),
      ['preview/pr-8'],
    );
  }

  private async deleteProject(): Promise<void> {
    this.report.section('The project is deleted');
    const inputs = { resource: 'project', verb: 'delete', resource_id: this.projectId };
    const run = await this.step(workflowDispatch(), inputs, { action: 'manage' });
    this.report.check('deleted=true', run.outputs.deleted, 'true');
  }

  private async isGone(name: string): Promise<boolean> {
    const run = await this.step(workflowDispatch(), { command: 'delete', branch_name: name });
    return run.outputs.deleted === 'false';
  }

  /** Runs one step, and throws if it fails. */
  private async step(event: GitHubEvent, inputs: Record<string, string> = {}, more: More = {}): Promise<Run> {
    const { account, github, stop } = this.of;
    stop.throwIfAborted();
    const { apiKey, apiHost } = account;
    const ofNetwork = network.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
    const run = await runAction({
      ...more,
      event,
      inputs: { api_key: apiKey, api_host: apiHost, project_id: this.projectId, timeout: '5m', ...inputs },
      env: { ...(Object.fromEntries(ofNetwork) as Record<string, string>), ...github.env },
      secrets: [apiKey],
      timeoutMs: longestStepMs,
      cancel: { at: () => this.stopped, signals: cancelSignals() },
    });
    stop.throwIfAborted();
    for (const name of ['password', 'db_url', 'db_url_pooled']) {
      const secret = run.outputs[name];
      if (secret) this.secrets.add(secret);
    }
    this.report.log(run.shownLog());
    this.report.check(`the step succeeds after ${seconds(run.durationMs)}`, run.conclusion, 'success');
    this.report.check('its log, annotations and summary have no secret', run.leaks([...this.secrets]).length, 0);
    if (run.conclusion !== 'success') throw new Error('A step failed.');
    return run;
  }
}

function one(uri: string): Promise<number | undefined> {
  return connect(uri, async (client) => (await client.query<{ one: number }>('SELECT 1 AS one')).rows[0]?.one);
}
