import { describe, expect, it } from 'vitest';
import { pullRequest } from '../support/events.ts';
import { scenario } from '../support/scenario.ts';

const scene = scenario();

describe('a fresh create', () => {
  it('is one POST and polls of its operations', async () => {
    const run = await scene.succeeds({ event: pullRequest({ number: 7 }) });
    expect(run.calls).toEqual(['POST /branches 201', 'GET /operations/{operation} 200']);
  });
});
