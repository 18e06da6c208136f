import { WhyQuery } from "@dbdepot/contract/operator-queries";
import { Explanation } from "@dbdepot/contract/operator-responses";
import { explain } from "../../downloads/why.ts";
import { operatorRoute } from "./route.ts";

export const WHY_ROUTE = operatorRoute({
  method: "GET",
  url: "/api/operator/why",
  scope: "operator.read",
  summary: "Explain a download decision",
  query: WhyQuery,
  response: Explanation,
  respond: ({ services, query: { org: organization, id: databaseId, format, sample = false, key }, now }) =>
    explain(services.store, { organization, databaseId, format, sample, key, now }),
});
