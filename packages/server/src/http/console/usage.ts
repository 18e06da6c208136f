import type { Usage, UsageQuery } from "@dbdepot/contract/console/history";
import { attemptFilter } from "../../domain/downloads/filter.ts";
import { everyDay, usagePeriod } from "../../domain/downloads/usage.ts";
import type { PersonContext } from "./route.ts";

/** Customers see the usage of their own organization, whatever they ask for. */
export async function getUsage({ services, query, caller, now }: PersonContext<UsageQuery>): Promise<Usage> {
  const { store } = services;
  const period = usagePeriod(query.from, query.to, now);
  const { organizationId } = caller.account;
  const { organization: org, key, database } = query;
  const filter =
    organizationId === null
      ? await attemptFilter(store, { org, key, database })
      : { organizationId, keyId: key, datasetId: database };
  return { days: everyDay(period, await store.attempts.usageByDay({ ...filter, ...period })) };
}
