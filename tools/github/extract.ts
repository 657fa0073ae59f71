/**
 * Extracts the few paths and types that the stand-in needs from GitHub's published descriptions, which are hundreds of megabytes:
 *
 *   npm install --prefix /tmp/github @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1
 *   node tools/github/extract.ts /tmp/github/node_modules/@octokit && npm run format
 *
 * Both packages are under the MIT licence. The result is only used to check responses and queries.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefinitionNode, type FieldDefinitionNode, Kind, parse, print, type TypeNode, visit } from 'graphql';

const PATHS: Record<string, string[]> = {
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['get', 'patch', 'delete'],
  '/repos/{owner}/{repo}/pulls': ['get'],
  '/repos/{owner}/{repo}/pulls/{pull_number}': ['get'],
  '/repos/{owner}/{repo}/git/ref/{ref}': ['get'],
  '/repos/{owner}/{repo}/git/matching-refs/{ref}': ['get'],
  '/repos/{owner}/{repo}/branches': ['get'],
  '/repos/{owner}/{repo}/branches/{branch}': ['get'],
  '/repos/{owner}/{repo}/actions/runs/{run_id}': ['get'],
};

const TYPES: Record<string, string[]> = {
  Query: ['id', 'repository', 'rateLimit', 'viewer'],
  RateLimit: ['cost', 'limit', 'remaining', 'resetAt', 'used'],
  Node: ['id'],
  Repository: [
    ...['id', 'databaseId', 'name', 'nameWithOwner', 'url', 'isFork', 'isPrivate', 'defaultBranchRef'],
    ...['pullRequest', 'pullRequests', 'ref', 'refs'],
  ],
  PullRequest: [
    ...['id', 'fullDatabaseId', 'number', 'state', 'title', 'url', 'closed', 'closedAt', 'merged', 'mergedAt'],
    ...['createdAt', 'updatedAt', 'isDraft', 'isCrossRepository', 'locked', 'author'],
    ...['headRefName', 'headRefOid', 'headRef', 'baseRefName'],
  ],
  PullRequestConnection: ['edges', 'nodes', 'pageInfo', 'totalCount'],
  PullRequestEdge: ['cursor', 'node'],
  Ref: ['id', 'name', 'prefix', 'target'],
  RefConnection: ['edges', 'nodes', 'pageInfo', 'totalCount'],
  RefEdge: ['cursor', 'node'],
  PageInfo: ['endCursor', 'hasNextPage', 'hasPreviousPage', 'startCursor'],
  GitObject: ['id', 'oid'],
  Commit: ['id', 'oid'],
  Actor: ['login', 'url'],
  Bot: ['id', 'login', 'url'],
  User: ['id', 'login', 'url'],
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

function extractSchema(text: string): string {
  const definitions = new Map<string, DefinitionNode>();
  for (const definition of parse(text).definitions)
    if ('name' in definition && definition.name && definition.kind !== Kind.DIRECTIVE_DEFINITION)
      definitions.set(definition.name.value, definition);
  const kept = new Map<string, DefinitionNode>();
  /** Scalars, enums and input types are copied as a whole, with the types that they use. */
  const keepWhole = (type: TypeNode): void => {
    let named = type;
    while (named.kind !== Kind.NAMED_TYPE) named = named.type;
    const name = named.name.value;
    const definition = definitions.get(name);
    if (!definition || kept.has(name) || name in TYPES) return;
    kept.set(name, definition);
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      for (const field of definition.fields ?? []) keepWhole(field.type);
  };
  for (const [name, fields] of Object.entries(TYPES)) {
    const definition = definitions.get(name);
    if (definition?.kind !== Kind.OBJECT_TYPE_DEFINITION && definition?.kind !== Kind.INTERFACE_TYPE_DEFINITION)
      throw new Error(`There is no type ${name}`);
    const chosen = fields.map((field): FieldDefinitionNode => {
      const found = definition.fields?.find((one) => one.name.value === field);
      if (!found) throw new Error(`${name} has no field ${field}`);
      keepWhole(found.type);
      for (const argument of found.arguments ?? []) keepWhole(argument.type);
      return found;
    });
    const interfaces = definition.interfaces?.filter((one) => one.name.value in TYPES) ?? [];
    kept.set(name, { ...definition, fields: chosen, interfaces });
  }
  return [...kept.values()]
    .map((node) =>
      visit(node, {
        enter: (part) => ('description' in part ? { ...part, description: undefined } : undefined),
        Directive: () => null,
      }),
    )
    .map((node) => print(node))
    .join('\n\n');
}

const [from] = process.argv.slice(2);
if (from === undefined) throw new Error('Usage: extract.ts …/node_modules/@octokit');
const openApi = JSON.parse(readFileSync(join(from, 'openapi/generated/api.github.com.json'), 'utf8'));
writeFileSync(join(import.meta.dirname, 'openapi.json'), JSON.stringify(extractOpenApi(openApi)));
writeFileSync(
  join(import.meta.dirname, 'schema.graphql'),
  extractSchema(readFileSync(join(from, 'graphql-schema/schema.graphql'), 'utf8')),
);
