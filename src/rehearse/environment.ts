import { parseUri, withParameters } from '../postgres/uri.ts';
import { loadName } from './observer.ts';

/** Variables of this step, not of the job: what the runner tells an action, and where an action tells the runner something. */
const ofThisStep =
  /^(INPUT_.*|STATE_.*|ACTIONS_.*|GITHUB_ACTION(_.*)?|(GITHUB|GITEA|FORGEJO)_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY))$/i;

/** libpq's variables that lead somewhere else than the ones that are set here. The others, such as PGOPTIONS, stay. */
const elsewhere = /^PG(HOSTADDR|SERVICE|SERVICEFILE|PASSFILE)$/i;

/**
 * The environment of the command: that of the job, with the direct connection to the branch in every variable that tools take it
 * from. It has neither the API key, whatever that is called, nor what belongs to the action.
 */
export function environmentFor(env: NodeJS.ProcessEnv, options: { uri: string; apiKey?: string | undefined }) {
  const { uri, apiKey } = options;
  const kept = Object.entries(env).filter(
    ([name, value]) => !ofThisStep.test(name) && !elsewhere.test(name) && !(apiKey && value?.includes(apiKey)),
  );
  const { host, port, user, password, database, parameters } = parseUri(uri);
  const { sslmode, channel_binding, application_name } = Object.fromEntries(parameters);
  const bare = host.replace(/^\[|\]$/g, '');
  return {
    ...Object.fromEntries(kept),
    DATABASE_URL: uri,
    DATABASE_URL_UNPOOLED: uri,
    DIRECT_URL: uri,
    PGHOST: bare,
    PGHOST_UNPOOLED: bare,
    PGPORT: port,
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
    PGSSLMODE: sslmode,
    PGCHANNELBINDING: channel_binding,
    PGAPPNAME: application_name,
  };
}

/** The URI for the input `load`, whose sessions are known by their name. */
export function loadUri(uri: string): string {
  return withParameters(uri, { application_name: loadName });
}
