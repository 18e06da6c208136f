import { CUSTOMER_ROLES, OPERATOR_ROLES } from "@dbdepot/contract/console/accounts";
import {
  type EndingLicence,
  type EndingLicences,
  OVERVIEW_ENDING_DAYS,
  OVERVIEW_LIST_LENGTH,
  OVERVIEW_REFUSALS_ATTEMPTS,
  OVERVIEW_REFUSALS_DAYS,
  Overview,
  type RefusedKey,
  type Setup,
  type WaitingRequest,
} from "@dbdepot/contract/console/overview";
import { EffectiveSettings } from "@dbdepot/contract/console/settings";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import { listVersions } from "../../domain/builds/listing.ts";
import type { Licence } from "../../domain/licences/licence.ts";
import type { LicenceFilter } from "../../domain/licences/store.ts";
import type { Store } from "../../domain/store.ts";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { COMMIT, VERSION } from "../../platform/version.ts";
import { endpoint, type PersonContext } from "../endpoint.ts";
import type { Services } from "../route.ts";

const NEVER = new Date("9999-12-31");
const TOP_KEYS = 10;

export const OVERVIEW_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/overview",
    scope: "account",
    roles: OPERATOR_ROLES,
    respond: getOverview,
    summary: "Get the overview",
    description:
      "Returns what needs the operator's attention: requests for access, overdue builds, licences and evaluations that end, keys that are refused, and the health of the server that responds. Usage by day is at `/api/console/usage`.",
    query: NoQuery,
    response: Overview,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/settings",
    scope: "account",
    roles: OPERATOR_ROLES,
    respond: getSettings,
    summary: "Get the settings",
    description:
      "Returns every setting of the server that responds, with the value in use and where it comes from. Secrets are never returned, and passwords in URLs are masked.",
    query: NoQuery,
    response: EffectiveSettings,
  }),
];

async function getOverview({ services, now }: PersonContext): Promise<Overview> {
  const { store, readiness } = services;
  const soon = new Date(now.getTime() + OVERVIEW_ENDING_DAYS * DAY_MS);
  const [overdue, ending, evaluations, refusedKeys, requests, mail, health, setup] = await Promise.all([
    overdueVersions(store, now),
    endingLicences(store, { redistribution: "contract", ending: { before: soon, now } }),
    endingLicences(store, { redistribution: "evaluation", ending: { before: NEVER, now } }),
    topRefusedKeys(store, now),
    waitingRequests(store),
    store.mail.counts(),
    readiness.check(),
    setupOf(services, now),
  ]);
  return {
    overdue,
    ending,
    evaluations,
    refused_keys: refusedKeys,
    requests,
    mail: { enabled: services.console.sendsNotices, ...mail },
    health,
    setup,
  };
}

async function setupOf({ store, console }: Services, now: Date): Promise<Setup> {
  const [versions, published, organizations, licences, people, [backup]] = await Promise.all([
    store.versions.list(),
    store.versions.published(),
    store.organizations.page({}, { limit: 1 }, now),
    store.licences.count({}),
    store.accounts.page({ roles: CUSTOMER_ROLES }, { limit: 1 }),
    store.audit.list({ action: "backup.created", limit: 1 }),
  ]);
  return {
    database: versions.length > 0,
    build: published.size > 0,
    organization: organizations.items.length > 0,
    licence: licences > 0,
    invitation: people.items.length > 0,
    mail: console.courier !== undefined,
    last_backup: backup?.created.toISOString() ?? null,
  };
}

async function overdueVersions(store: Store, now: Date): Promise<Overview["overdue"]> {
  const versions = await listVersions(store, undefined, now);
  return versions
    .filter(({ overdue }) => overdue)
    .slice(0, OVERVIEW_LIST_LENGTH)
    .map(({ id, base, update_freq, current_build }) => ({
      id,
      base,
      update_freq,
      published: current_build?.published ?? null,
    }));
}

async function endingLicences(store: Store, filter: LicenceFilter): Promise<EndingLicences> {
  const { items } = await store.licences.page(filter, { sort: "expires", limit: OVERVIEW_LIST_LENGTH });
  const licences = await Promise.all(items.map((licence) => licenceWithCustomer(store, licence)));
  return { total: await store.licences.count(filter), licences };
}

async function licenceWithCustomer(store: Store, licence: Licence): Promise<EndingLicence> {
  const { id, organizationId, base, redistribution, expires } = licence;
  return {
    id,
    organization: (await customerOf(store, organizationId)) ?? { id: organizationId, name: organizationId },
    base,
    redistribution,
    expires: expires?.toISOString() ?? "",
  };
}

async function topRefusedKeys(store: Store, now: Date): Promise<RefusedKey[]> {
  const since = new Date(now.getTime() - OVERVIEW_REFUSALS_DAYS * DAY_MS);
  const found = await store.attempts.refusalsByKey({ since, newest: OVERVIEW_REFUSALS_ATTEMPTS, limit: TOP_KEYS });
  return Promise.all(
    found.map(async ({ keyId, organizationId, refused, last }) => {
      const key = keyId && ((await store.keys.byId(keyId)) ?? (await store.legacyKeys.byId(keyId)));
      return {
        key: key ? { id: key.id, name: key.name } : null,
        organization: organizationId === null ? null : await customerOf(store, organizationId),
        refused,
        last: last.toISOString(),
      };
    }),
  );
}

async function waitingRequests(store: Store): Promise<Overview["requests"]> {
  const newest = await store.requests.list({ state: "pending", limit: OVERVIEW_LIST_LENGTH });
  const requests = await Promise.all(
    newest.map(async ({ id, organizationId, base, person, created }): Promise<WaitingRequest> => {
      const organization = (await customerOf(store, organizationId)) ?? { id: organizationId, name: organizationId };
      return { id, organization, base, email: person.email, created: created.toISOString() };
    }),
  );
  return { total: await store.requests.countPending(), requests };
}

async function customerOf(store: Store, id: string): Promise<EndingLicence["organization"] | null> {
  const organization = await store.organizations.byId(id);
  return organization ? { id, name: organization.name } : null;
}

async function getSettings({ services }: PersonContext): Promise<EffectiveSettings> {
  return { version: VERSION, commit: COMMIT ?? null, settings: [...services.console.settings] };
}
