import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { forgetForPostStep, type Saved, saveForPostStep } from '../../../src/branch/ephemeral.ts';

it('the second copy of a rehearsal leaves what is known of the first one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  const file = join(folder, 'state');
  writeFileSync(file, '');
  vi.stubEnv('GITHUB_STATE', file);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const saved: Saved = {
    ...{ kind: 'rehearsal', name: 'first', createId: 'c-1', owner: {}, create: 'created' },
    where: { project_id: 'p', api_host: 'https://host.test' },
  };
  saveForPostStep(saved);
  saveForPostStep({ ...saved, kind: 'probe', name: 'second', createId: 'c-2' });
  forgetForPostStep('probe');
  const entries = readFileSync(file, 'utf8').matchAll(/^(\w+)<<(\S+)\n(.*)\n\2$/gm);
  const state = Object.fromEntries([...entries].map(([, name, , value]) => [name, value]));
  expect(state).toEqual({ ephemeral: expect.stringContaining('"first"'), probe: 'none' });
});
