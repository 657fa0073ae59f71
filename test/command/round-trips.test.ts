import { describe, expect, it } from 'vitest';
import { createIdKey } from '../../src/service/create.ts';
import { roundsOf } from '../../tools/bench/rounds.ts';
import { withScenario } from '../support/scenario.ts';

const delayMs = 300;
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

describe('requests one after another', () => {
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
    ['an old', hourAgo()],
    ['a new', Date.now()],
  ])('are three for get, for %s branch', async (_, createdAt) => {
    const { run, rounds, uri } = await play({ inputs: { command: 'get' }, branch: { createdAt } });
    expect(run.outputs.db_url).toBe(uri);
    expect(rounds).toBe(3);
  });

  it('are two for delete by name, and one by ID is enough to find the branch', async () => {
    const { run, rounds } = await play({ inputs: { command: 'delete', wait: 'false' } });
    expect(run.calls).toEqual(['GET /branches 200', 'DELETE /branches/{branch} 200']);
    expect(rounds).toBe(2);
  });
});
