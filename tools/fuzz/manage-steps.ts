import { InputError } from '../../src/inputs/load.ts';
import { type Kind, kindOf, kinds, usualVerbs, type Verb } from '../../src/manage/kinds.ts';
import { wanted } from './account.ts';
import { keyOf, secrets } from './manage-account.ts';
import { settingsOf } from './play.ts';

/** The inputs of a step. */
export interface Step {
  inputs: Record<string, string>;
  /** The last segment of the path of the kind's collection; empty for a raw request. */
  segment: string;
  verb: Verb | undefined;
}

/** Every kind in the table, and an unknown one. */
const allKinds = [...kinds, kindOf('widgets') as Kind];
const targets: Record<string, string>[] = [{}, { branch_name: wanted.name }, { branch_id: wanted.id }];

function bodiesOf({ segment, uniqueField }: Kind, verb: Verb): Record<string, unknown>[] {
  if (verb !== 'create' && verb !== 'update') return [{}];
  const secret = segment === 'snapshots' ? {} : { password: secrets.inBody };
  if (verb === 'update') return [{ body: { name: 'new', ...secret } }];
  const name = segment === 'branches' ? wanted.name : keyOf(segment);
  return [
    { body: { ...(uniqueField === 'name' ? { name } : {}), ...(uniqueField === 'id' ? { id: name } : {}), ...secret } },
    { body: segment === 'snapshots' ? { name } : { key_name: 'ci', type: 'read_write' } },
    {},
  ];
}

function inputsOf(kind: Kind, verb: Verb): Record<string, string>[] {
  const ids: Record<string, string>[] = [{}, { resource_id: keyOf(kind.segment) }];
  return bodiesOf(kind, verb).flatMap(({ body }) =>
    ids.flatMap((id) =>
      targets.map((target) => ({
        ...{ resource: kind.one, verb },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...id,
        ...target,
      })),
    ),
  );
}

/** Whether the inputs are valid. */
function isValid(inputs: Record<string, string>): boolean {
  try {
    settingsOf('manage', inputs);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

const byKind: Step[] = allKinds.flatMap((kind) =>
  ([...usualVerbs] as Verb[])
    .filter((verb) => kind.verbs.includes(verb))
    .concat(kind.verbs.includes('restore') ? ['restore'] : [])
    .flatMap((verb) => {
      const valid = inputsOf(kind, verb).filter(isValid);
      if (valid.length === 0) throw new Error(`No step can ${verb} ${kind.many}`);
      return valid.map((inputs) => ({ inputs, segment: kind.segment, verb }));
    }),
);

const paths = [
  '/projects/{project_id}/branches/{branch_id}',
  '/projects/{project_id}/branches/{branch_id}/roles/neondb_owner/reset_password',
  '/projects/{project_id}/endpoints',
  `/things/thing-1?token=${secrets.inPath}`,
];

const byPath: Step[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
  paths.flatMap((path) =>
    targets
      .map((target): Record<string, string> => {
        const body: Record<string, string> =
          method === 'GET' ? {} : { body: JSON.stringify({ password: secrets.inBody }) };
        return { method, path, ...body, ...target };
      })
      .filter(isValid)
      .map((inputs) => ({ inputs, segment: '', verb: undefined })),
  ),
);

/** Every verb of every kind and every method, with and without optional inputs. */
export const allSteps: Step[] = [...byKind, ...byPath];
