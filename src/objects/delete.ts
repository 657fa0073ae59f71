import { ApiError } from '../http/errors.ts';
import type { Json } from '../http/shape.ts';
import { RefusedError } from '../service/errors.ts';
import { show } from '../text/inert.ts';
import { unwrapped } from './payload.ts';
import { checked, clockSlackMs, type ObjectRef, objectName, type Response, retryWhileNew } from './requests.ts';
import { objectRoute } from './routes.ts';

export interface Deletion {
  /** Whether the object existed before, as far as the responses show. */
  deleted: boolean;
  response: Response;
  /** Whether the service knows no such object, or nothing that it could belong to. */
  unknown: boolean;
}

/**
 * One DELETE. It is idempotent: an object that is already gone is what was asked for. If an attempt may have deleted an object that
 * has only a name, the next one is not sent if the object of that name may be another one by then.
 */
export async function deleteObject(options: ObjectRef & { payload?: Json | undefined }): Promise<Deletion> {
  const { api, kind, owners, id, payload } = options;
  const started = api.clock.now();
  const beforeAttempt = async (mayHaveActed: boolean) => {
    await options.beforeAttempt?.(mayHaveActed);
    if (mayHaveActed && kind.key === 'name') await checkNotNewer(options, started);
  };
  try {
    const response = await retryWhileNew(options, [422], {
      ...objectRoute(kind, owners, id),
      goal: `delete ${objectName(kind, id)}`,
      method: 'DELETE',
      beforeAttempt,
      ...(payload ? { body: payload } : {}),
      read: (body) => (body === undefined ? body : checked({ kind, owners, body, key: id, optional: true })),
    });
    const wasGone = response.status === 204 && kind.goneIs204 === true;
    return { deleted: !wasGone || response.mayHaveActedBefore, response, unknown: false };
  } catch (error) {
    if (!(error instanceof ApiError && (error.status === 404 || error.status === 410))) throw error;
    return { deleted: error.mayHaveActed, response: { status: error.status, value: undefined }, unknown: true };
  }
}

/** Throws if the object may have been created after `started`, in milliseconds by the client's clock: then it may be another one. */
async function checkNotNewer(options: ObjectRef, started: number): Promise<void> {
  const { api, kind, owners, id } = options;
  const found = await api
    .request({
      ...objectRoute(kind, owners, id),
      goal: `read ${objectName(kind, id)}`,
      method: 'GET',
      read: (body) => unwrapped(kind, body),
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
  const created = String(found?.value?.created_at);
  const startedAt = (found?.date ?? Number.NaN) - (api.clock.now() - started);
  if (!(Date.parse(created) >= startedAt - clockSlackMs)) return;
  const since = `there is a ${kind.one} of that name now that was created at ${show(created)}`;
  throw new RefusedError(
    `An attempt to delete ${objectName(kind, id)} got no response, and ${since}. It may be another one, so nothing was deleted again. Check it with \`verb: get\`.`,
  );
}
