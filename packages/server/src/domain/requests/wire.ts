import type { OwnRequest } from "@dbdepot/contract/console/licences";
import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import type { AccessRequest, StandingAtRequest } from "./request.ts";

/** A request as its organization sees it. */
export function requestToOwnWire(request: AccessRequest): OwnRequest {
  return {
    id: request.id,
    base: request.base,
    requested_by: request.person.email,
    message: request.message,
    state: request.state,
    reply: request.reply,
    decided: request.decided?.toISOString() ?? null,
    created: request.created.toISOString(),
  };
}

export function requestToWire(
  request: AccessRequest,
  organizationName: string,
  { standing, licence }: StandingAtRequest,
): OperatorRequest {
  return {
    id: request.id,
    organization_id: request.organizationId,
    organization_name: organizationName,
    base: request.base,
    email: request.person.email,
    name: request.person.name,
    message: request.message,
    state: request.state,
    reply: request.reply,
    decided: request.decided?.toISOString() ?? null,
    licence_id: request.licenceId,
    standing,
    licence_expires: licence?.expires?.toISOString() ?? null,
    created: request.created.toISOString(),
  };
}
