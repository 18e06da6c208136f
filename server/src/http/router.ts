import type { Route } from "./route.ts";

const PARAMETER_MAX_LENGTH = 100;

export interface FoundRoute {
  route: Route;
  params: Record<string, string>;
}

export type Found = FoundRoute | { allow: string[] };

/** Finds the route of an address; or the methods that it takes, which are none where there is nothing. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Found {
  const nothing: Record<string, string> = {};
  const direct = new Map<string, Map<string, Found>>();
  for (const route of routes) {
    for (const method of methodsOf(route)) {
      const byUrl = direct.get(method) ?? new Map<string, Found>();
      direct.set(method, byUrl.set(route.url, { route, params: nothing }));
    }
  }
  const patterns = routes.map((route) => ({ route, segments: route.url.split("/") }));
  return (method, path) => direct.get(method)?.get(path) ?? findByPattern(method, path);

  function findByPattern(method: string, path: string): Found {
    const given = decodeSegments(path);
    const allow: string[] = [];
    for (const { route, segments } of given ? patterns : []) {
      const params = match(segments, given ?? []);
      if (!params) continue;
      if (methodsOf(route).includes(method)) return { route, params };
      allow.push(...methodsOf(route));
    }
    return { allow };
  }
}

function methodsOf({ method }: Route): string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

/** Undefined for what cannot be decoded: it names nothing. */
function decodeSegments(path: string): string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function match(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const value = given[i] ?? "";
    if (!segment.startsWith(":")) {
      if (segment !== value) return undefined;
    } else {
      if (value === "" || value.length > PARAMETER_MAX_LENGTH) return undefined;
      params[segment.slice(1)] = value;
    }
  }
  return params;
}
