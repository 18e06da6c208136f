import {
  ApiKeyList,
  ApiKeysQuery,
  ChangedKey,
  CreatedKey,
  CreateKeyRequest,
  Identity,
  OwnOrganization,
  RevokeKeyRequest,
  RotateKeyRequest,
  UpdateKeyRequest,
} from "@dbdepot/contract/iam/keys";
import { endpoint } from "../endpoint.ts";
import type { Route } from "../route.ts";
import { identity, organization } from "./identity.ts";
import { createKey, endKeyOverlap, listKeys, revokeKey, rotateKey, updateKey } from "./keys.ts";

/** The only conflict about a key is that it was revoked. */
const KEY_FAULTS = { conflict: "KEY_REVOKED" } as const;

/** An organization's own keys, and who the caller is. */
export const IAM_ROUTES: readonly Route[] = [
  endpoint({
    method: "POST",
    url: "/api/v1/iam/apikeys",
    scope: "apikeys.manage",
    respond: createKey,
    summary: "Create a key",
    description:
      "Creates a key for your organization. The secret is returned only in this response. To retry safely, send an `Idempotency-Key` header (1 to 255 visible ASCII characters): repeating the request within a day returns 409 `ALREADY_CREATED` with the `id` of the key created first.",
    body: CreateKeyRequest,
    response: CreatedKey,
    errors: ["ALREADY_CREATED", "TOO_MANY_KEYS"],
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "GET",
    url: "/api/v1/iam/apikeys",
    scope: "apikeys.read",
    respond: listKeys,
    summary: "List keys",
    description:
      "Returns your organization's keys, newest first, including revoked ones, without secrets. The `Link` header points to the next page. The scope `apikeys.manage` includes `apikeys.read`.",
    query: ApiKeysQuery,
    response: ApiKeyList,
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "POST",
    url: "/api/v1/iam/apikeys/:id/rotate",
    scope: "apikeys.manage",
    respond: rotateKey,
    summary: "Rotate a key",
    description:
      "Issues a new secret, which is returned only in this response. The old secret keeps working for `overlap_seconds`. A key restricted to CIDRs can rotate only keys restricted to a subset of them, and a key that expires only keys that expire no later.",
    body: RotateKeyRequest,
    isBodyOptional: true,
    response: CreatedKey,
    errors: ["OUTSIDE_CIDRS", "BEYOND_EXPIRY", "NOT_FOUND", "KEY_REVOKED"],
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "POST",
    url: "/api/v1/iam/apikeys/:id/end-overlap",
    scope: "apikeys.manage",
    respond: endKeyOverlap,
    summary: "End the overlap of a rotation",
    description:
      "Makes the old secret of a rotated key stop working now. The current secret keeps working. Has no effect if no old secret works any more. A key can do this for the keys that it can rotate.",
    body: RevokeKeyRequest,
    isBodyOptional: true,
    response: ChangedKey,
    errors: ["OUTSIDE_CIDRS", "BEYOND_EXPIRY", "NOT_FOUND", "KEY_REVOKED"],
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "POST",
    url: "/api/v1/iam/apikeys/:id/revoke",
    scope: "apikeys.manage",
    respond: revokeKey,
    summary: "Revoke a key",
    description: "Revokes the key permanently. It stays in the list. Revoking it again has no effect.",
    body: RevokeKeyRequest,
    isBodyOptional: true,
    response: ChangedKey,
    errors: ["NOT_FOUND"],
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "PATCH",
    url: "/api/v1/iam/apikeys/:id",
    scope: "apikeys.manage",
    respond: updateKey,
    summary: "Change a key",
    description:
      "Changes the key's name, scopes, CIDRs or expiry. Omitted fields keep their values. A key restricted to CIDRs can change only keys restricted to a subset of them, and a key that expires only keys that expire no later, before and after the change.",
    body: UpdateKeyRequest,
    response: ChangedKey,
    errors: ["OUTSIDE_CIDRS", "BEYOND_EXPIRY", "NOT_FOUND", "KEY_REVOKED", "TOO_MANY_KEYS"],
    faultCodes: KEY_FAULTS,
  }),
  {
    method: "GET",
    url: "/api/v1/iam/identity",
    scope: "any key",
    handler: identity,
    summary: "Identify the calling key",
    description:
      "Returns the organization, scopes, networks and expiry of the key that sends the request. Use it to find out why a key can't do something.",
    response: Identity,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v1/iam/org",
    scope: "org.read",
    handler: organization,
    summary: "Get your organization",
    description: "Returns the id and name of the organization that the caller belongs to, and when it was added.",
    response: OwnOrganization,
    errors: ["UNAUTHORIZED"],
  },
];
