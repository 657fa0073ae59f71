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
  ])('is recreated if it is deleted while %s', async (_, at, inputs) =>
    withScenario({ operationMs: 5, auth: true }, async (own) => {
      const { id } = await own.service.addBranch({ name: 'mine', createdAt, expiresAt });
      removeAt(own, at);
      const run = await own.succeeds({ event: push(), inputs: { branch_name: 'mine', ...inputs } });
      expect(run.outputs).toMatchObject({ created: 'true', branch_name: 'mine' });
      expect(names(own)).toEqual(['main', 'mine']);
      expect(run.outputs.branch_id).toBe(own.service.branches()[1]?.id);
      expect(run.outputs.branch_id).not.toBe(id);
    }),
  );

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
});
