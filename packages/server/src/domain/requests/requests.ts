import { ACCESS_MESSAGE_MAX_LENGTH } from "@dbdepot/contract/shared/choices";
import { conflict, invalid, notFound } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import { record } from "../audit/audit.ts";
import { announce } from "../events/events.ts";
import type { Operation, Tables } from "../store.ts";
import { requestEvent } from "./events.ts";
import { mailRequest } from "./mails.ts";
import type { AccessRequest } from "./request.ts";
import { decide } from "./settle.ts";

/** Every control character but tabs and line breaks. */
const CONTROL_CHARACTER = /[^\P{Cc}\t\n\r]/u;

/** Returns the pending request instead if the organization has one for this family: it is not changed. */
export async function createRequest(
  operation: Operation,
  wanted: Pick<AccessRequest, "organizationId" | "base" | "person" | "message">,
): Promise<{ request: AccessRequest; isNew: boolean }> {
  const { organizationId, base, person, message } = wanted;
  return operation.store.change(async (tables) => {
    const [pending] = await tables.requests.list({ organizationId, base, state: "pending" });
    if (pending) return { request: pending, isNew: false };
    const request: AccessRequest = {
      id: newId(operation.now),
      organizationId,
      base,
      person,
      message: message.trim(),
      state: "pending",
      reply: null,
      decided: null,
      licenceId: null,
      created: operation.now,
    };
    await tables.requests.insert(request);
    await record(tables, operation, { action: "access_request.created", subject: request.id, after: request });
    await announce(tables, operation, requestEvent("access_request.created", request));
    await mailRequest(tables, operation, request);
    return { request, isNew: true };
  });
}

export async function declineRequest(operation: Operation, id: string, reason: string): Promise<AccessRequest> {
  const reply = requireReply(reason);
  if (reply === "") throw invalid("give a reason for declining the request, which the customer sees");
  return operation.store.change(async (tables) =>
    decide(tables, operation, await requirePending(tables, id), { state: "declined", reply, licenceId: null }),
  );
}

export async function requirePending(tables: Tables, id: string): Promise<AccessRequest> {
  const request = await requireRequest(tables, id);
  if (request.state === "pending") return request;
  throw conflict(`the request ${request.id} was already ${request.state} on ${request.decided?.toISOString()}`);
}

export async function requireRequest(tables: Pick<Tables, "requests">, id: string): Promise<AccessRequest> {
  const request = await tables.requests.byId(id.toLowerCase());
  if (!request) throw notFound(`there is no access request "${id}"`);
  return request;
}

export function requireReply(text: string): string {
  const trimmed = text.trim();
  if ([...trimmed].length > ACCESS_MESSAGE_MAX_LENGTH || !trimmed.isWellFormed() || CONTROL_CHARACTER.test(trimmed)) {
    throw invalid(`a reply must be plain text of up to ${ACCESS_MESSAGE_MAX_LENGTH} characters`);
  }
  return trimmed;
}
