import type { Call, Handler } from '../http/router.ts';

/** An empty list, such as `{"buckets": []}`, of what a branch can have at the real service, but not here. */
export const noneInBranch =
  (key: string): Handler =>
  ({ state, params }: Call) => {
    state.branch(state.project(params.project_id), params.branch_id);
    return { status: 200, body: { [key]: [] } };
  };
