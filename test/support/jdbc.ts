import type { Service } from '../../tools/service/index.ts';

/** The JDBC outputs of a branch with the service's usual parameters. */
export function jdbcUrls(service: Service, branch: string): { jdbc_url: string; jdbc_url_pooled: string } {
  const url = (pooled: boolean) => {
    const { hostname, port, username, password, pathname } = new URL(service.uri(branch, { pooled }));
    const credentials = `user=${username}&password=${password}`;
    return `jdbc:postgresql://${hostname}:${port || '5432'}${pathname}?${credentials}&sslmode=require&channelBinding=require`;
  };
  return { jdbc_url: url(false), jdbc_url_pooled: `${url(true)}&prepareThreshold=0` };
}
