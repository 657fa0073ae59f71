import { describe, expect, it } from 'vitest';
import { push } from '../../tools/runner/events.ts';
import type { FaultMatch } from '../../tools/service/faults.ts';
import { type Scenario, withScenario } from '../support/scenario.ts';

describe('a branch that is deleted while it is reused', () => {
  const createdAt = Date.now() - 3_600_000;
  const expiresAt = new Date(createdAt + 7_200_000).toISOString();
  /** Deletes the branch when the first matching request arrives, before the service handles that request. */
  const removeAt = ({ service }: Scenario, at: FaultMatch, skipped = 0) => {
    let toSkip = skipped;
    let leaving: Promise<void> | undefined;
    const when = () => {
      if (leaving || toSkip-- > 0) return false;
      leaving = service.removeBranch('mine');
      return true;
    };
    service.faults.add({ ...at, when, late: 50 });
  };
  const names = ({ service }: Scenario) => service.branches().map((branch) => branch.name);

  it.each<[string, FaultMatch, Record<string, string>]>([
    ['its endpoints are listed', { method: 'GET', path: /endpoints$/ }, {}],
    ['its databases are listed', { method: 'GET', path: /databases$/ }, {}],
    ['its roles are listed', { method: 'GET', path: /roles$/ }, {}],
    ['its connection URI is read', { method: 'GET', path: /connection_uri$/ }, {}],
    ['its expiry is set', { method: 'PATCH', path: /branches/ }, { expires_in: '2h' }],
    ['it is reset', { method: 'POST', path: /restore$/ }, { if_exists: 'reset' }],
    ['its Auth URL is read', { method: 'GET', path: /auth$/ }, { get_auth_url: 'true' }],
  ])('is recreated if it is deleted while %s', async (_, at, inputs) =>
    withScenario({ operationMs: 5, auth: true }, async (own) => {
      const { id } = await own.service.addBranch({ name: 'mine', createdAt, expiresAt });
      removeAt(own, at);
      const run = await own.succeeds({ event: push(), inputs: { branch_name: 'mine', ...inputs } });
      expect(run.outputs).toMatchObject({ created: 'true', branch_name: 'mine' });
      expect(names(own)).toEqual(['main', 'mine']);
      expect(run.outputs.branch_id).toBe(own.service.branches()[1]?.id);
      expect(run.outputs.branch_id).not.toBe(id);
      expect(run.maskedLog()).toContain(`branch "mine" (${id}): it was deleted in the meantime`);
    }),
  );

  it('is recreated if its deletion cancels an operation that the step waits for', async () =>
    withScenario({ operationMs: 5 }, async (own) => {
      const { id } = await own.service.addBranch({ name: 'mine', createdAt, endpoint: false });
      own.service.faults.operation({ action: 'start_compute', times: 1, outcome: 'cancelled' });
      // The first list shows whether the branch is being deleted.
      removeAt(own, { method: 'GET', path: /operations$/ }, 1);
      const run = await own.succeeds({ event: push(), inputs: { branch_name: 'mine' } });
      expect(run.outputs).toMatchObject({ created: 'true', branch_id: own.service.branch('mine')?.id });
      expect(run.maskedLog()).toMatch(
        new RegExp(`\\(${id}\\): it was deleted in the meantime: Operation start_compute .*cancelled`),
      );
    }));

  it('is recreated if it is renamed while its expiry is set', async () =>
    withScenario({ operationMs: 5 }, async (own) => {
      const { id } = await own.service.addBranch({ name: 'mine', createdAt });
      const rename = () => Object.assign(own.service.branch(id) ?? {}, { name: 'renamed' }).name !== undefined;
      own.service.faults.add({ method: 'PATCH', path: /branches/, when: rename, delay: 0 });
      const run = await own.succeeds({ event: push(), inputs: { branch_name: 'mine', expires_in: '2h' } });
      expect(run.outputs).toMatchObject({ created: 'true', db_url: own.service.uri('mine') });
      expect(names(own)).toEqual(['main', 'renamed', 'mine']);
    }));

  it('is left out of the outputs if it cannot be recreated', async () =>
    withScenario({ operationMs: 5 }, async (own) => {
      await own.service.addBranch({ name: 'mine', createdAt, endpoint: false });
      own.service.faults.add({ method: 'POST', path: /branches$/, nth: 2, status: 403 });
      removeAt(own, { method: 'GET', path: /databases$/ });
      const run = await own.fails({ event: push(), inputs: { branch_name: 'mine' } });
      expect(run.message).toContain(': 403');
      expect(run.outputs).toMatchObject({ created: 'false', operation_ids: '[]' });
      for (const name of ['branch_id', 'branch_name', 'parent_id']) expect(run.outputs).not.toHaveProperty(name);
    }));

  it.each(['once', 'always'])('is not reset twice if a read returns 404 %s', async (how) =>
    withScenario({ operationMs: 5 }, async (own) => {
      const { id } = await own.service.addBranch({ name: 'mine', createdAt });
      const times = how === 'once' ? { times: 1 } : {};
      own.service.faults.add({ method: 'GET', path: new RegExp(`/branches/${id}$`), status: 404, ...times });
      const run = await own.fails({ event: push(), inputs: { branch_name: 'mine', if_exists: 'reset' } });
      expect(run.message).toContain(': 404');
      expect(run.calls.filter((call) => call.includes('/restore'))).toHaveLength(1);
    }),
  );

  it('is not reset twice if it was renamed after its reset', async () =>
    withScenario({ operationMs: 5 }, async (own) => {
      const { id } = await own.service.addBranch({ name: 'mine', createdAt });
      const rename = (body: unknown) => {
        const { branch } = body as { branch: object };
        return { ...(body as object), branch: { ...branch, name: 'renamed' } };
      };
      own.service.faults.add({ method: 'GET', path: new RegExp(`/branches/${id}$`), transform: rename });
      const run = await own.fails({ event: push(), inputs: { branch_name: 'mine', if_exists: 'reset' } });
      expect(run.message).toContain(`Branch "mine" (${id}) was renamed to "renamed" in the meantime`);
      expect(run.calls.filter((call) => call.includes('/restore'))).toHaveLength(1);
      expect(run.outputs.db_url).toBeUndefined();
    }));

  it('is not recreated if it was given by ID', async () =>
    withScenario({ operationMs: 5 }, async (own) => {
      const { id } = await own.service.addBranch({ name: 'mine', createdAt });
      removeAt(own, { path: /databases$/ });
      const run = await own.fails({ event: push(), inputs: { branch_id: id } });
      expect(run.message).toContain(`Branch "mine" (${id}) was deleted in the meantime (404`);
      expect(names(own)).toEqual(['main']);
    }));
});
