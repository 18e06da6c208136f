import type { Route } from "../route.ts";
import type { JsonSchema } from "./model.ts";

/** The ways to present a key. */
export const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "Your key in the `Authorization` header. The way to prefer.",
  },
  apiKeyHeader: {
    type: "apiKey",
    in: "header",
    name: "X-Api-Key",
    description: "The same key in a header of its own.",
  },
  apiKeyQuery: {
    type: "apiKey",
    in: "query",
    name: "apikey",
    description: "The same key in the address, for a browser or a quick try. Addresses end up in logs.",
  },
  legacyKey: {
    type: "apiKey",
    in: "query",
    name: "apikey",
    description: "v1 only: a UUID, with or without dashes, that is authorized for certain database ids.",
  },
} satisfies Record<string, JsonSchema>;

type SchemeName = keyof typeof SECURITY_SCHEMES;

/** Any one of the returned entries will do. */
export function securityOf(route: Route): Partial<Record<SchemeName, []>>[] {
  return schemesOf(route).map((name) => ({ [name]: [] }));
}

function schemesOf(route: Route): SchemeName[] {
  if (route.scope === "public") return [];
  if (route.scope === "v1 key") return ["legacyKey"];
  return route.bearerOnly ? ["bearer"] : ["bearer", "apiKeyHeader", "apiKeyQuery"];
}

/** In words: OpenAPI has a place for scopes, but Spectral lets only OAuth use it. */
export function accessOf(route: Route): string {
  if (route.scope === "public") return "Needs no key.";
  if (route.scope === "v1 key") return "Needs a v1 key that is authorized for the `id`.";
  const only = route.bearerOnly ? ", sent as `Authorization: Bearer`" : "";
  return `Needs a key with the scope \`${route.scope}\`${only}.`;
}
