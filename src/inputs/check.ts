import { branchNameOf, lacksPullRequest, type RunEvent } from '../runner/event.ts';
import { listOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { CommandName } from './commands.ts';
import { type Given, isEmpty, namesBranch } from './fields.ts';
import { type InvalidInput, missing } from './invalid.ts';
import { longestExpiryMs, toSeconds } from './parse.ts';

/** What is true of a command, as far as its inputs are concerned. A flag that is not set is false. */
export interface CommandRules {
  /** It is about one branch, which an input or the event must name. */
  oneBranch?: boolean;
  /** It makes changes. Unless it has a dry run too, `dry_run: true` is an error: it must not be ignored. */
  changes?: boolean;
  dryRun?: boolean;
  /** It connects to one database. */
  connects?: boolean;
  /** It also works on all databases at once. */
  allDatabases?: boolean;
  /** It reviews a schema. */
  reviews?: boolean;
  /** It can do without a project. */
  withoutProject?: boolean;
  /** What is invalid in the inputs of this command. */
  check?(given: { inputs: Given; event: RunEvent }): InvalidInput[];
}

/** The rules of every command. */
export type Rules = Readonly<Record<CommandName, CommandRules>>;

/**
 * Checks inputs against each other, against the current time (milliseconds since the epoch), and against what the command needs.
 * The latter is skipped if it is unknown which command was meant.
 */
export function checkTogether(options: {
  inputs: Given;
  command: CommandName | undefined;
  rules: Rules;
  event: RunEvent;
  now: number;
}): InvalidInput[] {
  const { inputs, command, rules, event, now } = options;
  const errors = [...checkConflicts(inputs), ...checkExpiry(inputs, now)];
  const rule = command === undefined ? {} : rules[command];
  if (isEmpty(inputs, 'project_id') && !rule.withoutProject) {
    errors.push(
      missing(
        'project_id',
        "it is empty. Check the name of the variable; the ID is in the project's settings and looks like shiny-wind-028834",
      ),
    );
  }
  if (rule.oneBranch && !namesBranch(inputs) && branchNameOf(event) === undefined) {
    const why = lacksPullRequest(event)
      ? 'names no pull request (its payload has no number, as on some local runners)'
      : 'has no pull request or git ref to take a name from';
    errors.push(missing('branch_name', `event ${show(event.name)} ${why}`));
  }
  const commandsWith = (flag: 'dryRun' | 'allDatabases' | 'reviews') => {
    const names = Object.entries(rules).filter(([, one]) => one[flag]);
    return listOf(
      names.map(([name]) => `\`command: ${name}\``),
      'and',
    );
  };
  if (inputs.dry_run && rule.changes && !rule.dryRun) {
    const others = `only ${commandsWith('dryRun')} have a dry run`;
    errors.push({ input: 'dry_run', message: `dry_run: "true" is invalid with \`command: ${command}\`; ${others}` });
  }
  if (inputs.database === '*' && rule.connects) {
    const others = `only ${commandsWith('allDatabases')} works on all databases`;
    errors.push({ input: 'database', message: `database: "*" is invalid with \`command: ${command}\`; ${others}` });
  }
  if (inputs.ignore_below !== undefined && command !== undefined && !rule.reviews) {
    const others = `only ${commandsWith('reviews')} review a schema`;
    errors.push({ input: 'ignore_below', message: `ignore_below is invalid with \`command: ${command}\`; ${others}` });
  }
  return [...errors, ...(rule.check?.({ inputs, event }) ?? [])];
}

/** Inputs that must not both be set. */
export function exclusive(one: string, other: string, reason?: string): InvalidInput {
  const why = reason === undefined ? '' : `: ${reason}`;
  return { input: '', message: `${one} and ${other} are mutually exclusive${why}` };
}

const exclusivePairs = [
  ['expires_at', 'expires_in'],
  ['parent_timestamp', 'parent_lsn'],
  ['base_timestamp', 'base_lsn'],
  ['base_point', 'base_timestamp'],
  ['base_point', 'base_lsn'],
] as const;

function checkConflicts(inputs: Given): InvalidInput[] {
  const errors = exclusivePairs
    .filter((pair) => !pair.some((name) => isEmpty(inputs, name)))
    .map(([one, other]) => exclusive(one, other));
  const { min_cu, max_cu } = inputs;
  if (min_cu !== undefined && max_cu !== undefined && min_cu > max_cu) {
    errors.push({ input: '', message: `min_cu (${min_cu}) must not be greater than max_cu (${max_cu})` });
  }
  return errors;
}

function checkExpiry({ expires_at }: Given, now: number): InvalidInput[] {
  if (expires_at === undefined) return [];
  const invalid = (must: string) => [{ input: 'expires_at', message: `expires_at (${toSeconds(expires_at)}) ${must}` }];
  if (expires_at <= now) return invalid('must be in the future');
  return expires_at > now + longestExpiryMs ? invalid('must be at most 30 days in the future') : [];
}

/** `user` reads pull requests, in Markdown. */
export function needsToken(inputs: Given, user: string): InvalidInput[] {
  if (!isEmpty(inputs, 'github_token')) return [];
  const advice =
    "Remove the empty input to use the job's own token, which needs `permissions: { pull-requests: read }`";
  return [missing('github_token', `${user} reads the state of pull requests. ${advice}`)];
}
