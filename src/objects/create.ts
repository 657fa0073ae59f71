import { findBranchByName } from '../api/branches.ts';
import { ApiError } from '../http/errors.ts';
import { once } from '../http/once.ts';
import type { Json } from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { aKind, collectionRoute, type Kind, objectRoute } from './kinds.ts';
import { unwrapped } from './payload.ts';
import { checked, type Dated, onceOnly, type Reply, send, settled, type Where } from './requests.ts';

/** How far apart the service's clock in two answers may be, in milliseconds. */
const clockSlackMs = 2_000;

export interface Creation {
  /** Whether this call has made it; if not, it is what has the name already. */
  made: boolean;
  /** Whether it was found by a look-up, because the answer to the create was lost. */
  lost: boolean;
  reply: Reply;
  /** With what the service refused to make another. */
  refusal?: ApiError;
}

/**
 * One POST that makes an object. Where the kind has a natural name and the payload says it, a lost answer is looked up before
 * anything is sent again, and a name that is taken (409) gives the object that has it. Any other create whose answer is lost
 * ends in an `UncertainError`: sent again, it might make a second one.
 */
export async function createObject(options: Where & { payload: Json }): Promise<Creation> {
  const { api, kind, place, payload } = options;
  const name = naturalName(kind, payload);
  const started = api.clock.now();
  const post = () =>
    settled(options, [422], {
      ...collectionRoute(kind, place),
      goal: `create ${name === undefined ? aKind(kind) : `${kind.one} ${show(name)}`}`,
      method: 'POST',
      body: payload,
      read: (body) => checked({ kind, place, body, key: kind.natural === kind.key ? name : undefined }),
    });
  if (name === undefined) return { made: true, reply: await onceOnly('look with `verb: list`', post), lost: false };

  let lost = false;
  const look = () => findByName({ ...options, name });
  const isOurs = (found: Dated) => {
    const earliest = (found.date ?? api.clock.now()) - (api.clock.now() - started) - clockSlackMs;
    return !(Date.parse(String(unwrapped(kind, found.body)?.created_at)) < earliest);
  };
  type Outcome = { reply: Dated; found?: undefined } | { found: Dated };
  try {
    const { value } = await once<Outcome>({
      api,
      act: async () => {
        const reply = await post();
        return { ...reply, value: { reply } };
      },
      look: async () => {
        lost = true;
        const found = await look();
        return found && { found };
      },
    });
    if (!value.found) return { made: true, reply: value.reply, lost: false };
    return { made: isOurs(value.found), reply: value.found, lost };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
    const found = await look();
    if (!found) throw error;
    return { made: lost && isOurs(found), reply: found, lost, refusal: error };
  }
}

/** What a create would be looked up by, or undefined. */
export function naturalName(kind: Kind, payload: Json): string | undefined {
  const name = kind.natural && unwrapped(kind, payload)?.[kind.natural];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** The object that has this name, or undefined. */
async function findByName(options: Where & { name: string }): Promise<Dated | undefined> {
  const { api, kind, place, name } = options;
  let id = name;
  if (kind.natural !== kind.key) {
    // Of the kinds with an ID, only branches have a name that nobody else has.
    const found = await findBranchByName({ api, projectId: place.projectId ?? '', name });
    if (!found) return undefined;
    id = found.branch.id;
  }
  try {
    return await send(api, {
      ...objectRoute(kind, place, id),
      goal: `look up ${kind.one} ${show(name)}`,
      method: 'GET',
      read: (body) => checked({ kind, place, body, key: id }),
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
