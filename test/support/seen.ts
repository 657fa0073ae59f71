import type { Client } from '../../src/http/client.ts';
import { lookUpEffect } from '../../src/http/recover.ts';
import type { Changeable } from '../../src/service/project.ts';
import { changeWindow, type PropagationWindow } from '../../src/service/propagation-window.ts';
import type { Branch } from '../../src/service/types.ts';

/** A branch of project `p-1` that nobody else changes, so that it need not be checked before a change. */
export function seen(options: { api: Client; branch: Branch; window?: PropagationWindow }): Changeable {
  const { api, window } = options;
  return {
    ...options,
    projectId: 'p-1',
    change: ({ doing: _, happened, refusals, ...spec }) =>
      api.request({
        ...spec,
        window: changeWindow(window, api.clock),
        recover: happened ? lookUpEffect(happened, { refusals }) : spec.recover,
      }),
  };
}
