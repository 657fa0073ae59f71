import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A pull request of a Gitea repository, as far as the action reads it. */
export interface GiteaPull {
  number: number;
  state: 'open' | 'closed';
  closed_at?: string | null;
  updated_at?: string;
  head: string;
}

interface GiteaComment {
  id: number;
  body: string;
  login: string;
}

/** A stand-in for the REST API of Gitea and Forgejo: one repository, and the token of a job. */
export interface Gitea {
  url: string;
  /** Variables as Gitea's runner sets them. */
  env: Record<string, string>;
  pulls: GiteaPull[];
  branches: string[];
  comments: GiteaComment[];
  /** `GET /repos/octo-org/octo-repo/pulls`, in order of arrival, without the API's own path. */
  requests: string[];
  /** The login in the response to `GET /user`; undefined as for a token that may not ask. */
  user: string | undefined;
  close(): Promise<void>;
}

const jobUser = 'gitea-actions';

export async function startGitea(options: { token: string; pageSize?: number }): Promise<Gitea> {
  const { token, pageSize = 2 } = options;
  const state: Pick<Gitea, 'pulls' | 'branches' | 'comments' | 'requests' | 'user'> = {
    ...{ pulls: [], branches: ['main'], comments: [], requests: [], user: jobUser },
  };
  let lastId = 0;

  /** Gitea ignores `head`, and sorts by `recentupdate` where GitHub has `updated`. */
  function listed(query: URLSearchParams): GiteaPull[] {
    const wanted = state.pulls.filter((one) => ['all', one.state].includes(query.get('state') ?? 'open'));
    const key = (one: GiteaPull) =>
      query.get('sort') === 'recentupdate' ? (one.updated_at ?? one.closed_at ?? '') : '';
    return wanted.sort((a, b) => (key(a) === key(b) ? b.number - a.number : key(a) < key(b) ? 1 : -1));
  }

  async function respond(request: IncomingMessage): Promise<{ status: number; body?: unknown; link?: string }> {
    const url = new URL(request.url ?? '', 'http://gitea.test');
    const path = url.pathname.replace(/^\/api\/v1/, '');
    state.requests.push(`${request.method} ${path}`);
    if (!url.pathname.startsWith('/api/v1/')) return { status: 404 };
    if (request.headers.authorization !== `token ${token}`)
      return { status: 401, body: { message: 'token is required' } };
    const paged = (all: unknown[]) => {
      const size = Math.min(pageSize, Number(url.searchParams.get('limit') ?? pageSize));
      const start = (Number(url.searchParams.get('page') ?? 1) - 1) * size;
      url.searchParams.set('page', String(start / size + 2));
      const link = start + size < all.length ? `<${url}>; rel="next"` : undefined;
      return { status: 200, body: all.slice(start, start + size), link };
    };
    if (path === '/user') {
      return state.user === undefined
        ? { status: 403, body: { message: 'no' } }
        : { status: 200, body: { login: state.user } };
    }
    const at = /^\/repos\/octo-org\/octo-repo(.*)$/.exec(path)?.[1];
    const route = `${request.method} ${at?.replace(/\d+/, ':n')}`;
    const number = Number(/\d+/.exec(at ?? '')?.[0]);
    const comment = state.comments.find(({ id }) => id === number);
    const shown = ({ id, body, login }: GiteaComment) => ({
      ...{
        id,
        body,
        user: { id: -2, login },
        html_url: `http://gitea.test/octo-org/octo-repo/pulls/7#issuecomment-${id}`,
      },
    });
    const pull = ({ head, ...one }: GiteaPull) => ({
      ...{ closed_at: null, updated_at: one.closed_at ?? '2020-01-01T00:00:00Z', ...one },
      head: { ref: head, label: head, repo: { owner: { login: 'octo-org' } } },
    });
    switch (route) {
      case 'GET ':
        return { status: 200, body: { id: 1, default_branch: 'main' } };
      case 'GET /branches':
        return paged(state.branches.map((name) => ({ name })));
      case 'GET /pulls':
        return paged(listed(url.searchParams).map(pull));
      case 'GET /pulls/:n': {
        const found = state.pulls.find((one) => one.number === number);
        return found ? { status: 200, body: pull(found) } : { status: 404, body: { message: 'not found' } };
      }
      // Gitea lists all comments of an issue at once.
      case 'GET /issues/:n/comments':
        return { status: 200, body: state.comments.map(shown) };
      case 'POST /issues/:n/comments': {
        const { body } = (await json(request)) as { body: string };
        const created = { id: ++lastId, body, login: jobUser };
        state.comments.push(created);
        return { status: 201, body: shown(created) };
      }
      case 'PATCH /issues/comments/:n': {
        if (!comment) return { status: 404 };
        Object.assign(comment, (await json(request)) as { body: string });
        return { status: 200, body: shown(comment) };
      }
      default:
        return { status: 404, body: { message: 'not found' } };
    }
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void respond(request).then(({ status, body, link }) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(link === undefined ? {} : { link }),
      });
      response.end(body === undefined ? '' : JSON.stringify(body));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    url,
    env: { GITHUB_SERVER_URL: url, GITHUB_API_URL: `${url}/api/v1` },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  });
}
