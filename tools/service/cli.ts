import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startService } from './index.ts';

/** `npm run service`: runs the local service until Ctrl+C, then removes everything it created. */
const USAGE = `npm run service -- [options]

Starts the API on a loopback port, with a real Postgres server for each branch. Ctrl+C stops it and removes everything.

  --port N        port of the API (default: any that is free)
  --seed FILE     SQL to run in main first
  --key KEY       API key to accept (default: a random one)
  --compute none  start no Postgres servers
`;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  // What was started would keep the process alive.
  process.exit(1);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      seed: { type: 'string' },
      compute: { type: 'string', default: 'postgres' },
      key: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port: "${values.port}" is invalid; expected 0 to 65535`);
  if (values.compute !== 'postgres' && values.compute !== 'none')
    throw new Error(`--compute: "${values.compute}" is invalid; expected postgres or none`);
  const service = await startService({
    port,
    compute: values.compute,
    ...(values.seed !== undefined && { seed: readFileSync(values.seed, 'utf8') }),
    ...(values.key !== undefined && { apiKeys: [values.key] }),
  });
  const { certificateFile } = service;
  const trust =
    certificateFile === undefined
      ? ''
      : `  certificate ${certificateFile}

Let clients verify the certificate (Node.js and libpq):

  export NODE_EXTRA_CA_CERTS=${certificateFile} PGSSLROOTCERT=${certificateFile}
`;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.stdout.write('\nStopping.\n');
      service.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
  process.stdout.write(`The local service is running. Press Ctrl+C to stop it and remove everything.

  base URL    ${service.baseUrl}
  project ID  ${service.projectId}
  API key     ${service.apiKey}
  main        ${service.main.uri}
${trust}
Create a branch:

  curl -s ${service.baseUrl}/projects/${service.projectId}/branches \\
    -H 'Authorization: Bearer ${service.apiKey}' -H 'Content-Type: application/json' \\
    -d '{"branch": {"name": "preview/pr-1"}, "endpoints": [{"type": "read_write"}]}'

Connect to main:

  psql '${service.main.uri}'

Run the action as a step, in another terminal:

  INPUT_API_HOST=${service.baseUrl} INPUT_PROJECT_ID=${service.projectId} INPUT_API_KEY=${service.apiKey} \\
    INPUT_COMMAND=create INPUT_BRANCH_NAME=preview/pr-2 GITHUB_OUTPUT=/dev/stdout GITHUB_STEP_SUMMARY=/dev/null \\
    node_modules/.bin/node dist/index.js
`);
}
