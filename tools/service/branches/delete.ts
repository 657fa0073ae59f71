import type { Operation } from '@neon/sdk/raw';
import { notFound, unprocessable } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { suspendStep } from '../objects/endpoint-record.ts';
import type { Step } from '../operations.ts';
import { type BranchRecord, childrenOf, endpointsOf, type ProjectRecord, type State } from '../state.ts';
import { timestamp } from '../time.ts';

export function deleteBranch({ state, params }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  if (!project.branches.has(params.branch_id ?? '')) {
    if (state.settings.missingDeleteStatus === 404) throw notFound('branch');
    return { status: 204 };
  }
  const record = state.branch(project, params.branch_id, 'change');
  const { branch } = record;
  if (branch.default) throw unprocessable('the default branch cannot be deleted');
  if (branch.protected) throw unprocessable('a protected branch cannot be deleted');
  const children = childrenOf(project, branch.id).length;
  if (children > 0) throw unprocessable(`the branch has ${children} child branches and cannot be deleted`);
  state.assertUnlocked(project, [{ id: branch.id }]);
  const operations = record.deleting ? unfinishedOperations(project, branch.id) : startDelete(state, project, record);
  return { status: 200, body: { branch, operations } };
}

const unfinishedOperations = (project: ProjectRecord, branchId: string): Operation[] =>
  project.operations
    .all()
    .filter(({ branch_id, status }) => branch_id === branchId && (status === 'scheduling' || status === 'running'))
    .reverse();

/** Starts the operations of a deletion. */
function startDelete(state: State, project: ProjectRecord, record: BranchRecord): Operation[] {
  const { branch } = record;
  const endpoints = endpointsOf(project, branch.id);
  record.deleting = true;
  branch.pending_state = 'storage_deleted';
  branch.updated_at = timestamp(state.now());
  const deleteTimeline: Step = {
    action: 'delete_timeline',
    branchId: branch.id,
    work: async () => {
      for (const { endpoint } of endpoints) await state.compute.closeEndpoint(endpoint.id);
      await state.compute.remove(branch.id);
    },
    onFinished: () => {
      for (const { endpoint } of endpoints) project.endpoints.delete(endpoint.id);
      project.branches.delete(branch.id);
    },
  };
  const steps = [...endpoints.map((endpoint) => suspendStep(state, endpoint)), deleteTimeline];
  return state.startOperations(project, steps, [{ id: branch.id }], () => {
    record.deleting = false;
    delete branch.pending_state;
  });
}

/** Deletes expired branches, as the real service does in the background. Timestamps share one format, so they compare as text. */
export function deleteExpired(state: State): void {
  const now = timestamp(state.now());
  for (const project of state.projects.values()) {
    for (const record of project.branches.values()) {
      const { expires_at: expiresAt } = record.branch;
      if (expiresAt !== undefined && expiresAt <= now && !record.deleting) startDelete(state, project, record);
    }
  }
}
