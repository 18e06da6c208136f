import type { Route } from "../route.ts";
import type { JsonSchema } from "./model.ts";

/** Ways to send a key. */
export const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "Your key in the `Authorization` header (preferred).",
  },
  apiKeyHeader: {
    type: "apiKey",
    in: "header",
    name: "X-Api-Key",
    description: "The same key in the `X-Api-Key` header.",
  },
  apiKeyQuery: {
    type: "apiKey",
    in: "query",
    name: "apikey",
    description: "The same key in the URL, for browsers and quick tests. URLs end up in logs.",
  },
  legacyKey: {
    type: "apiKey",
    in: "query",
    name: "apikey",
    description: "v1 only: a UUID, with or without dashes, authorized for specific database ids.",
  },
} satisfies Record<string, JsonSchema>;

type SchemeName = keyof typeof SECURITY_SCHEMES;

/** A request needs any one of the returned schemes. */
export function securityOf(route: Route): Partial<Record<SchemeName, []>>[] {
  return schemesOf(route).map((name) => ({ [name]: [] }));
}

function schemesOf(route: Route): SchemeName[] {
  if (route.scope === "public" || route.scope === "account") return [];
  if (route.scope === "v1 key") return ["legacyKey"];
  return route.bearerOnly ? ["bearer"] : ["bearer", "apiKeyHeader", "apiKeyQuery"];
}

/** As prose, because Spectral accepts OpenAPI's scopes only for OAuth. */
export function accessOf(route: Route): string {
  if (route.scope === "public") return "Requires no key.";
  if (route.scope === "v1 key") return "Requires a v1 key authorized for the `id`.";
  if (route.scope === "any key") return "Requires a valid key. No scope is needed.";
  if (route.scope === "account") return `Requires a session with the role ${route.roles.join(", ")}.`;
  const only = route.bearerOnly ? ", sent as `Authorization: Bearer`" : "";
  return `Requires a key with the scope \`${route.scope}\`${only}.`;
}
