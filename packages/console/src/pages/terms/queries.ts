import { queryOptions } from "@tanstack/react-query";
import { allItems, api } from "../../app/api.ts";

/** The prefix of the query keys of everything about terms, for operators. */
export const TERMS_KEY = ["terms"] as const;

export const allTermsQuery = queryOptions({
  queryKey: [...TERMS_KEY, "all"],
  queryFn: () => allItems(api.terms, { limit: 1000 }),
});

export function termsQuery(id: string) {
  return queryOptions({ queryKey: [...TERMS_KEY, "one", id], queryFn: () => api.termsText(id) });
}

/** The terms of the person's own organization. */
export const ownTermsQuery = queryOptions({ queryKey: ["own-terms"], queryFn: api.ownTerms });

export function ownTermsTextQuery(id: string) {
  return queryOptions({ queryKey: ["own-terms", id], queryFn: () => api.ownTermsText(id) });
}
