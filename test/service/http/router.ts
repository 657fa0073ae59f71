import type { State } from '../state.ts';

/** One request, taken apart for its handler. */
export interface Call {
  state: State;
  /** The percent-decoded parts of the path, by their names in the route. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** The parsed JSON body; undefined where there is none. */
  body: unknown;
}

export interface Answer {
  status: number;
  body?: unknown;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

export interface Route {
  method: string;
  /** As in the published description: `/projects/{project_id}/branches`. */
  template: string;
  handler: Handler;
  parts: string[];
}

/** The first route in the table that fits wins, so literal paths stand before those with a parameter in their place. */
export function route(method: string, template: string, handler: Handler): Route {
  return { method, template, handler, parts: template.split('/') };
}

const parameter = (part: string): string | undefined => /^\{(.+)\}$/.exec(part)?.[1];

function match(route: Route, parts: string[]): Record<string, string> | undefined {
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

export interface Found {
  route: Route;
  params: Record<string, string>;
}

/** The route for a request; `allowed` lists the methods of the path where only the method does not fit. */
export function find(routes: Route[], method: string, path: string): Found | { allowed: string[] } {
  const parts = path.split('/');
  const allowed: string[] = [];
  for (const candidate of routes) {
    const params = match(candidate, parts);
    if (!params) continue;
    if (candidate.method === method) return { route: candidate, params };
    allowed.push(candidate.method);
  }
  return { allowed };
}
