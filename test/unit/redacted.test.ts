import { expect, it } from 'vitest';
import { summarize } from '../../src/report/summary.ts';
import { emptyResult, type Result, redacted } from '../../src/result.ts';
import { createSecrets } from '../../src/secrets/store.ts';
import { rendered, seen } from '../../tools/docs/rendered.ts';

/** Has every character that Markdown may escape. */
const secret = 'n_ab*cd$ef~gh`ij|kl@mn#1<op>\\q&r';
const secrets = createSecrets();
secrets.add(secret);
const text = `x ${secret} y`;

/** A result with the secret in every string. */
const result: Result = {
  done: text,
  skipped: false,
  created: true,
  deleted: false,
  branch: {
    id: text,
    name: text,
    parent_id: text,
    default: false,
    protected: false,
    current_state: text,
    created_at: text,
    expires_at: text,
    metadata: { a: text },
  },
  knownParent: { id: 'br-main', name: text },
  connection: {
    endpointId: text,
    uri: text,
    pooledUri: text,
    host: text,
    pooledHost: text,
    port: text,
    database: text,
    role: text,
    password: secret,
  },
  operations: [{ id: text, action: text, status: text, failures_count: 0, total_duration_ms: 1 }],
  pruned: [{ id: text, name: text, reason: text, outcome: 'failed', ageMs: 1, note: text }],
  commentUrl: text,
};
it('a summary made from it has no secret', () => {
  const shown = seen(rendered(summarize(redacted({ command: 'x', result, failure: text, ms: 1 }, secrets.redact))));
  expect(shown).toContain('x *** y');
  for (const part of ['n_ab', 'cd$ef', 'gh', 'ij|kl', 'q&r']) expect(shown).not.toContain(part);
});

it('does not change the original, or what is not a string', () => {
  const before = structuredClone(result);
  const copy = redacted(result, secrets.redact);
  expect(result).toEqual(before);
  expect(copy).toMatchObject({ created: true, commentUrl: 'x *** y' });
  expect(redacted({ ...emptyResult(), done: 'fine' }, secrets.redact)).toEqual({ ...emptyResult(), done: 'fine' });
  expect(redacted([undefined, null, 3, true], secrets.redact)).toEqual([undefined, null, 3, true]);
});
