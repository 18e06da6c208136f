import type { RotateKeyRequest } from "@dbdepot/contract/apikeys";
import { rotateManagedKey } from "../../keys/management.ts";
import { issuedKeyToWire } from "../../keys/wire.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { change, keyId } from "./change.ts";

/** A new secret for a key, which only this answer carries. The old one works on for the overlap. */
export function rotate(visit: Visit): Promise<Reply> {
  const { overlap_seconds: overlapSeconds = 0 } = (visit.request.body as RotateKeyRequest | undefined) ?? {};
  return change(
    visit,
    (operation, manager) => rotateManagedKey(operation, manager, keyId(visit), overlapSeconds),
    (reply, issued) => reply.send(issuedKeyToWire(issued)),
  );
}
