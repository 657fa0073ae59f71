/** The rules of the schema review by level, most serious first. `rule-texts.ts` describes them; `docs/diff.md` has a section for each. */
const byLevel = {
  destructive: [
    'drop-schema',
    'drop-table',
    'drop-column',
    'drop-materialized-view',
    'drop-sequence',
    'drop-extension',
    'drop-enum-value',
    'narrow-type',
    'convert-type',
  ],
  exposing: [
    'drop-policy',
    'change-policy',
    'add-policy',
    'disable-rls',
    'grant',
    'security-definer',
    'change-owner',
    'table-without-rls',
    'view-security',
  ],
  breaking: [
    'rename-table',
    'rename-column',
    'rename-enum-value',
    'drop-view',
    'change-view',
    'drop-function',
    'change-function',
    'drop-type',
    'drop-default',
    'drop-identity',
    'change-identity',
    'set-not-null',
    'add-not-null-column',
    'change-sequence',
    'revoke',
    'enable-rls',
    'restrictive-policy',
  ],
  locking: [
    'rewrite-type',
    'volatile-default',
    'stored-generated',
    'add-unique',
    'add-primary-key',
    'add-exclusion',
    'add-check',
    'add-foreign-key',
    'add-index',
    'attach-partition',
    'set-logged',
  ],
  notice: [
    'foreign-key-without-index',
    'drop-index',
    'drop-constraint',
    'drop-foreign-key',
    'drop-not-null',
    'drop-trigger',
    'disable-trigger',
    'set-unlogged',
    'detach-partition',
    'change-publication',
    'unknown-change',
  ],
} as const;

export type Level = keyof typeof byLevel;

export type RuleName = (typeof byLevel)[Level][number];

/** The levels of findings, most serious first. */
export const levels = Object.keys(byLevel) as Level[];

export const rules = Object.fromEntries(
  levels.flatMap((level) => byLevel[level].map((rule) => [rule, level])),
) as Record<RuleName, Level>;

export const ruleNames = Object.keys(rules) as RuleName[];

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
