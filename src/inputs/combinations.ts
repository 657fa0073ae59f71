import { branchNameOf, type RunEvent } from '../runner/event.ts';
import { show } from '../text/inert.ts';
import type { CommandName } from './commands.ts';
import type { Inputs } from './fields.ts';
import { type InvalidInput, missing } from './invalid.ts';
import { checkManage } from './manage.ts';
import { longestExpiryMs, toSeconds } from './parse.ts';
import { deletesBranch } from './raw-request.ts';

const aboutOneBranch: CommandName[] = ['create', 'get', 'reset', 'delete', 'diff'];
/** Commands that make changes and have no dry run: `dry_run: true` must not be ignored. */
const withoutDryRun: CommandName[] = ['create', 'reset', 'delete'];
/** Commands that connect to one database. */
const connecting: CommandName[] = ['create', 'get', 'reset', 'wait'];

/** An invalid input is not in here; one that is not set is `undefined`. */
type ValidInputs = Partial<Inputs>;

/**
 * Checks inputs against each other, against the current time (milliseconds since the epoch), and against what the command needs.
 * The latter is skipped if it is unknown which command was meant.
 */
export function checkTogether(options: {
  inputs: ValidInputs;
  command: CommandName | undefined;
  event: RunEvent;
  now: number;
}): InvalidInput[] {
  const { inputs, command, event, now } = options;
  const errors = [...checkConflicts(inputs), ...checkExpiry(inputs, now)];
  if (isNotSet(inputs, 'project_id') && command !== 'manage') {
    errors.push(missing('project_id', "find it in the project's settings; it looks like shiny-wind-028834"));
  }
  if (command === undefined) return errors;
  const namesBranch = !isNotSet(inputs, 'branch_id') || !isNotSet(inputs, 'branch_name');
  if (aboutOneBranch.includes(command) && !namesBranch && branchNameOf(event) === undefined) {
    errors.push(missing('branch_name', `event ${show(event.name)} has no pull request or git ref to take a name from`));
  }
  if (inputs.dry_run && withoutDryRun.includes(command)) {
    errors.push({
      input: 'dry_run',
      message: `dry_run: "true" is invalid with \`command: ${command}\`; only \`command: prune\` and \`command: manage\` have a dry run`,
    });
  }
  if (inputs.database === '*' && connecting.includes(command)) {
    errors.push({
      input: 'database',
      message: `database: "*" is invalid with \`command: ${command}\`; only \`command: diff\` works on all databases`,
    });
  }
  return [...errors, ...(checksByCommand[command]?.(inputs, event) ?? [])];
}

function isNotSet(inputs: ValidInputs, name: keyof Inputs): boolean {
  return name in inputs && inputs[name] === undefined;
}

function exclusive(one: string, other: string, reason?: string): InvalidInput {
  const why = reason === undefined ? '' : `: ${reason}`;
  return { input: '', message: `${one} and ${other} are mutually exclusive${why}` };
}

const exclusivePairs = [
  ['expires_at', 'expires_in'],
  ['parent_timestamp', 'parent_lsn'],
  ['base_timestamp', 'base_lsn'],
] as const;

function checkConflicts(inputs: ValidInputs): InvalidInput[] {
  const errors = exclusivePairs
    .filter((pair) => !pair.some((name) => isNotSet(inputs, name)))
    .map(([one, other]) => exclusive(one, other));
  const { min_cu, max_cu } = inputs;
  if (min_cu !== undefined && max_cu !== undefined && min_cu > max_cu) {
    errors.push({ input: '', message: `min_cu (${min_cu}) must not be greater than max_cu (${max_cu})` });
  }
  return errors;
}

function checkExpiry({ expires_at }: ValidInputs, now: number): InvalidInput[] {
  if (expires_at === undefined) return [];
  const invalid = (must: string) => [{ input: 'expires_at', message: `expires_at (${toSeconds(expires_at)}) ${must}` }];
  if (expires_at <= now) return invalid('must be in the future');
  return expires_at > now + longestExpiryMs ? invalid('must be at most 30 days in the future') : [];
}

const checksByCommand: Partial<Record<CommandName, (inputs: ValidInputs, event: RunEvent) => InvalidInput[]>> = {
  create(inputs) {
    const errors: InvalidInput[] = [];
    for (const name of ['expires_at', 'expires_in'] as const) {
      if (inputs.protected && inputs[name] !== undefined) {
        errors.push(exclusive('protected', name, 'a protected branch cannot expire'));
      }
    }
    if (inputs.protected && inputs.ephemeral) {
      errors.push(exclusive('protected', 'ephemeral', 'a protected branch is never deleted'));
    }
    if (inputs.masking_rules !== undefined && inputs.branch_type === 'schema-only') {
      errors.push(exclusive('masking_rules', '`branch_type: schema-only`', 'without rows there is nothing to mask'));
    }
    if (inputs.masking_rules !== undefined && inputs.if_exists === 'reset') {
      errors.push(
        exclusive('masking_rules', '`if_exists: reset`', "a reset brings back the parent's rows, which are not masked"),
      );
    }
    if (inputs.branch_type === 'schema-only' && inputs.if_exists === 'reset') {
      errors.push(
        exclusive('`branch_type: schema-only`', '`if_exists: reset`', "a reset brings back the parent's rows"),
      );
    }
    return inputs.on_limit === 'prune' ? [...errors, ...needsToken(inputs, '`on_limit: prune`')] : errors;
  },
  delete: (inputs, event) => checkDeletion({ inputs, event, what: '`command: delete`' }),
  prune: (inputs) => needsToken(inputs, '`command: prune`'),
  // An empty list is fine: a step that reused its branch has no operations.
  wait: (inputs) =>
    isNotSet(inputs, 'operation_ids')
      ? [missing('operation_ids', 'set it to the output `operation_ids` of the step with `wait: false`')]
      : [],
  manage: (inputs, event) => [
    ...checkManage({ inputs, event }),
    ...(deletesBranch(inputs) ? checkDeletion({ inputs, event, what: 'a raw `DELETE` of a branch' }) : []),
  ],
};

function needsToken(inputs: ValidInputs, user: string): InvalidInput[] {
  if (!isNotSet(inputs, 'github_token')) return [];
  const advice =
    "Remove the empty input to use the job's own token, which needs `permissions: { pull-requests: read }`";
  return [missing('github_token', `${user} reads the state of pull requests. ${advice}`)];
}

/** A branch that only the event names is deleted only if the event ends what it stands for. `what` deletes it, in Markdown. */
export function checkDeletion(options: { inputs: Partial<Inputs>; event: RunEvent; what: string }): InvalidInput[] {
  const { inputs, event, what } = options;
  const isEmpty = (name: 'branch_id' | 'branch_name') => name in inputs && inputs[name] === undefined;
  if (event.ends || !isEmpty('branch_id') || !isEmpty('branch_name')) return [];
  if (branchNameOf(event) === undefined) return [];
  const when = 'when a pull request is closed, a git ref is deleted or a merge group is destroyed';
  const given = `event ${show(event.name)}${event.action === '' ? '' : ` with action ${show(event.action)}`}`;
  const why = `${what} takes the branch from the event only ${when}, and this is ${given}`;
  return [{ input: '', message: `branch_id or branch_name is required: ${why}` }];
}
