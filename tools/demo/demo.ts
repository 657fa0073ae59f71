import type { GitHub } from '../github/index.ts';
import type { ActionName } from '../runner/action.ts';
import type { GitHubEvent } from '../runner/events.ts';
import { type Run, runAction } from '../runner/runner.ts';
import type { Service } from '../service/index.ts';
import { Report, seconds } from './report.ts';
import { type Contents, contentsOf } from './shop.ts';

/** The service, the stand-in for GitHub and the report that all scenes share. */
export class Demo {
  readonly service: Service;
  readonly github: GitHub;
  readonly report: Report;
  /** The contents of main before the first step. */
  readonly main: Contents;
  private steps = 0;
  /** Secrets found in the logs, annotations and summaries of all steps. */
  private readonly leaks: string[] = [];
  /** `SIGINT` or `SIGTERM`, once received. */
  stoppedBy: string | undefined;

  constructor(service: Service, github: GitHub, main: Contents) {
    this.service = service;
    this.github = github;
    this.main = main;
    this.report = new Report(() => service.secrets);
  }

  /** Runs the built action as one step, prints its log and checks that it succeeds, or that it `fails`. */
  async step({
    event,
    inputs = {},
    env = {},
    fails = false,
    action = 'lifecycle',
  }: {
    event: GitHubEvent;
    inputs?: Record<string, string>;
    env?: Record<string, string>;
    fails?: boolean;
    action?: ActionName;
  }): Promise<Run> {
    const { service, github, report } = this;
    const { apiKey, projectId, baseUrl } = service;
    const run = await runAction({
      action,
      event,
      inputs: { project_id: projectId, api_key: apiKey, api_host: baseUrl, ...inputs },
      env: { ...github.env, ...env },
      secrets: [apiKey],
      ownGroup: true,
    });
    if (this.stoppedBy) throw new Error(`stopped by ${this.stoppedBy}`);
    report.log(run.shownLog().map((line) => line.replace(/^##\[(notice|warning|error)\]/, '$1: ')));
    const end = fails ? 'fails' : 'succeeds';
    report.check(`the step ${end} after ${seconds(run.durationMs)}`, run.conclusion, fails ? 'failure' : 'success');
    this.steps++;
    this.leaks.push(...run.leaks([...service.secrets]).map(({ where, form }) => `${form} in ${where}`));
    return run;
  }

  /** Checks what must hold for all steps together. */
  async finish(): Promise<void> {
    const { report, service, leaks, steps } = this;
    report.section('All steps together');
    await this.checkMainUnchanged();
    const count = `${service.requests.length} requests and their responses`;
    report.check(`all ${count} match the published API description`, service.violations, []);
    report.check(`no secret appears in the log, annotations or summary of the ${steps} steps`, leaks, []);
  }

  async checkMainUnchanged(): Promise<void> {
    this.report.check('main is unchanged in every row and column', await contentsOf(this.service.main.uri), this.main);
  }
}
