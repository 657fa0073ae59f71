import type { Column, Domain, Schema } from '../sql/model.ts';
import { formatType, type Type } from '../sql/type.ts';
import { type Found, keptTables, type Sides } from './found.ts';
import { renamedColumns } from './renames.ts';
import type { RuleName } from './rules.ts';
import { type TypeChange, typeChange } from './type-changes.ts';

/** The columns of the tables that both schemas have. */
export function checkColumns(sides: Sides): Found[] {
  return keptTables(sides).flatMap(({ name, was, is }) => {
    const found = (column: string) => (rule: RuleName, detail: string) => ({
      rule,
      object: `${name}.${column}`,
      detail,
      table: name,
      part: column,
    });
    const renames = renamedColumns(was, is);
    const findings: Found[] = [];
    for (const [column, before] of was.columns) {
      const after = is.columns.get(column);
      const renamed = renames.get(column);
      if (!after) findings.push(found(column)('drop-column', formatType(before.type)));
      if (renamed !== undefined) findings.push(found(column)('rename-column', `${column} → ${renamed}`));
      if (after) findings.push(...changed({ before, after, sides, found: found(column) }));
    }
    for (const [column, after] of is.columns) {
      if (!was.columns.has(column)) findings.push(...added({ after, schema: sides.after, found: found(column) }));
    }
    return findings;
  });
}

type Find = (rule: RuleName, detail: string) => Found;

const ruleOf: Record<TypeChange, RuleName | undefined> = {
  none: undefined,
  rewrite: 'rewrite-type',
  narrow: 'narrow-type',
  convert: 'convert-type',
};

function changed(options: { before: Column; after: Column; sides: Sides; found: Find }): Found[] {
  const { before, after, sides, found } = options;
  const findings: Found[] = [];
  if (after.generated && !before.generated) {
    // A column can't become a generated one.
    findings.push(found('drop-column', `${formatType(before.type)}, replaced by a generated column`));
  }
  const rule = ruleOf[changeOfType(before.type, after.type, sides)];
  if (rule) findings.push(found(rule, `${formatType(before.type)} → ${formatType(after.type)}`));
  if (after.notNull && !before.notNull) findings.push(found('set-not-null', ''));
  if (before.notNull && !after.notNull) findings.push(found('drop-not-null', ''));
  const fills = after.default || after.identity || after.generated;
  if ((before.default || before.generated) && !fills) findings.push(found('drop-default', ''));
  if (before.identity && !after.identity) findings.push(found('drop-identity', ''));
  if (after.generated?.stored && after.generated.text !== before.generated?.text) {
    findings.push(found('stored-generated', 'its expression changed'));
  }
  return findings;
}

/** A domain is compared by what it is made of. One with constraints may reject values. */
function changeOfType(from: Type, to: Type, { before, after }: Sides): TypeChange {
  const change = typeChange(baseOf(from, before), baseOf(to, after));
  const domain = after.domains.get(to.name);
  return domain && isStrict(domain) && from.name !== to.name && change !== 'narrow' ? 'convert' : change;
}

function baseOf(type: Type, schema: Schema): Type {
  let base = type;
  for (let depth = 0; depth < 16; depth++) {
    const domain = schema.domains.get(base.name);
    if (!domain) break;
    base = { ...domain.base, isArray: domain.base.isArray || base.isArray };
  }
  return base;
}

function added(options: { after: Column; schema: Schema; found: Find }): Found[] {
  const { after, schema, found } = options;
  const { type, identity, generated } = after;
  const domain = type.isArray ? undefined : schema.domains.get(type.name);
  const initial = after.default ?? domain?.default;
  const findings: Found[] = [];
  const notNull = after.notNull || domain?.notNull === true;
  if (notNull && !initial && !generated && !identity) findings.push(found('add-not-null-column', formatType(type)));
  else if (domain && isStrict(domain))
    findings.push(found('rewrite-type', `${formatType(type)}, a domain with constraints`));
  if (generated?.stored) findings.push(found('stored-generated', formatType(type)));
  const volatile = identity ? 'identity' : initial?.calls.find((call) => isVolatile(call, schema));
  if (volatile !== undefined) findings.push(found('volatile-default', identity ? 'identity' : `${volatile}()`));
  return findings;
}

/** Postgres checks a domain with constraints in every row, even if all have the same value. */
function isStrict({ notNull, constraints }: Domain): boolean {
  return notNull || constraints.size > 0;
}

/** Postgres' own functions that return another value in each row. */
const volatileFunctions = new Set([
  'clock_timestamp',
  'currval',
  'gen_random_uuid',
  'lastval',
  'nextval',
  'random',
  'random_normal',
  'setval',
  'timeofday',
  'uuidv4',
  'uuidv7',
]);

/** Whether a function returns another value in each row; a function of an extension may. */
function isVolatile(call: string, { volatility }: Schema): boolean {
  return call.includes('.') ? (volatility.get(call) ?? true) : volatileFunctions.has(call);
}
