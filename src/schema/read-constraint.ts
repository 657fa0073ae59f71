import type { Constraint as Tree } from 'libpg-query';
import type { Constraint, ConstraintKind } from './model.ts';
import { as, canonical, identifier, strings } from './tree.ts';
import { columnsIn } from './walk.ts';

const kinds: Partial<Record<NonNullable<Tree['contype']>, { kind: ConstraintKind; suffix: string }>> = {
  CONSTR_CHECK: { kind: 'check', suffix: 'check' },
  CONSTR_UNIQUE: { kind: 'unique', suffix: 'key' },
  CONSTR_PRIMARY: { kind: 'primary key', suffix: 'pkey' },
  CONSTR_EXCLUSION: { kind: 'exclusion', suffix: 'excl' },
  CONSTR_FOREIGN: { kind: 'foreign key', suffix: 'fkey' },
};

/** A constraint with its name; undefined for NOT NULL, defaults and the like, which belong to their column. */
export function readConstraint(
  tree: Tree,
  of: { /** Unqualified. */ table: string /** If it is written next to the column. */; column?: string },
): [name: string, constraint: Constraint] | undefined {
  const { kind, suffix } = kinds[tree.contype ?? 'CONSTR_NULL'] ?? {};
  if (kind === undefined) return undefined;
  const listed = [
    ...strings(tree.keys),
    ...strings(tree.including),
    ...strings(tree.fk_attrs),
    ...columnsIn([tree.raw_expr, tree.exclusions]),
  ];
  const names = of.column === undefined ? [...new Set(listed)] : [of.column];
  // Postgres names a constraint like this if nobody else does.
  const middle = kind === 'primary key' ? [] : names;
  const name = identifier(tree.conname ?? [of.table, ...middle, suffix].join('_'));
  const definition = canonical(of.column === undefined ? tree : { ...tree, column: of.column }, ['conname', 'inh']);
  const validated = tree.skip_validation !== true && tree.is_enforced !== false;
  const test = as(tree.raw_expr, 'NullTest');
  const refusesNull = test?.nulltesttype === 'IS_NOT_NULL' && as(test.arg, 'ColumnRef') !== undefined;
  return [name, { kind, definition, columns: names.map(identifier), validated, refusesNull }];
}
