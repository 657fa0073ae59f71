import type { Context } from '../context.ts';
import { connectWhenReady, hostOf } from '../postgres/connect.ts';
import type { Connection } from '../service/connection.ts';
import { count, duration } from '../text/format.ts';

/** `check_connection`: waits until a real connection with each returned URI has answered `SELECT 1`. */
export async function checkConnection(context: Context, connection: Connection): Promise<void> {
  const uris = [...new Set([connection.uri, connection.pooledUri])];
  const { api, log } = context;
  const { deadline, clock } = api;
  await Promise.all(
    uris.map(async (uri) => {
      const started = clock.now();
      const { attempts, close } = await connectWhenReady({
        uri,
        feature: 'check_connection',
        deadline,
        clock,
        onRetry: log.info,
      });
      const ms = clock.now() - started;
      await close();
      log.info(`${hostOf(uri)} answered SELECT 1 after ${duration(ms)} (${count(attempts, 'attempt')})`);
    }),
  );
}
