import type { CreateKeyRequest } from "@dbdepot/contract/apikeys";
import { ERRORS } from "@dbdepot/contract/errors";
import type { FastifyReply } from "fastify";
import { type Creation, createManagedKey } from "../../keys/management.ts";
import { issuedKeyToWire } from "../../keys/wire.ts";
import { requireTime } from "../../primitives/dates.ts";
import { sendError } from "../errors.ts";
import type { KeyContext } from "../route.ts";
import { change } from "./change.ts";

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Creates a key of the caller's organization. Only this response ever carries its secret. */
export async function create(context: KeyContext): Promise<FastifyReply> {
  const asked = context.request.body as CreateKeyRequest;
  const { name, allowed_scopes: scopes = [], allowed_cidrs: cidrs = [] } = asked;
  // A repeated header arrives as "one, other", which the pattern rejects because of the space.
  const idempotencyKey = context.request.headers["idempotency-key"]?.toString();
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return sendError(context.reply, "INVALID_REQUEST");
  }
  return change(
    context,
    (operation, manager) => {
      const request = { name, scopes, cidrs, expires: requireTime("expires", asked.expires) };
      return createManagedKey(operation, manager, request, idempotencyKey);
    },
    sendCreation,
  );
}

function sendCreation(reply: FastifyReply, creation: Creation): FastifyReply {
  if (!("alreadyCreated" in creation)) return reply.send(issuedKeyToWire(creation));
  const rc = "ALREADY_CREATED";
  return reply.code(ERRORS[rc].status).send({ rc, id: creation.alreadyCreated });
}
