import { describe, expect, it } from 'vitest';
import { harmlessOnly } from '../../../src/manage/exchange.ts';

describe('a payload to show', () => {
  it.each([
    [{ role: { name: 'app' }, branch: { parent_id: 'br-1', protected: true, expires_at: '2026-12-31T18:00:00Z' } }],
    [{ endpoint: { type: 'read_only', autoscaling_limit_max_cu: 0.25, suspend_timeout_seconds: 86_400 } }],
    [{ project: { pg_version: 17, region_id: 'aws-eu-central-1', settings: { quota: { written_data_bytes: 5e9 } } } }],
    [{ project_ids: ['a', 'b'], key_name: 'ci', store_passwords: false, org_id: null, note: '' }],
    [[1]],
  ])('has harmless values: %j', (body) => {
    expect(harmlessOnly(body)).toEqual(body);
  });

  it.each([
    [{ password: 123_456 }],
    [{ pin: 123_456 }],
    [{ APIKey: 's3cr3t-9' }],
    [{ secret_value: 's3cr3t-9' }],
    [{ pwd: 's3cr3t-9' }],
    [{ passkey: 's3cr3t-9' }],
    [{ private_key_pem: 's3cr3t-9' }],
    [{ credentials: ['s3cr3t-9'] }],
    [{ Authorization: 'Bearer s3cr3t-9' }],
    [{ secret: { any: { thing: 's3cr3t-9' } } }],
    [{ config: '{"password": "s3cr3t-9"}' }],
    [{ settings: 'host=h password=s3cr3t-9' }],
    [{ headers: { 'X-Anything': 's3cr3t-9' } }],
    [{ value: 's3cr3t-9' }],
    [{ masking_value: 's3cr3t-9' }],
    [['s3cr3t-9']],
    ['s3cr3t-9'],
    [{ name: 'postgresql://u:s3cr3t-9@h/d' }],
    [{ name: 'napi_s3cr3t9' }],
  ])('has no value that might be a secret, but all names: %j', (body) => {
    const shown = JSON.stringify(harmlessOnly(body));
    expect(shown).toContain('***');
    expect(shown).not.toMatch(/s3cr3t|123456/);
    for (const name of Array.isArray(body) || typeof body === 'string' ? [] : Object.keys(body))
      expect(shown).toContain(name);
  });

  it('has the values of public fields', () => {
    const body = { annotation_value: { mine: 'a', yours: 'b' } };
    expect(harmlessOnly(body, (name) => name === 'mine')).toEqual({ annotation_value: { mine: 'a', yours: '***' } });
  });
});
