import type { Sighting } from '../../src/branch/sighting.ts';
import type { Client } from '../../src/http/client.ts';
import type { RetryWindow } from '../../src/http/request.ts';
import { lookUpEffect } from '../../src/http/retry.ts';
import type { About } from '../../src/service/project.ts';
import { changeWindow } from '../../src/service/propagation-window.ts';
import type { Branch } from '../../src/service/types.ts';

/** A branch of project `p-1` that nobody else changes, so that it need not be checked before a change. */
export function seen(options: { api: Client; branch: Branch; window?: RetryWindow }): Pick<Sighting, 'change'> & About {
  const { api, window } = options;
  return {
    ...options,
    projectId: 'p-1',
    async change({ doing: _, happened, refusals, ...spec }) {
      const { value } = await api.request({
        ...spec,
        window: changeWindow(window, api.clock),
        recover: happened ? lookUpEffect(happened, { refusals }) : spec.recover,
      });
      return value;
    },
  };
}
