/**
 * Extracts the few paths that the stand-in needs from GitHub's published description, which has hundreds of megabytes:
 *
 *   npm install --prefix /tmp/github @octokit/openapi@23.0.2
 *   node tools/github/extract.ts /tmp/github/node_modules/@octokit && npm run format
 *
 * The package is under the MIT licence. The result is only used to check responses.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PATHS: Record<string, string[]> = {
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['patch'],
  '/repos/{owner}/{repo}/pulls': ['get'],
  '/repos/{owner}/{repo}/pulls/{pull_number}': ['get'],
  '/repos/{owner}/{repo}/branches': ['get'],
};

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Descriptions are most of the bytes. */
const WORDS = new Set(['description', 'example', 'examples', 'externalDocs', 'x-github', 'summary', 'tags']);

function withoutWords(value: Json, isMap = false): Json {
  if (Array.isArray(value)) return value.map((one) => withoutWords(one));
  if (value === null || typeof value !== 'object') return value;
  // Below `properties`, a key is the name of a property.
  const kept = Object.entries(value).filter(([key]) => isMap || !WORDS.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutWords(one, key === 'properties')]));
}

function extractOpenApi(whole: { openapi: Json; paths: Json; components: Json; info: Json }): Json {
  const at = (...keys: string[]): Json =>
    keys.reduce<Json>((value, key) => (value as Record<string, Json>)[key] ?? null, whole as Json);
  const components: Record<string, Record<string, Json>> = {};
  const follow = (value: Json): void => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value) && typeof value.$ref === 'string') {
      const [, , group = '', name = ''] = value.$ref.split('/');
      const known = components[group] ?? {};
      components[group] = known;
      if (name in known) return;
      const component = withoutWords(at('components', group, name));
      known[name] = component;
      follow(component);
    }
    for (const one of Object.values(value)) follow(one);
  };
  const paths: Record<string, Record<string, Json>> = {};
  for (const [path, methods] of Object.entries(PATHS)) {
    const operations = methods.map((method): [string, Json] => {
      const { parameters, requestBody, responses } = at('paths', path, method) as Record<string, Json>;
      return [
        method,
        withoutWords({ parameters: parameters ?? [], requestBody: requestBody ?? {}, responses: responses ?? {} }),
      ];
    });
    paths[path] = Object.fromEntries(operations);
  }
  follow(paths);
  return { openapi: whole.openapi, info: whole.info, paths, components };
}

const [from] = process.argv.slice(2);
if (from === undefined) throw new Error('Usage: extract.ts …/node_modules/@octokit');
const openApi = JSON.parse(readFileSync(join(from, 'openapi/generated/api.github.com.json'), 'utf8'));
writeFileSync(join(import.meta.dirname, 'openapi.json'), JSON.stringify(extractOpenApi(openApi)));
