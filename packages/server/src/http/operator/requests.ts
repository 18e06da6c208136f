import {
  DecidedRequest,
  DeclineRequestRequest,
  GrantRequestRequest,
  OperatorRequest,
  RequestList,
  RequestsQuery,
} from "@dbdepot/contract/operator/requests";
import { organizationIdOf } from "../../domain/access/find-organization.ts";
import { grantRequest } from "../../domain/licences/licences.ts";
import { standingOf } from "../../domain/licences/standing.ts";
import type { AccessRequest } from "../../domain/requests/request.ts";
import { declineRequest, requireRequest } from "../../domain/requests/requests.ts";
import type { RequestPosition } from "../../domain/requests/store.ts";
import { requestToWire } from "../../domain/requests/wire.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import { send } from "../console/services.ts";
import { endpoint } from "../endpoint.ts";
import { type Order, pageOf } from "../page.ts";
import type { RequestContext, Services } from "../route.ts";
import { changeOf } from "./licences.ts";

const PENDING = "pending ";

/** A cursor is the id of a request, after "pending " if it was pending when its page was read. */
const pendingFirst: Order<AccessRequest> = {
  cursorOf: ({ state, id }) => (state === "pending" ? `${PENDING}${id}` : id),
  isCursor: (text) => isUuid(text.replace(PENDING, "")),
};

function positionOf(cursor: string): RequestPosition {
  return { isPending: cursor.startsWith(PENDING), id: cursor.replace(PENDING, "") };
}

export const REQUEST_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/requests",
    scope: "operator.read",
    summary: "List access requests",
    query: RequestsQuery,
    response: RequestList,
    async respond(context) {
      const { services, query, now } = context;
      const { store } = services;
      const organizationId = await organizationIdOf(store, query.org);
      const { state } = query;
      const page = await pageOf(context, pendingFirst, ({ limit, from }) =>
        store.requests.list({ organizationId, state, limit, after: from === undefined ? undefined : positionOf(from) }),
      );
      return { requests: await Promise.all(page.map((request) => toWire(services, request, now))) };
    },
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/requests/:id",
    scope: "operator.read",
    summary: "Get an access request",
    response: OperatorRequest,
    respond: async ({ services, id, now }) => toWire(services, await requireRequest(services.store, id), now),
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/requests/:id/grant",
    scope: "operator.write",
    summary: "Grant an access request",
    body: GrantRequestRequest,
    response: DecidedRequest,
    async respond(context) {
      const { operation, id, body } = context;
      const { redistribution, reply } = body;
      const terms = { redistribution, reply, starts: requireTime("starts", body.starts), ...changeOf(body) };
      return decided(context, await grantRequest(operation, id, terms));
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/requests/:id/decline",
    scope: "operator.write",
    summary: "Decline an access request",
    body: DeclineRequestRequest,
    response: DecidedRequest,
    respond: async (context) =>
      decided(context, await declineRequest(context.operation, context.id, context.body.reason)),
  }),
];

async function decided({ services, now }: RequestContext, request: AccessRequest): Promise<DecidedRequest> {
  const sent = await send(services, request.id, { isOperator: true });
  return { ...(await toWire(services, request, now)), ...sent };
}

async function toWire({ store }: Services, request: AccessRequest, now: Date): Promise<OperatorRequest> {
  const { organizationId, base } = request;
  const organization = await store.organizations.byId(organizationId);
  return requestToWire(
    request,
    organization?.name ?? organizationId,
    standingOf(await store.licences.list({ organizationId, base }), now),
  );
}
