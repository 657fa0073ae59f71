import type { Client } from '../http/client.ts';
import * as shape from '../http/shape.ts';
import { name as readName } from './types.ts';

/** A project, and the client to reach it. */
export interface Project {
  api: Client;
  projectId: string;
}

export function projectPath(projectId: string, rest = ''): string {
  return `/projects/${encodeURIComponent(projectId)}${rest}`;
}

export function branchPath(options: { projectId: string; branchId: string; rest?: string }): string {
  return projectPath(options.projectId, `/branches/${encodeURIComponent(options.branchId)}${options.rest ?? ''}`);
}

/** The name of the project. Throws if it does not exist, which tells an unknown project from an unknown branch. */
export async function projectName(options: Project): Promise<string> {
  const { api, projectId } = options;
  const { value } = await api.request({
    goal: `read project ${projectId}`,
    method: 'GET',
    path: projectPath(projectId),
    read: (body) => readName(shape.object(body, 'the response').project, 'project'),
  });
  return value;
}
