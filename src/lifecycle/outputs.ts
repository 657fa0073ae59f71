import { jdbcUri } from '../postgres/uri.ts';
import { mask } from '../step/log.ts';
import type { LifecycleFacts } from './facts.ts';

export function outputs(facts: LifecycleFacts): Record<string, string | undefined> {
  const { branch, missing, connection } = facts;
  const jdbc = connection && {
    direct: jdbcUri(connection.uri, { pooled: false }),
    pooled: jdbcUri(connection.pooledUri, { pooled: true }),
  };
  for (const uri of Object.values(jdbc ?? {})) mask(uri);
  return {
    command: facts.command,
    skipped: String(facts.skipped),
    console_url: facts.consoleUrl,
    branch_id: branch?.id ?? missing?.id,
    branch_name: branch?.name ?? missing?.name,
    parent_id: branch?.parent_id,
    expires_at: branch?.expires_at,
    created: String(facts.created),
    deleted: String(facts.deleted),
    endpoint_id: connection?.endpointId,
    db_url: connection?.uri,
    db_url_pooled: connection?.pooledUri,
    jdbc_url: jdbc?.direct,
    jdbc_url_pooled: jdbc?.pooled,
    db_host: connection?.host,
    db_host_pooled: connection?.pooledHost,
    db_port: connection?.port,
    database: connection?.database,
    role: connection?.role,
    password: connection?.password,
    auth_url: facts.authUrl,
    data_api_url: facts.dataApiUrl,
    operation_ids: facts.operationIds && JSON.stringify(facts.operationIds),
    comment_url: facts.commentUrl,
  };
}
