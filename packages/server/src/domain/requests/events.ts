import type { EventType } from "@dbdepot/contract/v2/events";
import type { NewEvent } from "../events/events.ts";
import type { AccessRequest } from "./request.ts";

export type RequestEventType = Extract<EventType, `access_request.${string}`>;

/** Omits the person and the message, because every key of the organization can read its events. */
export function requestEvent(type: RequestEventType, request: AccessRequest): NewEvent {
  const { id, organizationId, base, state, reply, licenceId } = request;
  return { type, organizationId, base, data: { id, base, state, reply, licence_id: licenceId } };
}
