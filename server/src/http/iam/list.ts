import type { ApiKeyList } from "@dbdepot/contract/apikeys";
import type { FastifyReply } from "fastify";
import { keyToCustomerWire } from "../../keys/wire.ts";
import type { KeyContext } from "../route.ts";

/** Lists all keys of the caller's organization, newest first, including revoked ones. */
export async function list({ services, reply, organizationId }: KeyContext): Promise<FastifyReply> {
  const keys = await services.store.keys.list({ organizationId });
  const body: ApiKeyList = { rc: "SUCCESS", keys: keys.map(keyToCustomerWire) };
  return reply.header("cache-control", "no-store").send(body);
}
