import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { post } from '../../src/post-step.ts';
import { forgetSecrets } from '../../src/step/log.ts';

const where = { project_id: 'shiny-wind-028834', api_host: 'https://console.neon.tech/api/v2' };
const saved = {
  kind: 'ephemeral',
  name: 'preview/pr-7',
  createId: 'c-1',
  owner: {},
  create: 'created',
  id: 'br-7',
  where,
};
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
    // What the inputs are made of may have changed since the main step.
    INPUT_PROJECT_ID: 'other',
    INPUT_API_HOST: 'https://other.test',
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
  await vi.advanceTimersByTimeAsync(199_000);
  expect([fetch.mock.calls.length, isDone]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(11_000);
  await ended;
  expect(printed).toMatch(
    /::warning title=Database Branch%3A post step::The ephemeral branch "preview\/pr-7" \(br-7\) may still exist; delete it manually\. Timed out after 3m 20s \(the post step's time limit\)/,
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

/** A service with these branches, each of which has a create ID by its ID. Returns its calls: `DELETE /branches/br-7`. */
function serve(createIds: Record<string, string>, remove = () => new Response()): string[] {
  const calls: string[] = [];
  const branches = Object.keys(createIds).map((id) => ({
    ...{ id, name: id === 'br-7' ? 'preview/pr-7' : id, current_state: 'ready', default: false, protected: false },
  }));
  const annotations = Object.fromEntries(
    Object.entries(createIds).map(([id, createId]) => [id, { value: { 'database-branch-create-id': createId } }]),
  );
  const answer = async (url: string | URL, { method = 'GET' }: RequestInit = {}) => {
    const { origin, pathname } = new URL(url);
    expect(`${origin}${pathname}`).toContain('https://console.neon.tech/api/v2/projects/shiny-wind-028834/');
    calls.push(`${method} ${pathname.replace(/.*(?=\/branches)/, '')}`);
    return method === 'DELETE' ? remove() : Response.json({ branches, annotations });
  };
  vi.stubGlobal('fetch', vi.fn(answer));
  return calls;
}

it('deletes both copies of a rehearsal', async () => {
  const calls = serve({ 'br-7': 'c-1', 'br-8': 'c-2' }, () => new Response(null, { status: 204 }));
  process.env.STATE_probe = JSON.stringify({ ...saved, kind: 'probe', name: 'br-8', id: 'br-8', createId: 'c-2' });
  await post();
  expect(calls.filter((call) => call.startsWith('DELETE')).toSorted()).toEqual([
    'DELETE /branches/br-7',
    'DELETE /branches/br-8',
  ]);
});

it.each(['ephemeral', 'probe'])('deletes the other copy if there is no %s one any more', async (name) => {
  const calls = serve({ 'br-7': 'c-1' }, () => new Response(null, { status: 204 }));
  process.env.STATE_probe = process.env.STATE_ephemeral;
  process.env[`STATE_${name}`] = 'none';
  await post();
  expect(calls).toEqual(['GET /branches', 'DELETE /branches/br-7']);
});

it('sends the request again if the branch is too new to be deleted', async () => {
  const replies = [Response.json({ message: 'not ready yet' }, { status: 422 }), new Response(null, { status: 204 })];
  const calls = serve({ 'br-7': 'c-1' }, () => replies.shift() ?? Response.error());
  await post();
  expect(calls).toEqual(['GET /branches', 'DELETE /branches/br-7', 'DELETE /branches/br-7']);
});

it('finds its branch by the create ID if the ID in its state was changed', async () => {
  const branch = { id: 'br-7', name: 'preview/pr-7' };
  const calls = serve({ 'br-7': 'c-1' }, () => Response.json({ branch, operations: [] }));
  process.env.STATE_ephemeral = JSON.stringify({ ...saved, id: 'br-other', at: 0 });
  await post();
  expect(calls).toEqual(['GET /branches', 'DELETE /branches/br-7']);
  expect(printed).toContain('Deleted ephemeral branch "preview/pr-7" (br-7)');
});
