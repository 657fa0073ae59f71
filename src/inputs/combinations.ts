import { branchNameOf, type RunEvent } from '../runner/event.ts';
import { show } from '../text/inert.ts';
import type { CommandName } from './commands.ts';
import type { Inputs } from './fields.ts';
import { checkManage } from './manage.ts';
import { toSeconds } from './parse.ts';

/** The service deletes a branch at most this long after its expiry was set, in milliseconds. */
export const longestExpiryMs = 30 * 86_400_000;

const aboutOneBranch: CommandName[] = ['create', 'get', 'reset', 'delete', 'diff'];
/** Commands that change something and have no dry run: whoever asks for one must not find out afterwards. */
const withoutDryRun: CommandName[] = ['create', 'reset', 'delete'];

/**
 * Faults of inputs beside each other: conflicts, and what a command needs. One line each. What a command needs is not looked at
 * where nobody can tell which one is meant.
 */
export function checkTogether(options: {
  inputs: Partial<Inputs>;
  command: CommandName | undefined;
  event: RunEvent;
  now: number;
}): string[] {
  const { inputs, command, event, now } = options;
  const faults: string[] = [];
  // An input that was given and is faulty has no value, not even `undefined`.
  const isGiven = (name: keyof Inputs) => !(name in inputs) || inputs[name] !== undefined;
  const both = (one: keyof Inputs, other: keyof Inputs) => {
    if (isGiven(one) && isGiven(other)) {
      faults.push(`${one} and ${other}: got both, takes one of the two at most`);
    }
  };
  both('expires_at', 'expires_in');
  both('parent_timestamp', 'parent_lsn');

  if (inputs.expires_in !== undefined && inputs.expires_in > longestExpiryMs) {
    faults.push('expires_in: got more than 30 days, takes 30d at most');
  }
  if (inputs.expires_at !== undefined && inputs.expires_at <= now) {
    faults.push(`expires_at: got ${toSeconds(inputs.expires_at)}, which is past; takes a time to come`);
  }
  if (inputs.expires_at !== undefined && inputs.expires_at > now + longestExpiryMs) {
    faults.push(`expires_at: got ${toSeconds(inputs.expires_at)}, takes a time at most 30 days ahead`);
  }
  if (inputs.min_cu !== undefined && inputs.max_cu !== undefined && inputs.min_cu > inputs.max_cu) {
    faults.push(
      `min_cu and max_cu: got ${inputs.min_cu} and ${inputs.max_cu}, takes a min_cu that is not above max_cu`,
    );
  }

  if (!isGiven('project_id') && command !== 'manage') {
    faults.push("project_id: is empty, takes the project's ID, such as shiny-wind-028834, from its settings");
  }
  if (command === undefined) return faults;
  if (aboutOneBranch.includes(command)) {
    if (!isGiven('branch_id') && !isGiven('branch_name') && branchNameOf(event) === undefined) {
      faults.push(
        `branch_name: is empty, and event ${show(event.name)} names no pull request or git ref to take a name from`,
      );
    }
  }
  if (inputs.dry_run && withoutDryRun.includes(command)) {
    faults.push(
      `dry_run: got true with \`command: ${command}\`, which would change things all the same; takes \`command: prune\` or \`command: manage\``,
    );
  }
  faults.push(...(checksByCommand[command]?.(inputs, event) ?? []));
  return faults;
}

const checksByCommand: Partial<Record<CommandName, (inputs: Partial<Inputs>, event: RunEvent) => string[]>> = {
  create(inputs) {
    const faults: string[] = [];
    const expires = inputs.expires_at !== undefined || inputs.expires_in !== undefined;
    if (inputs.protected && expires) {
      faults.push('protected and expires_at / expires_in: got both, but the service lets no protected branch expire');
    }
    if (inputs.protected && inputs.ephemeral) {
      faults.push('protected and ephemeral: got both, but a protected branch is never deleted by `ephemeral`');
    }
    if (inputs.masking_rules !== undefined && inputs.branch_type === 'schema-only') {
      faults.push(
        'masking_rules and branch_type: got rules and schema-only, but a branch without rows has nothing to mask',
      );
    }
    if (inputs.on_limit === 'prune') faults.push(...needsToken(inputs, '`on_limit: prune`'));
    if (inputs.masking_rules !== undefined && inputs.if_exists === 'reset') {
      faults.push(
        "masking_rules and if_exists: got rules and reset, but a reset brings the parent's rows back unmasked",
      );
    }
    return faults;
  },
  prune: (inputs) => needsToken(inputs, '`command: prune`'),
  wait(inputs) {
    // An empty list is what a step gives that reused its branch: there is nothing to wait for, and that is fine.
    const missing = 'operation_ids' in inputs && inputs.operation_ids === undefined;
    return missing
      ? ['operation_ids: is empty, takes the output `operation_ids` of the step that ran with `wait: false`']
      : [];
  },
  manage: (inputs, event) => checkManage({ inputs, event }),
};

/** What asks GitHub about pull requests cannot do without a token; whoever has given a faulty one has been told already. */
function needsToken(inputs: Partial<Inputs>, what: string): string[] {
  if (!('github_token' in inputs) || inputs.github_token !== undefined) return [];
  return [
    `github_token: is empty, takes a token that may read pull requests (\`pull-requests: read\`), whose state ${what} asks for`,
  ];
}
