/** The lists of request bodies of all running stand-ins for GitHub in this process. */
const lists = new Set<unknown[]>();

/** Adds such a list, to be searched for secrets. Returns a function that removes it. */
export function noteSent(bodies: unknown[]): () => void {
  lists.add(bodies);
  return () => lists.delete(bodies);
}

/** Returns a function that returns all texts sent since this call. */
export function watchSent(): () => string[] {
  const watched = [...lists].map((bodies) => ({ bodies, from: bodies.length }));
  return () => watched.flatMap(({ bodies, from }) => bodies.slice(from).flatMap(textsIn));
}

/** Every text in a JSON value, without JSON escapes. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}
