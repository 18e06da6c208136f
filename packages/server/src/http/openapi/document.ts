import { readFileSync } from "node:fs";
import { type Brand, OWN_BRAND } from "../../domain/brand/brand.ts";
import type { Route } from "../route.ts";
import { HEADERS, REQUEST_HEADERS } from "./headers.ts";
import type { Method, OpenApiDocument } from "./model.ts";
import { consoleNotes, isConsoleRoute } from "./notes/console.ts";
import { DELTA_SHARING_NOTES } from "./notes/delta-sharing.ts";
import { DESTINATION_NOTES } from "./notes/destinations.ts";
import { GEOIP_NOTES } from "./notes/geoip.ts";
import { KEY_NOTES } from "./notes/keys.ts";
import { type Notes, TAGS } from "./notes/notes.ts";
import { OAUTH_NOTES } from "./notes/oauth.ts";
import { PAGE_NOTES } from "./notes/pages.ts";
import { V1_NOTES } from "./notes/v1.ts";
import { V2_NOTES } from "./notes/v2.ts";
import { WEBHOOK_NOTES } from "./notes/webhooks.ts";
import { operationOf } from "./operation.ts";
import { commonResponses } from "./responses.ts";
import { NamedSchemas } from "./schemas.ts";
import { SECURITY_SCHEMES } from "./security.ts";
import { webhookEvents } from "./webhook-events.ts";

/** The version label of the interface, not of this program. */
const INTERFACE_VERSION = "2026.09.05";

export const NOTES: ReadonlyMap<string, Notes> = new Map(
  Object.entries({
    ...V2_NOTES,
    ...KEY_NOTES,
    ...WEBHOOK_NOTES,
    ...DESTINATION_NOTES,
    ...GEOIP_NOTES,
    ...DELTA_SHARING_NOTES,
    ...OAUTH_NOTES,
    ...V1_NOTES,
    ...PAGE_NOTES,
  }),
);

/** Builds the OpenAPI document from the route table and its notes. The console's routes need no notes. */
export function openApiDocument(routes: readonly Route[], brand: Brand = OWN_BRAND): OpenApiDocument {
  const schemas = new NamedSchemas();
  const paths: OpenApiDocument["paths"] = {};
  for (const route of routes) {
    const path = route.url.replace(/:([a-z]+)/g, "{$1}");
    const operation = operationOf(route, notesOf(route), schemas);
    paths[path] = { ...paths[path], [route.method.toLowerCase() as Method]: operation };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: brand.name,
      version: INTERFACE_VERSION,
      summary: "List, download and verify databases.",
      description: guideOf(brand),
      contact: contactOf(brand),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This service" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhookEvents(schemas),
    components: {
      responses: commonResponses(schemas),
      schemas: schemas.inOrder(),
      parameters: REQUEST_HEADERS,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function guideOf({ name }: Brand): string {
  const guide = readFileSync(new URL("guide.md", import.meta.url), "utf8");
  return guide.replace(/^dbdepot /, () => `${name} `);
}

function contactOf({ name, supportUrl }: Brand): OpenApiDocument["info"]["contact"] {
  if (name === OWN_BRAND.name) return { name: "Your database vendor" };
  const isMail = supportUrl?.startsWith("mailto:");
  return { name, ...(supportUrl && (isMail ? { email: supportUrl.slice("mailto:".length) } : { url: supportUrl })) };
}

function notesOf(route: Route): Notes {
  if (isConsoleRoute(route)) return consoleNotes(route);
  const { method, url } = route;
  const notes = NOTES.get(`${method} ${url}`);
  if (!notes) throw new Error(`${method} ${url} has no notes for the OpenAPI document`);
  return notes;
}
