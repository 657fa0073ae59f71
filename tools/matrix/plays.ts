import { anonymized, byId, closedPull, hourAgo, justCreated, ofPull, older, ownOlder, rules } from './before.ts';
import { type Exceptions, type Play, target } from './play.ts';

const addresses = (column: 'read' | 'fresh') =>
  ({
    'GET branch/databases': column,
    'GET branch/roles': column,
    'GET connection_uri': column,
    'GET connection_uri pooled': column,
  }) as const;
const details = { 'GET branch/endpoints': 'list', ...addresses('read') } as const;
/** Right after a create, a 422 means that the branch is not ready yet. */
const freshDetails = {
  'GET branch/endpoints': { column: 'list', once: { '422': 'ok 2' }, always: { '422': 'no +' } },
  ...addresses('fresh'),
} as const;
/** If the list of operations can't be read, they are polled by ID. */
const unlisted = ['401', '403', '404', '409', '412', '422', '302 elsewhere', '307 elsewhere'];
const byIdInstead = Object.fromEntries(unlisted.map((fault) => [fault, 'ok 1']));
const polled: Exceptions = {
  column: 'read',
  once: byIdInstead,
  always: { ...byIdInstead, 'cut off': 'ok 3', 'another shape': 'ok 3', empty: 'ok 3' },
  polls: true,
};
/** Read once more after the polls, and then it must be readable. */
const polledThenRead: Exceptions = {
  ...polled,
  always: {
    ...Object.fromEntries(unlisted.map((fault) => [fault, 'no 2'])),
    ...{ 'cut off': 'no 6', 'another shape': 'no 6', empty: 'no 6' },
  },
};
/** The branch was to be deleted, so it does not matter that its operations are unknown. */
const gone = { column: 'poll', once: { '404': 'ok 1' }, always: { '404': 'ok 1' } } as const;
const deleting = { 'GET operations': polled };
/** A branch whose operations are unknown was deleted in the meantime, and is created again. */
const underWay = {
  column: 'read',
  once: { '404': 'ok 2' },
  always: { '404': 'no +' },
  again: 'POST branches',
} as const;
/** The first requests of a create if the branch exists. */
const there = { 'POST branches': 'taken', 'GET branches': 'look', 'GET operations': underWay } as const;
const made = { 'GET operations': polled } as const;

/** If the masking rules can't be read, the step only warns. */
const unread = ['401', '403', '404', '409', '412', '422', '302 elsewhere', '307 elsewhere'];
const unreadAlways = { 'cut off': 'ok 3', 'another shape': 'ok 3', empty: 'ok 3' };
const asWarning = Object.fromEntries(unread.map((fault) => [fault, 'ok 1']));
const rulesUnread: Exceptions = { column: 'read', once: asWarning, always: { ...asWarning, ...unreadAlways } };

/** The branch and the list are read side by side. If one takes longer than 2 s, the other is too old by then, so it is read again. */
const readAgain = {
  '429 at a date': 'ok 3',
  'silence before': 'ok 3',
  'silence after': 'ok 3',
  'byte a second': 'ok 3',
} as const;

/** `rehearse` is not played, because it needs a database; test/command/rehearse.test.ts tries its requests with faults. */
export const plays: Play[] = [
  {
    name: 'create, a new name',
    inputs: { command: 'create', branch_name: target },
    requests: { 'POST branches': 'create', ...made },
    before: false,
    after: true,
    change: 'POST branches',
    says: 'created',
    connects: true,
  },
  {
    name: 'create, a busy project',
    inputs: { command: 'create', branch_name: target },
    service: { unlistedOperations: true },
    requests: {
      'POST branches': 'create',
      ...made,
      'GET operation create_branch': 'poll',
      'GET operation start_compute': 'poll',
    },
    before: false,
    after: true,
    change: 'POST branches',
    says: 'created',
    connects: true,
  },
  {
    name: 'create, two databases',
    inputs: { command: 'create', branch_name: target, database: 'app' },
    service: { databases: ['app'] },
    requests: {
      'POST branches': 'create',
      ...made,
      'GET connection_uri': 'fresh',
      'GET connection_uri pooled': 'fresh',
    },
    before: false,
    after: true,
    change: 'POST branches',
    says: 'created',
    connects: true,
  },
  {
    name: 'create, response lost',
    inputs: { command: 'create', branch_name: target },
    also: { method: 'POST', path: /\/branches$/, nth: 1, close: 'after' },
    // Its operations are unknown, so the step reads the list until the compute has started.
    requests: {
      'GET branches': 'look',
      ...freshDetails,
      'GET branch/endpoints': { ...freshDetails['GET branch/endpoints'], polls: true },
    },
    before: false,
    after: true,
    change: 'POST branches',
    learns: 'GET branches',
    says: 'created',
    connects: true,
  },
  {
    name: 'create, reuse',
    inputs: { command: 'create', branch_name: target },
    prepare: older(),
    requests: {
      ...there,
      'GET branch/anonymized_status': 'masked',
      ...details,
    },
    before: true,
    after: true,
    connects: true,
  },
  {
    name: 'create, reuse of a branch of its own making',
    inputs: { command: 'create', branch_name: target },
    prepare: ownOlder,
    requests: {
      ...there,
      'GET branch/anonymized_status': 'masked',
      ...details,
    },
    before: true,
    after: true,
    connects: true,
  },
  {
    name: 'create, reuse without an endpoint',
    inputs: { command: 'create', branch_name: target, expires_in: '2h' },
    prepare: older(false),
    requests: {
      ...there,
      'GET operations': { ...underWay, polls: true },
      'GET branch/anonymized_status': 'masked',
      ...details,
      // The branch was deleted in the meantime, and is created again.
      'POST endpoints': { column: 'start', again: 'POST branches' },
      'PATCH branch': 'expiry',
    },
    before: true,
    after: true,
    connects: true,
  },
  {
    name: 'create, anonymized',
    inputs: {
      command: 'create',
      branch_name: target,
      masking_rules: rules,
    },
    requests: {
      'POST branch_anonymized': 'create',
      ...made,
      'GET branch/anonymized_status': 'fresh',
    },
    before: false,
    after: true,
    change: 'POST branch_anonymized',
    says: 'created',
    connects: true,
  },
  {
    name: 'create, reuse of an anonymized branch',
    inputs: { command: 'create', branch_name: target, masking_rules: rules },
    prepare: anonymized,
    requests: {
      'POST branch_anonymized': 'taken',
      'GET branches': 'look',
      'GET operations': { ...underWay, again: 'POST branch_anonymized' },
      'GET branch/anonymized_status': 'read',
      'GET branch/masking_rules': rulesUnread,
      ...details,
    },
    before: true,
    after: true,
    connects: true,
  },
  {
    name: 'create, reset of an existing branch',
    inputs: { command: 'create', branch_name: target, if_exists: 'reset' },
    prepare: older(),
    requests: {
      ...there,
      'GET operations': { ...underWay, polls: true },
      'GET branch/anonymized_status': 'masked',
      'POST branch/restore': 'restore',
      'GET branch': 'read',
      ...details,
    },
    before: true,
    after: true,
    connects: true,
  },
  {
    name: 'get, by name',
    inputs: { command: 'get', branch_name: target },
    prepare: older(),
    requests: { 'GET branches': 'look', 'GET branch/anonymized_status': 'masked', ...details },
    before: true,
    after: true,
    connects: true,
  },
  {
    name: 'get, by ID',
    inputs: { command: 'get' },
    prepare: byId,
    requests: { 'GET branch': 'by id', 'GET branch/anonymized_status': 'masked', ...details },
    before: true,
    after: true,
    connects: true,
  },
  {
    name: 'delete, by name',
    inputs: { command: 'delete', branch_name: target },
    prepare: older(),
    requests: {
      'GET branches': 'look',
      'DELETE branch': 'delete',
      ...deleting,
    },
    before: true,
    after: false,
    change: 'DELETE branch',
    says: 'deleted',
    connects: false,
  },
  {
    name: 'delete, a busy project',
    inputs: { command: 'delete', branch_name: target },
    prepare: older(),
    service: { unlistedOperations: true },
    requests: {
      'GET branches': 'look',
      'DELETE branch': 'delete',
      'GET operations': polled,
      'GET operation suspend_compute': gone,
      'GET operation delete_timeline': gone,
    },
    before: true,
    after: false,
    change: 'DELETE branch',
    says: 'deleted',
    connects: false,
  },
  {
    name: 'delete, by ID',
    inputs: { command: 'delete' },
    prepare: byId,
    requests: {
      'GET branch': { column: 'by id', once: readAgain, always: { '404': 'ok +' } },
      // The children are in the list of all branches.
      'GET branches': { column: 'look', once: readAgain },
      'DELETE branch': 'delete',
      ...deleting,
    },
    before: true,
    after: false,
    change: 'DELETE branch',
    says: 'deleted',
    connects: false,
  },
  {
    name: 'ephemeral, the post step',
    inputs: { command: 'create', branch_name: target, ephemeral: 'true' },
    post: true,
    requests: {
      'GET branches': 'look',
      // A new branch may not be ready yet.
      'DELETE branch': { column: 'delete', always: { '422': 'no +' } },
      ...deleting,
    },
    before: true,
    after: false,
    change: 'DELETE branch',
    says: 'deleted',
    connects: false,
  },
  {
    name: 'reset',
    inputs: { command: 'reset', branch_name: target },
    prepare: older(),
    requests: {
      'GET branches': 'look',
      'POST branch/restore': 'restore',
      'GET branch': 'read',
      'GET operations': polledThenRead,
      'GET branch/anonymized_status': 'masked',
      ...details,
    },
    before: true,
    after: true,
    connects: true,
  },
  {
    name: 'prune',
    inputs: { command: 'prune' },
    prepare: async (service) => {
      await service.addBranch({ name: target, createdAt: hourAgo(), annotations: ofPull });
      return undefined;
    },
    others: closedPull,
    requests: { 'GET branches': 'look', 'DELETE branch': 'delete', 'GET operations': 'read' },
    before: true,
    after: false,
    change: 'DELETE branch',
    connects: false,
  },
  {
    name: 'wait',
    inputs: { command: 'wait' },
    prepare: justCreated,
    requests: {
      ...made,
      // A branch that remains unknown was deleted in the meantime.
      'GET branch': { column: 'fresh', always: { '404': 'ok +' } },
      'GET branch/anonymized_status': { column: 'masked', once: { '422': 'ok 2' }, always: { '422': 'no +' } },
      ...freshDetails,
    },
    before: true,
    after: true,
    connects: true,
  },
];
