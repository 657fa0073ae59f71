import { expect, it } from 'vitest';
import { startGitHub } from '../../github/index.ts';
import { refuseLeaks } from '../leaks.ts';
import { leaksInMarkdown } from '../log.ts';
import type { Run } from '../runner.ts';
import { watchSent } from '../sent.ts';

const secret = 'p@ss"w0rd/é';

/** A run, as far as it is searched. */
function left(what: Partial<Pick<Run, 'outputs' | 'env' | 'state' | 'masks' | 'summary'>>): Run {
  const stage = { outputs: {}, env: {}, state: {}, masks: [], summary: '', ...what };
  const leaks = (secrets: string[]) => leaksInMarkdown('summary', stage.summary, secrets);
  return { ...stage, leaks, post: undefined } as unknown as Run;
}

it('finds a secret in an output or variable without a literal mask', () => {
  const url = `postgresql://u:${encodeURIComponent(secret)}@host/db`;
  const says = /A secret can be read:\nmain step, output db_url \(percent-encoded\)/;
  expect(() => refuseLeaks(left({ outputs: { db_url: url } }), [secret])).toThrow(says);
  expect(() => refuseLeaks(left({ outputs: { db_url: url }, masks: [secret] }), [secret])).toThrow(says);
  expect(() => refuseLeaks(left({ env: { PGPASSWORD: secret } }), [secret])).toThrow(/variable PGPASSWORD \(raw\)/);
  refuseLeaks(left({ outputs: { db_url: url }, masks: [url] }), [secret]);
});

it('finds a secret in the summary as a browser shows it', () => {
  const summary = 'Could not log in with p&#64;ss&quot;w0rd/&#xe9;';
  expect(() => refuseLeaks(left({ summary }), [secret])).toThrow(/summary \(raw\)/);
});

it('finds a secret in what was sent to GitHub, as a reader sees it', async () => {
  const github = await startGitHub();
  try {
    const before = await fetch(github.url, { method: 'POST', body: JSON.stringify({ body: secret }) });
    expect(before.status).toBeGreaterThan(0);
    const sent = watchSent();
    refuseLeaks(left({}), [secret], sent());
    await fetch(github.url, { method: 'POST', body: JSON.stringify({ comment: { body: `is p@ss&quot;w0rd/é` } }) });
    expect(() => refuseLeaks(left({}), [secret], sent())).toThrow(/sent to GitHub \(raw\)/);
  } finally {
    await github.close();
  }
  expect(watchSent()()).toEqual([]);
});
