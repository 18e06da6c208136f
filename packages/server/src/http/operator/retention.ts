import { NoQuery } from "@dbdepot/contract/operator/queries";
import { RetentionPreviews } from "@dbdepot/contract/operator/retention";
import { previewRetention } from "../../domain/retention/loop.ts";
import { endpoint } from "../endpoint.ts";

export const RETENTION_ROUTE = endpoint({
  method: "GET",
  url: "/api/operator/retention",
  scope: "operator.read",
  summary: "Preview what the retention settings remove",
  description:
    "Returns what each rule would remove now under the settings of the server that responds. It removes nothing: the server does that every hour. Counting takes a while if there are millions of rows.",
  query: NoQuery,
  response: RetentionPreviews,
  respond: async ({ services: { store, retention: policy }, now }) => ({
    rules: await previewRetention({ store, policy, now }),
  }),
});
