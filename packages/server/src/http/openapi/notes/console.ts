import type { TSchema } from "typebox";
import type { Route } from "../../route.ts";
import { exampleOf } from "../example.ts";
import type { HeaderName } from "../headers.ts";
import type { Notes, ResponseNotes } from "./notes.ts";

/** Describes the `:id` in the URL, by the word before it. */
const IDS: Readonly<Record<string, string>> = {
  databases: "A database id, such as `vpn_ip_v1`.",
  accounts: "The account's `id`.",
  sessions: "The session's `id`.",
  passkeys: "The passkey's `id`.",
};

const SIGNS_IN = [
  "POST /api/console/session",
  "POST /api/console/session/second-factor",
  "POST /api/console/links/accept",
];

/** Successful responses of routes that respond with something other than 200 and JSON, or 204. */
const RESPONSES: Readonly<Record<string, Notes["responses"]>> = {
  "GET /api/console/oidc/start": {
    302: { description: "A redirect to the provider, or back to the sign-in page. No body." },
  },
  "GET /api/console/oidc/callback": {
    302: { description: "A redirect to the console, or back to the sign-in page. No body." },
  },
  "POST /api/console/password-resets": { 202: { description: "The request was received. No body." } },
};

export function isConsoleRoute({ url }: Route): boolean {
  return url.startsWith("/api/console/");
}

/** Notes for a route of the console, derived from its row in the route table. */
export function consoleNotes(route: Route): Notes {
  const { url, body, response } = route;
  return {
    operationId: operationIdOf(route),
    tag: "Console",
    pathParameters: { id: IDS[url.split("/")[3] ?? ""] ?? "The `id`." },
    ...(body && { request: { description: descriptionOf(body), example: exampleOf(body) } }),
    responses: RESPONSES[nameOf(route)] ?? (response ? { 200: successOf(route, response) } : { 204: DONE }),
  };
}

const DONE: ResponseNotes = { description: "Done. No body." };

function successOf(route: Route, response: TSchema): ResponseNotes {
  const { url } = route;
  const { properties = {} } = (route.query ?? {}) as { properties?: object };
  const headers: HeaderName[] = [
    ...("cursor" in properties || "before" in properties ? (["Link"] as const) : []),
    ...("sort" in properties && !url.endsWith("/usage") ? (["X-Total-Count"] as const) : []),
    ...(SIGNS_IN.includes(nameOf(route)) ? (["Set-Cookie"] as const) : []),
  ];
  const files = "format" in properties ? { files: ["text/csv"] } : {};
  return { description: descriptionOf(response), headers, example: exampleOf(response), ...files };
}

/** `PATCH /api/console/accounts/:id` is `patchConsoleAccountsId`. */
function operationIdOf({ method, url }: Route): string {
  const words = url.split(/[^a-z]+/).filter((word) => word !== "" && word !== "api");
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function nameOf({ method, url }: Route): string {
  return `${method} ${url}`;
}

function descriptionOf(schema: TSchema): string {
  return (schema as { description?: string }).description ?? "";
}
