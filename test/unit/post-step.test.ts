import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { post } from '../../src/post-step.ts';
import { forgetSecrets } from '../../src/step/log.ts';

const saved = { kind: 'ephemeral', name: 'preview/pr-7', createId: 'c-1', owner: {}, create: 'created', id: 'br-7' };
let printed = '';
const kept = { env: process.env };

beforeEach(() => {
  printed = '';
  forgetSecrets();
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  process.env = {
    INPUT_API_KEY: 'napi_secret',
    INPUT_PROJECT_ID: 'shiny-wind-028834',
    INPUT_TIMEOUT: '2h',
    STATE_ephemeral: JSON.stringify(saved),
  };
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  process.env = kept.env;
});

it('ends before the runner kills it, with a warning, even if nothing ever responds', async () => {
  // A connection that does not even react to the end of the step.
  const fetch = vi.fn(() => new Promise(() => {}));
  vi.stubGlobal('fetch', fetch);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let isDone = false;
  const ended = post().then(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(229_000);
  expect([fetch.mock.calls.length, isDone]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(11_000);
  await ended;
  expect(printed).toMatch(
    /::warning title=Database Branch%3A post step::The ephemeral branch "preview\/pr-7" \(br-7\) may still exist; delete it manually\. Timed out after 3m 50s \(the post step's time limit\)/,
  );
});

it.each(['{}', '7', '[]', 'null', '{"id":"br-7","name":"preview/pr-7","owner":{},"create":"created"}'])(
  'deletes nothing and warns if its state is %s',
  async (state) => {
    const fetch = vi.fn();
    vi.stubGlobal('fetch', fetch);
    process.env.STATE_ephemeral = state;
    await post();
    expect(fetch).not.toHaveBeenCalled();
    expect(printed).toContain(
      '::The state of this step was changed, so nothing was deleted. Delete its branch manually.',
    );
  },
);

it('looks once for a branch if its state has no readable time', async () => {
  const fetch = vi.fn(async () => Response.json({ branches: [] }));
  vi.stubGlobal('fetch', fetch);
  process.env.STATE_ephemeral = JSON.stringify({ ...saved, at: 'x' });
  await post();
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(printed).toContain('is already gone');
});

it('finds its branch by the create ID if the ID in its state was changed', async () => {
  const branch = { id: 'br-7', name: 'preview/pr-7', current_state: 'ready', default: false, protected: false };
  const annotations = { 'br-7': { value: { 'database-branch-create-id': 'c-1' } } };
  const calls: string[] = [];
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string | URL, { method = 'GET' }: RequestInit = {}) => {
      calls.push(`${method} ${new URL(url).pathname.replace(/.*(?=\/branches)/, '')}`);
      return Response.json(method === 'DELETE' ? { branch, operations: [] } : { branches: [branch], annotations });
    }),
  );
  process.env.STATE_ephemeral = JSON.stringify({ ...saved, id: 'br-other', at: 0 });
  await post();
  expect(calls).toEqual(['GET /branches', 'DELETE /branches/br-7']);
  expect(printed).toContain('Deleted ephemeral branch "preview/pr-7" (br-7)');
});
