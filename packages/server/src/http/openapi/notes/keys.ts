import * as examples from "./examples.ts";
import type { NotesByRoute } from "./notes.ts";

const pathParameters = { id: "The key's `id`." };

export const KEY_NOTES: NotesByRoute = {
  "POST /api/v1/iam/apikeys": {
    operationId: "accountCreateApikey",
    tag: "Keys",
    curl: curl("POST", "", examples.createKeyRequest),
    requestHeaders: ["IdempotencyKey"],
    request: { description: "Name and permissions of the new key.", example: examples.createKeyRequest },
    responses: { 200: { description: "The key with its secret.", example: examples.createdKey } },
  },
  "GET /api/v1/iam/apikeys": {
    operationId: "accountListApikeys",
    tag: "Keys",
    curl: curl("GET", ""),
    responses: { 200: { description: "The keys.", headers: ["Link", "X-Total-Count"], example: examples.apiKeyList } },
  },
  "POST /api/v1/iam/apikeys/:id/rotate": {
    operationId: "accountRotateApikey",
    tag: "Keys",
    curl: curl("POST", "/$KEY_ID/rotate", { overlap_seconds: 3600 }),
    pathParameters,
    request: { description: "How long the old secret keeps working.", example: { overlap_seconds: 3600 } },
    responses: { 200: { description: "The key with its new secret.", example: examples.createdKey } },
  },
  "POST /api/v1/iam/apikeys/:id/end-overlap": {
    operationId: "endKeyOverlap",
    tag: "Keys",
    curl: curl("POST", "/$KEY_ID/end-overlap"),
    pathParameters,
    request: { description: "An empty object.", example: {} },
    responses: { 200: { description: "The key.", example: examples.changedKey } },
  },
  "POST /api/v1/iam/apikeys/:id/revoke": {
    operationId: "accountRevokeApikey",
    tag: "Keys",
    curl: curl("POST", "/$KEY_ID/revoke"),
    pathParameters,
    request: { description: "An empty object.", example: {} },
    responses: { 200: { description: "The key after the change.", example: examples.revokedKey } },
  },
  "PATCH /api/v1/iam/apikeys/:id": {
    operationId: "updateKey",
    tag: "Keys",
    curl: curl("PATCH", "/$KEY_ID", { name: "nightly update" }),
    pathParameters,
    request: { description: "Fields to change.", example: { name: "nightly update" } },
    responses: { 200: { description: "The key after the change.", example: examples.changedKey } },
  },
  "GET /api/v1/iam/identity": {
    operationId: "accountIdentity",
    tag: "Keys",
    curl: 'curl -fsS -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" \\\n  "$DBDEPOT_CLIENT_URL/api/v1/iam/identity"',
    responses: { 200: { description: "The calling key.", example: examples.identity } },
  },
  "GET /api/v1/iam/org": {
    operationId: "accountOrg",
    tag: "Keys",
    curl: 'curl -fsS -H "Authorization: Bearer $DBDEPOT_CLIENT_ADMIN_KEY" \\\n  "$DBDEPOT_CLIENT_URL/api/v1/iam/org"',
    responses: { 200: { description: "Your organization.", example: examples.ownOrganization } },
  },
};

function curl(method: string, path: string, body?: object): string {
  const verb = method === "GET" ? "" : ` -X ${method}`;
  const data = body ? ` \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(body)}'` : "";
  return `curl -fsS${verb} -H "Authorization: Bearer $DBDEPOT_CLIENT_ADMIN_KEY"${data} \\\n  "$DBDEPOT_CLIENT_URL/api/v1/iam/apikeys${path}"`;
}
