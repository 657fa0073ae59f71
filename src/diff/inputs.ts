import { branchNameOf, type RunEvent } from '../step/event.ts';
import {
  common,
  flag,
  type Given,
  type InputsOf,
  type InputTable,
  namesBranch,
  optional,
  project,
  token,
  withDefault,
} from '../step/inputs.ts';
import * as value from '../step/values.ts';
import { show } from '../text/inert.ts';

export const inputs = {
  ...common,
  project_id: project,
  branch_name: optional(value.branchName),
  branch_id: optional(value.branchId),
  base_branch: optional(value.branchNameOrId),
  base_point: optional(value.basePoint),
  database: optional(value.text),
  role: optional(value.text),
  require: withDefault('any', value.choice('any', 'masked', 'schema-only')),
  fail_on: withDefault('never', value.failOn),
  ignore_rules: optional(value.ignoreRules),
  ignore_below: optional(value.size),
  comment: flag(false),
  github_token: token,
} satisfies InputTable;

export type DiffInputs = InputsOf<typeof inputs>;

export function check({ inputs: given, event }: { inputs: Given<DiffInputs>; event: RunEvent }): string[] {
  if (namesBranch(given) || branchNameOf(event) !== undefined) return [];
  return [
    `branch_name is required, but it is empty: event ${show(event.name)} names no pull request or git branch to take a name from`,
  ];
}
