import { findConnection, type Known } from '../branch/connection.ts';
import { isNotFound } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import { connectWhenReady, hostOf } from '../postgres/connect.ts';
import { withPrisma, withSsl } from '../postgres/uri.ts';
import type { Connection } from '../service/connection.ts';
import { type About, branchPath, get } from '../service/project.ts';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { Step } from './facts.ts';

/**
 * Records the connection details of a branch for the outputs, with the parameters that the inputs set and, with `check_connection`, once they work;
 * and, except for `reset`, the URLs of Auth and the Data API that the inputs ask for.
 */
export async function recordConnection(step: Step, about: About, known: Known): Promise<Connection> {
  const { inputs, mask } = step;
  const found = await findConnection(step, about, known);
  const withParameters = (uri: string, pooled: boolean) => {
    const secure = withSsl(uri, inputs.ssl);
    return inputs.prisma ? withPrisma(secure, { pooled }) : secure;
  };
  const connection = {
    ...found,
    uri: withParameters(found.uri, false),
    pooledUri: withParameters(found.pooledUri, true),
  };
  for (const secret of [connection.uri, connection.pooledUri]) mask(secret);
  if (inputs.check_connection) await checkConnection(step, [found.uri, found.pooledUri]);
  step.record({ connection });
  step.log.info(`Using database ${show(connection.database)} and role ${show(connection.role)}`);
  if (inputs.command === 'reset') return connection;
  const dataApi = `/data-api/${encodeURIComponent(connection.database)}`;
  const [authUrl, dataApiUrl] = await Promise.all([
    inputs.get_auth_url ? featureUrl(step, about, { rest: '/auth', field: 'base_url', title: 'Neon Auth' }) : undefined,
    inputs.get_data_api_url
      ? featureUrl(step, about, { rest: dataApi, field: 'url', title: 'the Data API' })
      : undefined,
  ]);
  step.record({ authUrl, dataApiUrl });
  return connection;
}

/** Waits until a real connection with each of the URIs has answered `SELECT 1`. */
export async function checkConnection({ api, log }: Pick<Step, 'api' | 'log'>, uris: string[]): Promise<void> {
  const { deadline, clock } = api;
  await Promise.all(
    [...new Set(uris)].map(async (uri) => {
      const started = clock.now();
      const { close } = await connectWhenReady({
        ...{ uri, deadline, clock },
        feature: 'check_connection',
        onRetry: log.info,
      });
      const ms = clock.now() - started;
      await close();
      log.info(`${hostOf(uri)} answered SELECT 1 after ${duration(ms)}`);
    }),
  );
}

/** The URL of a feature of the service; undefined, with a warning, if the feature is off for the branch. */
async function featureUrl(
  { inputs, log }: Step,
  about: About,
  { rest, field, title }: { rest: string; field: string; title: string },
): Promise<string | undefined> {
  try {
    return await get(about.api, {
      goal: `read the URL of ${title} for branch ${show(about.branch.name)}`,
      path: branchPath(about, rest),
      mayBeNone: true,
      read: (from) => shape.string(from[field], field),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const early = inputs.wait ? '' : ', or the branch is not ready yet (`wait: false`)';
    log.warning(
      `There is no URL, because ${title} is off for branch ${show(about.branch.name)}${early}. Enable it in the service's console, for the parent too if new branches should have it.`,
    );
    return undefined;
  }
}
