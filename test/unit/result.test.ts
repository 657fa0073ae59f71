import { describe, expect, it } from 'vitest';
import { createRecorder } from '../../src/result.ts';
import type { Operation } from '../../src/service/types.ts';

const operation = (id: string, more: Partial<Operation> = {}): Operation => ({
  ...{ id, action: 'start_compute', status: 'finished', failures_count: 0, total_duration_ms: 1 },
  ...more,
});
const ids = (of: { operations: Operation[] }) => of.operations.map(({ id }) => id);

describe('what a step has done', () => {
  it('has each operation once, as it ended last', () => {
    const { succeeded, progress, result } = createRecorder();
    succeeded(operation('a'));
    succeeded(operation('b'));
    succeeded(operation('a', { total_duration_ms: 2 }));
    expect(result().operations).toMatchObject([{ id: 'b' }, { id: 'a', total_duration_ms: 2 }]);
    progress({ done: 'x' });
    expect(ids(result())).toEqual(['b', 'a']);
    progress({ operations: [] });
    succeeded(operation('c'));
    expect(ids(result())).toEqual(['c']);
    progress({ operations: [operation('d'), operation('c')] });
    expect(ids(result())).toEqual(['d', 'c']);
  });

  it('may be 20,000 operations, in far less time than they take', () => {
    const { succeeded, result } = createRecorder();
    const started = performance.now();
    for (let n = 0; n < 20_000; n++) succeeded(operation(`op-${n}`));
    expect(result().operations).toHaveLength(20_000);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
