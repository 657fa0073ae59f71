import type { Context } from '../context.ts';
import { type AnonymizedStatus, anonymizedStatus } from '../service/anonymize.ts';
import { conventional, fetchUris, listChoices, type Names, type Uris } from '../service/connection.ts';
import { createIdKey } from '../service/create.ts';
import type { Sighting } from './sighting.ts';

/** Reads of a branch that are under way. One that fails does so where it is used. */
export interface ReadAhead {
  masking: Promise<AnonymizedStatus | undefined>;
  names: Promise<Names>;
  /** Connection URIs for the database and the role that will most likely be chosen. */
  likely: { database: string; role: string; uris: Promise<Uris> };
}

/**
 * Reads at once what would otherwise be read one after another. Undefined for a branch that this action did not create: such a branch may
 * have no endpoint, and all would have to be read again after one was added.
 */
export function readAhead({ inputs }: Context, { api, projectId, branch }: Sighting): ReadAhead | undefined {
  if (branch.metadata[createIdKey] === undefined) return undefined;
  const about = { api, projectId, branch };
  const { database = conventional.database, role = conventional.role } = inputs;
  const ahead = {
    masking: anonymizedStatus(about),
    names: listChoices(about),
    likely: { database, role, uris: fetchUris({ ...about, database, role }) },
  };
  for (const read of [ahead.masking, ahead.names, ahead.likely.uris]) read.catch(() => {});
  return ahead;
}
