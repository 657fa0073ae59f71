import { describe, expect, it } from 'vitest';
import { type Description, description } from '../service/openapi/description.ts';
import { routes } from '../service/routes.ts';
import { driftOf, reportOf } from './drift.ts';

const used = [{ method: 'POST', template: '/projects/{project_id}/branches' }];

/** A small description with one operation, after `edit`. */
function described(
  edit: (parts: { request: Fields; response: Fields; parameters: object[]; paths: Fields }) => void = () => {},
) {
  const request: Fields = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      init: { type: 'string', enum: ['schema-only', 'parent-data'] },
      branch: {
        type: 'object',
        properties: { init_source: { type: 'string', description: 'Copies rows: `parent-data`.' } },
      },
    },
  };
  const response: Fields = {
    allOf: [
      { $ref: '#/components/schemas/Timed' },
      {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
      },
    ],
  };
  const parameters: object[] = [{ name: 'limit', in: 'query', schema: { type: 'integer' } }];
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const post = {
    parameters,
    requestBody: json(request),
    responses: { 201: json(response), 400: json({ type: 'string' }) },
  };
  const paths: Fields = { '/projects/{project_id}/branches': { post } };
  edit({ request, response, parameters, paths });
  const timed = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } };
  return { paths, components: { schemas: { Timed: timed } } } as Description;
}
// biome-ignore lint/suspicious/noExplicitAny: descriptions are edited freely here
type Fields = Record<string, any>;

describe('drift of the API', () => {
  const path = 'POST /projects/{project_id}/branches';
  const changed = (edit: Parameters<typeof described>[0]) => driftOf({ old: described(), now: described(edit), used });

  it('is none if nothing has changed, or only something new can be sent or comes back', () => {
    expect(changed(() => {})).toEqual([]);
    const more = changed(({ request, response, parameters, paths }) => {
      request.properties.extra = { type: 'string' };
      response.allOf[1].properties.extra = { type: 'object', required: ['x'], properties: { x: { type: 'string' } } };
      response.allOf[1].required.push('extra');
      parameters.push({ name: 'new', in: 'query', schema: { type: 'string' } });
      paths['/other'] = {};
    });
    expect(more).toEqual([]);
  });

  it.each<[string, Parameters<typeof described>[0], string[]]>([
    ['an operation is gone', ({ paths }) => delete paths['/projects/{project_id}/branches'], ['removed']],
    ['a field is gone', ({ response }) => response.allOf.shift(), ['without 201 at: string date-time']],
    [
      'a type',
      ({ response }) => (response.allOf[1].properties.id.type = 'integer'),
      ['without 201 id: string, required'],
    ],
    [
      'a field that must be sent now',
      ({ request }) => request.required.push('init'),
      ['without request init: string', 'now request init: string, required'],
    ],
    [
      'a new parameter that must be sent',
      ({ parameters }) => parameters.push({ name: 'org_id', in: 'query', required: true, schema: { type: 'string' } }),
      ['now query org_id: string, required'],
    ],
    [
      'values',
      ({ request }) => (request.properties.init.enum = ['parent-data', 'empty']),
      ['without request init: "schema-only"', 'now request init: "empty"'],
    ],
    [
      'values that only a description names',
      ({ request }) => {
        request.properties.branch.properties.init_source.description = 'One of `parent-data` and `parent-schema`.';
      },
      ['now request branch.init_source: "parent-schema"'],
    ],
  ])('is found: %s', (_, edit, lines) => {
    expect(changed((parts) => void edit?.(parts))).toEqual(lines.map((line) => `${path}: ${line}`));
  });

  it('is none between the real description and itself, which knows almost every route', () => {
    const old = description();
    expect(driftOf({ old, now: structuredClone(old), used: routes })).toEqual([]);
    const gone = driftOf({ old, now: { ...old, paths: {} }, used: routes });
    expect(gone.length).toBeGreaterThan(routes.length - 5);
  });

  it('is reported as a list, or not at all', () => {
    expect(reportOf([], '3.0.0')).toBe('');
    expect(reportOf(['GET /x: removed'], '3.0.0')).toMatch(/ 3\.0\.0, .*:\n\n- `GET \/x: removed`$/);
    expect(reportOf(['a', 'b', 'c'], '3.0.0', 1)).toMatch(/:\n\n- `a`\n- 2 more, which `npm run drift` lists$/);
  });
});
