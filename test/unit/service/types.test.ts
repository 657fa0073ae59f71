import { describe, expect, it } from 'vitest';
import * as types from '../../../src/service/types.ts';
import { at } from './samples.ts';

describe('a branch in a response', () => {
  const least = { id: 'br-1', name: 'a' };

  it('may have only an ID and a name', () => {
    expect(types.branch(least, 'branch')).toEqual({
      ...least,
      default: undefined,
      protected: undefined,
      current_state: 'ready',
      created_at: '',
      metadata: {},
    });
  });

  it('has every field that the service sends and the action uses', () => {
    const all = {
      ...least,
      default: true,
      protected: true,
      current_state: 'init',
      created_at: at(0),
      parent_id: 'br-0',
      parent_lsn: '0/1',
      parent_timestamp: at(1),
      expires_at: at(2),
      pending_state: 'ready',
      init_source: 'schema-only',
      last_reset_at: at(3),
    };
    const metadata = { 'github-run-id': '9' };
    expect(types.branch({ ...all, other: 1 }, 'branch', { value: metadata })).toEqual({ ...all, metadata });
  });

  it('does not say what is not a boolean', () => {
    expect(types.branch({ ...least, default: 'true', protected: 1 }, 'branch')).toMatchObject({
      default: undefined,
      protected: undefined,
    });
  });

  it.each([
    [{ value: { a: 'b', c: 7, d: null } }, { a: 'b', c: '7' }],
    [{ value: { a: true, b: ['x'], c: { d: 1 } } }, { a: 'true', b: '["x"]', c: '{"d":1}' }],
    [{ value: null }, {}],
    [null, {}],
    [undefined, {}],
    ['text', {}],
  ])('has the texts of its metadata: %j', (annotation, metadata) => {
    expect(types.branch(least, 'branch', annotation).metadata).toEqual(metadata);
  });

  it.each([
    [{ name: 'a' }, 'branch.id'],
    [{ id: 'br-1' }, 'branch.name'],
    [{ ...least, expires_at: 7 }, 'branch.expires_at'],
  ])('is rejected if a field is not what it should be: %j', (value, place) => {
    expect(() => types.branch(value, 'branch')).toThrow(place);
  });
});

describe('an endpoint in a response', () => {
  const least = { id: 'ep-1', branch_id: 'br-1', host: 'h' };

  it('is a read-write one unless the service says otherwise', () => {
    expect(types.endpoint(least, 'endpoint')).toEqual({ ...least, type: 'read_write' });
    expect(types.endpoint({ ...least, type: 'read_only' }, 'endpoint').type).toBe('read_only');
  });

  it('has every field that the service sends and the action uses', () => {
    const all = {
      ...least,
      type: 'read_only',
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 2,
      suspend_timeout_seconds: 0,
    };
    expect(types.endpoint({ ...all, other: 1 }, 'endpoint')).toEqual(all);
  });

  it.each([
    [{ ...least, id: '' }, 'endpoint.id'],
    [{ ...least, branch_id: 'a/b' }, 'endpoint.branch_id'],
    [{ ...least, host: null }, 'endpoint.host'],
  ])('is rejected if a field is not what it should be: %j', (value, place) => {
    expect(() => types.endpoint(value, 'endpoint')).toThrow(place);
  });
});

describe('an operation in a response', () => {
  it('may have only an ID and a status', () => {
    expect(types.operation({ id: 'op-1', status: 'running' }, 'operation')).toEqual({
      id: 'op-1',
      status: 'running',
      action: 'unknown',
      failures_count: 0,
      total_duration_ms: 0,
    });
  });

  it('has every field that the service sends and the action uses', () => {
    const all = {
      id: 'op-1',
      status: 'failed',
      action: 'start_compute',
      failures_count: 2,
      total_duration_ms: 40,
      project_id: 'p-1',
      branch_id: 'br-1',
      error: 'disk full',
      retry_at: at(1),
      updated_at: at(1),
    };
    expect(types.operation({ ...all, other: 1 }, 'operation')).toEqual(all);
  });
});

it('reads connection details, all of which are required', () => {
  const connection_parameters = { database: 'neondb', role: 'app', pooler_host: 'p' };
  expect(types.connectionDetails({ connection_uri: 'u', connection_parameters }, 'x')).toEqual({
    uri: 'u',
    database: 'neondb',
    role: 'app',
    poolerHost: 'p',
  });
  for (const missing of ['database', 'role', 'pooler_host'])
    expect(() =>
      types.connectionDetails(
        { connection_uri: 'u', connection_parameters: { ...connection_parameters, [missing]: '' } },
        'x',
      ),
    ).toThrow(`x.connection_parameters.${missing}`);
});
