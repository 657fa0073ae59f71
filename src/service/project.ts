import type { Client } from '../http/client.ts';
import type { RequestSpec } from '../http/request.ts';
import * as shape from '../http/shape.ts';
import type { Json } from '../text/json.ts';
import type { Branch } from './types.ts';

/** A project, and the client to reach it. */
export interface Project {
  api: Client;
  projectId: string;
}

export interface ById extends Project {
  branch: Pick<Branch, 'id'>;
}

/** A branch that was read, to read or change more of it. */
export interface About extends Project {
  branch: Branch;
}

export function projectPath(projectId: string, rest = ''): string {
  return `/projects/${encodeURIComponent(projectId)}${rest}`;
}

export function branchPath({ projectId, branch }: Omit<ById, 'api'>, rest = ''): string {
  return projectPath(projectId, `/branches/${encodeURIComponent(branch.id)}${rest}`);
}

/** A read: the value that `read` finds in the object of the response. */
export async function get<T>(
  api: Client,
  { read, ...spec }: Pick<RequestSpec<T>, 'goal' | 'path' | 'query' | 'mayBeNone'> & { read: (from: Json) => T },
): Promise<T> {
  const readBody = (body: unknown) => read(shape.object(body, 'the response'));
  return (await api.request({ ...spec, method: 'GET', read: readBody })).value;
}

/** The API of the public service, and its console. The console of another deployment is unknown. */
const publicService = 'https://console.neon.tech/api/v2';
const publicConsole = 'https://console.neon.tech/app/projects';

/** The page of a branch in the service's console; undefined if the console is not known. `api_host` is the API's base URL. */
export function consoleUrl(
  of: { api_host: string; project_id: string },
  { id }: Pick<Branch, 'id'>,
): string | undefined {
  return of.api_host === publicService ? `${publicConsole}/${of.project_id}/branches/${id}` : undefined;
}
