import type { Operation } from '@neon/sdk/raw';
import { stamp } from '../generate.ts';
import { flag, requiredPart, text } from '../http/body.ts';
import { notFound, unprocessable } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import { suspendStep } from '../objects/endpoint-record.ts';
import type { Lock, Step } from '../operations.ts';
import { type BranchRecord, childrenOf, endpointsOf, type ProjectRecord, type State } from '../state.ts';
import { checkedName, claimName } from './create.ts';
import { checkedExpiry } from './expiry.ts';
import { expiry } from './record.ts';
import { setAside } from './recover.ts';

export function updateBranch({ state, params, body }: Call): Answer {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { branch } = record;
  const fields = requiredPart(body, 'branch');
  const name = text(fields, 'name');
  const isProtected = flag(fields, 'protected') ?? branch.protected;
  const expiresAt =
    fields.expires_at === null
      ? undefined
      : checkedExpiry(state, text(fields, 'expires_at'), {
          default: branch.default,
          protected: isProtected,
          children: childrenOf(project, branch.id).length > 0,
        });
  state.guard(project, [{ id: branch.id }]);
  if (record.leaving) throw notFound('branch');
  if (name !== undefined) claimName(state, project, checkedName(name), record);

  if (name !== undefined) branch.name = name;
  branch.protected = isProtected;
  if (fields.expires_at === null) {
    delete branch.expires_at;
    delete branch.ttl_interval_seconds;
  } else {
    Object.assign(branch, expiry(expiresAt, state.now()));
  }
  branch.updated_at = stamp(state.now());
  return { status: 200, body: { branch, operations: [] } };
}

export function deleteBranch({ state, params, query }: Call): Answer {
  const project = state.project(params.project_id);
  const known = project.branches.get(params.branch_id ?? '');
  if (!known) {
    if (state.settings.gone === 404) throw notFound('branch');
    return { status: 204 };
  }
  const record = state.branch(project, params.branch_id, 'change');
  const { branch } = record;
  if (branch.default) throw unprocessable('the default branch cannot be deleted');
  if (branch.protected) throw unprocessable('a protected branch cannot be deleted');
  const children = childrenOf(project, branch.id).length;
  if (children > 0) throw unprocessable(`the branch has ${children} child branches and cannot be deleted`);
  state.guard(project, [{ id: branch.id }]);
  if (record.leaving) return { status: 200, body: { branch, operations: underWay(project, branch.id) } };
  return {
    status: 200,
    body: {
      branch,
      operations: takeAway(state, project, record, query.get('hard_delete') === 'true' ? 'for good' : 'user'),
    },
  };
}

const underWay = (project: ProjectRecord, branchId: string): Operation[] =>
  project.operations
    .all()
    .filter(({ branch_id, status }) => branch_id === branchId && (status === 'scheduling' || status === 'running'))
    .reverse();

/** Starts what ends with the branch gone. */
export function takeAway(
  state: State,
  project: ProjectRecord,
  record: BranchRecord,
  how: 'for good' | 'user' | 'ttl',
): Operation[] {
  const { branch } = record;
  const endpoints = endpointsOf(project, branch.id);
  record.leaving = true;
  branch.updated_at = stamp(state.now());
  const timeline: Step = {
    action: 'delete_timeline',
    branchId: branch.id,
    work: async () => {
      if (how !== 'for good') return setAside(state, project, record, how);
      for (const { endpoint } of endpoints) await state.compute.closeEndpoint(endpoint.id);
      await state.compute.remove(branch.id);
    },
    after: () => {
      for (const { endpoint } of endpoints) project.endpoints.delete(endpoint.id);
      project.branches.delete(branch.id);
    },
  };
  const locks: Lock[] = [{ id: branch.id }];
  return state.run(project, [...endpoints.map((endpoint) => suspendStep(state, endpoint)), timeline], locks, () => {
    record.leaving = false;
  });
}

export function makeDefault({ state, params }: Call): Answer {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  state.guard(project, [{ id: record.branch.id }]);
  if (record.branch.expires_at !== undefined) throw unprocessable('the default branch cannot have an expiry');
  for (const other of project.branches.values()) {
    other.branch.default = other === record;
    other.branch.primary = other === record;
  }
  record.branch.updated_at = stamp(state.now());
  return { status: 200, body: { branch: record.branch, operations: [] } };
}

/** The service's background job: takes away what has expired. Times are in one notation, so text compares as time. */
export function sweepExpired(state: State): void {
  const now = stamp(state.now());
  for (const project of state.projects.values()) {
    for (const record of project.branches.values()) {
      const { branch, leaving } = record;
      if (branch.expires_at !== undefined && branch.expires_at <= now && !leaving)
        takeAway(state, project, record, 'ttl');
    }
  }
}
