import type { RequestSpec } from '../http/request.ts';
import { show } from '../text/inert.ts';
import { maskedKey } from './anonymize.ts';
import { type BranchResponse, readBranchResponse } from './branch-changes.ts';
import { nameAndId } from './branches.ts';
import { RefusedError } from './errors.ts';
import { type Project, projectPath } from './project.ts';

export interface NewBranch {
  name: string;
  parentId: string | undefined;
  parentTimestamp: string | undefined;
  parentLsn: string | undefined;
  schemaOnly: boolean;
  protected: boolean;
  /** RFC 3339 with whole seconds. */
  expiresAt: string | undefined;
  /** Seconds; undefined for the project's own setting. */
  suspendTimeout: number | undefined;
  minCu: number | undefined;
  maxCu: number | undefined;
  /** Creates an anonymized branch: rules in the service's own form. */
  maskingRules: unknown[] | undefined;
  metadata: Record<string, string>;
  /**
   * Random; kept in the branch's metadata. A branch is ours if and only if it carries this ID: no clock and no run ID could tell two creates
   * of one run apart.
   */
  createId: string;
}

/** The key of the create ID in a branch's metadata. */
export const createIdKey = 'database-branch-create-id';

/** The request for a branch with a read-write compute endpoint. */
export function createRequest({
  api,
  projectId,
  branch,
}: Project & { branch: NewBranch }): RequestSpec<BranchResponse> {
  return {
    goal: `create branch ${show(branch.name)}`,
    method: 'POST',
    path: projectPath(projectId, branch.maskingRules ? '/branch_anonymized' : '/branches'),
    body: payload(branch),
    read(body) {
      const response = checked(readBranchResponse(body), branch);
      for (const { id } of [response.branch, ...response.endpoints]) api.created(id);
      return response;
    },
  };
}

function checked(response: BranchResponse, { name, ...wanted }: NewBranch): BranchResponse {
  const { branch } = response;
  if (branch.default || branch.name !== name) {
    throw new RefusedError(
      `The service returned ${branch.default ? "the project's default branch, " : 'branch '}${nameAndId(branch)}, instead of a new branch named ${show(name)}. Check the branch in the service's console, and delete it if nothing uses it.`,
    );
  }
  // The response may lack the metadata, and the branch would seem to have no owner.
  return { ...response, branch: { ...branch, metadata: { ...allMetadata(wanted), ...branch.metadata } } };
}

function payload(branch: NewBranch) {
  const create = {
    branch: {
      name: branch.name,
      parent_id: branch.parentId,
      parent_timestamp: branch.parentTimestamp,
      parent_lsn: branch.parentLsn,
      init_source: branch.schemaOnly ? 'schema-only' : undefined,
      protected: branch.protected || undefined,
      expires_at: branch.expiresAt,
    },
    endpoints: [
      {
        type: 'read_write',
        suspend_timeout_seconds: branch.suspendTimeout,
        autoscaling_limit_min_cu: branch.minCu,
        autoscaling_limit_max_cu: branch.maxCu,
      },
    ],
  };
  const annotation_value = allMetadata(branch);
  if (!branch.maskingRules) return { ...create, annotation_value };
  return { branch_create: create, masking_rules: branch.maskingRules, start_anonymization: true, annotation_value };
}

function allMetadata(branch: Pick<NewBranch, 'metadata' | 'createId' | 'maskingRules'>): Record<string, string> {
  const { metadata, createId, maskingRules } = branch;
  return { ...metadata, [createIdKey]: createId, ...(maskingRules ? { [maskedKey]: 'true' } : {}) };
}
