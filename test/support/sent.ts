/** The lists in which the stand-ins for GitHub of this process collect the bodies of what they are sent, while they run. */
const lists = new Set<unknown[]>();

/** Notes such a list, so that whoever starts the action can look through it for secrets; returns what ends that. */
export function noteSent(bodies: unknown[]): () => void {
  lists.add(bodies);
  return () => lists.delete(bodies);
}

/** From now on: what has been sent since, as texts. */
export function watchSent(): () => string[] {
  const watched = [...lists].map((bodies) => ({ bodies, from: bodies.length }));
  return () => watched.flatMap(({ bodies, from }) => bodies.slice(from).flatMap(textsIn));
}

/** Every text in a JSON value, as whoever receives it reads it: without the escapes of JSON. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}
