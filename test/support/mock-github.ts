import type { Fetch } from '../../src/http/transport.ts';
import { scriptedFetch } from './mock-api.ts';

/** GitHub's response to a GET: a body, or the status of an error. `path` is below the repository's: `/pulls/7`. */
export type GitHubScript = (path: string, query: URLSearchParams) => object | number;

/** A GitHub that responds as the script says. */
export function mockGitHub(script: GitHubScript): Fetch {
  return scriptedFetch((request) => {
    const { pathname, searchParams } = new URL(request.path, request.origin);
    const reply = script(decodeURIComponent(pathname).replace(/^\/repos\/[^/]+\/[^/]+/, ''), searchParams);
    return typeof reply === 'number' ? { status: reply, body: { message: 'no' } } : { body: reply };
  });
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
