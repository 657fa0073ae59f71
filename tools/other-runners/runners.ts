import { spawnSync } from 'node:child_process';

/** What a run is given. */
export interface Run {
  workflow: string;
  event: { name: string; file: string };
  /** the environment of every step */
  env: Record<string, string>;
  vars: Record<string, string>;
  secrets: Record<string, string>;
}

export interface Runner {
  title: string;
  program: string;
  /** how to get it */
  install: string;
  /** whether a run can be given the payload of an event, and so a pull request */
  hasPayload: boolean;
  args(run: Run): string[];
}

const pairs = (flag: string, all: Record<string, string>) =>
  Object.entries(all).flatMap(([name, value]) => [flag, `${name}=${value}`]);

/** Forgejo's runner is a fork of Gitea's. */
const execute = ({ workflow, event, env, vars, secrets }: Run) => [
  ...['exec', '--workflows', workflow, '--event', event.name, '--image', '-self-hosted'],
  ...[...pairs('--env', env), ...pairs('--var', vars), ...pairs('--secret', secrets)],
];

export const runners = {
  act: {
    title: 'nektos/act',
    program: 'act',
    install: 'go install github.com/nektos/act@latest',
    hasPayload: true,
    args: ({ workflow, event, env, vars, secrets }) => [
      ...[event.name, '--workflows', workflow, '--eventpath', event.file, '--platform', 'ubuntu-latest=-self-hosted'],
      ...[...pairs('--env', env), ...pairs('--var', vars), ...pairs('--secret', secrets)],
    ],
  },
  forgejo: {
    title: "Forgejo's runner",
    program: 'forgejo-runner',
    install:
      'go install code.forgejo.org/forgejo/runner/v12@latest, or https://code.forgejo.org/forgejo/runner/releases',
    hasPayload: false,
    args: execute,
  },
  gitea: {
    title: "Gitea's runner",
    program: 'gitea-runner',
    install: '`go build -o gitea-runner .` in the source of the Go module gitea.com/gitea/runner@v1.0.8',
    hasPayload: false,
    args: execute,
  },
} satisfies Record<string, Runner>;

export type RunnerName = keyof typeof runners;

/** What to do if the program is not there. */
export function missing({ title, install }: Runner, bin: string): string | undefined {
  const { error } = spawnSync(bin, ['--version'], { stdio: 'ignore' });
  return error && `${title} is not installed: "${bin}" does not start (${error.message}). Install it with ${install}`;
}
