import type { State } from '../state.ts';

/** A parsed request, as passed to its handler. */
export interface Call {
  state: State;
  /** Path parameters, percent-decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** The parsed JSON body; undefined if there is none. */
  body: unknown;
}

export interface HandlerResponse {
  status: number;
  body?: unknown;
}

export type Handler = (call: Call) => HandlerResponse | Promise<HandlerResponse>;

export interface Route {
  method: string;
  /** As in the published description: `/projects/{project_id}/branches`. */
  template: string;
  handler: Handler;
  parts: string[];
}

/** The first matching route wins, so literal paths must come before those with a parameter in the same place. */
export function route(method: string, template: string, handler: Handler): Route {
  return { method, template, handler, parts: template.split('/') };
}

const parameter = (part: string): string | undefined => /^\{(.+)\}$/.exec(part)?.[1];

function matchPath(route: Route, parts: string[]): Record<string, string> | undefined {
  if (route.parts.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of route.parts.entries()) {
    const value = parts[index] ?? '';
    const name = parameter(part);
    if (name === undefined) {
      if (part !== value) return undefined;
    } else {
      if (value === '') return undefined;
      try {
        params[name] = decodeURIComponent(value);
      } catch {
        return undefined;
      }
    }
  }
  return params;
}

export interface RouteMatch {
  route: Route;
  params: Record<string, string>;
}

/** The route of a request. If only the method does not match, `allowed` lists those of the path; otherwise it is empty. */
export function findRoute(routes: Route[], method: string, path: string): RouteMatch | { allowed: string[] } {
  const parts = path.split('/');
  const allowed: string[] = [];
  for (const candidate of routes) {
    const params = matchPath(candidate, parts);
    if (!params) continue;
    if (candidate.method === method) return { route: candidate, params };
    allowed.push(candidate.method);
  }
  return { allowed };
}
