import { ROLES } from "@dbdepot/contract/console/accounts";
import { allows } from "@dbdepot/contract/shared/scopes";
import { scopesOf } from "../../domain/access/roles.ts";
import { SESSION_COOKIE } from "../cookies.ts";
import type { Route } from "../route.ts";
import type { JsonSchema } from "./model.ts";

/** Ways to send a key, and the session of a person. */
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
  basic: {
    type: "http",
    scheme: "basic",
    description:
      "For geoipupdate: your organization's account id as the user name, and the same key as the password. `GET /api/v1/iam/identity` returns the account id.",
  },
  legacyKey: {
    type: "apiKey",
    in: "query",
    name: "apikey",
    description: "v1 only: a UUID, with or without dashes, authorized for specific database ids.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: SESSION_COOKIE,
    description:
      "For people: the cookie that signing in to the console sets, named `__Host-dbdepot_session` on servers with an https URL. It is ignored if the request has a key. Changes must come from a page of the console (`Sec-Fetch-Site: same-origin`, or its `Origin`); others get 403 `CROSS_ORIGIN`.",
  },
} satisfies Record<string, JsonSchema>;

type SchemeName = keyof typeof SECURITY_SCHEMES;

/** A request needs any one of the returned schemes. */
export function securityOf(route: Route): Partial<Record<SchemeName, []>>[] {
  return schemesOf(route).map((name) => ({ [name]: [] }));
}

function schemesOf(route: Route): SchemeName[] {
  if (route.scope === "public") return [];
  if (route.scope === "account") return ["session"];
  if (route.scope === "v1 key") return ["legacyKey"];
  const keys: SchemeName[] = route.bearerOnly ? ["bearer"] : ["bearer", "apiKeyHeader", "apiKeyQuery"];
  if (route.acceptsBasic) keys.unshift("basic");
  return route.scope === "any key" ? keys : [...keys, "session"];
}

/** Scopes are described in prose, because Spectral accepts OpenAPI's scopes only for OAuth. */
export function accessOf(route: Route): string {
  if (route.scope === "public") return "Requires no key.";
  if (route.scope === "v1 key") return "Requires a v1 key authorized for the `id`.";
  if (route.scope === "any key") return "Requires a valid key. No scope is needed.";
  if (route.scope === "account") return `Requires a session. Roles: ${inCode(route.roles)}.`;
  const { scope, bearerOnly } = route;
  const only = bearerOnly ? ", sent as `Authorization: Bearer`" : "";
  const roles = ROLES.filter((role) => allows(scopesOf(role), scope));
  return `Requires a key with the scope \`${scope}\`${only}. Also accepts the session of a person with the role ${inCode(roles)}.`;
}

function inCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
