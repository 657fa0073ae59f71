import { parameter, parseUri, withParameters } from '../postgres/uri.ts';
import { loadName } from './sample.ts';

/** Variables of this step, not of the job: what the runner tells an action, and where an action tells the runner something. */
const ofThisStep =
  /^(INPUT_.*|STATE_.*|ACTIONS_.*|GITHUB_(ACTION(_.*)?|ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)|(GITEA|FORGEJO)_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY))$/i;

/** Variables in which other forges' runners also put the action's token. Under any other name, the job itself passed it to the command. */
const tokens = /^(GITHUB|GITEA|FORGEJO)_TOKEN$/i;

/** libpq's variables that lead somewhere else than the ones that are set here. The others, such as PGOPTIONS, stay. */
const elsewhere =
  /^PG(HOSTADDR|SERVICE|SERVICEFILE|PASSFILE|REQUIRESSL|TARGETSESSIONATTRS|LOADBALANCEHOSTS|REQUIREAUTH)$/i;

/**
 * The environment of the command: that of the job, with the direct connection to the branch in every variable that tools take it
 * from. It has neither the API key nor what belongs to the action.
 */
export function environmentFor(options: {
  env: NodeJS.ProcessEnv;
  /** The direct connection. */
  uri: string;
  apiKey: string | undefined;
  gitHubToken: string | undefined;
}): Record<string, string> {
  const { env, uri, apiKey, gitHubToken } = options;
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !ofThisStep.test(entry[0]) &&
      !elsewhere.test(entry[0]) &&
      !(gitHubToken && tokens.test(entry[0]) && entry[1].includes(gitHubToken)) &&
      // Whatever it is called: the command needs nothing but its branch.
      !(apiKey && entry[1].includes(apiKey)),
  );
  return { ...Object.fromEntries(kept), ...connectionVariables(uri) };
}

/** The variables that are set. */
function connectionVariables(uri: string): Record<string, string> {
  const { host, port, user, password, database } = parseUri(uri);
  const optional = {
    PGSSLMODE: parameter(uri, 'sslmode'),
    PGCHANNELBINDING: parameter(uri, 'channel_binding'),
    PGAPPNAME: parameter(uri, 'application_name'),
  };
  const bare = host.replace(/^\[|\]$/g, '');
  return {
    DATABASE_URL: uri,
    DATABASE_URL_UNPOOLED: uri,
    DIRECT_URL: uri,
    PGHOST: bare,
    PGHOST_UNPOOLED: bare,
    PGPORT: port,
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

/** The URI for the input `load`, whose sessions are known by their name. */
export function loadUri(uri: string): string {
  return withParameters(uri, { application_name: loadName });
}

/** The variables of a command with the URI of another Postgres server than the one of this URI, each with its host. */
export function elsewhereIn(env: Record<string, string>, uri: string): string[] {
  const { host } = parseUri(uri);
  return Object.entries(env).flatMap(([name, value]) => {
    const [, other = ''] = /^(?:jdbc:)?postgres(?:ql)?:\/\/(?:[^\s/@]*@)?([\w.-]+)/i.exec(value) ?? [];
    return other === '' || other === host ? [] : [`${name} (${other})`];
  });
}
