import { startGitHub } from '../github/index.ts';
import type { ActionName } from '../runner/action.ts';
import type { Service, ServiceOptions } from '../service/index.ts';

/** The branch that every situation is about. */
export const target = 'preview/pr-7';

/** An action in a situation. */
export interface Situation {
  name: string;
  action: ActionName;
  inputs: Record<string, string>;
  service?: ServiceOptions;
  /** Sets up the service. */
  prepare?: (service: Service) => Promise<unknown>;
  /** Starts other servers that the action needs; returns the environment variables that point to them. */
  others?: () => Promise<{ env: Record<string, string>; close: () => Promise<void> }>;
  /** Whether the pull request is closed. */
  closed?: true;
  /** Every kind of request that is sent if nothing fails. */
  requests: string[];
  /** The request that meets every fault. */
  everyFault?: string;
  /** Whether the branch exists in the end. */
  after: boolean;
  /** Whether the step outputs connection details. */
  connects: boolean;
}

const older =
  (more: { endpoint?: boolean; annotations?: Record<string, string> } = {}) =>
  (service: Service) =>
    service.addBranch({ name: target, createdAt: Date.now() - 3_600_000, ...more });

const rules = [
  { database_name: 'neondb', schema_name: 'public', table_name: 'users', column_name: 'email', masking_value: 'x' },
];
const ofPull = { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': '7' };

const closedPull = async () => {
  const github = await startGitHub();
  github.state.addPull({ number: 7, state: 'closed' });
  return { env: github.env, close: github.close };
};

const branch = '/branches/{branch_id}';
const details = [`GET ${branch}/databases`, `GET ${branch}/roles`, 'GET /connection_uri'];
const existing = [`GET ${branch}/endpoints`, ...details];

/** `rehearse` is not played, because it needs a database; test/command/rehearse-faults.test.ts tries its requests with faults. */
export const situations: Situation[] = [
  {
    name: 'create, a new name',
    action: 'lifecycle',
    inputs: { command: 'create', branch_name: target },
    requests: ['POST /branches', 'GET /operations'],
    everyFault: 'POST /branches',
    after: true,
    connects: true,
  },
  {
    name: 'create, reuse',
    action: 'lifecycle',
    inputs: { command: 'create', branch_name: target, expires_in: '2h' },
    prepare: older({ endpoint: false }),
    requests: ['POST /branches', 'GET /branches', 'GET /operations', 'POST /endpoints', `PATCH ${branch}`, ...existing],
    after: true,
    connects: true,
  },
  {
    name: 'create, anonymized',
    action: 'lifecycle',
    inputs: { command: 'create', branch_name: target, masking_rules: JSON.stringify(rules) },
    requests: ['POST /branch_anonymized', 'GET /operations', `GET ${branch}/anonymized_status`],
    after: true,
    connects: true,
  },
  {
    name: 'get',
    action: 'lifecycle',
    inputs: { command: 'get', branch_name: target },
    prepare: older(),
    requests: ['GET /branches', 'GET /operations', ...existing],
    after: true,
    connects: true,
  },
  {
    name: 'reset',
    action: 'lifecycle',
    inputs: { command: 'reset', branch_name: target },
    prepare: older(),
    requests: [
      'GET /branches',
      `POST ${branch}/restore`,
      'GET /operations',
      `GET ${branch}`,
      `GET ${branch}/anonymized_status`,
      ...existing,
    ],
    everyFault: `POST ${branch}/restore`,
    after: true,
    connects: true,
  },
  {
    name: 'delete',
    action: 'lifecycle',
    inputs: { command: 'delete', branch_name: target },
    prepare: older(),
    requests: ['GET /branches', `DELETE ${branch}`, 'GET /operations'],
    after: false,
    connects: false,
  },
  {
    name: 'diff',
    action: 'diff',
    inputs: { branch_name: target },
    prepare: older(),
    requests: ['GET /branches', 'GET /operations', `GET ${branch}`, `GET ${branch}/databases`, `GET ${branch}/schema`],
    after: true,
    connects: false,
  },
  {
    name: 'prune',
    action: 'prune',
    inputs: {},
    prepare: older({ annotations: ofPull }),
    others: closedPull,
    requests: ['GET /branches', `DELETE ${branch}`, 'GET /operations'],
    after: false,
    connects: false,
  },
  {
    name: 'manage',
    action: 'manage',
    inputs: {
      resource: 'role',
      branch_name: target,
      verb: 'create',
      body: '{"role": {"name": "app"}}',
    },
    prepare: older(),
    requests: ['GET /branches', `GET ${branch}/roles/{role_name}`, `POST ${branch}/roles`, 'GET /operations'],
    after: true,
    connects: false,
  },
];
