import type { NotesByRoute } from "./notes.ts";

export const PAGE_NOTES: NotesByRoute = {
  "GET /openapi.json": {
    operationId: "getOpenApiDocument",
    tag: "Documentation",
    curl: 'curl -fsS -o openapi.json "$DBDEPOT_URL/openapi.json"',
    requestHeaders: ["IfNoneMatch"],
    answers: {
      200: { description: "The OpenAPI 3.1 document.", headers: ["ETag"], files: ["application/json"] },
      304: { description: "What you have is still current. No body.", headers: ["ETag"] },
    },
  },
  "GET /docs": {
    operationId: "getDocs",
    tag: "Documentation",
    curl: 'curl -fsS -o dbdepot.html "$DBDEPOT_URL/docs"',
    requestHeaders: ["IfNoneMatch"],
    answers: {
      200: { description: "The page.", headers: ["ETag"], files: ["text/html"] },
      304: { description: "What you have is still current. No body.", headers: ["ETag"] },
    },
  },
};
