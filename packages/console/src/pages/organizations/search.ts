import { type ListState, parseListState } from "../../components/list-state.ts";
import { type HistoryFilter, parseHistoryFilter } from "../history/filter.ts";

/** The part of the URL of an organization after "?": its tab, and the state of the list in the tab. */
export type OrganizationSearch = { tab?: string } & ListState & HistoryFilter;

export function parseOrganizationSearch(search: Record<string, unknown>): OrganizationSearch {
  const { tab } = search;
  const { organization: _, ...filter } = parseHistoryFilter(search);
  return { ...(typeof tab === "string" && { tab }), ...parseListState(search), ...filter };
}
