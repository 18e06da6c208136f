import type { OperatorUsageLine, OperatorUsageQuery } from "@dbdepot/contract/operator/usage";
import type { UsageLine, UsageReport } from "@dbdepot/contract/v2/usage";
import { get, type ListSource, list } from "../../app/api.ts";

export const usageApi = {
  own: usageList<UsageLine>("/api/v2/database/usage"),
  all: usageList<OperatorUsageLine>("/api/operator/usage"),
  facts: (url: string) => get<Omit<UsageReport, "usage">>(url),
};

/** Lines of a report have no ids of their own. */
function usageList<T extends UsageLine & Partial<OperatorUsageLine>>(
  path: string,
): ListSource<T & { id: string }, OperatorUsageQuery> {
  const { url, load } = list<T, OperatorUsageQuery>(path, "usage");
  return {
    url,
    async load(url) {
      const { items, next } = await load(url);
      const idOf = (line: T) => [line.organization_id, line.period, line.dataset_id, line.format].join("/");
      return { items: items.map((line) => ({ ...line, id: idOf(line) })), next };
    },
  };
}
