import type { Liveness } from "@dbdepot/contract/shared/health";
import type { FastifyReply } from "fastify";
import type { RequestContext } from "./route.ts";

/** The process is alive. Says nothing about the database or the storage, so a restart cannot be triggered by their outage. */
export function healthz({ reply }: RequestContext): FastifyReply {
  const body: Liveness = { status: "ok" };
  return reply.header("cache-control", "no-store").send(body);
}

/** Whether a load balancer should send requests here, and the state of every dependency. */
export async function readyz({ services, reply }: RequestContext): Promise<FastifyReply> {
  const readiness = await services.readiness.check();
  return reply
    .code(readiness.status === "ready" ? 200 : 503)
    .header("cache-control", "no-store")
    .send(readiness);
}
