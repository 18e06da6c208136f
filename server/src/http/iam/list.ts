import { type ApiKeyList, type ApiKeysQuery, KEYS_LIMIT } from "@dbdepot/contract/apikeys";
import type { FastifyReply } from "fastify";
import { keyToCustomerWire } from "../../keys/wire.ts";
import { byId, pageOf } from "../page.ts";
import type { KeyContext } from "../route.ts";

/** Lists the keys of the caller's organization, newest first, including revoked ones. */
export async function list({ services, request, reply, organizationId }: KeyContext): Promise<FastifyReply> {
  const { limit, cursor } = request.query as ApiKeysQuery;
  // Other parameters are ignored, and must not show up in the Link header: a client may send its key in one.
  const query = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
  const keys = await pageOf(
    { query, request, reply },
    byId,
    ({ limit, from }) => services.store.keys.list({ organizationId, limit, before: from }),
    KEYS_LIMIT.default,
  );
  const body: ApiKeyList = { rc: "SUCCESS", keys: keys.map(keyToCustomerWire) };
  return reply.header("cache-control", "no-store").send(body);
}
