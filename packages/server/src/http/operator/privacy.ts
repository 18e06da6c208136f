import { ErasedPerson, EraseRequest, ErasurePlan, PersonalData } from "@dbdepot/contract/operator/privacy";
import { erasePerson, erasurePlanToWire, planErasure } from "../../domain/privacy/erase.ts";
import { exportPerson } from "../../domain/privacy/people.ts";
import { endpoint } from "../endpoint.ts";

/** The `:id` is an e-mail address or the id of an account. */
export const PRIVACY_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/people/:id/data",
    scope: "operator.read",
    summary: "Export everything stored about a person",
    response: PersonalData,
    errors: ["NOT_FOUND"],
    async respond({ services, reply, id, now }) {
      reply.header("content-disposition", 'attachment; filename="personal-data.json"');
      return exportPerson(services.store, id, now);
    },
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/people/:id/erasure",
    scope: "operator.read",
    summary: "Preview what erasing a person would do",
    response: ErasurePlan,
    errors: ["NOT_FOUND"],
    respond: async ({ services, id }) => erasurePlanToWire(await planErasure(services.store, id)),
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/people/:id/erase",
    scope: "operator.write",
    summary: "Erase a person",
    body: EraseRequest,
    isBodyOptional: true,
    response: ErasedPerson,
    errors: ["NOT_FOUND", "CONFLICT"],
    respond: ({ services, operation, caller, id, body }) =>
      erasePerson(operation, services.spool, id, {
        evenLast: body.even_last ?? false,
        ...("key" in caller ? { isByKey: true } : { ownId: caller.account.id }),
      }),
  }),
];
