import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { noteSent } from '../runner/sent.ts';
import { ErrorResponse, type GitHubResponse, type Permissions } from './response.ts';
import { respondToRest } from './rest.ts';
import { Shapes } from './shapes.ts';
import { RepositoryState } from './state.ts';

export { primaryRateLimit, secondaryRateLimit } from './response.ts';

export interface GitHubOptions {
  /** `owner/name` */
  repository?: string;
  /** the only valid token */
  token?: string;
  /** the token's permissions, as in a job's `permissions:`; all by default */
  permissions?: Partial<Permissions>;
  now?: () => number;
}

export interface RecordedRequest {
  method: string;
  /** decoded, without the query */
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: unknown;
  /** undefined if there was no response (yet) */
  status: number | undefined;
}

/** Something that happens to requests instead of, or before, their response. */
export interface Fault {
  /** every request by default */
  method?: string;
  path?: RegExp;
  /** how many requests it affects; one by default */
  times?: number;
  /** delay before anything else, in milliseconds */
  delayMs?: number;
  /** sent instead; `reset` closes the connection before the request has an effect, `lost` after it */
  response?: GitHubResponse | 'reset' | 'lost';
}

export interface GitHub {
  /** for `GITHUB_API_URL` */
  url: string;
  /** variables for the runner's environment that lead to this server */
  env: { GITHUB_API_URL: string };
  /** the workflow's repository */
  state: RepositoryState;
  /** Adds another repository that the token can read. */
  addRepository(name: string): RepositoryState;
  /** the token's; may be changed between requests */
  permissions: Permissions;
  requests: RecordedRequest[];
  fault(fault: Fault): void;
  close(): Promise<void>;
}

/** A stand-in for GitHub's REST API on loopback. */
export async function startGitHub(options: GitHubOptions = {}): Promise<GitHub> {
  const state = new RepositoryState(options.repository ?? 'octo-org/octo-repo', options);
  const others: RepositoryState[] = [];
  const permissions: Permissions = {
    ...{ contents: 'write', issues: 'none', pullRequests: 'write' },
    ...options.permissions,
  };
  const token = options.token ?? 'ghs_tokenOfThisRun';
  const faults: (Fault & { times: number })[] = [];
  const requests: RecordedRequest[] = [];
  const bodies: unknown[] = [];
  const forget = noteSent(bodies);

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => write(response, { status: 500, body: String(error) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request);
    requests.push(recorded);
    bodies.push(recorded.body);
    const fault = faults.find((one) => one.times > 0 && hits(one, recorded));
    if (fault) fault.times--;
    if (fault?.delayMs) await delay(fault.delayMs, undefined, { ref: false });
    const instead = fault?.response;
    if (instead === 'reset') return void response.destroy();
    const reply = typeof instead === 'object' ? instead : await respondTo(recorded);
    if (instead === 'lost') return void response.destroy();
    recorded.status = reply.status;
    write(response, reply);
  }

  async function respondTo(request: RecordedRequest): Promise<GitHubResponse> {
    try {
      admit(request, token);
      const { method, path, body } = request;
      // An app's token may not ask whose it is.
      if (path === '/user' && state.viewer.type === 'Bot')
        throw new ErrorResponse(403, 'Resource not accessible by integration');
      if (path === '/user') return { status: 200, body: { login: state.viewer.login } };
      const query = new URLSearchParams(request.query);
      const all = [state, ...others];
      const at = all.find(({ id, fullName }) => path.startsWith(`/repositories/${id}/`) || isBelow(path, fullName));
      const shapes = new Shapes(url, at ?? state);
      return respondToRest({ method, path, query, body, base: url }, { state: at ?? state, shapes, permissions });
    } catch (error) {
      if (error instanceof ErrorResponse) return error.response;
      throw error;
    }
  }

  const github: GitHub = {
    url,
    env: { GITHUB_API_URL: url },
    state,
    addRepository(name) {
      const other = new RepositoryState(name, { now: options.now, id: state.id + 1 + others.length });
      others.push(other);
      return other;
    },
    permissions,
    requests,
    fault: (fault) => faults.push({ times: 1, ...fault }),
    async close() {
      forget();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return github;
}

async function record(request: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://github');
  return {
    method: request.method ?? '',
    path: decodeURIComponent(pathname),
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: text === '' ? undefined : parseJson(text),
    status: undefined,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function hits({ method, path }: Fault, request: RecordedRequest): boolean {
  return (method === undefined || method === request.method) && (path === undefined || path.test(request.path));
}

function isBelow(path: string, repository: string): boolean {
  return `${path}/`.toLowerCase().startsWith(`/repos/${repository}/`.toLowerCase());
}

/** What GitHub checks on every request. */
function admit({ headers, body }: RecordedRequest, token: string): void {
  if (!headers['user-agent'])
    throw new ErrorResponse(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    );
  const [, given] = /^(?:bearer|token) (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (given === undefined) throw new ErrorResponse(401, 'Requires authentication');
  if (given !== token) throw new ErrorResponse(401, 'Bad credentials');
  if (typeof body === 'string') throw new ErrorResponse(400, 'Problems parsing JSON');
}

function write(response: ServerResponse, { status, headers = {}, body }: GitHubResponse): void {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    ...(text !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': 'C0DE:1F2E3D:4C5B6A:798897:65A4B3C2',
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': '999',
    'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3600),
    'x-ratelimit-resource': 'core',
    'x-ratelimit-used': '1',
    ...headers,
  });
  response.end(text);
}
