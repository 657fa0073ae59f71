import { common, flag, type InputsOf, type InputTable, optional, withDefault } from '../step/inputs.ts';
import { InvalidValue } from '../step/invalid.ts';
import { branchId, branchName, choice, json, projectId, text } from '../step/values.ts';
import { verbs } from './kinds.ts';

export const table = {
  ...common,
  // Not everything belongs to a project.
  project_id: optional(projectId),
  resource: optional(text),
  resource_id: optional(text),
  verb: optional(choice(...verbs)),
  body: optional(json),
  branch_name: optional(branchName),
  branch_id: optional(branchId),
  if_exists: withDefault('reuse', choice('reuse', 'fail')),
  method: optional((raw) => choice('GET', 'POST', 'PUT', 'PATCH', 'DELETE')(raw.toUpperCase())),
  path: optional(requestPath),
  wait: flag(true),
  dry_run: flag(false),
} satisfies InputTable;

export type ManageInputs = InputsOf<typeof table>;

/** A path below the base URL, with its placeholders. */
function requestPath(raw: string): string {
  const path = (raw.startsWith('/') ? raw : `/${raw}`).replaceAll('#', '%23');
  const base = 'https://host/base';
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(raw);
  if (!isUrl && URL.canParse(base + path) && new URL(base + path).href.startsWith(`${base}/`)) return path;
  throw new InvalidValue('a path relative to the base URL, such as /projects');
}
