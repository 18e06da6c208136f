import type { FastifyReply } from "fastify";
import { authenticate } from "../../domain/access/authenticate-key.ts";
import { scopesOf } from "../../domain/access/roles.ts";
import { findSession } from "../../domain/access/session.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import { presentedKey } from "../credentials.ts";
import { sendError } from "../errors.ts";
import { EventStream } from "../event-stream.ts";
import type { Audience, Reader } from "../event-streams.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";

const SCOPE = "db.download";
/** A stream of the same key or organization has to end first, which may take long. */
const RETRY_AFTER_SECONDS = 60;

/** Sends events as they happen, beginning after the last one that the client has received. */
export async function events(context: KeyContext): Promise<FastifyReply> {
  const { services, request, reply } = context;
  const { eventStreams, store } = services;
  const { "last-event-id": header } = request.headers;
  const lastId = typeof header === "string" && header !== "" ? header : parameter(request, "last_event_id");
  const last = lastId !== undefined && isUuid(lastId) ? await store.events.byId(lastId.toLowerCase()) : undefined;
  const reader = readerOf(context);
  const refusal = eventStreams.refusalOf(reader);
  if (refusal === "customer") return sendLimited(reply, RETRY_AFTER_SECONDS);
  if (refusal === "total") return sendError(reply, "NOT_AVAILABLE");
  reply
    .header("content-type", "text/event-stream")
    .header("cache-control", "no-store")
    // nginx would buffer the events.
    .header("x-accel-buffering", "no");
  if (request.method === "HEAD") return reply.send();
  const stream = new EventStream(reply.raw);
  eventStreams.open(stream, reader, last);
  return reply.send(stream.body);
}

/** The key or the person that reads the stream, and how to find out whether it still may. */
function readerOf({ services, request, caller, organizationId }: KeyContext): Reader {
  const { register, store } = services;
  if ("account" in caller) {
    const { account, sessionHash } = caller;
    return {
      callerId: account.id,
      audience: { organizationId, scopes: scopesOf(account.role) },
      isCheckSlow: true,
      async check(now) {
        const found = await findSession(store.sessions, sessionHash, now);
        if (!found || found.account.organizationId !== organizationId) return undefined;
        return allowed({ organizationId, scopes: scopesOf(found.account.role) });
      },
    };
  }
  return {
    callerId: caller.key.id,
    audience: { organizationId, scopes: caller.key.scopes },
    isCheckSlow: false,
    async check(now) {
      const use = { address: request.clientAddress, scope: SCOPE, now } as const;
      const found = await authenticate(register, presentedKey(request), use);
      return found.caller && { organizationId, scopes: found.caller.key.scopes };
    },
  };
}

function allowed(audience: Audience): Audience | undefined {
  return audience.scopes.includes(SCOPE) ? audience : undefined;
}
