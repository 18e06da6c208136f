import type { UpdateKeyRequest } from "@dbdepot/contract/apikeys";
import type { KeyChanges } from "../../keys/keys.ts";
import { updateManagedKey } from "../../keys/management.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { change, keyId, sendKey } from "./change.ts";
import { endOf } from "./end.ts";

/** Another name, other scopes or CIDRs, another end. */
export function update(visit: Visit): Promise<Reply> {
  const asked = visit.request.body as UpdateKeyRequest;
  return change(
    visit,
    (operation, manager) => updateManagedKey(operation, manager, keyId(visit), changesOf(asked)),
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
