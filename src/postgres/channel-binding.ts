import type { Client as PostgresClient } from 'pg';

const boundMechanism = 'SCRAM-SHA-256-PLUS';

/** The server does not offer what `channel_binding=require` requires: somebody may be in between. */
export class ChannelBindingError extends Error {
  override readonly name = 'ChannelBindingError';

  /** What to do about it, as a sentence. */
  readonly next: string;

  constructor(why: string, next = 'Check whether a proxy between the runner and the server terminates TLS.') {
    super(`The service's connection URI says channel_binding=require, but ${why}`);
    this.next = next;
  }
}

/** The methods of a connection with which the client sends a password, or a proof of it. */
interface Login {
  password(password: string): void;
  sendSASLInitialResponseMessage(mechanism: string, response: string): void;
  on(event: 'authenticationSASLFinal', listener: () => void): unknown;
  emit(event: 'error', error: Error): boolean;
}

/**
 * Makes a client that has not connected yet log in over SCRAM with channel binding only, as libpq does: nothing is sent to a server
 * that asks for another proof of the password. After the login, the returned function throws if the server asked for none.
 */
export function requireChannelBinding(client: PostgresClient): () => void {
  const { connection } = client as unknown as { connection: Login };
  const send = connection.sendSASLInitialResponseMessage.bind(connection);
  const refuse = (why: string) => connection.emit('error', new ChannelBindingError(why));
  let proven = false;
  connection.password = () => {
    refuse('the server asked for a clear-text or MD5 password');
  };
  connection.sendSASLInitialResponseMessage = (mechanism, response) => {
    if (mechanism === boundMechanism) send(mechanism, response);
    else refuse(`the server does not offer ${boundMechanism}`);
  };
  // The client has checked the server's signature by then, or has failed.
  connection.on('authenticationSASLFinal', () => {
    proven = true;
  });
  return () => {
    if (!proven) throw new ChannelBindingError('the server accepted the login without it');
  };
}
