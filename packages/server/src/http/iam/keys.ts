import {
  type ApiKeyList,
  type ApiKeysQuery,
  type ChangedKey,
  type CreateKeyRequest,
  KEYS_LIMIT,
  type RotateKeyRequest,
  type UpdateKeyRequest,
} from "@dbdepot/contract/iam/keys";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";
import type { Key } from "../../domain/keys/key.ts";
import { listedKeysFor } from "../../domain/keys/listing.ts";
import * as management from "../../domain/keys/management.ts";
import { type Manager, NotManager } from "../../domain/keys/manager.ts";
import { issuedKeyToWire, keyChangesFromWire, keyToCustomerWire } from "../../domain/keys/wire.ts";
import type { Operation } from "../../domain/store.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { Fault, type FaultKind } from "../../platform/primitives/faults.ts";
import { sendError } from "../errors.ts";
import { managerOf, operationOf } from "../operation.ts";
import { byId, pageOf } from "../page.ts";
import { sendUnauthorized } from "../plugins/unauthorized.ts";
import type { KeyContext } from "../route.ts";

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Lists the keys of the caller's organization, newest first, including revoked ones. */
export async function listKeys({ services, request, reply, organizationId }: KeyContext): Promise<FastifyReply> {
  const { limit, cursor } = request.query as ApiKeysQuery;
  // Other parameters are ignored, and must not show up in the Link header: a client may send its key in one.
  const query = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
  const keys = await pageOf(
    { query, request, reply },
    byId,
    ({ limit, from }) => services.store.keys.list({ organizationId, limit, before: from }),
    KEYS_LIMIT.default,
  );
  const body: ApiKeyList = { rc: "SUCCESS", keys: await listedKeysFor(services.store, organizationId, keys) };
  return reply.header("cache-control", "no-store").send(body);
}

/** Creates a key of the caller's organization. Only this response ever carries its secret. */
export async function createKey(context: KeyContext): Promise<FastifyReply> {
  const { name, allowed_scopes: scopes = [], allowed_cidrs: cidrs = [], expires } = bodyOf<CreateKeyRequest>(context);
  // A repeated header arrives as "one, other", which the pattern rejects because of the space.
  const idempotencyKey = context.request.headers["idempotency-key"]?.toString();
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return sendError(context.reply, "INVALID_REQUEST");
  }
  return change(
    context,
    (operation, manager) => {
      const request = { name, scopes, cidrs, expires: requireTime("expires", expires) };
      return management.createManagedKey(operation, manager, request, idempotencyKey);
    },
    (reply, creation) => {
      if (!("alreadyCreated" in creation)) return reply.send(issuedKeyToWire(creation));
      const rc = "ALREADY_CREATED";
      return reply.code(ERRORS[rc].status).send({ rc, id: creation.alreadyCreated });
    },
  );
}

/** Issues a new secret, which only this response carries. The old one keeps working for the overlap. */
export function rotateKey(context: KeyContext): Promise<FastifyReply> {
  const { overlap_seconds: overlapSeconds = 0 } = bodyOf<RotateKeyRequest>(context);
  return change(
    context,
    (operation, manager, id) => management.rotateManagedKey(operation, manager, id, overlapSeconds),
    (reply, issued) => reply.send(issuedKeyToWire(issued)),
  );
}

/** Revokes a key permanently. It stays listed. */
export function revokeKey(context: KeyContext): Promise<FastifyReply> {
  return change(context, management.revokeManagedKey, sendKey);
}

/** Changes name, scopes, CIDRs or expiry. */
export function updateKey(context: KeyContext): Promise<FastifyReply> {
  const request = bodyOf<UpdateKeyRequest>(context);
  return change(
    context,
    (operation, manager, id) => management.updateManagedKey(operation, manager, id, keyChangesFromWire(request)),
    sendKey,
  );
}

function bodyOf<Body>({ request }: KeyContext): Body {
  return request.body as Body;
}

/** Makes a change on behalf of the caller, to the key in the URL if it has one, and sends the result or the error. */
async function change<T>(
  context: KeyContext,
  make: (operation: Operation, manager: Manager, id: string) => Promise<T>,
  send: (reply: FastifyReply, made: T) => FastifyReply,
): Promise<FastifyReply> {
  const { services, request, reply } = context;
  const { id = "" } = request.params as { id?: string };
  let made: T;
  try {
    made = await make(operationOf(context), managerOf(context), id);
  } catch (error) {
    return sendFault(error, reply);
  }
  // Makes the change effective in this process immediately. If it fails, the register refreshes later; the change is
  // committed, and the response may carry a secret that is never shown again.
  await services.register.refresh().catch(() => {});
  return send(reply.header("cache-control", "no-store"), made);
}

const CODES: Partial<Record<FaultKind, ErrorCode>> = {
  invalid: "INVALID_REQUEST",
  not_found: "NOT_FOUND",
  conflict: "KEY_REVOKED",
  too_many_keys: "TOO_MANY_KEYS",
};

/** Sends the code of a fault. Throws errors that it does not know. */
export function sendFault(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof NotManager) return sendUnauthorized(reply, error.problem, "apikeys.manage");
  if (error instanceof management.OutOfReach) return sendError(reply, error.code);
  if (error instanceof Fault) return sendError(reply, CODES[error.kind] ?? "INVALID_REQUEST");
  throw error;
}

/** Sends the key as it is after the change. */
function sendKey(reply: FastifyReply, key: Key): FastifyReply {
  const body: ChangedKey = { rc: "SUCCESS", ...keyToCustomerWire(key) };
  return reply.send(body);
}
