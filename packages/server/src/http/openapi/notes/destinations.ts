import type { BucketDelivery, Destination, DestinationTest } from "@dbdepot/contract/v2/destinations";
import type { NotesByRoute } from "./notes.ts";

const pathParameters = { id: "The destination's `id`." };

const destination: Destination = {
  id: "019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15",
  bucket: "acme-data",
  prefix: "dbdepot",
  region: "eu-west-1",
  endpoint: null,
  access: "vendor",
  role_arn: null,
  access_key_id: null,
  encryption: null,
  description: "warehouse",
  families: null,
  formats: ["csvgz"],
  keep: 2,
  ownership: {
    key: "dbdepot/dbdepot-ownership-019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15.txt",
    content: "dbdepot-ownership=...",
    verified: "2026-10-01T09:35:00.000Z",
  },
  enabled: true,
  paused: null,
  paused_reason: null,
  failing_since: null,
  error: null,
  last_delivered: "2026-11-02T04:00:31.118Z",
  databases: [{ id: "vpn_ip_v1", build_id: "019a8f3e-7a10-7f42-8b8f-0d2a6c1e9b33", refused: null }],
  created: "2026-10-01T09:30:00.000Z",
};

const setup = {
  allowed: true,
  ways: ["vendor", "role"] as ("vendor" | "role")[],
  principal: "arn:aws:iam::123456789012:user/dbdepot",
  external_id: "dbdepot-...",
  endpoint: null,
};

const test: DestinationTest = {
  ok: false,
  steps: [
    { step: "ownership", ok: true, problem: null, error: null },
    {
      step: "write",
      ok: false,
      problem: "permission",
      error:
        "access was denied: compare the policy of the bucket, role or key with the one in the documentation (403 AccessDenied)",
    },
  ],
};

const delivery: BucketDelivery = {
  id: "019a8f3e-81aa-7e01-8d24-90b1c2d3e4f5",
  database_id: "vpn_ip_v1",
  build_id: "019a8f3e-7a10-7f42-8b8f-0d2a6c1e9b33",
  outcome: "delivered",
  files: 2,
  bytes: 18_212_334,
  problem: null,
  error: null,
  duration_ms: 2831,
  created: "2026-11-02T04:00:31.118Z",
};

const create = { bucket: "acme-data", prefix: "dbdepot", region: "eu-west-1", access: "vendor" };

export const DESTINATION_NOTES: NotesByRoute = {
  "GET /api/v2/destinations": {
    operationId: "listDestinations",
    tag: "Destinations",
    curl: curl("GET", ""),
    responses: { 200: { description: "The destinations.", example: { destinations: [destination], setup } } },
  },
  "POST /api/v2/destinations": {
    operationId: "createDestination",
    tag: "Destinations",
    curl: curl("POST", "", create),
    request: { description: "Where to deliver what, and how the service is let in.", example: create },
    responses: {
      200: { description: "The destination, with the object that proves ownership.", example: destination },
    },
  },
  "GET /api/v2/destinations/:id": {
    operationId: "getDestination",
    tag: "Destinations",
    curl: curl("GET", "/$DESTINATION_ID"),
    pathParameters,
    responses: { 200: { description: "The destination.", example: destination } },
  },
  "PATCH /api/v2/destinations/:id": {
    operationId: "updateDestination",
    tag: "Destinations",
    curl: curl("PATCH", "/$DESTINATION_ID", { keep: 3 }),
    pathParameters,
    request: { description: "Fields to change.", example: { keep: 3 } },
    responses: { 200: { description: "The destination after the change.", example: { ...destination, keep: 3 } } },
  },
  "DELETE /api/v2/destinations/:id": {
    operationId: "deleteDestination",
    tag: "Destinations",
    curl: curl("DELETE", "/$DESTINATION_ID"),
    pathParameters,
    responses: { 204: { description: "The destination was deleted." } },
  },
  "POST /api/v2/destinations/:id/test": {
    operationId: "testDestination",
    tag: "Destinations",
    curl: curl("POST", "/$DESTINATION_ID/test"),
    pathParameters,
    responses: { 200: { description: "What was tried, and which step failed.", example: test } },
  },
  "GET /api/v2/destinations/:id/deliveries": {
    operationId: "listBucketDeliveries",
    tag: "Destinations",
    curl: curl("GET", "/$DESTINATION_ID/deliveries"),
    pathParameters,
    responses: { 200: { description: "The deliveries.", headers: ["Link"], example: { deliveries: [delivery] } } },
  },
};

function curl(method: string, path: string, body?: object): string {
  const verb = method === "GET" ? "" : ` -X ${method}`;
  const data = body ? ` \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(body)}'` : "";
  return `curl -fsS${verb} -H "Authorization: Bearer $DBDEPOT_CLIENT_ADMIN_KEY"${data} \\\n  "$DBDEPOT_CLIENT_URL/api/v2/destinations${path}"`;
}
