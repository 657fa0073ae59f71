import type { Service } from '../service/index.ts';
import type { GitHubEvent } from '../support/events.ts';
import type { GitHub } from '../support/github.ts';
import { type Run, runAction } from '../support/runner.ts';
import { Account, seconds } from './account.ts';
import { type Contents, contentsOf } from './shop.ts';

/** Who plays: the service with its databases, GitHub's side, and the account of it. */
export class Stage {
  readonly service: Service;
  readonly github: GitHub;
  readonly account: Account;
  /** What main held when the play began. */
  readonly main: Contents;
  private steps = 0;
  /** where a secret could be read, over all steps */
  private readonly leaks: string[] = [];
  /** `SIGINT` or `SIGTERM`, once somebody has sent it */
  stoppedBy: string | undefined;

  private constructor(service: Service, github: GitHub, main: Contents) {
    this.service = service;
    this.github = github;
    this.main = main;
    this.account = new Account(() => service.secrets);
  }

  static async set(service: Service, github: GitHub): Promise<Stage> {
    return new Stage(service, github, await contentsOf(service.main.uri));
  }

  /** One step of a workflow that `uses:` the built action; its log is shown, and it has to end well. */
  async step({ event, inputs = {} }: { event: GitHubEvent; inputs?: Record<string, string> }): Promise<Run> {
    const { service, github, account } = this;
    const { apiKey, projectId, baseUrl } = service;
    const run = await runAction({
      event,
      inputs: { project_id: projectId, api_key: apiKey, api_host: baseUrl, ...inputs },
      env: { ...github.env },
      secrets: [apiKey],
    });
    if (this.stoppedBy) throw new Error(`stopped by ${this.stoppedBy}`);
    account.log(readable(run.maskedLog()));
    account.check(`the step ends well, after ${seconds(run.durationMs)}`, run.conclusion, 'success');
    this.steps++;
    this.leaks.push(...run.leaks([...service.secrets]).map(({ where, form }) => `${form} in ${where}`));
    return run;
  }

  /** What has to be so of the whole play. */
  async end(): Promise<void> {
    const { account, service, leaks, steps } = this;
    account.act('And over all');
    await this.mainIsWhole();
    const count = `${service.requests.length} requests and their answers`;
    account.check(`all ${count} are as the service's published description has them`, service.violations, []);
    account.check(`no secret can be read in the log, annotations or summary of any of the ${steps} steps`, leaks, []);
  }

  async mainIsWhole(): Promise<void> {
    this.account.check('main is as it was, every row and column', await contentsOf(this.service.main.uri), this.main);
  }
}

/** What a reader of the log looks at: without debug lines, and with notices and errors as GitHub writes them. */
function readable(log: string): string[] {
  return log
    .split('\n')
    .filter((line) => !line.startsWith('##[debug]') && !line.startsWith('##[add-mask]'))
    .map((line) => line.replace(/^##\[(notice|warning|error)\]/, (_, level: string) => `${level}: `));
}
