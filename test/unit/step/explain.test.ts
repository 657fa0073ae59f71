import { expect, it } from 'vitest';
import { ApiError } from '../../../src/http/errors.ts';
import { explain } from '../../../src/step/explain.ts';

it('a branch that is gone in the meantime is no dead end', () => {
  const failure = { kind: 'status', what: '404, branch not found', status: 404, mayHaveActed: false } as const;
  const path = '/projects/p/branches/br-1/endpoints';
  const error = new ApiError({ goal: 'list it', path, failure, attempts: 1, mayHaveActed: false });
  expect(explain(error, {})).toBe(
    'Could not list it: 404, branch not found. The branch may have expired or been deleted in the meantime: run the step again, or skip it if the pull request is closed.',
  );
});
