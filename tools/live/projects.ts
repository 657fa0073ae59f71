import { createClient } from '../../src/http/client.ts';
import { deadlineIn, systemClock } from '../../src/http/clock.ts';
import { ApiError } from '../../src/http/errors.ts';
import { createFetch } from '../../src/http/transport.ts';

export interface Account {
  apiHost: string;
  apiKey: string;
  /** needed with a personal key */
  orgId: string | undefined;
}

interface Project {
  id: string;
  name: string;
  created_at: string;
}

/** Names of projects that a live run creates; nothing else is ever deleted. */
export const prefix = 'database-branch-live-';
const ours = /^database-branch-live-[0-9a-f]{12}$/;

/** The name of the project of a run. Throws if a later run would not recognize and delete it. */
export function nameOf(run: string): string {
  const name = `${prefix}${run}`;
  if (!ours.test(name)) throw new Error(`LIVE_RUN: "${run}" is invalid; expected 12 hex digits`);
  return name;
}

/** A run takes minutes. A project of this age, in milliseconds, is left from one whose process was killed. */
const leftoverMs = 2 * 3_600_000;
/** How long deleting may take, in milliseconds: operations of a step that was stopped lock the project for a while. */
const deletionMs = 4 * 60_000;

/** Deletes the project of this name, if there is one. Returns how many were deleted. */
export function deleteProject(account: Account, name: string): Promise<number> {
  return deleteThose(account, (project) => project.name === name);
}

export function deleteLeftovers(account: Account): Promise<number> {
  return deleteThose(account, ({ created_at }) => Date.now() - Date.parse(created_at) > leftoverMs);
}

async function deleteThose(account: Account, chosen: (project: Project) => boolean): Promise<number> {
  const { apiHost, apiKey, orgId } = account;
  const deadline = deadlineIn(deletionMs, { signal: AbortSignal.timeout(deletionMs), clock: systemClock });
  const api = createClient({ baseUrl: apiHost, apiKey, deadline, fetch: await createFetch(apiHost) });
  try {
    const { value: projects } = await api.request({
      goal: 'list the projects of live runs',
      method: 'GET',
      path: '/projects',
      query: { limit: 400, search: prefix, ...(orgId && { org_id: orgId }) },
      read: (body) => (body as { projects: Project[] }).projects,
    });
    const found = projects.filter((project) => ours.test(project.name) && chosen(project));
    for (const { id } of found) {
      await api
        .request({ goal: `delete project ${id}`, method: 'DELETE', path: `/projects/${id}`, read: () => undefined })
        .catch((error: unknown) => {
          if (!(error instanceof ApiError && error.status === 404)) throw error;
        });
    }
    return found.length;
  } finally {
    await api.close();
  }
}
