import type { UpdateKeyRequest } from "@dbdepot/contract/apikeys";
import type { FastifyReply } from "fastify";
import { updateManagedKey } from "../../keys/management.ts";
import { keyChangesFromWire } from "../../keys/wire.ts";
import type { KeyContext } from "../route.ts";
import { change, keyId, sendKey } from "./change.ts";

/** Changes name, scopes, CIDRs or expiry. */
export function update(context: KeyContext): Promise<FastifyReply> {
  const asked = context.request.body as UpdateKeyRequest;
  return change(
    context,
    (operation, manager) => updateManagedKey(operation, manager, keyId(context), keyChangesFromWire(asked)),
    sendKey,
  );
}
