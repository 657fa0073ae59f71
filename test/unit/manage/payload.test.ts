import { describe, expect, it } from 'vitest';
import { type Kind, kindOf } from '../../../src/manage/kinds.ts';
import { differences, payloadOf, unwrapped } from '../../../src/manage/routes.ts';
import type { Json } from '../../../src/text/json.ts';

function kind(name: string): Kind {
  const found = kindOf(name);
  if (!found) throw new Error(`Unknown kind ${name}`);
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
    // a field of the same name is not a wrapper
    ['role', { role: 'app' }, { role: { role: 'app' } }],
    ['team', { team: null }, { team: { team: null } }],
    // never wrapped
    ['API key', { key_name: 'ci' }, { key_name: 'ci' }],
    ['snapshots', { name: 's' }, { snapshot: { name: 's' } }],
    ['auth', { auth_provider: 'better_auth' }, { auth_provider: 'better_auth' }],
    ['gadgets', { name: 's' }, { name: 's' }],
  ] satisfies [string, Json, Json][])('of the kind %s: %j is sent as %j', (name, body, sent) => {
    expect(payloadOf({ kind: kind(name), body })).toEqual(sent);
  });

  it('keeps fields outside the wrapper that belong there', () => {
    const body = { name: 'b', endpoints: [{ type: 'read_write' }], annotation_value: { a: 'b' } };
    expect(payloadOf({ kind: kind('branch'), body })).toEqual({
      branch: { name: 'b' },
      endpoints: [{ type: 'read_write' }],
      annotation_value: { a: 'b' },
    });
  });

  it('gets a default only for a missing field', () => {
    const endpoint = kind('endpoint');
    const defaults = { branch_id: 'br-1' };
    expect(payloadOf({ kind: endpoint, body: { type: 'read_only' }, defaults })).toEqual({
      endpoint: { branch_id: 'br-1', type: 'read_only' },
    });
    expect(payloadOf({ kind: endpoint, body: { endpoint: { type: 'read_only' } }, defaults })).toEqual({
      endpoint: { branch_id: 'br-1', type: 'read_only' },
    });
    expect(payloadOf({ kind: endpoint, body: { endpoint: { branch_id: 'br-2' } }, defaults })).toEqual({
      endpoint: { branch_id: 'br-2' },
    });
  });

  it('is compared with the existing object field by field', () => {
    const database = kind('database');
    const payload = { database: { name: 'shop', owner_name: 'app', extra: 1, settings: {} } };
    const found = { database: { name: 'shop', owner_name: 'other', settings: { a: 1 } } };
    expect(differences({ kind: database, payload, found })).toEqual(['owner_name']);
    expect(differences({ kind: database, payload, found: payload })).toEqual([]);
    expect(differences({ kind: database, payload, found: undefined })).toEqual([]);
  });

  it('is unwrapped if it is wrapped', () => {
    expect(unwrapped(kind('role'), { role: { name: 'a' } })).toEqual({ name: 'a' });
    expect(unwrapped(kind('role'), { name: 'a' })).toEqual({ name: 'a' });
    for (const body of [undefined, null, 'x', 1, []]) expect(unwrapped(kind('role'), body)).toBeUndefined();
  });
});
