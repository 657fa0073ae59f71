import { describe, expect, it } from 'vitest';
import { schemaReader } from '../../../src/schema/read-schema.ts';
import { reviewSchemas } from '../../../src/schema/review.ts';
import { ruleNames } from '../../../src/schema/rules.ts';
import { cases } from './cases.ts';

const signal = new AbortController().signal;

describe('each rule', () => {
  it('has a case', () => {
    expect(cases.map(({ rule }) => rule)).toEqual(ruleNames);
  });

  it.each(cases)('$rule is reported', async ({ rule, object, before, after }) => {
    const { findings } = await reviewSchemas({ before, after, read: schemaReader(signal) });
    expect(findings.filter((one) => one.rule === rule).map((one) => one.object)).toContain(object);
  });

  it.each(cases)('$rule is not reported if the change only looks like it', async ({ rule, before, nearly }) => {
    const { findings } = await reviewSchemas({ before, after: nearly, read: schemaReader(signal) });
    expect(findings.filter((one) => one.rule === rule)).toEqual([]);
  });

  it.each(cases)('$rule is not reported for a new object', async ({ rule, after }) => {
    const { findings } = await reviewSchemas({ before: '', after, read: schemaReader(signal) });
    expect(
      findings.filter(
        (one) => one.rule === rule && !['unknown-change', 'security-definer', 'table-without-rls'].includes(rule),
      ),
    ).toEqual([]);
  });
});
