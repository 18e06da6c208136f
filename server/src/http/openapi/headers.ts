import { type Header, type Parameter, type Reference, referTo } from "./model.ts";

/** The response headers that a client can count on. */
export const HEADERS = {
  "Accept-Ranges": text("`bytes`: parts of the file can be asked for with `Range`.", "bytes"),
  "Content-Disposition": text("An attachment, with the file's name.", 'attachment; filename="vpn_ip_v1.mmdb"'),
  "Content-Range": text("Which bytes these are, and of how many.", "bytes 1000-4095/4096"),
  ETag: text(
    "Send it back in `If-None-Match` to learn whether anything is new.",
    '"019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11"',
  ),
  "Last-Modified": text("When the build was published.", "Sun, 01 Nov 2026 04:00:00 GMT"),
  Link: text(
    'The address of the next page, `rel="next"` (RFC 8288). The last page has none.',
    '</api/v2/database/downloads?limit=50&before=MDE5YThmM2U>; rel="next"',
  ),
  Location: {
    description: "A time-limited link to the file at the object storage. It needs no key.",
    schema: {
      type: "string",
      format: "uri",
      examples: ["https://storage.example/vpn_ip_v1.mmdb?X-Amz-Expires=960&X-Amz-Signature=9f1c0e"],
    },
  },
  RateLimit: text("What is left of your limit, and the seconds until there is more.", '"default";r=0;t=2'),
  "RateLimit-Policy": text("Your limit: so many requests in so many seconds.", '"default";q=500;w=10'),
  "Repr-Digest": text(
    "The SHA-256 of what is sent or linked to, in Base64 (RFC 9530).",
    "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
  ),
  "Retry-After": {
    description: "How many seconds to wait before the next try.",
    schema: { type: "integer", minimum: 0, examples: [300] },
  },
  "WWW-Authenticate": text(
    "Why the key was refused, as far as RFC 6750 has words for it.",
    'Bearer realm="dbdepot", error="invalid_token"',
  ),
  "X-Build-Id": {
    description: "The build that this is about. Send it as `build` to ask for the same one again.",
    schema: { type: "string", format: "uuid", examples: ["019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11"] },
  },
  "X-Request-Id": text("Names this request: quote it when you ask for help.", "5f0c1a9be27d-4k"),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

/** Every answer has an id to ask about. */
export function headersOf(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries([...names, "X-Request-Id"].map((name) => [name, referTo("headers", name)]));
}

/** The request headers that some addresses heed. */
export const REQUEST_HEADERS = {
  IdempotencyKey: requestHeader(
    "Idempotency-Key",
    "Any text of yours, 1 to 255 visible ASCII characters. Sent again within a day, it creates no second key.",
  ),
  IfNoneMatch: requestHeader("If-None-Match", "The `ETag` that you have: if it still holds, the answer is 304."),
  IfRange: requestHeader(
    "If-Range",
    "The `ETag` of the file that you began with: if another is served now, it comes whole.",
  ),
  Range: requestHeader("Range", "The part of the file to send, such as `bytes=1000-`. One range only."),
} satisfies Record<string, Parameter>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

function text(description: string, example: string): Header {
  return { description, schema: { type: "string", examples: [example] } };
}

function requestHeader(name: string, description: string): Parameter {
  return { name, in: "header", required: false, description, schema: { type: "string" } };
}
