import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import { cancelSignals } from '../../tools/runner/process.ts';
import { held, releasing } from '../support/held.ts';
import { withScenario } from '../support/scenario.ts';

const opened = { event: pullRequest({ number: 7 }) };
const name = 'preview/pr-7';

/** Long enough for an attempt, a quarter of it, to get its response on a busy machine. Most of it is spent waiting, so all wait at once. */
const timeout = '10s';

describe.concurrent('timeout', () => {
  it('ends the step, and says what it was waiting for and how to continue', async () => {
    await withScenario({ operationMs: { start_compute: 600_000 } }, async (scene) => {
      const run = await scene.fails({ ...opened, inputs: { timeout } });
      const ids = JSON.parse(run.outputs.operation_ids ?? '') as string[];
      expect(run.message).toMatch(
        /^Timed out after 10s \(`timeout`\) while waiting for operation start_compute \([0-9a-f-]+, status "running"\)\./,
      );
      expect(ids).toHaveLength(2);
      // The branch itself is there; only its compute is still starting.
      expect(run.message).toContain('Run the step again, or raise `timeout`.');
      // The outputs still name what was created.
      expect(run.outputs).toMatchObject({
        created: 'true',
        branch_id: scene.service.branch(name)?.id,
        branch_name: name,
      });
      expect(run.outputs).not.toHaveProperty('db_url');
      expect(run.summary).toContain('**Failed** after');
      expect(run.summary).toContain(`| ID | \`${run.outputs.branch_id}\` |`);
      // No requests after the end of the step.
      const count = scene.service.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(scene.service.requests).toHaveLength(count);
    });
  });

  it('names the operation if another run created the branch', async () => {
    await withScenario({ operationMs: { start_compute: 600_000 } }, async (scene) => {
      await scene.succeeds({ ...opened, inputs: { wait: 'false' } });
      const run = await scene.fails({ ...opened, inputs: { timeout } });
      expect(run.message).toMatch(/while waiting for operation start_compute/);
      expect(run.outputs).toMatchObject({ created: 'false', branch_name: name });
    });
  });

  it('names the operation of a new endpoint, and says how to continue', async () => {
    await withScenario({ operationMs: { start_compute: 600_000 } }, async (scene) => {
      await scene.service.addBranch({ name, endpoint: false });
      const run = await scene.fails({ ...opened, inputs: { timeout } });
      const ids = JSON.parse(run.outputs.operation_ids ?? '[]') as string[];
      expect(ids).toHaveLength(1);
    });
  });

  it('says what the step was trying to do if a request never gets a response', async () => {
    await withScenario({}, async (scene) => {
      scene.service.faults.add({ method: 'POST', hang: 'before' });
      const run = await scene.fails({ ...opened, inputs: { timeout } });
      expect(run.message).toMatch(/create branch "preview\/pr-7"|look up branch "preview\/pr-7"/);
    });
  });

  it('is not used up by parallel requests once one of them has failed', async () => {
    await withScenario({}, async (scene) => {
      await scene.service.addBranch({ name, createdAt: Date.now() - 3_600_000 });
      scene.service.faults.add({ path: /\/endpoints$/, status: 403, body: { message: 'no', code: '' } });
      scene.service.faults.add({ path: /\/(databases|roles)$/, status: 503, body: { message: 'wait', code: '' } });
      const run = await scene.fails({ inputs: { command: 'get', branch_name: name, timeout: '5m' } });
      expect(run.message).toContain(': 403');
    });
  });
});

describe('wait: false', () => {
  it('outputs connection URIs and operation IDs at once', async () => {
    await withScenario({ operationMs: 600_000 }, async (scene) => {
      const run = await scene.succeeds({ ...opened, inputs: { wait: 'false' } });
      expect(run.calls).toEqual(['POST /branches 201']);
      expect(JSON.parse(run.outputs.operation_ids ?? '')).toHaveLength(2);
      expect(run.outputs).toMatchObject({ created: 'true', db_url: scene.service.uri(name) });
    });
  });

  it('applies to a branch that is reused before it is ready', async () => {
    await withScenario({ operationMs: 600_000 }, async (scene) => {
      await scene.succeeds({ ...opened, inputs: { wait: 'false' } });
      const run = await scene.succeeds({ ...opened, inputs: { wait: 'false' } });
      expect(run.outputs).toMatchObject({ created: 'false', db_url: scene.service.uri(name) });
      // One list shows whether the branch is being deleted, the other whether it is ready in the end.
      expect(run.requests.filter(({ path }) => path.includes('/operations'))).toHaveLength(2);
    });
  });

  it('applies to a new endpoint too', async () => {
    await withScenario({ operationMs: { start_compute: 600_000 } }, async (scene) => {
      await scene.service.addBranch({ name, endpoint: false });
      const run = await scene.succeeds({ ...opened, inputs: { wait: 'false' } });
      expect(JSON.parse(run.outputs.operation_ids ?? '')).toHaveLength(1);
      expect(run.outputs.db_url).toBe(scene.service.uri(name));
      expect(run.annotations.notice).toEqual([expect.stringContaining('It is not ready yet (`wait: false`)')]);
    });
  });
});

describe('an operation', () => {
  it.each(['error', 'cancelled'] as const)(
    'that ends in %s fails the step with its ID, action and error',
    async (outcome) => {
      await withScenario({}, async (scene) => {
        scene.service.faults.operation({ action: 'start_compute', outcome, message: 'no room on ::error::any host' });
        const run = await scene.fails(opened);
        const failed = scene.service.operations().find((one) => one.action === 'start_compute');
        expect(run.message).toContain(
          outcome === 'error'
            ? `Operation start_compute (${failed?.id}) ended with status "error": "no room on`
            : `Operation start_compute (${failed?.id}) ended with status "cancelled"; run the step again.`,
        );
        expect(run.outputs).toMatchObject({
          created: 'true',
          operation_ids: expect.stringContaining(failed?.id ?? '?'),
        });
        expect(run.outputs).not.toHaveProperty('db_url');
      });
    },
  );

  it('that fails and is retried by the service is waited for', async () => {
    await withScenario({}, async (scene) => {
      scene.service.faults.operation({ outcome: 'recovers', failures: 2, retryMs: 60 });
      const run = await scene.succeeds(opened);
      expect(run.outputs.db_url).toBe(scene.service.uri(name));
    });
  });

  it('is polled again after a transient error', async () => {
    await withScenario({}, async (scene) => {
      scene.service.faults.add({ path: /\/operations$/, nth: 1, html: 502 });
      scene.service.faults.add({ path: /\/operations$/, nth: 2, close: 'midway' });
      const run = await scene.succeeds(opened);
      expect(run.calls).toContain('GET /operations 502');
      expect(run.requests.filter((request) => request.method === 'POST')).toHaveLength(1);
    });
  });
});

describe('a branch that another run is still creating', () => {
  it('is waited for, and gets no second endpoint', async () => {
    await withScenario({ operationMs: { start_compute: held } }, async (scene) => {
      await scene.succeeds({ ...opened, inputs: { wait: 'false' } });
      const run = await releasing(scene.service, 1, () => scene.succeeds(opened));
      expect(scene.service.operations().every((one) => one.status === 'finished')).toBe(true);
      expect(scene.service.endpoints(name)).toHaveLength(1);
      expect(run.outputs).toMatchObject({ created: 'false', db_url: scene.service.uri(name) });
      expect(run.maskedLog()).toMatch(/^Operation start_compute \(.*\) finished/m);
    });
  });

  it.each(['locked', 'taken'] as const)('is recreated if it is being deleted (%s)', async (nameOfDeleting) => {
    await withScenario({ operationMs: 300, nameBeingDeleted: nameOfDeleting }, async (scene) => {
      const old = await scene.service.addBranch({ name });
      await scene.succeeds({ event: pullRequest({ number: 7, action: 'closed' }), inputs: { wait: 'false' } });
      const run = await scene.succeeds(opened);
      expect(run.outputs).toMatchObject({ created: 'true', branch_name: name });
      expect(run.outputs.branch_id).not.toBe(old.id);
    });
  });
});

it('a cancelled step ends at once, and its outputs name what it created', async () => {
  await withScenario({ operationMs: { start_compute: 600_000 } }, async (scene) => {
    const run = await scene.fails({ ...opened, cancel: { at: /^Created branch/, signals: cancelSignals() } });
    expect(run.sent).toEqual(['SIGINT']);
    expect(run.message).toMatch(/^The step was cancelled \(SIGINT\) while waiting for operation \w+/);
    expect(run.outputs).toMatchObject({ created: 'true', branch_id: scene.service.branch(name)?.id });
    expect(JSON.parse(run.outputs.operation_ids ?? '')).toHaveLength(2);
  });
});
