import type { ServerResponse } from "node:http";
import { type ByteRange, parseRange } from "@dbdepot/formats/transfers/byte-range";
import { FileStream } from "@dbdepot/formats/transfers/file-stream";
import { allowsRange, evaluatePreconditions } from "@dbdepot/formats/transfers/preconditions";
import { sendStream } from "@dbdepot/formats/transfers/send-stream";
import type { HandOver, StoredObject } from "../../domain/builds/object-store.ts";
import type { OpenObject } from "./disk.ts";

/** The gateway's error responses, with the codes and statuses of S3. */
const GATEWAY_ERRORS = {
  AccessDenied: { status: 403, message: "Access Denied" },
  AuthorizationQueryParametersError: { status: 400, message: "The signature parameters are malformed" },
  InternalError: { status: 500, message: "We encountered an internal error. Please try again." },
  InvalidAccessKeyId: { status: 403, message: "The link was signed with an unknown access key id" },
  InvalidArgument: { status: 400, message: "Invalid Argument" },
  InvalidRange: { status: 416, message: "The requested range is not satisfiable" },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  MethodNotAllowed: { status: 405, message: "The specified method is not allowed against this resource." },
  NoSuchKey: { status: 404, message: "The specified key does not exist." },
  PreconditionFailed: { status: 412, message: "At least one of the preconditions you specified did not hold" },
  SignatureDoesNotMatch: {
    status: 403,
    message: "The signature does not match the request: use the link unchanged, with the method that it was made for",
  },
  SlowDown: { status: 503, message: "Please reduce your request rate." },
} as const;

type GatewayErrorCode = keyof typeof GATEWAY_ERRORS;

const PREFLIGHT_MAX_AGE_SECONDS = 24 * 3600;
const METHODS = "GET, HEAD, OPTIONS";

/** Any page may use a link that it has: the signature grants access, not cookies. */
const COMMON_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, X-Request-Id",
};

export interface SendOptions {
  handOver?: HandOver | undefined;
  onSent?: ((bytes: number) => void) | undefined;
}

/** Sends the object, or the requested range of it. `parameters` are those of the link. */
export async function sendObject(
  response: ServerResponse,
  object: OpenObject,
  parameters: ReadonlyMap<string, string>,
  { handOver, onSent }: SendOptions = {},
): Promise<void> {
  const { method, headers: conditions } = response.req;
  const { sizeBytes, modified } = object;
  const validators = { etag: etagOf(object), modified };
  const headers = {
    ...COMMON_HEADERS,
    // Shared caches must not store it, and proxies must not compress it again.
    "Cache-Control": "private, no-transform",
    ETag: validators.etag,
    "Last-Modified": modified.toUTCString(),
  };
  const precondition = evaluatePreconditions(conditions, validators);
  if (precondition === "failed") return sendError(response, "PreconditionFailed");
  if (precondition === "not_modified") {
    response.writeHead(304, { ...headers, "Accept-Ranges": "bytes" }).end();
    return;
  }
  const range = allowsRange(conditions, validators) ? parseRange(conditions.range, sizeBytes) : "whole";
  if (range === "unsatisfiable") {
    response.setHeader("Content-Range", `bytes */${sizeBytes}`);
    return sendError(response, "InvalidRange");
  }
  const isPart = range !== "whole";
  const { first, last }: ByteRange = isPart ? range : { first: 0, last: sizeBytes - 1 };
  const contentDisposition = parameters.get("response-content-disposition");
  const described = {
    ...headers,
    ...(contentDisposition && { "Content-Disposition": contentDisposition }),
    "Content-Type": parameters.get("response-content-type") || "application/octet-stream",
  };
  const proxyHeader = handOver?.(response.req, object.key, isPart);
  if (proxyHeader) {
    // The proxy selects the range and adds the status and the headers that depend on it.
    response.writeHead(200, { ...described, ...proxyHeader, "Content-Length": 0 }).end();
    return;
  }
  response.writeHead(isPart ? 206 : 200, {
    ...described,
    "Accept-Ranges": "bytes",
    "Content-Length": last - first + 1,
    ...(isPart && { "Content-Range": `bytes ${first}-${last}/${sizeBytes}` }),
  });
  if (method === "HEAD") response.end();
  else await sendStream(new FileStream(object.handle, { first, last }), response, last - first + 1, { onSent });
}

/**
 * Derives the tag from size and time, as nginx does. It stays the same after a restart, in every process, and after a
 * copy that preserves times to the second (tar, rsync -a). That is enough, because objects are never overwritten.
 */
function etagOf({ sizeBytes, modified }: StoredObject): string {
  return `"${Math.floor(modified.getTime() / 1000).toString(16)}-${sizeBytes.toString(16)}"`;
}

export function sendPreflight(response: ServerResponse): void {
  response
    .writeHead(204, {
      ...COMMON_HEADERS,
      Allow: METHODS,
      "Access-Control-Allow-Methods": "GET, HEAD",
      "Access-Control-Allow-Headers":
        "If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range",
      "Access-Control-Max-Age": PREFLIGHT_MAX_AGE_SECONDS,
    })
    .end();
}

export function sendError(
  response: ServerResponse,
  code: GatewayErrorCode,
  message: string = GATEWAY_ERRORS[code].message,
): void {
  const { headers } = response.req;
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  const body = errorXml(code, message, String(response.getHeader("X-Request-Id")));
  response.writeHead(GATEWAY_ERRORS[code].status, {
    ...COMMON_HEADERS,
    "Cache-Control": "no-store",
    "Content-Type": "application/xml",
    "Content-Length": Buffer.byteLength(body),
    ...(code === "MethodNotAllowed" && { Allow: METHODS }),
    ...(code === "SlowDown" && { "Retry-After": 1 }),
    // Otherwise Node would read a request body to its end, only to discard it.
    ...(hasBody && { Connection: "close" }),
  });
  response.end(body);
}

/** An error body that S3 clients understand. */
function errorXml(code: GatewayErrorCode, message: string, requestId: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message><RequestId>${requestId}</RequestId></Error>`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
}
