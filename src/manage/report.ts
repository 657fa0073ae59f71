import type { Facts } from '../step/action.ts';
import { capital } from '../text/format.ts';
import { code, factTable, fenced } from '../text/markdown.ts';
import type { Kind } from './kinds.ts';
import { objectIn, type Request } from './request.ts';
import { named, type Outgoing, type Response } from './send.ts';

export interface ManageFacts extends Facts {
  created: boolean;
  deleted: boolean;
  request?: Request;
  response?: Pick<Response, 'status' | 'body'>;
}

/** The parts of the summary. The payload is only that of a dry run, which has nothing else to show. */
export function report({ request, response }: ManageFacts): string[] {
  if (!request) return [];
  const { method, path, body } = request;
  const rows: [string, string][] = [['Request', code(`${method} ${path}`)]];
  if (response) rows.push(['Status', String(response.status)]);
  const payload = response || body === undefined ? [] : [fenced(JSON.stringify(body, null, 2), 'json')];
  return [factTable(rows), ...payload];
}

/** `role "app"`: by the name or ID in a response, or else in the inputs. */
export function describe(kind: Kind, body: unknown, id: string | undefined): string {
  const object = objectIn(kind, body) ?? {};
  const label = object.name ?? object.id ?? id;
  return named(kind, label === undefined ? undefined : String(label));
}

export function doneBy(sent: Outgoing, { status, body }: Response, { wasGone }: { wasGone: boolean }): string {
  const { plan, request, inputs, branchId } = sent;
  if (!plan.about) return `${request.method} ${request.path.split('?')[0]} returned ${status}`;
  const { kind, verb } = plan.about;
  if (Array.isArray(body)) return `Listed ${body.length} ${body.length === 1 ? kind.name : kind.many}`;
  const on = plan.path.includes('/{branch_id}') ? ` on branch ${branchId}` : '';
  const id = inputs.resource_id ?? (kind.name === 'branch' ? branchId : undefined);
  const what = `${describe(kind, body, id)}${on}`;
  return wasGone
    ? `${capital(what)} does not exist; nothing to delete`
    : `${verb === 'get' || verb === 'query' ? 'Read' : `${capital(verb)}d`} ${what}`;
}
