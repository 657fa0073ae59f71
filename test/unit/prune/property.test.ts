import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../../support/seed.ts';
import { repository, world } from './world.ts';

type World = ReturnType<typeof world>;

/** How old what a deletion depends on may be, and the time that the request itself takes here, in milliseconds. */
const [freshMs, latencyMs] = [10_000, 300];
const numbers = [1, 2, 3, 4, 5];

/** Something that somebody else does meanwhile to the nth branch or its pull request. */
const changes: Record<string, (all: World, nth: number) => void> = {
  reopen: ({ gitHub }, nth) => void setState(gitHub, nth, 'open'),
  close: ({ gitHub }, nth) => void setState(gitHub, nth, 'closed'),
  protect: ({ account }, nth) => void Object.assign(account.branch(`br-${nth}`) ?? {}, { protected: true }),
  makeDefault: ({ account }, nth) => void Object.assign(account.branch(`br-${nth}`) ?? {}, { default: true }),
  giveAway: ({ account }, nth) =>
    void Object.assign(account.metadata, { [`br-${nth}`]: { 'github-commit-repo': 'octo-org/other' } }),
  addChild: ({ account }, nth) => void account.add({ name: `child of ${nth}`, parent_id: `br-${nth}` }),
  remove: ({ account }, nth) => account.remove(`br-${nth}`),
};
const replies = [
  { error: new Error('lost') },
  { status: 423 },
  { status: 429, headers: { 'retry-after': '4' } },
  { status: 500 },
  { status: 404 },
  { status: 200, text: '<html>' },
];

/** Whether a branch may be deleted by what the service and GitHub know at this moment. */
function mayGo({ account, gitHub }: World, id: string): boolean {
  const branch = account.branch(id);
  const { 'github-commit-repo': owner, 'github-pr-number': number } = account.metadata[id] ?? {};
  const pull = gitHub.pulls.get(Number(number));
  return (
    !branch ||
    (owner === repository &&
      pull?.state === 'closed' &&
      !branch.default &&
      !branch.protected &&
      !account.branches.some((one) => one.parent_id === id))
  );
}

it('whatever happens meanwhile, no branch is deleted that was not stale ten seconds before', async () => {
  const event = fc.record({
    at: fc.integer({ min: 1, max: 40 }),
    change: fc.constantFrom(...Object.keys(changes)),
    nth: fc.constantFrom(...numbers),
  });
  const fault = fc.record({ at: fc.integer({ min: 1, max: 40 }), reply: fc.constantFrom(...replies) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('open', 'closed'), { minLength: 5, maxLength: 5 }),
      fc.array(fc.option(fc.nat({ max: 4 })), { minLength: 5, maxLength: 5 }),
      fc.array(event, { maxLength: 6 }),
      fc.array(fault, { maxLength: 6 }),
      async (states, parents, events, faults) => {
        const all = world({ latencyMs, timeoutMs: 120_000 });
        for (const [index, state] of states.entries()) {
          const parent = parents[index] ?? index;
          all.add(index + 1, {
            pull: { state: state as 'open' | 'closed' },
            ...(parent < index && { parent_id: `br-${parent + 1}` }),
          });
        }
        /** When each branch could last be seen to be stale. */
        const staleAt = new Map<string, number>();
        const wrong: string[] = [];
        all.before((call) => {
          const at = all.calls.length;
          const id = call.split(' ')[1] ?? '';
          const now = all.clock.now();
          if (call.startsWith('DELETE') && now - (staleAt.get(id) ?? 0) > freshMs + latencyMs) wrong.push(call);
          for (const one of events) if (one.at === at) changes[one.change]?.(all, one.nth);
          for (const { id } of all.account.branches) if (mayGo(all, id)) staleAt.set(id, now);
          return faults.find((one) => one.at === at)?.reply;
        });
        await all.prune().catch(() => {});
        expect(wrong).toEqual([]);
      },
    ),
    { numRuns: 80, seed },
  );
});

function setState(gitHub: World['gitHub'], number: number, state: 'open' | 'closed'): void {
  const pull = gitHub.pulls.get(number);
  if (pull) gitHub.setPullState(pull, state);
}
