import type { RotateKeyRequest } from "@dbdepot/contract/apikeys";
import type { FastifyReply } from "fastify";
import { rotateManagedKey } from "../../keys/management.ts";
import { issuedKeyToWire } from "../../keys/wire.ts";
import type { KeyContext } from "../route.ts";
import { change, keyId } from "./change.ts";

/** Issues a new secret, which only this response carries. The old one keeps working for the overlap. */
export function rotate(context: KeyContext): Promise<FastifyReply> {
  const { overlap_seconds: overlapSeconds = 0 } = context.request.body as RotateKeyRequest;
  return change(
    context,
    (operation, manager) => rotateManagedKey(operation, manager, keyId(context), overlapSeconds),
    (reply, issued) => reply.send(issuedKeyToWire(issued)),
  );
}
