import { branchNameOf, lacksPullRequest, type RunEvent } from '../step/event.ts';
import { empty, missing } from '../step/invalid.ts';
import { longestExpiryMs, toSeconds } from '../step/values.ts';
import { show } from '../text/inert.ts';
import type { CommandName } from './commands.ts';
import { type Given, isEmpty, namesBranch } from './fields.ts';

/** What is true of a command, as far as its inputs are concerned. A flag that is not set is false. */
export interface CommandRules {
  /** It is about one branch, which an input or the event must name. */
  oneBranch?: boolean;
  /** It makes changes and has no dry run, so `dry_run: true` is an error: it must not be ignored. */
  refusesDryRun?: boolean;
  /** It returns the connection of one database, or works on one, so `database: *` is an error. */
  oneDatabase?: boolean;
  /** It may give a branch an expiry. For others, one that has passed is no error: a branch must still be deleted then. */
  expires?: boolean;
  /** What is invalid in the inputs of this command. */
  check?(given: { inputs: Given; event: RunEvent }): string[];
}

/** The rules of every command. */
export type Rules = Readonly<Record<CommandName, CommandRules>>;

/**
 * Checks inputs against each other, against the current time (milliseconds since the epoch), and against what the command needs.
 * The latter is skipped if it is unknown which command was meant. Each message names the input, its value and what is expected.
 */
export function checkTogether(options: {
  inputs: Given;
  command: CommandName | undefined;
  rules: Rules;
  event: RunEvent;
  now: number;
}): string[] {
  const { inputs, command, rules, event, now } = options;
  const rule = command === undefined ? {} : rules[command];
  const errors = [
    ...checkConflicts(inputs),
    ...(command === undefined || rule.expires ? checkExpiry(inputs, now) : []),
  ];
  if (isEmpty(inputs, 'project_id')) {
    errors.push(
      empty(
        'project_id',
        "Set it to the project's ID from its settings, such as shiny-wind-028834; if it is set to a variable, check the variable's name",
      ),
    );
  }
  if (rule.oneBranch && !namesBranch(inputs) && branchNameOf(event) === undefined) {
    const name = `event ${show(event.name)}`;
    const why = lacksPullRequest(event)
      ? `the payload of ${name} has no pull request number, as happens on some local runners`
      : `${name} has no pull request or git ref to take a name from`;
    errors.push(missing('branch_name', why));
  }
  const refuse = (given: string, others: string) =>
    errors.push(`${given} is invalid with \`command: ${command}\`; only ${others}`);
  if (inputs.dry_run && rule.refusesDryRun) {
    refuse('dry_run: "true"', '`command: prune` has a dry run');
  }
  if (inputs.database === '*' && rule.oneDatabase) {
    refuse('database: "*"', 'the action `diff` works on all databases');
  }
  return [...errors, ...(rule.check?.({ inputs, event }) ?? [])];
}

/** What is wrong if two inputs that must not both be set are. */
export function exclusive(one: string, other: string, reason?: string): string {
  return `${one} and ${other} are mutually exclusive${reason === undefined ? '' : `: ${reason}`}`;
}

const exclusivePairs = [['expires_at', 'expires_in']] as const;

function checkConflicts(inputs: Given): string[] {
  const errors = exclusivePairs
    .filter((pair) => !pair.some((name) => isEmpty(inputs, name)))
    .map(([one, other]) => exclusive(one, other));
  const { min_cu, max_cu } = inputs;
  if (min_cu !== undefined && max_cu !== undefined && min_cu > max_cu) {
    errors.push(`min_cu (${min_cu}) must not be greater than max_cu (${max_cu})`);
  }
  return errors;
}

function checkExpiry({ expires_at }: Given, now: number): string[] {
  if (expires_at === undefined) return [];
  const given = `expires_at (${toSeconds(expires_at)})`;
  if (expires_at <= now) return [`${given} must be in the future`];
  return expires_at > now + longestExpiryMs ? [`${given} must be at most 30 days in the future`] : [];
}

/** `user` reads pull requests, in Markdown. */
export function needsToken(inputs: Given, user: string): string[] {
  if (!isEmpty(inputs, 'github_token')) return [];
  const advice =
    "Remove the empty input to use the job's own token, which needs `permissions: { pull-requests: read }`";
  return [missing('github_token', `${user} reads the state of pull requests. ${advice}`)];
}
