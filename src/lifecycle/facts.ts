import type { BranchFacts } from '../branch/step.ts';
import type { Facts, Step as StepOf } from '../step/action.ts';
import type { CommandName } from './auto.ts';
import type { Inputs } from './inputs.ts';

/** What became of the branch, in one word. `kept`: there was one to delete, but the event must not delete it. */
export type Action = 'created' | 'reused' | 'reset' | 'read' | 'deleted' | 'already-gone' | 'kept';

export interface LifecycleFacts extends Facts, BranchFacts {
  /** `auto` until it is known what that stands for. */
  command: CommandName | 'auto';
  action?: Action;
  /** By what a branch that does not exist was to be deleted. */
  missing?: { id?: string | undefined; name?: string | undefined };
  /** Whether operations may still be running, because `wait` is false. */
  notReady?: boolean;
  /** The columns that masking rules cover, if the branch is anonymized. */
  masked?: string[] | undefined;
  authUrl?: string | undefined;
  dataApiUrl?: string | undefined;
  consoleUrl?: string | undefined;
}

/** What a command returns at its end; it has recorded the branch and its connection before. */
export type Outcome = Pick<LifecycleFacts, 'branch' | 'connection' | 'missing' | 'notReady' | 'masked'> & {
  action: Action;
  done: string;
};

export type Step = StepOf<Inputs, LifecycleFacts>;
