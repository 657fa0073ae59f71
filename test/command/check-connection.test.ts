import { describe, expect, it } from 'vitest';
import { scenario } from '../support/scenario.ts';

const scene = scenario({ compute: 'postgres' });
const check = (name: string, inputs: Record<string, string> = {}) => ({
  inputs: { branch_name: name, check_connection: 'true', ...inputs },
});

/** Runs a step while every response has modified connection URIs for one branch. */
async function withUris<T>(branch: string, change: (uri: string) => string, step: () => Promise<T>): Promise<T> {
  const { service } = scene;
  const id = service.branch(branch)?.id;
  const fault = service.faults.add({
    method: 'GET',
    path: /connection_uri$/,
    when: ({ query }) => query.branch_id === id,
    transform: (body) => {
      const uri = change((body as { uri: string }).uri);
      service.secrets.add(uri);
      return { uri };
    },
  });
  try {
    return await step();
  } finally {
    fault.remove();
  }
}

describe('check_connection', () => {
  it.each(['require', 'omit'])('continues once Postgres accepts a connection (ssl: %s)', async (ssl) => {
    const run = await scene.succeeds(check(`answers-${ssl}`, { ssl }));
    expect(run.stdout).toMatch(/answered SELECT 1 after /);
    expect(run.outputs.db_url?.includes('sslmode')).toBe(ssl === 'require');
  });

  it('gives up on a wrong password after a few attempts, and quotes Postgres', async () => {
    await scene.service.addBranch({ name: 'locked' });
    const wrong = 'notThePassword77';
    const change = (uri: string) => uri.replace(/:[^:@/]+@/, `:${wrong}@`);
    const run = await withUris('locked', change, () => scene.fails({ ...check('locked'), secrets: [wrong] }));
    expect(run.message).toContain('4 attempts');
    expect(run.message).toContain('password authentication failed for user "neondb_owner"');
    expect(run.message).toContain(
      'Check `role` and `database`, that the role may connect to this database, and that its password was not changed',
    );
    expect(run.outputs).toMatchObject({ created: 'false', branch_id: scene.service.branch('locked')?.id });
    expect(run.outputs.db_url).toBeUndefined();
  });
});
