/**
 * Optimized for size and speed: the data need not survive a crash. All WAL segments are kept and none is recycled, because
 * point-in-time recovery needs them.
 */
export function configuration(folder: string): string {
  const lines = {
    listen_addresses: "'127.0.0.1'",
    max_connections: 50,
    superuser_reserved_connections: 5,
    shared_buffers: "'4MB'",
    io_method: 'sync',
    dynamic_shared_memory_type: 'mmap',
    max_worker_processes: 0,
    max_parallel_workers: 0,
    max_logical_replication_workers: 0,
    max_wal_senders: 0,
    autovacuum: 'off',
    fsync: 'off',
    synchronous_commit: 'off',
    wal_level: 'replica',
    wal_recycle: 'off',
    wal_init_zero: 'off',
    wal_keep_size: "'1TB'",
    min_wal_size: "'2MB'",
    max_wal_size: "'256MB'",
    wal_writer_delay: "'10s'",
    checkpoint_timeout: "'1h'",
    log_checkpoints: 'off',
    log_line_prefix: "''",
    ssl: 'on',
    ssl_cert_file: `'${folder}/server.crt'`,
    ssl_key_file: `'${folder}/server.key'`,
    password_encryption: "'scram-sha-256'",
    timezone: "'GMT'",
    log_timezone: "'GMT'",
    lc_messages: "'C'",
  };
  return `${Object.entries(lines)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')}\n`;
}

/** The administrator can connect only through the Unix socket, in a folder that is private; everyone else needs a password. */
export const hostAccess = (): string => `local all cloud_admin trust
local all all scram-sha-256
host all cloud_admin all reject
host all all 127.0.0.1/32 scram-sha-256
`;
