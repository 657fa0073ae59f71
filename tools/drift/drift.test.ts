import { expect, it } from 'vitest';
import { type Description, description } from '../service/openapi/description.ts';
import { routes } from '../service/routes.ts';
import { driftOf, reportOf } from './drift.ts';

const path = '/projects/{project_id}/branches';
const json = (properties: object, more: object[] = []) => ({
  content: { 'application/json': { schema: { allOf: [{ type: 'object', required: ['id'], properties }, ...more] } } },
});
const old: Description = {
  paths: {
    [path]: {
      post: {
        parameters: [],
        requestBody: json({ id: { type: 'string' }, init: { type: 'string', enum: ['schema-only', 'parent-data'] } }),
        responses: { 201: json({ tags: { type: 'array' } }, [{ $ref: '#/components/schemas/Timed' }]), 400: json({}) },
      },
    },
  },
  components: {
    schemas: { Timed: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } } },
  },
};
const parameter = (required: boolean) =>
  JSON.stringify({ name: 'org_id', in: 'query', required, schema: { type: 'string' } });

it.each<[what: string, from: string, to: string, lines: string[]]>([
  ['nothing', '', '', []],
  ['an operation that is gone', path, '/other', ['removed']],
  ['a field that is gone, and a new one that comes back', '"at":', '"since":', ['without 201 at: string date-time']],
  ['a type', '"array"', '"string"', ['without 201 tags: array']],
  [
    'a field that must be sent now',
    '["id"]',
    '["id","init"]',
    ['without request init: string', 'now request init: string, required'],
  ],
  ['a parameter that may be sent', '"parameters":[', `"parameters":[${parameter(false)}`, []],
  [
    'a parameter that must be sent',
    '"parameters":[',
    `"parameters":[${parameter(true)}`,
    ['now query org_id: string, required'],
  ],
  ['a value', 'schema-only', 'empty', ['without request init: "schema-only"', 'now request init: "empty"']],
])('the drift of the API has the right lines for %s', (_, from, to, lines) => {
  const now = JSON.parse(JSON.stringify(old).replace(from, to)) as Description;
  const found = driftOf({ old, now, used: [{ method: 'POST', template: path }] });
  expect(found).toEqual(lines.map((line) => `POST ${path}: ${line}`));
});

it('there is none between the real description and itself, which knows almost every route', () => {
  const real = description();
  expect(driftOf({ old: real, now: structuredClone(real), used: routes })).toEqual([]);
  const gone = driftOf({ old: real, now: { ...real, paths: {} }, used: routes });
  expect(gone.length).toBeGreaterThan(routes.length - 5);
});

it('it is reported as a list, or not at all', () => {
  expect(reportOf([], '3.0.0')).toBe('');
  expect(reportOf(['a', 'b'], '3.0.0')).toMatch(/ 3\.0\.0, .* in 2 places:\n\n- `a`\n- `b`$/);
});
