import { setTimeout as sleep } from 'node:timers/promises';
import type { MaskingRule } from '@neon/sdk/raw';
import {
  isJsonObject,
  optionalArray,
  optionalBoolean,
  optionalObject,
  optionalString,
  requiredString,
} from '../http/body.ts';
import { badRequest, notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { OWNER_ID } from '../objects/new-project.ts';
import { operationDuration } from '../options.ts';
import type { Anonymization, BranchRecord, ProjectRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';
import { createResponseBody, startCreate } from './create.ts';

function parseRule(value: unknown): MaskingRule {
  if (!isJsonObject(value)) throw badRequest('a masking rule is not an object');
  const rule: MaskingRule = {
    database_name: requiredString(value, 'database_name'),
    schema_name: requiredString(value, 'schema_name'),
    table_name: requiredString(value, 'table_name'),
    column_name: requiredString(value, 'column_name'),
  };
  const masking_function = optionalString(value, 'masking_function');
  const masking_value = optionalString(value, 'masking_value');
  if (masking_function === undefined && masking_value === undefined) {
    throw badRequest('a masking rule needs masking_function or masking_value');
  }
  return {
    ...rule,
    ...(masking_function && { masking_function }),
    ...(masking_value !== undefined && { masking_value }),
  };
}

const parseRules = (body: unknown): MaskingRule[] =>
  ((isJsonObject(body) && optionalArray(body, 'masking_rules')) || []).map(parseRule);

function anonymizationOf(record: BranchRecord): Anonymization {
  if (!record.anonymization) throw notFound('anonymized branch');
  return record.anonymization;
}

export async function createAnonymizedBranch({ state, params, body }: Call): Promise<HandlerResponse> {
  const project = state.project(params.project_id);
  if (!isJsonObject(body)) throw badRequest('request body is missing');
  const rules = parseRules(body);
  const startNow = optionalBoolean(body, 'start_anonymization') ?? false;
  const created = await startCreate({
    state,
    project,
    body: { ...optionalObject(body, 'branch_create'), annotation_value: body.annotation_value },
  });
  const { record } = created;
  const at = timestamp(state.now());
  const anonymization: Anonymization = {
    rules,
    status: {
      project_id: project.project.id,
      branch_id: record.branch.id,
      state: 'created',
      created_at: at,
      updated_at: at,
    },
  };
  record.anonymization = anonymization;
  state.inBackground(async () => {
    await project.operations.idle();
    if (record.branch.current_state !== 'ready') {
      setStatus(state, anonymization, 'initialization_error', 'the branch could not be created');
      return;
    }
    setStatus(state, anonymization, 'initialized');
    if (startNow) await runAnonymization(state, project, record);
  });
  return { status: 201, body: createResponseBody(state, created) };
}

function setStatus(state: State, { status }: Anonymization, to: string, message?: string): void {
  const at = timestamp(state.now());
  status.state = to;
  status.updated_at = at;
  if (message === undefined) delete status.status_message;
  else status.status_message = message;
  if (to === 'error' || to === 'initialization_error') status.failed_at = at;
  else delete status.failed_at;
}

/** Masks the branch's data. The state becomes `anonymized`, or `error` with a message. */
async function runAnonymization(state: State, project: ProjectRecord, record: BranchRecord): Promise<void> {
  const anonymization = anonymizationOf(record);
  const { status, rules } = anonymization;
  const started = timestamp(state.now());
  setStatus(
    state,
    anonymization,
    'anonymizing',
    `Anonymizing ${rules.length} ${rules.length === 1 ? 'column' : 'columns'}`,
  );
  status.last_run = { started_at: started, triggered_by: OWNER_ID, triggered_by_username: 'developer' };
  // Masking is not listed as an operation, but takes as long as one.
  await sleep(operationDuration(state.settings.operationMs)('apply_config'));
  try {
    for (const { database_name: name } of rules) {
      if (!record.databases.has(name)) throw new Error(`database ${JSON.stringify(name)} does not exist`);
    }
    const masked = await state.compute.mask(record.branch.id, rules);
    status.last_run = { ...status.last_run, completed_at: timestamp(state.now()), masked_columns: masked };
    setStatus(state, anonymization, 'anonymized');
  } catch (error) {
    if (project.branches.has(record.branch.id)) {
      setStatus(state, anonymization, 'error', error instanceof Error ? error.message : String(error));
    }
  }
}

export function anonymizedStatus({ state, params }: Call): HandlerResponse {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  return { status: 200, body: anonymizationOf(record).status };
}

export function getMaskingRules({ state, params }: Call): HandlerResponse {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  return { status: 200, body: { masking_rules: anonymizationOf(record).rules } };
}
