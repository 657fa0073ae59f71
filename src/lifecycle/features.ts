import { isNotFound } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import type { Connection } from '../service/connection.ts';
import { type About, branchPath, get } from '../service/project.ts';
import { show } from '../text/inert.ts';
import type { Step } from './facts.ts';

const features = {
  auth: { field: 'base_url', input: 'get_auth_url', title: 'Neon Auth' },
  'data-api': { field: 'url', input: 'get_data_api_url', title: 'the Data API' },
} as const;

/** Records the URLs of Auth and the Data API that the inputs ask for. */
export async function recordFeatures(
  step: Step,
  about: About,
  { database }: Pick<Connection, 'database'>,
): Promise<void> {
  const { inputs } = step;
  const [authUrl, dataApiUrl] = await Promise.all([
    inputs.get_auth_url ? featureUrl(step, about, 'auth', '/auth') : undefined,
    inputs.get_data_api_url
      ? featureUrl(step, about, 'data-api', `/data-api/${encodeURIComponent(database)}`)
      : undefined,
  ]);
  step.record({ authUrl, dataApiUrl });
}

/** The URL of a feature of the service; undefined, with a warning, if the feature is off for the branch. */
async function featureUrl(
  { log }: Step,
  { api, projectId, branch }: About,
  feature: keyof typeof features,
  rest: string,
): Promise<string | undefined> {
  const { field, input, title } = features[feature];
  try {
    return await get(api, {
      goal: `read the URL of ${title} for branch ${show(branch.name)}`,
      path: branchPath({ projectId, branchId: branch.id, rest }),
      mayBeNone: true,
      read: (from) => shape.string(from[field], field),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    log.warning(
      `\`${input}\` is set, but ${title} is off for branch ${show(branch.name)}. Enable it in the service's console, for the branch's parent too if new branches should have it, or remove \`${input}\`.`,
    );
    return undefined;
  }
}
