import type { Usage, UsageQuery } from "@dbdepot/contract/console-history";
import { everyDay, usagePeriod } from "../../downloads/usage.ts";
import { organizationIdOf } from "../../organizations/organizations.ts";
import type { PersonContext } from "./route.ts";

/** Customers see the usage of their own organization, whatever they ask for. */
export async function getUsage({ services, query, caller, now }: PersonContext<UsageQuery>): Promise<Usage> {
  const { store } = services;
  const period = usagePeriod(query.from, query.to, now);
  const organizationId = caller.account.organizationId ?? (await organizationIdOf(store, query.organization));
  const filter = { organizationId, datasetId: query.database, keyId: query.key, ...period };
  return { days: everyDay(period, await store.attempts.usageByDay(filter)) };
}
