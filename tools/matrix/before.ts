import { createIdKey } from '../../src/service/create.ts';
import { startGitHub } from '../github/index.ts';
import type { Service } from '../service/index.ts';
import { target } from './play.ts';

export const hourAgo = () => Date.now() - 3_600_000;
export const older =
  (endpoint = true) =>
  async (service: Service) => {
    await service.addBranch({ name: target, createdAt: hourAgo(), endpoint });
    return undefined;
  };
/** A branch that this action has created. */
export const ownOlder = async (service: Service) => {
  await service.addBranch({ name: target, createdAt: hourAgo(), annotations: { [createIdKey]: 'of another step' } });
  return undefined;
};
export const byId = async (service: Service) => {
  const { id } = await service.addBranch({ name: target, createdAt: hourAgo() });
  return { branch_id: id };
};
const post = async (service: Service, path: string, body: object) => {
  const response = await fetch(`${service.baseUrl}/projects/${service.projectId}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { operations: { id: string }[] };
};
const withCompute = { branch: { name: target }, endpoints: [{ type: 'read_write' }] };
/** A branch in the state in which a step with `wait: false` leaves it. */
export const justCreated = async (service: Service) => {
  const { operations } = await post(service, '/branches', withCompute);
  return { operation_ids: operations.map(({ id }) => id).join(',') };
};
export const rules =
  '[{"database_name":"neondb","schema_name":"public","table_name":"users","column_name":"email","masking_value":"x"}]';
export const anonymized = async (service: Service) => {
  await post(service, '/branch_anonymized', {
    annotation_value: { note: 'a test' },
    branch_create: withCompute,
    masking_rules: JSON.parse(rules),
    start_anonymization: true,
  });
  await service.idle();
  Object.assign(service.branch(target) ?? {}, { created_at: new Date(hourAgo()).toISOString() });
  return undefined;
};

export const ofPull = { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': '7' };
export const closedPull = async () => {
  const github = await startGitHub();
  github.state.addPull({ number: 7, state: 'closed' });
  return { env: github.env, close: github.close };
};
