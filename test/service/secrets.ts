/** The sets in which the services of this process collect their secrets, while they run. */
const handedOut = new Set<Set<string>>();

/** Notes the secrets of a service, so that whoever starts the action can look for all of them; returns what ends that. */
export function noteSecrets(secrets: Set<string>): () => void {
  handedOut.add(secrets);
  return () => handedOut.delete(secrets);
}

/** The live sets of all services that run now: every password, API key and connection URI, also those to come. */
export function secretsHandedOut(): Set<string>[] {
  return [...handedOut];
}
