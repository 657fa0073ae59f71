import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { push, workflowDispatch } from '../../../tools/runner/events.ts';
import { ScriptFailed } from '../../../tools/runner/workflow/play.ts';
import { type Service, startService } from '../../../tools/service/index.ts';
import { type Play, Scenario } from '../../support/scenario.ts';
import { outcomes, playExample, results } from '../../support/workflow/example.ts';

/** Takes a migrated production database back, with real rows. docs/going-back.md says the same to people. */
let service: Service;
beforeEach(async () => {
  service = await startService({
    operationMs: 5,
    seed: "CREATE TABLE orders (id int, note text); INSERT INTO orders VALUES (1, 'kept')",
  });
});
afterEach(() => service?.stop());

/** Backs up, and then runs this SQL as the migration. */
const migrate = (sql: string, options: { fails?: boolean } = {}) =>
  playExample('backup-before-migration.yml', {
    service,
    event: push(),
    script: async ({ name, env }) => {
      if (name !== 'Migrate') return;
      expect(env.DATABASE_URL).toBe(service.main.uri);
      await service.query('main', sql);
      if (options.fails) throw new ScriptFailed();
    },
  });

const restore = (source: 'history' | 'backup', runId = '78', backup = 'backup/77-1') =>
  playExample('restore-from-backup.yml', {
    service,
    event: workflowDispatch({ inputs: { backup, source } }),
    runId,
    script: ({ run = '' }) => {
      if (run.includes('exit 1')) throw new ScriptFailed();
    },
  });

/** The outputs of one step by hand, as docs/going-back.md advises it. */
const step = async (options: Play) => (await new Scenario(service).succeeds(options)).outputs;

const orders = (branch: string) => service.query(branch, 'SELECT * FROM orders ORDER BY id');
const parentOf = (name: string) => service.branch(service.branch(name)?.parent_id ?? '')?.name;

it('backs up what the migration changes, and says how to go back if it fails', async () => {
  const played = await migrate('DELETE FROM orders', { fails: true });
  expect(results(played)).toEqual(['migrate: failure']);
  expect(outcomes(played)).toContain('Say how to go back: success');
  expect(await orders('main')).toEqual([]);
  expect(await orders('backup/77-1')).toEqual([{ id: 1, note: 'kept' }]);
  expect(parentOf('backup/77-1')).toBe('main');
});

describe('a restore from the history', () => {
  it('brings the rows back to the same branch, and keeps what was written since', async () => {
    await service.addBranch({ name: 'preview/pr-7' });
    const { id, uri } = service.main;
    const damage =
      "ALTER TABLE orders ADD lost int; DELETE FROM orders; INSERT INTO orders VALUES (2, 'written since')";
    expect(results(await migrate(damage))).toEqual(['migrate: success']);
    expect(results(await restore('history'))).toEqual(['restore: success']);
    expect(
      (await step({ action: 'diff', inputs: { branch_name: 'main', base_branch: 'backup/77-1' } })).schema_changed,
    ).toBe('false');

    expect(await orders('main')).toEqual([{ id: 1, note: 'kept' }]);
    expect(service.branch('main')).toMatchObject({ id, default: true });
    expect(service.uri('main')).toBe(uri);

    const old = 'main-before-restore-78-1';
    expect(service.endpoints(old)).toEqual([]);
    expect(parentOf('preview/pr-7')).toBe(old);
    expect(parentOf('backup/77-1')).toBe(old);
    const read = await step({ inputs: { command: 'create', branch_name: old } });
    expect(read).toMatchObject({ created: 'false', db_url: service.uri(old) });
    expect(await orders(old)).toEqual([{ id: 2, note: 'written since', lost: null }]);
    const reset = await step({ inputs: { command: 'reset', branch_name: 'preview/pr-7', parent_branch: 'main' } });
    expect(reset.parent_id).toBe(id);
    expect(await orders('preview/pr-7')).toEqual([{ id: 1, note: 'kept' }]);
  });
});

it('restores nothing from a branch that is no backup', async () => {
  await service.addBranch({ name: 'preview/pr-7' });
  expect(results(await restore('backup', '78', 'preview/pr-7'))).toEqual(['restore: failure']);
  expect(service.requests).toEqual([]);
});

it('says so if main was restored since the backup, and can still use the backup itself', async () => {
  await migrate('DELETE FROM orders');
  await restore('history');
  await service.query('main', 'DELETE FROM orders');
  const again = await restore('history', '79');
  expect(results(again)).toEqual(['restore: failure']);
  expect(outcomes(again)).toContain("Check that main's history has the backup: failure");
  expect(await orders('main')).toEqual([]);
  expect(results(await restore('backup', '80'))).toEqual(['restore: success']);
  expect(await orders('main')).toEqual([{ id: 1, note: 'kept' }]);
  // and forward again
  expect(results(await restore('backup', '81', 'main-before-restore-80-1'))).toEqual(['restore: success']);
  expect(await orders('main')).toEqual([]);
});
