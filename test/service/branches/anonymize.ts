import { setTimeout as sleep } from 'node:timers/promises';
import type { MaskingRule } from '@neon/sdk/raw';
import { stamp } from '../generate.ts';
import { flag, isFields, list, part, requiredText, text } from '../http/body.ts';
import { badRequest, notFound, Problem } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import { OWNER_ID } from '../objects/projects.ts';
import { operationDuration } from '../options.ts';
import type { Anonymization, BranchRecord, ProjectRecord, State } from '../state.ts';
import { createdBody, startBranch } from './create.ts';

function maskingRule(value: unknown): MaskingRule {
  if (!isFields(value)) throw badRequest('a masking rule is not an object');
  const rule: MaskingRule = {
    database_name: requiredText(value, 'database_name'),
    schema_name: requiredText(value, 'schema_name'),
    table_name: requiredText(value, 'table_name'),
    column_name: requiredText(value, 'column_name'),
  };
  const masking_function = text(value, 'masking_function');
  const masking_value = text(value, 'masking_value');
  if (masking_function === undefined && masking_value === undefined) {
    throw badRequest('a masking rule needs masking_function or masking_value');
  }
  return {
    ...rule,
    ...(masking_function && { masking_function }),
    ...(masking_value !== undefined && { masking_value }),
  };
}

const rulesOf = (body: unknown): MaskingRule[] =>
  ((isFields(body) && list(body, 'masking_rules')) || []).map(maskingRule);

function anonymized(record: BranchRecord): Anonymization {
  if (!record.anonymization) throw notFound('anonymized branch');
  return record.anonymization;
}

export async function createAnonymizedBranch({ state, params, body }: Call): Promise<Answer> {
  const project = state.project(params.project_id);
  if (!isFields(body)) throw badRequest('request body is missing');
  const rules = rulesOf(body);
  const begin = flag(body, 'start_anonymization') ?? false;
  const created = await startBranch({
    state,
    project,
    body: { ...part(body, 'branch_create'), annotation_value: body.annotation_value },
  });
  const { record } = created;
  const at = stamp(state.now());
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
      turn(state, anonymization, 'initialization_error', 'the branch could not be created');
      return;
    }
    turn(state, anonymization, 'initialized');
    if (begin) await run(state, project, record);
  });
  return { status: 201, body: createdBody(state, created) };
}

function turn(state: State, { status }: Anonymization, to: string, message?: string): void {
  const at = stamp(state.now());
  status.state = to;
  status.updated_at = at;
  if (message === undefined) delete status.status_message;
  else status.status_message = message;
  if (to === 'error' || to === 'initialization_error') status.failed_at = at;
  else delete status.failed_at;
}

/** Masks the branch's data by its rules; ends in `anonymized` or, with the reason, in `error`. */
async function run(state: State, project: ProjectRecord, record: BranchRecord): Promise<void> {
  const anonymization = anonymized(record);
  const { status, rules } = anonymization;
  const started = stamp(state.now());
  turn(state, anonymization, 'anonymizing', `Anonymizing ${rules.length} columns`);
  status.last_run = { started_at: started, triggered_by: OWNER_ID, triggered_by_username: 'developer' };
  // Masking is not an operation of the published list; it takes as long as one.
  await sleep(operationDuration(state.settings.operationMs)('apply_config'));
  try {
    for (const { database_name: name } of rules) {
      if (!record.databases.has(name)) throw new Error(`database ${JSON.stringify(name)} does not exist`);
    }
    const masked = await state.compute.mask(record.branch.id, rules);
    status.last_run = { ...status.last_run, completed_at: stamp(state.now()), masked_columns: masked };
    turn(state, anonymization, 'anonymized');
  } catch (error) {
    if (project.branches.has(record.branch.id)) {
      turn(state, anonymization, 'error', error instanceof Error ? error.message : String(error));
    }
  }
}

export function anonymizedStatus({ state, params }: Call): Answer {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  return { status: 200, body: anonymized(record).status };
}

export function getMaskingRules({ state, params }: Call): Answer {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  return { status: 200, body: { masking_rules: anonymized(record).rules } };
}

export function updateMaskingRules({ state, params, body }: Call): Answer {
  const record = state.branch(state.project(params.project_id), params.branch_id, 'change');
  const anonymization = anonymized(record);
  anonymization.rules = rulesOf(body);
  return { status: 200, body: { masking_rules: anonymization.rules } };
}

export function startAnonymization({ state, params }: Call): Answer {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { status } = anonymized(record);
  if (!['initialized', 'error', 'anonymized'].includes(status.state)) {
    throw new Problem(409, `anonymization cannot be started in state ${status.state}`);
  }
  state.inBackground(() => run(state, project, record));
  return { status: 200, body: status };
}
