import { unwrapped } from '../objects/payload.ts';
import { type Collection, objectName, type Response } from '../objects/requests.ts';
import { show } from '../text/inert.ts';

/** An object with the name and ID from the response, and the branch that it belongs to. */
export function describeObject(options: {
  collection: Collection;
  response: Response;
  id?: string | undefined;
}): string {
  const { collection, response, id } = options;
  const { kind } = collection;
  const object = unwrapped(kind, response.value) ?? {};
  const text = (value: unknown) => (['string', 'number'].includes(typeof value) ? String(value) : '');
  const [name, objectId] = [text(object.name), text(object.id)];
  if (name === '' && objectId === '') return `${objectName(kind, id)}${onBranch(collection)}`;
  if (name === '') return `${kind.one} ${objectId}${onBranch(collection)}`;
  // A database has a number too, which no request uses.
  const number = objectId === '' || kind.key === 'name' ? '' : ` (${objectId})`;
  return `${kind.one} ${show(name)}${number}${onBranch(collection)}`;
}

/** The branch that an object belongs to, as a phrase; empty if it belongs to none. */
export function onBranch({ kind, owners, branch }: Collection): string {
  if (kind.owner !== 'branch') return '';
  return ` on branch ${branch ? `${show(branch.branch.name)} (${branch.branch.id})` : owners.branchId}`;
}

export function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}
