const secretSets = new Set<Set<string>>();

/** Makes the secrets of a service available to `issuedSecrets` until the returned function is called. */
export function registerSecrets(secrets: Set<string>): () => void {
  secretSets.add(secrets);
  return () => secretSets.delete(secrets);
}

/**
 * Every password, API key and connection URI of all services that run in this process, so that tests can search the output of
 * the action for them. The sets are live: they include secrets issued later.
 */
export function issuedSecrets(): Set<string>[] {
  return [...secretSets];
}
