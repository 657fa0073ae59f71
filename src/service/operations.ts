import type { Client } from '../http/client.ts';
import * as shape from '../http/shape.ts';
import { OperationError } from './errors.ts';
import { type Project, projectPath } from './project.ts';
import type { PropagationWindow } from './propagation-window.ts';
import { type Operation, operation as readOperation } from './types.ts';

/** Operations on the page that is read: newest first, so that it has those of this step, and earlier runs of the same kind. */
const perPage = 100;

export async function getOperation(options: {
  api: Client;
  projectId: string;
  id: string;
  window?: PropagationWindow;
}): Promise<Operation> {
  const { api, projectId, id, window } = options;
  const { value } = await api.request({
    goal: `read operation ${id}`,
    method: 'GET',
    path: projectPath(projectId, `/operations/${encodeURIComponent(id)}`),
    window,
    read: (body) => readOperation(shape.object(body, 'the response').operation, 'operation'),
  });
  if (value.id === id) return value;
  throw new OperationError({ id }, `was requested, but the service returned operation ${value.id}`);
}

/** The newest operations of the project, newest first. */
export async function listOperations(
  options: Project & { goal?: string },
): Promise<{ operations: Operation[]; date: number | undefined }> {
  const { api, projectId, goal = 'list the operations of the project' } = options;
  const { value, date } = await api.request({
    goal,
    method: 'GET',
    path: projectPath(projectId, '/operations'),
    query: { limit: perPage },
    read: (body) => shape.list(shape.object(body, 'the response').operations, 'operations', readOperation),
  });
  return { operations: value, date };
}

/** The newest operations of a branch that have not ended yet, oldest first. */
export async function unfinishedOperations(options: Project & { branchId: string }): Promise<Operation[]> {
  const { branchId, ...project } = options;
  const goal = `list the operations of branch ${branchId}`;
  const { operations } = await listOperations({ ...project, goal });
  return operations.filter((one) => one.branch_id === branchId && !hasEnded(one)).reverse();
}

export function succeeded(operation: Operation): boolean {
  return operation.status === 'finished' || operation.status === 'skipped';
}

export function hasEnded(operation: Operation): boolean {
  return succeeded(operation) || ['error', 'cancelled', 'failed'].includes(operation.status);
}
