import type { Client } from '../http/client.ts';
import type { BeforeAttempt } from '../http/request.ts';
import { lookUpEffect } from '../http/retry.ts';
import type { Change } from '../service/project.ts';

/** Sends a change of a branch. If its response is lost, its effect is looked up before it is sent again. */
export async function send<T>(
  api: Client,
  { doing, happened, refusals, ...spec }: Change<T>,
  beforeAttempt?: BeforeAttempt,
): Promise<T> {
  const recover = happened ? lookUpEffect(happened, { refusals }) : spec.recover;
  return (await api.request({ ...spec, beforeAttempt: beforeAttempt ?? spec.beforeAttempt, recover })).value;
}
