import type { Attempt } from "../../server/src/domain/downloads/attempt.ts";
import { attemptAt } from "../../server/test/adapters/sql/samples.ts";
import { type Depot, ORGANIZATION } from "./depot.ts";

const GROUP = 10_000;
const MINUTE_MS = 60_000;

/** Adds one attempt of the organization in every other minute, the newest a day ago. Every tenth was refused. Returns its id. */
export async function addManyAttempts(depot: Depot, count: number): Promise<string> {
  const { store } = depot.running.service.services;
  const organizations = await store.organizations.list();
  const organizationId = organizations.find(({ name }) => name === ORGANIZATION)?.id ?? "";
  const newest = Date.now() - 24 * 60 * MINUTE_MS;
  const refused = { outcome: "denied", bytes: null, httpStatus: 403, datasetId: "proxy_ip_v1" } as const;
  for (let start = 0; start < count; start += GROUP) {
    const group: Attempt[] = [];
    for (let i = start; i < Math.min(start + GROUP, count); i++) {
      group.push(attemptAt(new Date(newest - 2 * i * MINUTE_MS), { organizationId, ...(i % 10 === 9 && refused) }));
    }
    await store.attempts.append(group.reverse());
  }
  return organizationId;
}
