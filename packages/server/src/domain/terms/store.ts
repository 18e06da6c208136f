import type { AcceptanceSort, TermsSort } from "@dbdepot/contract/operator/terms";
import type { Page, PageRequest } from "../page.ts";
import type { Acceptance, Terms, TermsSummary } from "./terms.ts";

/** A version, and the number of organizations that have accepted it. */
export type ListedTerms = TermsSummary & { acceptances: number };

export type NamedAcceptance = Acceptance & { organizationName: string };

export interface AcceptanceFilter {
  organizationId?: string | undefined;
  /** A version, or a name for all its versions. */
  terms?: { name: string; version: number | undefined } | undefined;
}

export interface TermsStore {
  insert(terms: Terms): Promise<void>;
  /** Finds a version, or the newest one of the name. */
  find(terms: { name: string; version: number | undefined }): Promise<Terms | undefined>;
  /** Lists them in any order. */
  summaries(ids: readonly string[]): Promise<TermsSummary[]>;
  /** The newest first unless the request says otherwise. */
  page(request: PageRequest<TermsSort>): Promise<Page<ListedTerms>>;
  insertAcceptance(acceptance: Acceptance): Promise<void>;
  /** The newest first unless the request says otherwise. */
  acceptances(filter: AcceptanceFilter, request: PageRequest<AcceptanceSort>): Promise<Page<NamedAcceptance>>;
}

declare module "../store.ts" {
  interface Tables {
    terms: TermsStore;
  }
}
