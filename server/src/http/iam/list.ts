import type { ApiKeyList } from "@dbdepot/contract/apikeys";
import { keyToCustomerWire } from "../../keys/wire.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";

/** All keys of the caller's organization, revoked ones too, newest first. */
export async function list({ parts, reply, organizationId }: Visit): Promise<Reply> {
  const keys = await parts.store.keys.list({ organizationId });
  const body: ApiKeyList = { rc: "SUCCESS", keys: keys.map(keyToCustomerWire) };
  return reply.header("cache-control", "no-store").send(body);
}
