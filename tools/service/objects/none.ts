import type { Call, Handler, HandlerResponse } from '../http/router.ts';
import { organizationOf } from './account.ts';

/** What the real service has, but not the local one: clients that list it, such as `neon status`, get an empty list. */
const empty = (key: string): HandlerResponse => ({ status: 200, body: { [key]: [] } });

/** An empty list, such as `{"domains": []}`, below a project. */
export const noneInProject =
  (key: string): Handler =>
  ({ state, params }: Call) => {
    state.project(params.project_id);
    return empty(key);
  };

/** The same below a branch. */
export const noneInBranch =
  (key: string): Handler =>
  ({ state, params }: Call) => {
    state.branch(state.project(params.project_id), params.branch_id);
    return empty(key);
  };

/** The same below an organization. */
export const noneInOrganization =
  (key: string): Handler =>
  (call: Call) => {
    organizationOf(call);
    return empty(key);
  };
