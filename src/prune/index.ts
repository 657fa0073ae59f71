/** What the commands use: one chunk, because most steps never prune. */
export { carryOut } from './carry-out.ts';
export { isRoot, onlyRootTrees } from './order.ts';
export { planPrune } from './plan.ts';
