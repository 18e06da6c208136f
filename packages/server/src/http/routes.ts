import { ClientPackages } from "@dbdepot/contract/shared/client-packages";
import { Liveness, Readiness } from "@dbdepot/contract/shared/health";
import { LOGO_PATHS } from "../domain/brand/brand.ts";
import { darkLogo, logo } from "./brand.ts";
import { clientDigest, clientPackage, listPackages, systemPackage } from "./client-packages.ts";
import { consoleFile, redirectToConsole } from "./console/files.ts";
import { CONSOLE_ROUTES } from "./console/routes.ts";
import { DELTA_SHARING_ROUTES } from "./delta-sharing/routes.ts";
import { GEOIP_ROUTES } from "./geoip/routes.ts";
import { healthz, readyz } from "./health.ts";
import { IAM_ROUTES } from "./iam/routes.ts";
import { OAUTH_ROUTES } from "./oauth/routes.ts";
import { docs, openApiJson } from "./openapi/handlers.ts";
import { OPERATOR_ROUTES } from "./operator/routes.ts";
import type { Route } from "./route.ts";
import { postUnsubscribe, unsubscribePage } from "./unsubscribe.ts";
import { V1_ROUTES } from "./v1/routes.ts";
import { V2_ROUTES } from "./v2/routes.ts";
import { DESTINATION_ROUTES } from "./webhooks/destination-routes.ts";
import { WEBHOOK_ROUTES } from "./webhooks/routes.ts";

/** The reference and the client, for anyone. */
const REFERENCE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/openapi.json",
    scope: "public",
    handler: openApiJson(() => DOCUMENTED_ROUTES),
    summary: "Get the OpenAPI document",
    description: "Describes every endpoint in OpenAPI 3.1, for tools and client generators.",
  },
  {
    method: "GET",
    url: "/docs",
    scope: "public",
    handler: docs(() => DOCUMENTED_ROUTES),
    summary: "Get the API reference",
    description: "An HTML page with a guide, every endpoint with examples, and all error codes.",
  },
  {
    method: "GET",
    url: "/download/dbdepot-client.tgz",
    scope: "public",
    handler: clientPackage,
    summary: "Get the client",
    description:
      "The npm package of the `dbdepot` command and its library for Node.js, of this server's version. It has no dependencies. Install it with `npm install --global ./dbdepot-client.tgz`.",
  },
  {
    method: "GET",
    url: "/download/dbdepot-client.tgz.sha256",
    scope: "public",
    handler: clientDigest,
    summary: "Get the client's digest",
    description: "The SHA-256 of the client's package, for `sha256sum --check`.",
  },
  {
    method: "GET",
    url: "/download/packages.json",
    scope: "public",
    handler: listPackages,
    summary: "List packages for systems without Node.js",
    description:
      "The command `dbdepot` as Debian and RPM packages and as archives for other Linux systems, if the operator offers them.",
    response: ClientPackages,
  },
  {
    method: "GET",
    url: "/download/:file",
    scope: "public",
    handler: systemPackage,
    errors: ["NOT_FOUND"],
    summary: "Get a package for systems without Node.js",
    description:
      "A package that `/download/packages.json` lists. With `.sha256` after its name, its digest for `sha256sum --check`.",
  },
];

/** The OpenAPI document describes these. */
export const DOCUMENTED_ROUTES: readonly Route[] = [
  ...V2_ROUTES,
  ...V1_ROUTES,
  ...IAM_ROUTES,
  ...REFERENCE_ROUTES,
  ...WEBHOOK_ROUTES,
  ...DESTINATION_ROUTES,
  ...GEOIP_ROUTES,
  ...DELTA_SHARING_ROUTES,
  ...OAUTH_ROUTES,
  ...CONSOLE_ROUTES,
];

/** Load balancers and orchestrators use these. */
const HEALTH_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/healthz",
    scope: "public",
    handler: healthz,
    summary: "Check that the process is alive",
    response: Liveness,
  },
  {
    method: "GET",
    url: "/readyz",
    scope: "public",
    handler: readyz,
    summary: "Check that the server can serve requests",
    response: Readiness,
  },
];

/** People open these in a browser, so they are not part of the OpenAPI document. */
const PAGE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/",
    scope: "public",
    handler: redirectToConsole,
    summary: "Go to the console",
  },
  {
    method: "GET",
    url: LOGO_PATHS.light,
    scope: "public",
    handler: logo,
    summary: "Get the vendor's logo",
  },
  {
    method: "GET",
    url: LOGO_PATHS.dark,
    scope: "public",
    handler: darkLogo,
    summary: "Get the vendor's logo for dark backgrounds",
  },
  {
    method: "GET",
    url: "/unsubscribe",
    scope: "public",
    handler: unsubscribePage,
    summary: "Show the page that stops notifications",
  },
  {
    method: "POST",
    url: "/unsubscribe",
    scope: "public",
    handler: postUnsubscribe,
    summary: "Stop notifications",
  },
  ...["/console", "/console/*"].map(
    (url): Route => ({
      method: "GET",
      url,
      scope: "public",
      handler: consoleFile,
      summary: "Get the console",
    }),
  ),
];

export const ROUTES: readonly Route[] = [...DOCUMENTED_ROUTES, ...OPERATOR_ROUTES, ...HEALTH_ROUTES, ...PAGE_ROUTES];
