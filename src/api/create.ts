import { ApiError } from '../http/errors.ts';
import { once } from '../http/once.ts';
import { show } from '../text/inert.ts';
import { type BranchAnswer, findBranchByName, type Project, projectPath, readBranchAnswer } from './branches.ts';
import { MismatchError } from './errors.ts';
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
  /** Seconds; left out, the project's own setting holds. */
  suspendTimeout: number | undefined;
  minCu: number | undefined;
  maxCu: number | undefined;
  /** Makes an anonymized branch: rules of the service's own form. */
  maskingRules: unknown[] | undefined;
  annotations: Record<string, string>;
}

export type Creation =
  | { made: true; answer: BranchAnswer }
  /** Made by this call, though its answer was lost: what a look-up by name shows of it. */
  | { made: true; answer?: undefined; branch: Branch }
  /**
   * Somebody has a branch of this name already, or the service has another conflict (409), which is then the `refusal`. Where
   * an answer was lost, it may be this call that made the branch after all.
   */
  | { made: false; refusal?: ApiError; branch?: undefined };

/** Refusals to which a create of the same call, of which no list knew yet, may have led. */
const refusals = [409, 412, 422];

/**
 * One POST that makes the branch with a read-write compute endpoint, without a look before. A name that is taken (409) is no
 * error. A lost answer is looked up by name before anything is sent again; `isOurs` tells whether what stands there is what
 * this call has made, and `onLost` is told that from now on a branch may appear which no answer has named.
 */
export async function createBranch(
  options: Project & {
    branch: NewBranch;
    isOurs: (branch: Branch, date: number | undefined) => boolean;
    onLost: () => void;
  },
): Promise<Creation> {
  const { api, projectId, branch, isOurs, onLost } = options;
  const anonymized = branch.maskingRules !== undefined;
  type Result = { answer: BranchAnswer } | { found: Branch; ours: boolean };
  const lookUp = async (): Promise<Result | undefined> => {
    const found = await findBranchByName({ api, projectId, name: branch.name });
    return found && { found: found.branch, ours: isOurs(found.branch, found.date) };
  };
  let lost = false;
  try {
    const { value, from } = await once<Result>({
      api,
      act: () =>
        api.request({
          goal: `create branch ${show(branch.name)}`,
          method: 'POST',
          path: projectPath(projectId, anonymized ? '/branch_anonymized' : '/branches'),
          body: anonymized ? anonymizedPayload(branch) : { ...payload(branch), annotation_value: branch.annotations },
          read: (body) => ({ answer: checked(readBranchAnswer(body), branch.name) }),
        }),
      look: async () => {
        lost = true;
        onLost();
        return lookUp();
      },
    });
    if (from === 'answer' && 'answer' in value) return { made: true, answer: value.answer };
    return 'found' in value && value.ours ? { made: true, branch: value.found } : { made: false };
  } catch (error) {
    // A look-up that was refused says nothing of the create.
    const refused = error instanceof ApiError && error.request.method === 'POST';
    if (!refused || !refusals.includes(error.status ?? 0)) throw error;
    // Where an answer was lost before, it may be this very call that has taken the name, or the project's last room.
    const taken = lost ? await lookUp() : undefined;
    if (taken && 'found' in taken && taken.ours) return { made: true, branch: taken.found };
    if (error.status === 409) return { made: false, refusal: error };
    throw error;
  }
}

function checked(answer: BranchAnswer, name: string): BranchAnswer {
  if (answer.branch.name !== name) {
    throw new MismatchError(
      `Asked for a branch named ${show(name)}, and the service answered with ${show(answer.branch.name)} (${answer.branch.id})`,
      { madeId: answer.branch.id },
    );
  }
  return answer;
}

function payload(branch: NewBranch) {
  return {
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
}

function anonymizedPayload(branch: NewBranch) {
  return {
    branch_create: payload(branch),
    masking_rules: branch.maskingRules,
    start_anonymization: true,
    annotation_value: branch.annotations,
  };
}
