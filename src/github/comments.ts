import type { CommentSubject } from '../report/comment.ts';
import type { GitHub, Octokit } from './client.ts';
import { GitHubError } from './errors.ts';
import { hasMarker } from './marker.ts';

type Listed = Awaited<ReturnType<Octokit['rest']['issues']['listComments']>>['data'][number];

/** A comment that is kept up to date on one pull request. */
export interface Keep {
  /** Number of the pull request. */
  number: number;
  subject: CommentSubject;
  body: string;
  /** Whether it is written where there is none yet, or only kept true where there is one. */
  create: boolean;
}

/** Comments on one page; GitHub gives no more. */
const perPage = 100;
/** Times that a comment is looked for and written anew, where the answer to writing it was lost or it went away meanwhile. */
const mostRounds = 3;

const read = (number: number) => ({
  goal: `read the comments of pull request #${number}`,
  permission: 'pull-requests: write',
});
const write = (number: number) => ({
  goal: `write the comment on pull request #${number}`,
  permission: 'pull-requests: write',
});

/**
 * Writes the comment, or brings the one that is there up to date, and returns its address; undefined where there is none and none
 * is to be. It is found by its marker and its author, over all pages; of several, the oldest is kept and the others go.
 */
export async function keepComment(github: GitHub, keep: Keep): Promise<string | undefined> {
  const author = await viewer(github);
  for (let round = 1; ; round++) {
    const [oldest, ...younger] = await ownComments(github, { ...keep, author });
    if (!oldest && !keep.create) return undefined;
    try {
      for (const one of younger) await remove(github, keep, one.id);
      if (oldest) return await update(github, keep, oldest);
      const made = await create(github, keep);
      return await settle(github, { ...keep, author, made });
    } catch (error) {
      // The answer to a create was lost, or what was to be updated is gone: what is there now?
      const again = error instanceof GitHubError && (error.kind === 'missing' || (error.kind === 'passing' && !oldest));
      if (!again || round >= mostRounds) throw error;
    }
  }
}

/** Another run may have written its own at the same moment. The older one stays, with what is known last. */
async function settle(
  github: GitHub,
  options: Keep & { author: string; made: { id: number; html_url: string } },
): Promise<string> {
  const { made, ...keep } = options;
  const [oldest] = await ownComments(github, keep);
  if (!oldest || oldest.id >= made.id) return made.html_url;
  await remove(github, keep, made.id);
  return update(github, keep, oldest);
}

/** Whose token it is. The workflow's own token writes as `github-actions[bot]`. */
async function viewer(github: GitHub): Promise<string> {
  const fallback = 'github-actions[bot]';
  try {
    const answer = await github.graphql(
      { goal: 'read whose token it is', permission: 'pull-requests: write' },
      'query { viewer { login } }',
      {},
    );
    const { login } = (answer.data as { viewer?: { login?: unknown } }).viewer ?? {};
    return typeof login === 'string' && login !== '' ? login : fallback;
  } catch (error) {
    // A token that GitHub rejects is rejected for what follows too, and there it is said better.
    if (error instanceof GitHubError && error.kind !== 'passing') return fallback;
    throw error;
  }
}

/** GraphQL and REST do not agree on whether the name of a bot ends in `[bot]`. */
function isBy(comment: Listed, author: string): boolean {
  const bare = (login: string) => login.replace(/\[bot\]$/, '').toLowerCase();
  const login = comment.user?.login ?? '';
  const sameKind = !author.endsWith('[bot]') || comment.user?.type === 'Bot';
  return sameKind && bare(login) === bare(author);
}

/** This token's own comments with the marker, oldest first. */
async function ownComments(github: GitHub, options: Keep & { author: string }): Promise<Listed[]> {
  const { number, subject, author } = options;
  const own: Listed[] = [];
  for (let page = 1; ; page++) {
    const answer = await github.rest(read(number), (octokit, request) =>
      octokit.rest.issues.listComments({
        owner: github.owner,
        repo: github.repo,
        issue_number: number,
        per_page: perPage,
        page,
        request,
      }),
    );
    own.push(...answer.data.filter((one) => isBy(one, author) && hasMarker(one.body ?? '', subject)));
    const more = /\brel="next"/.test(answer.headers.link ?? '');
    if (!more || answer.data.length === 0) return own.sort((a, b) => a.id - b.id);
  }
}

async function create(github: GitHub, { number, body }: Keep): Promise<{ id: number; html_url: string }> {
  // A second comment is worse than a second look: where the answer is lost, the next round looks for it first.
  const answer = await github.rest({ ...write(number), repeat: false }, (octokit, request) =>
    octokit.rest.issues.createComment({ owner: github.owner, repo: github.repo, issue_number: number, body, request }),
  );
  return answer.data;
}

async function update(github: GitHub, { number, body }: Keep, comment: Listed): Promise<string> {
  if (comment.body === body) return comment.html_url;
  const answer = await github.rest(write(number), (octokit, request) =>
    octokit.rest.issues.updateComment({
      owner: github.owner,
      repo: github.repo,
      comment_id: comment.id,
      body,
      request,
    }),
  );
  return answer.data.html_url;
}

async function remove(github: GitHub, { number }: Keep, id: number): Promise<void> {
  try {
    await github.rest(write(number), (octokit, request) =>
      octokit.rest.issues.deleteComment({ owner: github.owner, repo: github.repo, comment_id: id, request }),
    );
  } catch (error) {
    if (!(error instanceof GitHubError && error.kind === 'missing')) throw error;
  }
}
