import { EventEmitter } from 'node:events';
import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { requireChannelBinding } from '../../../src/postgres/channel-binding.ts';

/** The connection of a Postgres client, with what it would send to the server. */
function connect() {
  const sent: string[] = [];
  const errors: string[] = [];
  const connection = Object.assign(new EventEmitter(), {
    password: (password: string) => void sent.push(password),
    sendSASLInitialResponseMessage: (mechanism: string, response: string) => void sent.push(`${mechanism} ${response}`),
  });
  connection.on('error', (error: Error) => errors.push(error.message));
  const check = requireChannelBinding({ connection } as unknown as Client);
  return { connection, check, sent, errors };
}

const prefix = "The service's connection URI says channel_binding=require, but";

describe('a login that requires channel binding', () => {
  it('sends a proof of the password that is bound to the channel, and is checked at the end', () => {
    const { connection, check, sent, errors } = connect();
    connection.sendSASLInitialResponseMessage('SCRAM-SHA-256-PLUS', 'p=tls-server-end-point');
    connection.emit('authenticationSASLFinal');
    expect(check).not.toThrow();
    expect([sent, errors]).toEqual([['SCRAM-SHA-256-PLUS p=tls-server-end-point'], []]);
  });

  it('sends no other proof', () => {
    const { connection, sent, errors } = connect();
    connection.sendSASLInitialResponseMessage('SCRAM-SHA-256', 'n');
    connection.password('md5…');
    expect(sent).toEqual([]);
    expect(errors).toEqual([
      `${prefix} the server does not offer SCRAM-SHA-256-PLUS`,
      `${prefix} the server asked for a clear-text or MD5 password`,
    ]);
  });

  it('fails if the server has not asked for a proof, or has not given its own', () => {
    expect(connect().check).toThrow(`${prefix} the server accepted the login without it`);
    const { connection, check } = connect();
    connection.sendSASLInitialResponseMessage('SCRAM-SHA-256-PLUS', 'p');
    expect(check).toThrow('accepted the login without it');
  });
});
