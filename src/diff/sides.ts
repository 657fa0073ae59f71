import { waitUntilReady } from '../branch/ready.ts';
import { checkRows } from '../branch/rows.ts';
import { findNamed, requireTarget } from '../branch/target.ts';
import { getBranch, listNames, nameAndId } from '../service/branches.ts';
import { choose } from '../service/connection.ts';
import { RefusedError } from '../service/errors.ts';
import type { Project } from '../service/project.ts';
import type { Point } from '../service/schema.ts';
import type { Branch } from '../service/types.ts';
import type { Step } from '../step/action.ts';
import { show } from '../text/inert.ts';
import type { DatabaseDiff, DiffFacts } from './facts.ts';
import type { DiffInputs } from './inputs.ts';

export type DiffStep = Step<DiffInputs, DiffFacts>;

export interface Sides extends Project {
  branch: Branch;
  base: Branch;
  /** Where in the base's history the comparison starts. */
  point: Point;
  /** Whether that is where the branch was created or last reset. */
  isFork: boolean;
  /** The databases to compare. */
  databases: Pick<DatabaseDiff, 'database' | 'isNew' | 'isGone'>[];
}

export async function findSides(step: DiffStep): Promise<Sides> {
  const { inputs, api } = step;
  const project = { api, projectId: inputs.project_id };
  const found = await requireTarget(step);
  await checkRows(step, found, { wait: true });
  // While a reset is running, it still has its old schema and parent point.
  const branch = await waitUntilReady(step, found);
  step.record({ branch });
  const base = await findBase(step, project, branch);
  const { point, isFork } = pointOf(inputs, branch, base);
  const namesOn = (branch: Branch) => listNames({ ...project, branch }, 'databases');
  const [own, ofBase] = await Promise.all([namesOn(branch), namesOn(base)]);
  const isAll = inputs.database === '*';
  const names = isAll
    ? [...new Set([...own, ...ofBase])]
    : [choose({ kind: 'database', wanted: inputs.database, names: own, branch })];
  const databases = names.map((database) => ({
    ...{ database, isNew: !ofBase.includes(database), isGone: !own.includes(database) },
  }));
  const [first] = databases;
  if (!first) throw new RefusedError(`Neither branch ${nameAndId(branch)} nor its base has a database to compare.`);
  if (!isAll && first.isNew) {
    throw new RefusedError(
      `Branch ${nameAndId(base)} has no database ${show(first.database)} to compare with. Set \`database\` or \`base_branch\`.`,
    );
  }
  return { ...project, branch, base, point, isFork, databases };
}

/** The branch that an input names, else the parent; a root branch with a point in the past is compared with itself. */
async function findBase(step: DiffStep, project: Project, branch: Branch): Promise<Branch> {
  const next = 'Check its spelling, or remove the input to compare with the parent, if there is one.';
  const named = await findNamed(step, 'base_branch', next);
  if (named) return named;
  if (branch.parent_id !== undefined) return (await getBranch({ ...project, branch: { id: branch.parent_id } })).branch;
  if (typeof step.inputs.base_point === 'object') return branch;
  throw new RefusedError(
    `Branch ${nameAndId(branch)} is a root branch and has no parent to compare with. Set \`base_branch\`; or set \`base_point\` to a time, to compare the branch with its own past.`,
  );
}

/** The fork point, unless the inputs say otherwise: the parent as it was when the branch was created or last reset. */
function pointOf({ base_point: wanted }: DiffInputs, branch: Branch, base: Branch): { point: Point; isFork: boolean } {
  if (typeof wanted === 'object') return { point: wanted, isFork: false };
  const isParent = base.id === branch.parent_id;
  if (wanted === 'fork' && !isParent) {
    throw new RefusedError(
      `Branch ${nameAndId(base)} is not the parent of branch ${nameAndId(branch)}, so there is no fork point to compare with (\`base_point: fork\`). Remove \`base_point\` to compare with the current state of ${show(base.name)}.`,
    );
  }
  const { parent_lsn: lsn, parent_timestamp: timestamp } = branch;
  if (wanted === 'head' || !isParent || (lsn ?? timestamp) === undefined) return { point: {}, isFork: false };
  return { point: lsn === undefined ? { timestamp } : { lsn }, isFork: true };
}
