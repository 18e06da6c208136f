import { Explanation, WhyQuery } from "@dbdepot/contract/operator/why";
import { explain } from "../../domain/downloads/why.ts";
import { explainRequest } from "../../domain/downloads/why-request.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import { endpoint } from "../endpoint.ts";

export const WHY_ROUTE = endpoint({
  method: "GET",
  url: "/api/operator/why",
  scope: "operator.read",
  summary: "Explain a download decision",
  query: WhyQuery,
  response: Explanation,
  respond: ({ services, query, now }) => {
    const { org: organization, id: databaseId, format, sample = false, key, request } = query;
    if (request !== undefined) return explainRequest(services.store, request, now);
    if (organization === undefined || databaseId === undefined) throw invalid("give either org and id, or request");
    return explain(services.store, { organization, databaseId, format, sample, key, now });
  },
});
