import { optionalBoolean, optionalString, requiredObject } from '../http/body.ts';
import { notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { childrenOf } from '../state.ts';
import { timestamp } from '../time.ts';
import { assertNameFree, validateName } from './checks.ts';
import { expiryFields, parseExpiry } from './expiry.ts';

export function updateBranch({ state, params, body }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { branch } = record;
  const fields = requiredObject(body, 'branch');
  const name = optionalString(fields, 'name');
  const isProtected = optionalBoolean(fields, 'protected') ?? branch.protected;
  const expiresAt =
    fields.expires_at === null
      ? undefined
      : parseExpiry(state, optionalString(fields, 'expires_at'), {
          default: branch.default,
          protected: isProtected,
          children: childrenOf(project, branch.id).length > 0,
        });
  state.assertUnlocked(project, [{ id: branch.id }]);
  if (record.deleting) throw notFound('branch');
  if (name !== undefined) assertNameFree(state, project, validateName(name), record);

  if (name !== undefined) branch.name = name;
  branch.protected = isProtected;
  if (fields.expires_at === null) {
    delete branch.expires_at;
    delete branch.ttl_interval_seconds;
  } else {
    Object.assign(branch, expiryFields(expiresAt, state.now()));
  }
  branch.updated_at = timestamp(state.now());
  return { status: 200, body: { branch, operations: [] } };
}
