import type { Inputs } from './fields.ts';

/** Inputs that may be invalid: an invalid one is missing, and one that is not set is `undefined`. */
export type Given = Partial<Inputs>;

/** Whether an input is not set. False for an invalid one, which is an error of its own. */
export function isEmpty(inputs: Given, name: keyof Inputs): boolean {
  return name in inputs && inputs[name] === undefined;
}

/** Whether an input names the branch, or was to name it and is invalid. */
export function namesBranch(inputs: Given): boolean {
  return !isEmpty(inputs, 'branch_id') || !isEmpty(inputs, 'branch_name');
}
