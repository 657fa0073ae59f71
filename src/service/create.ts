import { ApiError } from '../http/errors.ts';
import { resendAfterLookup } from '../http/lost-response.ts';
import { show } from '../text/inert.ts';
import { maskedKey } from './anonymize.ts';
import { type BranchResponse, readBranchResponse } from './branch-response.ts';
import { type FoundBranch, findBranchByName } from './branches.ts';
import { MismatchError } from './errors.ts';
import { type Project, projectPath } from './project.ts';
import type { Branch } from './types.ts';

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
  /** Random; kept in the branch's metadata, so that the branch can be told from any other of its name. */
  createId: string;
}

/** The key of the create ID in a branch's metadata. */
export const createIdKey = 'database-branch-create-id';

/** What came of one create. */
export type Creation =
  | { outcome: 'created'; response: BranchResponse }
  /** Created, but its response was lost: the branch as a lookup by name shows it. */
  | { outcome: 'found'; branch: Branch }
  /** Another branch has the name, or the service has another conflict (409), which is then the `refusal`. */
  | { outcome: 'conflict'; refusal?: ApiError };

/** Statuses that a retry may get because an earlier request of this attempt did create the branch, although no list shows it yet. */
const causedByOurs = [409, 412, 422];

/**
 * A step's attempt to create one branch, over as many requests as it takes. A branch is ours if and only if it carries the create ID:
 * no clock and no run ID could tell two creates of one run apart.
 */
export interface CreateAttempt {
  readonly branch: NewBranch;
  /** Whether the response to one of the requests was lost, so that the branch may still appear. */
  readonly lost: boolean;
  /** Whether a branch found by name is what this attempt has created. */
  isOurs(branch: Branch): boolean;
  /**
   * One create with a read-write compute endpoint, without a lookup before it. A name that is taken is not an error. If a response
   * is lost, the branch is looked up by name before anything is sent again.
   */
  send(): Promise<Creation>;
}

export function createAttempt(
  options: Project & {
    branch: NewBranch;
    /** Called before each attempt; if it throws, nothing more is sent. */
    beforeAttempt?: () => Promise<void>;
  },
): CreateAttempt {
  const { api, projectId, branch, beforeAttempt } = options;
  let lost = false;
  const isOurs = (found: Branch) => found.metadata[createIdKey] === branch.createId;

  type Found = { response: BranchResponse } | { found: FoundBranch };
  const lookUp = async (): Promise<{ found: FoundBranch } | undefined> => {
    const found = await findBranchByName({ api, projectId, name: branch.name });
    return found && { found };
  };
  const creationOf = (result: Found): Creation => {
    if ('response' in result) return { outcome: 'created', response: result.response };
    return isOurs(result.found.branch) ? { outcome: 'found', branch: result.found.branch } : { outcome: 'conflict' };
  };

  async function send(): Promise<Creation> {
    try {
      const { value } = await resendAfterLookup<Found>({
        api,
        send: () =>
          api.request({
            goal: `create branch ${show(branch.name)}`,
            method: 'POST',
            path: projectPath(projectId, branch.maskingRules ? '/branch_anonymized' : '/branches'),
            body: payload(branch),
            beforeAttempt,
            read: (body) => ({ response: checked(readBranchResponse(body), branch.name) }),
          }),
        lookUp: () => {
          lost = true;
          return lookUp();
        },
      });
      return creationOf(value);
    } catch (error) {
      // A failed lookup says nothing about the create.
      const refused = error instanceof ApiError && error.request.method === 'POST';
      if (!refused || !causedByOurs.includes(error.status ?? 0)) throw error;
      const found = lost ? await lookUp() : undefined;
      const creation = found && creationOf(found);
      if (creation?.outcome === 'found') return creation;
      if (error.status === 409) return { outcome: 'conflict', refusal: error };
      throw error;
    }
  }

  return {
    branch,
    get lost() {
      return lost;
    },
    isOurs,
    send,
  };
}

function checked(response: BranchResponse, name: string): BranchResponse {
  const { branch } = response;
  if (branch.name === name) return response;
  throw new MismatchError(
    `Asked for a branch named ${show(name)}, but the service created ${show(branch.name)} (${branch.id}). Check it in the service's console, and delete it if nothing uses it.`,
    { createdId: branch.id },
  );
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
  const annotation_value = { ...branch.metadata, [createIdKey]: branch.createId };
  if (!branch.maskingRules) return { ...create, annotation_value };
  return {
    branch_create: create,
    masking_rules: branch.maskingRules,
    start_anonymization: true,
    annotation_value: { ...annotation_value, [maskedKey]: 'true' },
  };
}
