import { MockAgent } from 'undici';

/** GitHub's response to a GET: a body, or the status of an error. `path` is below the repository's: `/pulls/7`. */
export type GitHubScript = (path: string, query: URLSearchParams) => object | number;

/** A GitHub that responds as the script says. */
export function mockGitHub(script: GitHubScript): MockAgent {
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent
    .get('https://api.github.com')
    .intercept({ path: () => true, method: 'GET' })
    .reply(({ path }) => {
      const { pathname, searchParams } = new URL(path, 'https://api.github.com');
      const reply = script(decodeURIComponent(pathname).replace(/^\/repos\/[^/]+\/[^/]+/, ''), searchParams);
      const isError = typeof reply === 'number';
      return { statusCode: isError ? reply : 200, data: isError ? { message: 'no' } : reply };
    })
    .persist();
  return Object.assign(agent, { destroy: () => agent.close() });
}

/** A GitHub whose pull requests and git branches are in these states. */
export function statesOf(states: {
  open?: (number: number) => boolean;
  exists?: (ref: string) => boolean;
}): GitHubScript {
  const { open = () => false, exists = () => false } = states;
  return (path) => {
    const [, kind, name = ''] = /^\/(pulls|branches)\/?(.*)$/.exec(path) ?? [];
    if (kind === undefined) return { default_branch: 'main' };
    if (name === '') return [];
    if (kind === 'branches') return exists(name) ? { name } : 404;
    const isOpen = open(Number(name));
    return {
      number: Number(name),
      state: isOpen ? 'open' : 'closed',
      closed_at: isOpen ? null : '2026-01-01T00:00:00Z',
    };
  };
}
