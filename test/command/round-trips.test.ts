import { describe, expect, it } from 'vitest';
import { createIdKey } from '../../src/branch/metadata.ts';
import { roundsOf } from '../../tools/bench/rounds.ts';
import { withScenario } from '../support/scenario.ts';

/**
 * Long enough that requests side by side arrive before the first of them gets a response, and so short that a branch need not be read again
 * before it is changed, which it is after 2 s.
 */
const delayMs = 500;
const hourAgo = () => Date.now() - 3_600_000;

interface Situation {
  inputs: Record<string, string>;
  branch?: { createdAt?: number; endpoint?: boolean };
  databases?: string[];
}

/** A step about branch `mine`, which another step has created, on a service where every response takes a while. */
const play = ({ inputs, branch, databases = [] }: Situation) =>
  withScenario({ databases }, async (scene) => {
    const { service } = scene;
    const annotations = { [createIdKey]: 'of another step' };
    const { id } = await service.addBranch({ name: 'mine', annotations, createdAt: hourAgo(), ...branch });
    service.faults.add({ delay: delayMs });
    const run = await scene.succeeds({ inputs: { branch_name: 'mine', ...inputs } });
    const gone = service.branch(id) === undefined;
    return { run, id, rounds: roundsOf(run.requests, delayMs), uri: gone ? undefined : service.uri(id, inputs) };
  });

describe.concurrent('requests one after another', () => {
  it('are three if create finds a branch that this action has created', async () => {
    const { run, rounds, uri } = await play({ inputs: { command: 'create' } });
    expect(run.outputs).toMatchObject({ created: 'false', db_url: uri });
    expect(run.requests).toHaveLength(9);
    expect(rounds).toBe(3);
  });

  it('are three if the step names the database', async () => {
    const { run, rounds, uri } = await play({ inputs: { command: 'create', database: 'app' }, databases: ['app'] });
    expect(run.outputs).toMatchObject({ database: 'app', db_url: uri });
    expect(rounds).toBe(3);
  });

  it('are a few more if the branch has no endpoint any more, and what was read too early is read again', async () => {
    const { run, uri } = await play({ inputs: { command: 'create' }, branch: { endpoint: false } });
    expect(run.outputs).toMatchObject({ created: 'false', db_url: uri });
  });

  it.each([
    ['two for get', hourAgo(), 2],
    ['three for get of a new branch, which may not be known everywhere', Date.now(), 3],
  ])('are %s', async (_, createdAt, expected) => {
    const { run, rounds, uri } = await play({ inputs: { command: 'get' }, branch: { createdAt } });
    expect(run.outputs.db_url).toBe(uri);
    expect(run.requests).toHaveLength(7);
    expect(rounds).toBe(expected);
  });

  it('are two for get if the branch has another database', async () => {
    const { run, rounds, uri } = await play({ inputs: { command: 'get', database: 'app' }, databases: ['app'] });
    expect(run.outputs).toMatchObject({ database: 'app', db_url: uri });
    expect(rounds).toBe(2);
  });

  it.each(['true', 'false'])(
    'are four for reset with `wait: %s`, without those that wait for operations',
    async (wait) => {
      const { run, uri } = await play({ inputs: { command: 'reset', wait } });
      expect(run.outputs.db_url).toBe(uri);
      const others = run.requests.filter(({ path }) => !/\/operations/.test(path));
      // the branch, whether it is masked, the reset, and all that is returned
      expect(roundsOf(others, delayMs)).toBe(4);
    },
  );

  it('are two for delete by name, and one by ID is enough to find the branch', async () => {
    const { run, rounds } = await play({ inputs: { command: 'delete', wait: 'false' } });
    expect(run.calls).toEqual(['GET /branches 200', 'DELETE /branches/{branch} 200']);
    expect(rounds).toBe(2);
  });
});
