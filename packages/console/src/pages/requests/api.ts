import type {
  DecidedRequest,
  DeclineRequestRequest,
  GrantRequestRequest,
  OperatorRequest,
  RequestsQuery,
} from "@dbdepot/contract/operator/requests";
import type { QueryClient } from "@tanstack/react-query";
import { get, list, send } from "../../app/api.ts";

/** The prefix of the query keys of everything about requests. */
export const REQUESTS_KEY = "requests";

export const requestsApi = {
  list: list<OperatorRequest, RequestsQuery>("/api/operator/requests", "requests"),
  get: (id: string) => get<OperatorRequest>(`/api/operator/requests/${id}`),
  grant: (id: string, body: GrantRequestRequest) =>
    send<DecidedRequest>("POST", `/api/operator/requests/${id}/grant`, body),
  decline: (id: string, body: DeclineRequestRequest) =>
    send<DecidedRequest>("POST", `/api/operator/requests/${id}/decline`, body),
};

/** Reloads what a decision or a new licence has changed. */
export async function refreshRequests(queryClient: QueryClient): Promise<void> {
  const keys = ["licences", REQUESTS_KEY, "overview"];
  await Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}
