import { settlingOf } from '../api/branches.ts';
import { listChoices } from '../api/connection.ts';
import { listEndpoints, readWriteEndpoint } from '../api/endpoints.ts';
import { NotFoundError } from '../api/errors.ts';
import { addresses } from '../branch/connection-details.ts';
import { refuseUnmasked } from '../branch/masking.ts';
import { requireTarget } from '../branch/target.ts';
import { type Command, projectOf } from '../context.ts';
import { show } from '../text/inert.ts';

/** Reads an existing branch and its connection details; changes nothing. */
export const get: Command = async (context) => {
  const { api } = context;
  const { branch, date } = await requireTarget(context);
  const settling = settlingOf({ branch, now: api.clock.now(), date, made: false });
  context.progress({ branch });
  const project = projectOf(context);
  const checkMasking = () => refuseUnmasked({ context, branch, settling });
  const [endpoints, names] = await Promise.all([
    listEndpoints({ ...project, branch, settling }),
    listChoices({ ...project, branch, settling }),
    settling ? undefined : checkMasking(),
  ]);
  // That a branch which was made a moment ago is no anonymized one is believed only once other reads of it have found it.
  if (settling) await checkMasking();
  const endpoint = readWriteEndpoint(endpoints, branch);
  if (!endpoint) {
    throw new NotFoundError(
      `Branch ${show(branch.name)} (${branch.id}) has no read-write compute endpoint, and so no address. \`command: create\` with the same name gives it one.`,
    );
  }
  return {
    branch,
    ...(await addresses({ context, branch, endpoint, settling, names })),
    done: `Read branch ${show(branch.name)} (${branch.id})`,
  };
};
