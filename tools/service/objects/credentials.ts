import { randomBytes } from 'node:crypto';
import type { CredentialMeta, CredentialScope } from '@neon/sdk/raw';
import { isJsonObject, optionalString } from '../http/body.ts';
import { badRequest, notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { BranchRecord } from '../state.ts';
import { timestamp } from '../time.ts';

/** Keys for a branch's storage and functions, which the local service stores but doesn't use: `neon env pull` creates one. */
const branchOf = ({ state, params }: Call): BranchRecord =>
  state.branch(state.project(params.project_id), params.branch_id);

export function listCredentials(call: Call): HandlerResponse {
  return { status: 200, body: { credentials: [...branchOf(call).credentials.values()] } };
}

export function createCredential(call: Call): HandlerResponse {
  const { state, body } = call;
  const { branch, credentials } = branchOf(call);
  if (!isJsonObject(body) || !Array.isArray(body.scopes) || body.scopes.length === 0) {
    throw badRequest('request body has an error: "scopes" is missing');
  }
  const hex = randomBytes(16).toString('hex');
  const name = optionalString(body, 'name');
  const meta: CredentialMeta = {
    token_id: `nak_live_${hex}`,
    token_id_short: hex.slice(0, 12),
    ...(name !== undefined && { name }),
    scopes: body.scopes as CredentialScope[],
    branch_id: branch.id,
    principal_type: 'user',
    created_at: timestamp(state.now()),
  };
  credentials.set(meta.token_id, meta);
  const secret = { api_token: `nt_live_${newSecret()}`, s3_secret_access_key: `nsk_live_${newSecret()}` };
  for (const one of Object.values(secret)) state.secrets.add(one);
  const { principal_type: _, ...shown } = meta;
  return { status: 201, body: { ...shown, ...secret } };
}

export function revokeCredential(call: Call): HandlerResponse {
  if (!branchOf(call).credentials.delete(call.params.token_id ?? '')) throw notFound('credential');
  return { status: 204 };
}

const newSecret = () => randomBytes(32).toString('hex');
