import type { LimitList } from "@dbdepot/contract/v2/limits";
import type { FastifyReply } from "fastify";
import { NO_LIMITS } from "../../domain/limits/limits.ts";
import { limitUses, readConsumption } from "../../domain/limits/use.ts";
import type { KeyContext } from "../route.ts";

/** The limits of the caller's organization and what is used of them. */
export async function limits({ services, reply, organizationId, now }: KeyContext): Promise<FastifyReply> {
  const found = services.register.limits(organizationId) ?? NO_LIMITS;
  const used = await readConsumption(services.store, organizationId, now);
  const body: LimitList = { limits: limitUses(found, used, services.limits.streamsOf(organizationId), now) };
  return reply.send(body);
}
