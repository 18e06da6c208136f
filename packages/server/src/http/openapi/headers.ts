import { type Header, type Parameter, type Reference, referTo } from "./model.ts";

/** Documented response headers. */
export const HEADERS = {
  "Accept-Ranges": text("`bytes`: the endpoint supports `Range`.", "bytes"),
  "Content-Disposition": text("An attachment with the file name.", 'attachment; filename="vpn_ip_v1.mmdb"'),
  "Content-Range": text("The returned byte range and the total size.", "bytes 1000-4095/4096"),
  ETag: text("Send it in `If-None-Match` to get 304 if nothing has changed.", '"019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11"'),
  "Delta-Sharing-Capabilities": text("The format of the response.", "responseformat=parquet"),
  "Delta-Table-Version": text("The version of the table.", "7"),
  "X-Database-MD5": text("MD5 of the MMDB file, before it is compressed.", "7d793037a0760186574b0282f2f435e7"),
  "Last-Modified": text("When the build was published.", "Sun, 01 Nov 2026 04:00:00 GMT"),
  Link: text(
    'URL of the next page, `rel="next"` (RFC 8288). Absent on the last page.',
    '</api/v2/database/downloads?limit=50&before=MDE5YThmM2U>; rel="next"',
  ),
  Location: {
    description: "A time-limited link to the file in object storage. Requires no key.",
    schema: {
      type: "string",
      format: "uri",
      examples: ["https://storage.example/vpn_ip_v1.mmdb?X-Amz-Expires=960&X-Amz-Signature=9f1c0e"],
    },
  },
  RateLimit: text("Remaining requests, and seconds until more are available.", '"default";r=0;t=2'),
  "RateLimit-Policy": text("Your limit: requests per window in seconds.", '"default";q=500;w=10'),
  "Repr-Digest": text(
    "SHA-256 of the returned or linked content, in Base64 (RFC 9530).",
    "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
  ),
  "Retry-After": {
    description: "Seconds to wait before retrying.",
    schema: { type: "integer", minimum: 0, examples: [300] },
  },
  "Set-Cookie": text(
    "The session, in a cookie that scripts cannot read.",
    "__Host-dbdepot_session=Zk3v9Xq2a; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure",
  ),
  "WWW-Authenticate": text(
    "Why the key was refused, as far as RFC 6750 defines a reason.",
    'Bearer realm="dbdepot", error="invalid_token"',
  ),
  "X-Build-Id": {
    description: "The build this response refers to. Send it as `build` to request the same build again.",
    schema: { type: "string", format: "uuid", examples: ["019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11"] },
  },
  "X-Patch-From": text(
    "SHA-256 of the file that the patch starts from, in hex. Absent if the response is about the whole file.",
    "9f1c0e2d".repeat(8),
  ),
  "X-Patch-Sha256": text("SHA-256 of the patch, in hex. `Repr-Digest` is that of its result.", "1b4f0e98".repeat(8)),
  "X-Patch-Size": text("Size of the patch in bytes.", "592144"),
  "X-Total-Count": {
    description: "The number of items on all pages together. On the first page only.",
    schema: { type: "integer", minimum: 0, examples: [1240] },
  },
  "X-Request-Id": text("Identifies the request. Include it when you report a problem.", "5f0c1a9be27d-4k"),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

/** Every response also has a request id. */
export function headersOf(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries([...names, "X-Request-Id"].map((name) => [name, referTo("headers", name)]));
}

export const REQUEST_HEADERS = {
  IdempotencyKey: requestHeader(
    "Idempotency-Key",
    "A unique value, 1 to 255 visible ASCII characters. Repeating it within a day does not create a second key.",
  ),
  LastEventId: requestHeader("Last-Event-ID", "The `id` of the last event you received, to get all later ones."),
  IfNoneMatch: requestHeader("If-None-Match", "The last `ETag`. If it still matches, the response is 304."),
  IfRange: requestHeader(
    "If-Range",
    "The `ETag` of the partial file. If it no longer matches, the whole file is returned.",
  ),
  Range: requestHeader(
    "Range",
    "The byte range to return, for example `bytes=1000-`. Only a single range is supported.",
  ),
} satisfies Record<string, Parameter>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

function text(description: string, example: string): Header {
  return { description, schema: { type: "string", examples: [example] } };
}

function requestHeader(name: string, description: string): Parameter {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}
