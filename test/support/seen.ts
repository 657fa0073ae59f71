import { send } from '../../src/branch/change.ts';
import type { Client } from '../../src/http/client.ts';
import type { RetryWindow } from '../../src/http/request.ts';
import type { About, Change } from '../../src/service/project.ts';
import type { Branch } from '../../src/service/types.ts';

/** A branch of project `p-1`, and how its changes are sent. */
export function seen(options: {
  api: Client;
  branch: Branch;
  window?: RetryWindow;
}): About & { change: <T>(change: Change<T>) => Promise<T> } {
  return { ...options, projectId: 'p-1', change: (change) => send(options.api, change) };
}
