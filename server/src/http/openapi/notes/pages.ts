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
};
