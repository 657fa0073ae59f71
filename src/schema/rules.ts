/** The levels of findings, most serious first. */
export const levels = ['destructive', 'exposing', 'breaking', 'locking', 'notice'] as const;

export type Level = (typeof levels)[number];

/** The rules of the schema review, and their levels. `rule-texts.ts` describes them; `docs/diff.md` has a section for each. */
export const rules = {
  'drop-schema': 'destructive',
  'drop-table': 'destructive',
  'drop-column': 'destructive',
  'drop-materialized-view': 'destructive',
  'drop-sequence': 'destructive',
  'drop-extension': 'destructive',
  'drop-enum-value': 'destructive',
  'narrow-type': 'destructive',
  'convert-type': 'destructive',
  'drop-policy': 'exposing',
  'change-policy': 'exposing',
  'add-policy': 'exposing',
  'disable-rls': 'exposing',
  grant: 'exposing',
  'security-definer': 'exposing',
  'change-owner': 'exposing',
  'table-without-rls': 'exposing',
  'view-security': 'exposing',
  'rename-table': 'breaking',
  'rename-column': 'breaking',
  'rename-enum-value': 'breaking',
  'drop-view': 'breaking',
  'change-view': 'breaking',
  'drop-function': 'breaking',
  'change-function': 'breaking',
  'drop-type': 'breaking',
  'drop-default': 'breaking',
  'drop-identity': 'breaking',
  'change-identity': 'breaking',
  'set-not-null': 'breaking',
  'add-not-null-column': 'breaking',
  'change-sequence': 'breaking',
  revoke: 'breaking',
  'enable-rls': 'breaking',
  'restrictive-policy': 'breaking',
  'rewrite-type': 'locking',
  'volatile-default': 'locking',
  'stored-generated': 'locking',
  'add-unique': 'locking',
  'add-primary-key': 'locking',
  'add-exclusion': 'locking',
  'add-check': 'locking',
  'add-foreign-key': 'locking',
  'add-index': 'locking',
  'attach-partition': 'locking',
  'set-logged': 'locking',
  'foreign-key-without-index': 'notice',
  'drop-index': 'notice',
  'drop-constraint': 'notice',
  'drop-foreign-key': 'notice',
  'drop-not-null': 'notice',
  'drop-trigger': 'notice',
  'disable-trigger': 'notice',
  'set-unlogged': 'notice',
  'detach-partition': 'notice',
  'change-publication': 'notice',
  'unknown-change': 'notice',
} as const satisfies Record<string, Level>;

export type RuleName = keyof typeof rules;

export const ruleNames = Object.keys(rules) as RuleName[];

/** A change that the review reports. */
export interface Finding {
  rule: RuleName;
  /** Its qualified name as SQL writes it: `public.users.email`. Text from outside. */
  object: string;
  /** What changed, as part of a sentence: `integer → smallint`. May be empty. Text from outside. */
  detail: string;
  /** Whether it is about a table that is too small to count. */
  isSmall?: boolean;
}

export function levelOf({ rule }: Pick<Finding, 'rule'>): Level {
  return rules[rule];
}

/** The findings that count, and those to ignore: of a rule, of a rule about one object, or about a small table. */
export function withoutIgnored<F extends { rule: string; object: string; isSmall?: boolean }>(
  all: F[],
  toIgnore: { rule: string; object?: string }[] = [],
): { findings: F[]; ignored: F[] } {
  const isIgnored = ({ rule, object, isSmall = false }: F) =>
    isSmall || toIgnore.some((one) => one.rule === rule && (one.object === undefined || one.object === object));
  return { findings: all.filter((one) => !isIgnored(one)), ignored: all.filter(isIgnored) };
}
