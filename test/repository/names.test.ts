import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandNames } from '../../src/lifecycle/auto.ts';
import { levels, ruleNames, rules } from '../../src/schema/rules.ts';
import { actionNames, folderOf, readAction } from '../../tools/runner/action.ts';

// Workflows rely on these names, defaults and levels. More may be added, but none of these may change before the next major version.

const words = (text: string) => text.trim().split(/\s+/);
const all = actionNames.map((name) => folderOf(name)).filter((folder) => existsSync(join(folder, 'action.yml')));
const inputs = all.flatMap((folder) => [...readAction(folder).inputs]);
const outputs = all.flatMap((folder) => readAction(folder).outputs);

it('every command is there', () => {
  const released = words('create get reset delete');
  expect(commandNames).toEqual(expect.arrayContaining(released));
});

it('every input is there, with its default', () => {
  const released = words(`
    api_key project_id api_host=https://console.neon.tech/api/v2 command=auto branch_name branch_id parent_branch
    parent_point branch_type=default if_exists=reuse on_limit=fail expires_at expires_in protected=false
    database role suspend_timeout min_cu max_cu preserve_under_name masking_rules ssl=require prisma=false
    get_auth_url=false get_data_api_url=false export_env=false check_connection=false ephemeral=false
    fail_on=never ignore_rules closed_for older_than unused_for
    branch_pattern exclude_pattern run load then probe_locks=false max_lock max_duration ignore_below require=any dry_run=false
    resource resource_id verb body method path on_missing_key=fail wait=true timeout=10m comment=false
    summary=true`);
  const now = inputs.map(([name, standard]) => (standard === '' ? name : `${name}=${standard}`));
  expect(released.filter((one) => !now.includes(one))).toEqual([]);
  expect(inputs.some(([name]) => name === 'github_token')).toBe(true);
});

it('every input and output of `prune` is there', () => {
  const prune = readAction(folderOf('prune'));
  const released = words(`
    api_key project_id api_host timeout on_missing_key summary github_token closed_for older_than unused_for branch_pattern
    exclude_pattern repositories dry_run`);
  expect([...prune.inputs.keys()].toSorted()).toEqual(released.toSorted());
  expect(prune.outputs.toSorted()).toEqual(['pruned', 'skipped']);
});

it('every output is there', () => {
  const released = words(`
    command skipped console_url rehearsal branch_id branch_name parent_id expires_at created deleted endpoint_id db_url
    db_url_pooled jdbc_url jdbc_url_pooled db_host db_host_pooled db_port database role password auth_url data_api_url
    operation_ids findings destructive comment_url response status
    response_path`);
  expect(released.filter((one) => !outputs.includes(one))).toEqual([]);
});

it('every rule of the schema review is there, with its level', () => {
  const released = {
    destructive: `drop-schema drop-table drop-column drop-materialized-view drop-sequence drop-extension
      drop-enum-value narrow-type convert-type`,
    exposing: `drop-policy change-policy add-policy disable-rls grant security-definer change-owner table-without-rls
      view-security`,
    breaking: `rename-table rename-column rename-enum-value drop-view change-view drop-function change-function
      drop-type drop-default drop-identity change-identity set-not-null add-not-null-column change-sequence revoke
      enable-rls restrictive-policy`,
    locking: `rewrite-type volatile-default stored-generated add-unique add-primary-key add-exclusion add-check
      add-foreign-key add-index attach-partition set-logged`,
    notice: `foreign-key-without-index drop-index drop-constraint drop-foreign-key drop-not-null
      drop-trigger disable-trigger set-unlogged detach-partition change-publication unknown-change`,
  };
  expect(levels).toEqual(Object.keys(released));
  for (const [level, names] of Object.entries(released))
    expect(ruleNames.filter((name) => rules[name] === level)).toEqual(expect.arrayContaining(words(names)));
});
