import {
  type ApiKeyList,
  ApiKeysQuery,
  type ChangedKey,
  type CreatedKey,
  type CreateKeyRequest,
  KEYS_LIMIT,
  type RotateKeyRequest,
  type UpdateKeyRequest,
} from "@dbdepot/contract/iam/keys";
import { ERRORS } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";
import {
  createKeyAsCustomer,
  endOverlapAsCustomer,
  revokeKeyAsCustomer,
  rotateKeyAsCustomer,
  updateKeyAsCustomer,
} from "../../domain/keys/changes-by-customer.ts";
import type { Key } from "../../domain/keys/key.ts";
import { activeAt, listedKeysFor } from "../../domain/keys/listing.ts";
import { issuedKeyToWire, keyChangesFromWire, keyToCustomerWire } from "../../domain/keys/wire.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { type CallerContext, managerOf } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { listPage, onlyKnown } from "../page.ts";

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Lists the keys of the caller's organization, newest first, including revoked ones. */
export async function listKeys(context: CallerContext<ApiKeysQuery>): Promise<ApiKeyList> {
  const { services, organizationId, now } = context;
  const query = onlyKnown(context.query, ApiKeysQuery);
  const filter = { organizationId, active: activeAt(query.state, now) };
  const keys = await listPage(
    { ...context, query },
    (request) => services.store.keys.page(filter, request),
    KEYS_LIMIT.default,
  );
  return { rc: "SUCCESS", keys: await listedKeysFor(services.store, organizationId, keys, now) };
}

/** Creates a key of the caller's organization. Only this response ever carries its secret. */
export async function createKey(context: CallerContext<unknown, CreateKeyRequest>): Promise<CreatedKey | FastifyReply> {
  const { request, reply, operation, body } = context;
  const { name, allowed_scopes: scopes = [], allowed_cidrs: cidrs = [] } = body;
  // A repeated header arrives as "one, other", which the pattern rejects because of the space.
  const idempotencyKey = request.headers["idempotency-key"]?.toString();
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return sendError(reply, "INVALID_REQUEST");
  }
  const wanted = { name, scopes, cidrs, expires: requireTime("expires", body.expires) };
  const creation = await createKeyAsCustomer(operation, managerOf(context), wanted, idempotencyKey);
  if (!("alreadyCreated" in creation)) return issuedKeyToWire(creation);
  const rc = "ALREADY_CREATED";
  return reply.code(ERRORS[rc].status).send({ rc, id: creation.alreadyCreated });
}

/** Issues a new secret, which only this response carries. The old one keeps working for the overlap. */
export async function rotateKey(context: CallerContext<unknown, RotateKeyRequest>): Promise<CreatedKey> {
  const { operation, id, body } = context;
  const { overlap_seconds: overlapSeconds = 0 } = body;
  return issuedKeyToWire(await rotateKeyAsCustomer(operation, managerOf(context), id, overlapSeconds));
}

/** Makes the old secret of a rotated key stop working now. */
export async function endKeyOverlap(context: CallerContext): Promise<ChangedKey> {
  return changed(await endOverlapAsCustomer(context.operation, managerOf(context), context.id));
}

/** Revokes a key permanently. It stays listed. */
export async function revokeKey(context: CallerContext): Promise<ChangedKey> {
  return changed(await revokeKeyAsCustomer(context.operation, managerOf(context), context.id));
}

/** Changes name, scopes, CIDRs or expiry. */
export async function updateKey(context: CallerContext<unknown, UpdateKeyRequest>): Promise<ChangedKey> {
  const { operation, id, body } = context;
  return changed(await updateKeyAsCustomer(operation, managerOf(context), id, keyChangesFromWire(body)));
}

function changed(key: Key): ChangedKey {
  return { rc: "SUCCESS", ...keyToCustomerWire(key) };
}
