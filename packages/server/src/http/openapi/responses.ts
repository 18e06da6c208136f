import { SharingError } from "@dbdepot/contract/delta-sharing/tables";
import { GeoipError } from "@dbdepot/contract/geoip/editions";
import { AlreadyCreated } from "@dbdepot/contract/iam/keys";
import { OAuthError } from "@dbdepot/contract/oauth/oauth";
import { ERRORS, ErrorBody, type ErrorCode, ExplainedError } from "@dbdepot/contract/shared/errors";
import { BuildGone } from "@dbdepot/contract/v2/changes";
import type { TSchema } from "typebox";
import type { Route } from "../route.ts";
import { type HeaderName, headersOf } from "./headers.ts";
import { type JsonSchema, type MediaType, type Reference, type Response, referTo } from "./model.ts";
import { isConsoleRoute } from "./notes/console.ts";
import { BUILD_ID, KEY_ID } from "./notes/examples.ts";
import type { ResponseNotes } from "./notes/notes.ts";
import type { NamedSchemas } from "./schemas.ts";

/** Responses of many endpoints, shared as components. */
const COMMON = {
  NotAvailable: "NOT_AVAILABLE",
  TooManyRequests: "RATE_LIMITED",
  RequestTimeout: "REQUEST_TIMEOUT",
  HeadersTooLarge: "HEADERS_TOO_LARGE",
  Internal: "INTERNAL",
} as const satisfies Record<string, ErrorCode>;

/** Public pages are not rate limited and don't depend on the database. */
const NEEDS_A_KEY: readonly ErrorCode[] = ["RATE_LIMITED", "NOT_AVAILABLE"];

/** Error bodies with more fields than `rc`. */
const EXTENDED_BODIES: Partial<Record<ErrorCode, { schema: TSchema; more: object }>> = {
  ALREADY_CREATED: { schema: AlreadyCreated, more: { id: KEY_ID } },
  BUILD_GONE: { schema: BuildGone, more: { oldest_build_id: BUILD_ID } },
};

/** Errors that come with a `message` in the console. */
const EXPLAINED: readonly ErrorCode[] = ["INVALID_REQUEST", "NOT_FOUND", "CONFLICT"];

const ERROR_HEADERS: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  UNAUTHORIZED: ["WWW-Authenticate"],
  INVALID_APIKEY: ["WWW-Authenticate"],
  CHANGES_PENDING: ["Retry-After"],
  NOT_AVAILABLE: ["Retry-After"],
  RANGE_NOT_SATISFIABLE: ["Content-Range"],
  RATE_LIMITED: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  DOWNLOADS_USED_UP: ["Retry-After"],
  BYTES_USED_UP: ["Retry-After"],
  TOO_MANY_STREAMS: ["Retry-After"],
};

export function commonResponses(schemas: NamedSchemas): Record<string, Response> {
  return Object.fromEntries(Object.entries(COMMON).map(([name, code]) => [name, errorResponse([code], schemas)]));
}

export function responsesOf(
  route: Route,
  answers: Readonly<Record<string, ResponseNotes>>,
  schemas: NamedSchemas,
): Record<string, Response | Reference> {
  const responses: Record<string, Response | Reference> = {};
  for (const [status, notes] of Object.entries(answers)) responses[status] = answer(route, notes, schemas);
  const isExplained = isConsoleRoute(route);
  const { errorBody } = route;
  for (const [status, codes] of codesByStatus(route.errors ?? [])) {
    responses[status] = errorResponse(codes, schemas, { isExplained, errorBody });
  }
  for (const [name, code] of Object.entries(COMMON)) {
    if (route.scope === "public" && NEEDS_A_KEY.includes(code)) continue;
    if (code === "REQUEST_TIMEOUT" && !route.body) continue;
    // Headers are checked before the route is known.
    const isOwn = errorBody && code !== "HEADERS_TOO_LARGE";
    responses[ERRORS[code].status] ??= isOwn
      ? errorResponse([code], schemas, { errorBody })
      : referTo("responses", name);
  }
  return responses;
}

function answer(route: Route, notes: ResponseNotes, schemas: NamedSchemas): Response {
  const { description, headers = [], files, example } = notes;
  const response: Response = { description, headers: headersOf(headers) };
  if (files) response.content = Object.fromEntries(files.map((type) => [type, {}]));
  if (example !== undefined) {
    if (!route.response) throw new Error(`${route.url} has an example response but no response schema`);
    const schema = schemas.write(route.response);
    response.content = {
      ...response.content,
      "application/json": { schema, examples: { answer: { summary: description, value: example } } },
    };
  }
  return response;
}

function codesByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => ERRORS[code].status);
}

interface ErrorBodies {
  isExplained?: boolean;
  errorBody?: Route["errorBody"];
}

function errorResponse(codes: readonly ErrorCode[], schemas: NamedSchemas, bodies: ErrorBodies = {}): Response {
  const json: MediaType = {
    schema: bodySchema(codes, schemas, bodies),
    examples: Object.fromEntries(
      codes.map((code) => [
        code,
        {
          summary: ERRORS[code].meaning,
          value: bodies.errorBody?.(code) ?? { rc: code, ...EXTENDED_BODIES[code]?.more },
        },
      ]),
    ),
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join("\n\n"),
    headers: headersOf(codes.flatMap((code) => ERROR_HEADERS[code] ?? [])),
    content: { "application/json": json },
  };
}

function bodySchema(
  codes: readonly ErrorCode[],
  schemas: NamedSchemas,
  { isExplained, errorBody }: ErrorBodies,
): JsonSchema {
  if (errorBody) {
    const body = errorBody("INTERNAL");
    return schemas.write("rc" in body ? GeoipError : "errorCode" in body ? SharingError : OAuthError);
  }
  const plain = isExplained && codes.some((code) => EXPLAINED.includes(code)) ? ExplainedError : ErrorBody;
  const written = codes.map((code) => schemas.write(EXTENDED_BODIES[code]?.schema ?? plain));
  const [first = {}, ...others] = new Map(written.map((schema) => [schema.$ref, schema])).values();
  return others.length > 0 ? { anyOf: [first, ...others] } : first;
}
