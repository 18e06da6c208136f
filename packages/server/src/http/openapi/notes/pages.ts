import type { NotesByRoute } from "./notes.ts";

export const PAGE_NOTES: NotesByRoute = {
  "GET /openapi.json": {
    operationId: "getOpenApiDocument",
    tag: "Documentation",
    curl: 'curl -fsS -o openapi.json "$DBDEPOT_CLIENT_URL/openapi.json"',
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The OpenAPI 3.1 document.", headers: ["ETag"], files: ["application/json"] },
      304: { description: "Not modified. No body.", headers: ["ETag"] },
    },
  },
  "GET /docs": {
    operationId: "getDocs",
    tag: "Documentation",
    curl: 'curl -fsS -o dbdepot.html "$DBDEPOT_CLIENT_URL/docs"',
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The page.", headers: ["ETag"], files: ["text/html"] },
      304: { description: "Not modified. No body.", headers: ["ETag"] },
    },
  },
  "GET /download/dbdepot-client.tgz": {
    operationId: "getClient",
    tag: "Documentation",
    curl: 'curl -fsSO "$DBDEPOT_CLIENT_URL/download/dbdepot-client.tgz"',
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The package.", headers: ["ETag", "Repr-Digest"], files: ["application/gzip"] },
      304: { description: "Not modified. No body.", headers: ["ETag", "Repr-Digest"] },
    },
  },
  "GET /download/dbdepot-client.tgz.sha256": {
    operationId: "getClientDigest",
    tag: "Documentation",
    curl: 'curl -fsSO "$DBDEPOT_CLIENT_URL/download/dbdepot-client.tgz.sha256"',
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The digest in hexadecimal and the file's name.", headers: ["ETag"], files: ["text/plain"] },
      304: { description: "Not modified. No body.", headers: ["ETag"] },
    },
  },
};
