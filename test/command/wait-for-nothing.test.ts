import { expect, it } from 'vitest';
import { workflowDispatch } from '../../tools/runner/events.ts';
import { runAction } from '../../tools/runner/runner.ts';
import { startService } from '../../tools/service/index.ts';
import { held, releasing } from '../support/held.ts';

it('wait without operation IDs waits for a reused branch that another step is still creating', async () => {
  const service = await startService({ compute: 'none', operationMs: { start_compute: held } });
  try {
    const event = workflowDispatch();
    const access = { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl };
    const step = (inputs: Record<string, string>) => runAction({ event, inputs: { ...access, ...inputs } });
    const first = await step({ wait: 'false' });
    const second = await step({ wait: 'false' });
    expect([first.outputs.created, second.outputs.created]).toEqual(['true', 'false']);
    expect(second.outputs.operation_ids).toBe('[]');

    const { branch_id = '', operation_ids = '' } = second.outputs;
    const waited = await releasing(service, 1, () => step({ command: 'wait', branch_id, operation_ids }));
    expect(waited.annotations.error).toEqual([]);
    expect(service.operations().map(({ status }) => status)).not.toContain('running');
    expect(waited.outputs.db_url).toBe(service.uri('preview/main'));

    const unnamed = await step({ command: 'wait' });
    expect(unnamed.annotations.error).toEqual([expect.stringContaining('operation_ids is required')]);
    expect(service.violations).toEqual([]);
  } finally {
    await service.stop();
  }
});
