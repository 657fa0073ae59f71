import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/http/shape.ts';
import { type Kind, kindOf } from '../../../src/objects/kinds.ts';
import { differences, payloadOf, unwrapped } from '../../../src/objects/payload.ts';

function kind(name: string): Kind {
  const found = kindOf(name);
  if (!found) throw new Error(`there is no kind ${name}`);
  return found;
}

describe('a payload', () => {
  it.each([
    ['role', { name: 'app' }, { role: { name: 'app' } }],
    ['role', { role: { name: 'app' } }, { role: { name: 'app' } }],
    ['database', { name: 'shop', owner_name: 'app' }, { database: { name: 'shop', owner_name: 'app' } }],
    ['endpoint', { type: 'read_only' }, { endpoint: { type: 'read_only' } }],
    ['project', { name: 'p', branch: { name: 'main' } }, { project: { name: 'p', branch: { name: 'main' } } }],
    ['branch', {}, { branch: {} }],
    ['branch', { branch: {}, endpoints: [] }, { branch: {}, endpoints: [] }],
    ['cluster', { size: 2 }, { cluster: { size: 2 } }],
    ['team', { name: 't' }, { team: { name: 't' } }],
    // a field of that name is no wrapping
    ['role', { role: 'app' }, { role: { role: 'app' } }],
    ['team', { team: null }, { team: { team: null } }],
    // these are not wrapped at all
    ['API key', { key_name: 'ci' }, { key_name: 'ci' }],
    ['snapshots', { name: 's' }, { name: 's' }],
  ] satisfies [string, Json, Json][])('of a %s, %j, is sent as %j', (name, body, sent) => {
    expect(payloadOf({ kind: kind(name), body })).toEqual(sent);
  });

  it('keeps beside the object what belongs there', () => {
    const body = { name: 'b', endpoints: [{ type: 'read_write' }], annotation_value: { a: 'b' } };
    expect(payloadOf({ kind: kind('branch'), body })).toEqual({
      branch: { name: 'b' },
      endpoints: [{ type: 'read_write' }],
      annotation_value: { a: 'b' },
    });
  });

  it('is completed where it leaves something out, and there only', () => {
    const endpoint = kind('endpoint');
    const fill = { branch_id: 'br-1' };
    expect(payloadOf({ kind: endpoint, body: { type: 'read_only' }, fill })).toEqual({
      endpoint: { branch_id: 'br-1', type: 'read_only' },
    });
    expect(payloadOf({ kind: endpoint, body: { endpoint: { type: 'read_only' } }, fill })).toEqual({
      endpoint: { branch_id: 'br-1', type: 'read_only' },
    });
    expect(payloadOf({ kind: endpoint, body: { endpoint: { branch_id: 'br-2' } }, fill })).toEqual({
      endpoint: { branch_id: 'br-2' },
    });
  });

  it('is held against what is there, field by field', () => {
    const database = kind('database');
    const payload = { database: { name: 'shop', owner_name: 'app', extra: 1, settings: {} } };
    const found = { database: { name: 'shop', owner_name: 'other', settings: { a: 1 } } };
    expect(differences({ kind: database, payload, found })).toEqual(['owner_name']);
    expect(differences({ kind: database, payload, found: payload })).toEqual([]);
    expect(differences({ kind: database, payload, found: undefined })).toEqual([]);
  });

  it('gives its object, wrapped or not', () => {
    expect(unwrapped(kind('role'), { role: { name: 'a' } })).toEqual({ name: 'a' });
    expect(unwrapped(kind('role'), { name: 'a' })).toEqual({ name: 'a' });
    for (const body of [undefined, null, 'x', 1, []]) expect(unwrapped(kind('role'), body)).toBeUndefined();
  });
});
