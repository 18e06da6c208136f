import { Random } from "../../../../../rigs/harness/random.ts";
import type { Attempt } from "../../../src/domain/downloads/attempt.ts";
import type { Store } from "../../../src/domain/store.ts";
import { HOUR_MS } from "../../../src/platform/primitives/dates.ts";
import { firstIdOf } from "../../../src/platform/primitives/ids.ts";
import { attempt, storedOrganization, storedVersion } from "../../adapters/sql/samples.ts";
import { day } from "../licences/terms.ts";

/** A little less than the time after which a day is final. */
const LATEST_HOURS = 71;

/** Attempts that arrive at the database together. */
interface Arrival {
  time: Date;
  attempts: Attempt[];
}

interface GeneratedMonth {
  databases: string[];
  organizationIds: string[];
  arrivals: Arrival[];
}

/** January 2027 of three customers. Some attempts arrive up to three days late, and some arrive twice. */
export async function generateMonth(store: Store, seed: number, count: number): Promise<GeneratedMonth> {
  const random = new Random(seed);
  const databases = [(await storedVersion(store)).id, (await storedVersion(store)).id];
  const organizationIds: string[] = [];
  for (let n = 0; n < 3; n++) organizationIds.push((await storedOrganization(store)).id);
  const arrivals: Arrival[] = [];
  for (let n = 0; n < count; n++) {
    const created = new Date(day(0).getTime() + random.integer(0, 31 * 24 * HOUR_MS - 1));
    const isGranted = random.chance(0.8);
    const format = random.chance(0.9) ? random.pick(["csvgz", "mmdb", "parquet"] as const) : "exe";
    const made = attempt({
      id: firstIdOf(created).replace(/.{12}$/, n.toString(16).padStart(12, "0")),
      organizationId: random.chance(0.95) ? random.pick(organizationIds) : null,
      keyId: random.chance(0.9) ? `key ${random.integer(1, 3)}` : null,
      datasetId: random.chance(0.9) ? random.pick(databases) : `invented_${n}`,
      format,
      // A download of v2 cannot be Parquet.
      api: format === "parquet" && random.chance(0.9) ? "tables" : "v2",
      outcome: isGranted ? "ok" : random.pick(["denied", "expired", "unavailable", "unauthorized"]),
      bytes: isGranted ? random.integer(1, 1e9) : null,
      sentBytes: isGranted && random.chance(0.2) ? random.integer(0, 1e6) : null,
      buildId: isGranted ? `build ${random.integer(1, 20)}` : null,
      clientIp: random.chance(0.9) ? `192.0.2.${random.integer(1, 4)}` : null,
      sample: random.chance(0.1),
      created,
    });
    const lateHours = random.chance(0.2) ? random.next() * LATEST_HOURS : 0;
    arrivals.push({ time: new Date(created.getTime() + lateHours * HOUR_MS), attempts: [made] });
    if (random.chance(0.1)) arrivals.push({ time: new Date(created.getTime() + 60_000), attempts: [made] });
  }
  arrivals.sort((one, other) => one.time.getTime() - other.time.getTime());
  return { databases, organizationIds, arrivals };
}
