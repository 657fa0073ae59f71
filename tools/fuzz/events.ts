import fc from 'fast-check';
import { metadataOf } from '../../src/branch/metadata.ts';
import { branchNameOf, parseEvent, type RunEvent } from '../../src/step/event.ts';
import * as events from '../runner/events.ts';
import { hostileText } from './texts.ts';

/** The branch names that `src/text/branch-name.ts` makes from refs. */
const nameForm = /^preview\/[A-Za-z0-9._][A-Za-z0-9._/-]*$/;
const longestName = 100;

const variables = [
  'GITHUB_EVENT_NAME',
  'GITHUB_REPOSITORY',
  'GITHUB_REF',
  'GITHUB_SHA',
  'GITHUB_ACTOR',
  'GITHUB_RUN_ID',
  'GITHUB_RUN_ATTEMPT',
  'GITHUB_API_URL',
  'GITHUB_GRAPHQL_URL',
  'GITHUB_SERVER_URL',
];

const names = fc.constantFrom(
  'pull_request',
  'pull_request_target',
  'push',
  'delete',
  'create',
  'schedule',
  'issues',
  'merge_group',
  'workflow_run',
);

const environment = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...variables), hostileText, { noNullPrototype: true }),
    fc.option(names, { nil: undefined }),
  )
  .map(([env, name]) => (name === undefined ? env : { ...env, GITHUB_EVENT_NAME: name }));

/** Payloads that GitHub has published. */
const published = fc.constantFrom(
  events.pullRequest().payload,
  events.pullRequest({ fork: 'someone/octo-repo', action: 'closed' }).payload,
  events.push().payload,
  { issue: { number: 7, pull_request: {}, title: 'x', user: { login: 'octocat' } } },
  { ref: 'feature/x', ref_type: 'branch' },
);

const fields = [
  'merge_group',
  'workflow_run',
  'deleted',
  'pull_request',
  'repository',
  'ref',
  'ref_type',
  'action',
  'issue',
  'sender',
];
const inner = [
  'head_ref',
  'head_branch',
  'head_repository',
  'pull_requests',
  'state',
  'number',
  'title',
  'user',
  'head',
  'ref',
  'sha',
  'repo',
  'full_name',
  'login',
  'pull_request',
];

const payload = fc.oneof(
  fc.jsonValue(),
  published,
  fc
    .tuple(published, fc.constantFrom(...fields), fc.jsonValue())
    .map(([whole, field, value]) => ({ ...whole, [field]: value })),
  fc.dictionary(
    fc.constantFrom(...fields),
    fc.oneof(
      hostileText,
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom(...inner),
        fc.oneof(fc.integer(), hostileText, fc.dictionary(fc.constantFrom(...inner), hostileText)),
      ),
    ),
  ),
);

export const anyEvent = fc.record({ env: environment, payload });

/** Any environment and payload result in an event with valid fields, a valid branch name and valid metadata. */
export const eventProperty = fc.property(anyEvent, (given) => {
  const event = parseEvent(given);
  checkTexts(event);
  const name = branchNameOf(event);
  if (name !== undefined && !(nameForm.test(name) && name.length <= longestName && !/[-/]$/.test(name))) {
    throw new Error(`the event gives the branch name ${JSON.stringify(name)}`);
  }
  // Without its number, the ref of a pull request could be that of any.
  const lacksNumber = event.name.startsWith('pull_request') && !event.pullRequest;
  if (name === undefined && !lacksNumber && (event.pullRequest || event.fullRef !== ''))
    throw new Error('the event has a ref, but no branch name');
  for (const [key, value] of Object.entries(metadataOf(event))) {
    if (typeof value !== 'string' || value === '') throw new Error(`the metadata ${key} is not a non-empty string`);
  }
});

function checkTexts(event: RunEvent): void {
  const { number = 1 } = event.pullRequest ?? {};
  if (!(Number.isSafeInteger(number) && number > 0)) throw new Error(`the pull request has the number ${number}`);
  const { pullRequest, github, ends, endless, ...texts } = event;
  const { fork = false, open = true, number: _, ...more } = pullRequest ?? {};
  for (const [name, value] of Object.entries({ ...texts, ...more, ...github })) {
    if (typeof value !== 'string') throw new Error(`${name} of the event is ${JSON.stringify(value)}`);
  }
  for (const [name, flag] of Object.entries({ fork, open, ends, endless })) {
    if (typeof flag !== 'boolean') throw new Error(`${name} is ${JSON.stringify(flag)}`);
  }
}
