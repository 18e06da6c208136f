import { randomUUID } from "node:crypto";
import { ERRORS } from "@dbdepot/contract/shared/errors";
import type { Format } from "@dbdepot/contract/shared/formats";
import type { Build } from "../../domain/builds/build.ts";
import { type Attempt, type AttemptResult, newAttempt } from "../../domain/downloads/attempt.ts";
import { decide, type Offer } from "../../domain/downloads/decide.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import type { Licence } from "../../domain/licences/licence.ts";
import type { Operation, Store } from "../../domain/store.ts";
import { updateUsage } from "../../domain/usage/update.ts";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { firstIdOf } from "../../platform/primitives/ids.ts";
import { randomOf } from "./networks.ts";
import { DEMO_ORGANIZATIONS, MORE_ORGANIZATIONS } from "./organizations.ts";

const DAYS = 30;
const MAX_PER_DAY = 12;
const MAX_REFUSED_PER_DAY = 3;
const BATCH = 500;
/** One in this many attempts asks for any database, and one in this many uses a key that does not exist. */
const MISTAKE_ONE_OF = 15;
const UNKNOWN_KEY_ONE_OF = 80;
/** About how much of a file a patch has if a day has passed. */
const PATCH_SHARE = 0.02;
/** The position at which the random half of an id begins. */
const RANDOM_HALF = "00000000-0000-7000-".length;

const DATABASES = ["hosting_ip_v1", "vpn_ip_v1", "tor_ip_v1", "relay_ip_v1"];
const CLIENT = "dbdepot-client/0.1.0";
const USER_AGENTS = [CLIENT, CLIENT, "curl/8.14.1", "python-requests/2.32.4"];

/** Adds a month of downloads, decided by the rules of the service. Returns their number. */
export async function addHistory({ store, now }: Operation): Promise<number> {
  const random = randomOf(42);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const offers = await offersOf(store);
  const attempts: Attempt[] = [];
  for (const [index, { name }] of [...DEMO_ORGANIZATIONS, ...MORE_ORGANIZATIONS].entries()) {
    const organizationId = (await store.organizations.byName(name))?.id ?? "";
    const keys = await store.keys.list({ organizationId });
    const licences = await store.licences.list({ organizationId });
    const held = new Map<string, string>();
    for (let day = DAYS; day > 0; day--) {
      const start = new Date(now.getTime() - day * DAY_MS);
      const granted = offers.filter((offer) => resultOf(offer, licences, "csvgz", start).outcome === "ok");
      // Customers who may not download anything try it now and then.
      const count = Math.floor(random() * (granted.length > 0 ? MAX_PER_DAY : MAX_REFUSED_PER_DAY));
      for (let i = 0; i < count; i++) {
        const created = new Date(start.getTime() + random() * DAY_MS);
        const isMistake = granted.length === 0 || random() * MISTAKE_ONE_OF < 1;
        const offer = pick(isMistake ? offers : granted);
        const format: Format = random() < 0.7 ? "mmdb" : "csvgz";
        const isKnown = random() * UNKNOWN_KEY_ONE_OF >= 1;
        const who = isKnown ? { organizationId, keyId: keys.length > 0 ? pick(keys).id : null } : NOBODY;
        const result = isKnown ? resultOf(offer, licences, format, created) : UNKNOWN_KEY;
        const request = {
          id: `${firstIdOf(created).slice(0, RANDOM_HALF)}${randomUUID().slice(RANDOM_HALF)}`,
          api: "v2" as const,
          datasetId: offer.version.id,
          format,
          sample: false,
          clientIp: `203.0.113.${10 + index}`,
          userAgent: pick(USER_AGENTS),
        };
        const patched = request.userAgent === CLIENT ? asPatch(result, `${offer.version.id} ${format}`, held) : result;
        attempts.push(newAttempt(request, who, patched, created));
      }
    }
  }
  for (let at = 0; at < attempts.length; at += BATCH) await store.attempts.append(attempts.slice(at, at + BATCH));
  // What the history says about the keys is true of them.
  await store.keys.setLastUsed(lastUses(attempts));
  await updateUsage({ usage: store.usage, clock: () => now, by: randomUUID() });
  return attempts.length;
}

/** Our client has the build that it downloaded last, so it gets the next one as a patch. */
function asPatch(result: AttemptResult, file: string, held: Map<string, string>): AttemptResult {
  const { buildId, bytes } = result;
  if (!buildId) return result;
  const before = held.get(file);
  held.set(file, buildId);
  if (before === undefined || before === buildId) return result;
  return { ...result, bytes: Math.round((bytes ?? 0) * PATCH_SHARE), patch: true };
}

function lastUses(attempts: readonly Attempt[]): [keyId: string, used: Date][] {
  const uses = new Map<string, Date>();
  for (const { keyId, created } of attempts.toSorted((a, b) => a.created.getTime() - b.created.getTime())) {
    if (keyId !== null) uses.set(keyId, created);
  }
  return [...uses];
}

const NOBODY = { organizationId: null, keyId: null };
const UNKNOWN_KEY: AttemptResult = { outcome: "unauthorized", cause: "unknown", httpStatus: 401 };

type DemoOffer = Omit<Offer, "build"> & { /** Newest first. */ builds: Build[] };

async function offersOf(store: Store): Promise<DemoOffer[]> {
  const offers: DemoOffer[] = [];
  for (const id of DATABASES) {
    const version = await store.versions.byId(id);
    const family = version && (await store.families.byBase(version.base));
    if (!version || !family) continue;
    const summaries = await store.builds.list(id, { states: ["published"] });
    const builds = await store.builds.byIds(summaries.map((build) => build.id));
    offers.push({ version, family, builds: builds.toSorted((a, b) => (a.id < b.id ? 1 : -1)) });
  }
  return offers;
}

/** Before the first build was published, its predecessors were, which are no longer kept. */
function resultOf(
  { version, family, builds }: DemoOffer,
  licences: readonly Licence[],
  format: Format,
  now: Date,
): AttemptResult {
  const build = builds.find(({ published }) => published !== null && published <= now) ?? builds.at(-1);
  const own = licences.filter(({ base }) => base === version.base);
  const question = { licences: own, acceptedTerms: new Set<string>(), format, sample: false, pinned: false, now };
  const verdict = decide({ version, family, build }, question);
  if (!verdict.granted) {
    const { rc, outcome } = REFUSALS[verdict.refusal];
    return { outcome, cause: verdict.refusal, httpStatus: ERRORS[rc].status };
  }
  const { id: buildId, files } = verdict.build;
  return { outcome: "ok", httpStatus: 302, bytes: files[format]?.sizeBytes ?? 0, buildId, open: verdict.open };
}
