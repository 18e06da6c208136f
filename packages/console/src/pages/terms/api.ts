import type { AcceptTermsRequest, OwnTerms, OwnTermsList, OwnTermsText } from "@dbdepot/contract/console/terms";
import type {
  Acceptance,
  AcceptancesQuery,
  AddedTerms,
  AddTermsRequest,
  OperatorTerms,
  OperatorTermsText,
  TermsQuery,
} from "@dbdepot/contract/operator/terms";
import { queryOptions } from "@tanstack/react-query";
import { allItems, get, list, send } from "../../app/api.ts";

/** The prefix of the query keys of everything about terms, for operators. */
export const TERMS_KEY = ["terms"] as const;

export const termsApi = {
  list: list<OperatorTerms, TermsQuery>("/api/operator/terms", "terms"),
  add: (body: AddTermsRequest) => send<AddedTerms>("POST", "/api/operator/terms", body),
  acceptances: list<Acceptance, AcceptancesQuery>("/api/operator/acceptances", "acceptances"),
  /** Accepts terms. Only customers may do that. */
  accept: (id: string, body: AcceptTermsRequest) =>
    send<OwnTerms>("POST", `/api/console/terms/${encodeURIComponent(id)}/accept`, body),
};

export const allTermsQuery = queryOptions({
  queryKey: [...TERMS_KEY, "all"],
  queryFn: () => allItems(termsApi.list, { limit: 1000 }),
});

export function termsQuery(id: string) {
  return queryOptions({
    queryKey: [...TERMS_KEY, "one", id],
    queryFn: () => get<OperatorTermsText>(`/api/operator/terms/${encodeURIComponent(id)}`),
  });
}

/** The terms of the person's own organization. */
export const ownTermsQuery = queryOptions({
  queryKey: ["own-terms"],
  queryFn: () => get<OwnTermsList>("/api/console/terms"),
});

export function ownTermsTextQuery(id: string) {
  return queryOptions({
    queryKey: ["own-terms", id],
    queryFn: () => get<OwnTermsText>(`/api/console/terms/${encodeURIComponent(id)}`),
  });
}
