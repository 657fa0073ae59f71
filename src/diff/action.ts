import { RefusedError } from '../service/errors.ts';
import type { Action } from '../step/action.ts';
import { writeComment } from '../step/comment.ts';
import { inFileIfLarge } from '../step/outputs.ts';
import { code } from '../text/markdown.ts';
import { compareAll } from './compare.ts';
import { type DiffFacts, emptyFacts, findingsOf, isChanged } from './facts.ts';
import { gateFailure } from './gate.ts';
import { check, type DiffInputs, inputs } from './inputs.ts';
import { differenceIn, reportOf, warningsOf } from './report.ts';
import { findSides } from './sides.ts';

export const diff: Action<DiffInputs, DiffFacts> = {
  title: 'diff',
  inputs,
  check,
  empty: emptyFacts,
  /** Compares the branch's schema with that of its base, for one database or all, and reviews the changes. */
  async run(step) {
    const { inputs: given, log, record } = step;
    record({ failOn: given.fail_on });
    const sides = await findSides(step);
    const databases = await compareAll(step, sides);
    const { branch, base, point, isFork } = sides;
    const basePoint = isFork ? undefined : (point.timestamp ?? point.lsn);
    const all = given.database === '*';
    const facts: DiffFacts = { ...emptyFacts(), branch, base, basePoint, all, databases, failOn: given.fail_on };
    record({ ...facts, done: differenceIn(facts) });
    for (const line of warningsOf(facts)) log.warning(line, 'Database Branch: diff');
    const [{ database = '' } = {}] = databases;
    await writeComment(step, {
      // A pull request may have several branches.
      subject: {
        action: 'diff',
        project: given.project_id,
        branch: branch.name,
        base: base.name,
        database: all ? '*' : database,
      },
      parts: [`### Schema of branch ${code(branch.name)} in project ${code(given.project_id)}`, ...reportOf(facts)],
      createIfMissing: databases.some(isChanged),
    });
    const failure = gateFailure(facts);
    if (failure !== undefined) throw new RefusedError(failure);
  },
  outputs({ skipped, branch, databases, commentUrl }) {
    const text = inFileIfLarge(databases.map((one) => one.text).join(''), 'schema.diff');
    const found = findingsOf(databases);
    const isCompared = databases.length > 0;
    return {
      skipped: String(skipped),
      branch_id: branch?.id,
      branch_name: branch?.name,
      parent_id: branch?.parent_id,
      comment_url: commentUrl,
      schema_diff: isCompared ? text.value : undefined,
      schema_diff_path: text.path,
      schema_changed: isCompared ? String(databases.some(isChanged)) : undefined,
      findings: isCompared ? JSON.stringify(found) : undefined,
      destructive: isCompared ? String(found.some(({ level }) => level === 'destructive')) : undefined,
    };
  },
  report: (facts) => (facts.databases.length > 0 ? reportOf(facts) : []),
};
