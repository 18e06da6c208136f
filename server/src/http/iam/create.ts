import type { CreateKeyRequest } from "@dbdepot/contract/apikeys";
import { ERRORS } from "@dbdepot/contract/errors";
import { type Creation, createManagedKey } from "../../keys/management.ts";
import { issuedKeyToWire } from "../../keys/wire.ts";
import { sendError } from "../errors.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { change } from "./change.ts";
import { endOf } from "./end.ts";

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** A new key of the caller's organization. This answer is the only one that ever carries its secret. */
export async function create(visit: Visit): Promise<Reply> {
  const asked = visit.request.body as CreateKeyRequest;
  const { name, allowed_scopes: scopes = [], allowed_cidrs: cidrs = [] } = asked;
  // Sent twice it arrives as "one, other", and the space gives it away.
  const idempotencyKey = visit.request.headers["idempotency-key"]?.toString();
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return sendError(visit.reply, "INVALID_REQUEST");
  }
  return change(
    visit,
    (operation, manager) => {
      const request = { name, scopes, cidrs, expires: endOf(asked.expires) ?? null };
      return createManagedKey(operation, manager, request, idempotencyKey);
    },
    sendCreation,
  );
}

function sendCreation(reply: Reply, creation: Creation): Reply {
  if (!("alreadyCreated" in creation)) return reply.send(issuedKeyToWire(creation));
  const rc = "ALREADY_CREATED";
  return reply.code(ERRORS[rc].status).send({ rc, id: creation.alreadyCreated });
}
