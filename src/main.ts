import { runAction } from './step/run.ts';

/** The actions. Each is loaded when it runs. */
const actions = {
  lifecycle: async () => runAction((await import('./lifecycle/action.ts')).lifecycle),
  diff: async () => runAction((await import('./diff/action.ts')).diff),
  rehearse: async () => runAction((await import('./rehearse/action.ts')).rehearse),
  prune: async () => runAction((await import('./prune/action.ts')).prune),
  manage: async () => runAction((await import('./manage/action.ts')).manage),
};

/** Runs an action; without a name the one at the root. `@github/local-action` calls it by this name. */
export async function run(name: keyof typeof actions = 'lifecycle'): Promise<void> {
  await actions[name]();
}
