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
  "GET /download/packages.json": {
    operationId: "listClientPackages",
    tag: "Documentation",
    curl: 'curl -fsS "$DBDEPOT_CLIENT_URL/download/packages.json"',
    responses: {
      200: {
        description: "The packages.",
        example: {
          packages: [
            {
              name: "dbdepot_amd64.deb",
              size: 30349556,
              sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            },
          ],
        },
      },
    },
  },
  "GET /download/:file": {
    operationId: "getClientPackage",
    tag: "Documentation",
    pathParameters: { file: "A name from `/download/packages.json`, or a name with `.sha256`." },
    curl: 'curl -fsSO "$DBDEPOT_CLIENT_URL/download/dbdepot_amd64.deb"',
    responses: {
      200: {
        description: "The package with its digest in `Repr-Digest`, or a line with the digest.",
        files: ["application/octet-stream", "text/plain"],
      },
    },
  },
};
