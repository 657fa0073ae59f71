import type { Connection } from '../service/connection.ts';
import type { Project } from '../service/project.ts';
import type { Point } from '../service/schema.ts';
import type { Branch } from '../service/types.ts';
import type { Step } from '../step/action.ts';

/** The inputs that the functions about a branch read. What an action doesn't have is not set. */
export interface BranchInputs {
  project_id?: string | undefined;
  api_host?: string;
  branch_id?: string | undefined;
  branch_name?: string | undefined;
  parent_branch?: string | undefined;
  base_branch?: string | undefined;
  parent_point?: Point | undefined;
  require?: 'any' | 'masked' | 'schema-only';
  branch_type?: 'default' | 'schema-only';
  masking_rules?: unknown[] | undefined;
  suspend_timeout?: number | undefined;
  min_cu?: number | undefined;
  max_cu?: number | undefined;
  database?: string | undefined;
  role?: string | undefined;
  wait?: boolean;
}

export interface BranchFacts {
  branch?: Branch;
  created: boolean;
  deleted: boolean;
  connection?: Connection;
  /** IDs of the operations that the step started. */
  operationIds?: string[];
}

/** What they need of a step, of any action. */
export type BranchStep = Step<BranchInputs, BranchFacts>;

/** The project that a step works in. The check of the inputs has made sure that there is one. */
export function projectOf({ api, inputs }: Pick<BranchStep, 'api' | 'inputs'>): Project {
  if (inputs.project_id === undefined) throw new Error('The input project_id is empty');
  return { api, projectId: inputs.project_id };
}
