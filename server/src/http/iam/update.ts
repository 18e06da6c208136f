import type { UpdateKeyRequest } from "@dbdepot/contract/apikeys";
import type { FastifyReply } from "fastify";
import type { KeyChanges } from "../../keys/keys.ts";
import { updateManagedKey } from "../../keys/management.ts";
import type { KeyContext } from "../route.ts";
import { change, keyId, sendKey } from "./change.ts";
import { endOf } from "./end.ts";

/** Changes name, scopes, CIDRs or expiry. */
export function update(context: KeyContext): Promise<FastifyReply> {
  const asked = context.request.body as UpdateKeyRequest;
  return change(
    context,
    (operation, manager) => updateManagedKey(operation, manager, keyId(context), changesOf(asked)),
    sendKey,
  );
}

function changesOf({ name, allowed_scopes, allowed_cidrs, expires }: UpdateKeyRequest): KeyChanges {
  const end = endOf(expires);
  return {
    ...(name !== undefined && { name }),
    ...(allowed_scopes && { scopes: allowed_scopes }),
    ...(allowed_cidrs && { cidrs: allowed_cidrs }),
    ...(end !== undefined && { expires: end }),
  };
}
