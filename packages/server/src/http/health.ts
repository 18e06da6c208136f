import type { Liveness } from "@dbdepot/contract/shared/health";
import type { FastifyReply } from "fastify";
import { authenticate } from "../domain/access/authenticate-key.ts";
import { COMMIT, VERSION } from "../platform/version.ts";
import { presentedKey } from "./credentials.ts";
import type { RequestContext } from "./route.ts";

/**
 * The process is alive. Says nothing about the database or the storage, so a restart cannot be triggered by their outage.
 * Operators also learn which version runs.
 */
export async function healthz(context: RequestContext): Promise<FastifyReply> {
  const { reply } = context;
  const body: Liveness = (await isOperator(context))
    ? { status: "ok", version: VERSION, commit: COMMIT ?? null }
    : { status: "ok" };
  return reply.send(body);
}

/** Whether a load balancer should send requests here, and the state of every dependency. */
export async function readyz({ services, reply }: RequestContext): Promise<FastifyReply> {
  const readiness = await services.readiness.check();
  return reply.code(readiness.status === "ready" ? 200 : 503).send(readiness);
}

async function isOperator({ services, request }: RequestContext): Promise<boolean> {
  const presented = presentedKey(request);
  if (presented === undefined) return false;
  const use = { address: request.clientAddress, scope: "operator.read", now: request.arrived } as const;
  const { caller } = await Promise.resolve(authenticate(services.register, presented, use)).catch(() => ({
    caller: undefined,
  }));
  return caller !== undefined;
}
