import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Inputs, inputNames } from '../../../src/inputs/fields.ts';
import { unusedInputs } from '../../../src/inputs/unused.ts';
import * as events from '../../../tools/runner/events.ts';
import { defaults } from '../../../tools/runner/inputs.ts';
import { load } from './loaded.ts';

const unused = (given: Record<string, string>, event?: events.GitHubEvent) => {
  const { settings } = load(given, event);
  return 'skip' in settings ? undefined : unusedInputs(settings);
};

describe('inputs that the command does not read', () => {
  it('are named, with the command that was probably meant', () => {
    const rehearsal = { run: 'npm run migrate', max_lock: '1s', fail_on: 'destructive', comment: 'true' };
    expect(unused(rehearsal)).toBe(
      '`fail_on`, `run` and `max_lock` have no effect with `command: create`. Set `command: rehearse`, or remove the inputs.',
    );
    expect(unused({ ...rehearsal, command: 'rehearse' })).toBeUndefined();
    expect(unused({ command: 'get', fail_on: 'any' })).toBe(
      '`fail_on` has no effect with `command: get`. Set `command: diff` or `command: rehearse`, or remove the input.',
    );
    expect(unused({ command: 'get', fail_on: 'any', verb: 'list' })).toBe(
      '`fail_on` and `verb` have no effect with `command: get`. Remove the inputs.',
    );
  });

  it('are not those that are empty or have their default', () => {
    expect(unused({ fail_on: 'never', ignore_rules: '', older_than: ' ' })).toBeUndefined();
  });

  it('are read by a create that also prunes or resets', () => {
    expect(unused({ older_than: '14d', command: 'create' })).toBe(
      '`older_than` has no effect with `command: create` unless `on_limit: prune` is set.',
    );
    expect(unused({ older_than: '14d', on_limit: 'prune' })).toBeUndefined();
    expect(unused({ preserve_under_name: 'before' })).toBe(
      '`preserve_under_name` has no effect with `command: create` unless `if_exists: reset` is set.',
    );
    expect(unused({ preserve_under_name: 'before', closed_for: '7d', older_than: '14d', fail_on: 'any' })).toBe(
      '`preserve_under_name` has no effect with `command: create` unless `if_exists: reset` is set. `fail_on` has no effect with `command: create`. Set `command: diff` or `command: rehearse`, or remove the input. `closed_for` and `older_than` have no effect with `command: create` unless `on_limit: prune` is set.',
    );
    expect(unused({ preserve_under_name: 'before', if_exists: 'reset' })).toBeUndefined();
    const rehearse = { command: 'rehearse', run: 'true' };
    expect(unused({ ...rehearse, older_than: '14d', on_limit: 'prune' })).toBeUndefined();
    expect(unused({ ...rehearse, preserve_under_name: 'before', if_exists: 'reset' })).toContain('has no effect');
    const get = { command: 'get', older_than: '14d', on_limit: 'prune' };
    expect(unused(get)).toContain('`older_than` has no effect');
  });

  it('are expected when an expression chose to delete', () => {
    expect(unused({ command: 'delete', fail_on: 'any', branch_name: 'a' })).toBeUndefined();
    expect(unused({ fail_on: 'any' }, events.pullRequest({ action: 'closed' }))).toBeUndefined();
  });

  it('are those that action.yml says only other commands use', () => {
    const { inputs } = parse(readFileSync(join(import.meta.dirname, '../../../action.yml'), 'utf8')) as {
      inputs: Record<string, { description: string }>;
    };
    const set: Partial<Record<keyof Inputs, string>> = {
      ...{ base_point: 'head', fail_on: 'any' },
      ...{ ignore_rules: 'add-index', max_lock: '1s', max_duration: '1s', closed_for: '1d', older_than: '1d' },
      ...{ unused_for: '1d', verb: 'list', body: '{}', method: 'GET', path: '/projects' },
    };
    const elsewhere = inputNames.filter((name) => {
      const users = /Used by ([^.]*)\.\s*$/.exec(inputs[name]?.description.trim() ?? '')?.[1] ?? 'all';
      return !/all|create`(?! \(with)|ephemeral|delete/.test(users);
    });
    // these two have another meaning for each command, and are refused where they have none
    const named = elsewhere.filter((name) => !['dry_run', 'ignore_below'].includes(name));
    expect(named.length).toBeGreaterThan(18);
    for (const name of named) {
      const value = set[name] ?? (defaults[name] === 'false' ? 'true' : '1');
      expect(unused({ command: 'get', [name]: value })).toContain(`\`${name}\` has no effect`);
    }
  });
});
