import { requireOrganization } from "../../domain/access/find-organization.ts";
import type { Publisher } from "../../domain/builds/publishing/publish-files.ts";
import { addFamily, addVersion } from "../../domain/catalogue/catalogue.ts";
import { createKey } from "../../domain/keys/keys.ts";
import { addOrganization } from "../../domain/organizations/organizations.ts";
import { createRequest } from "../../domain/requests/requests.ts";
import type { Operation } from "../../domain/store.ts";
import { createWebhook } from "../../domain/webhooks/webhooks.ts";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { DemoFamily } from "./databases.ts";
import { exitRows } from "./examples.ts";
import { addHistory } from "./history.ts";
import { NETWORK_COLUMNS, networksByDay } from "./networks.ts";
import { DEMO_ORGANIZATIONS, type DemoOrganization, MORE_ORGANIZATIONS } from "./organizations.ts";
import { grantDemoLicences, publishRows } from "./seed.ts";

const DAYS_WITH_BUILDS = 7;

const HOSTING: DemoFamily = {
  base: "hosting_ip",
  name: "Hosting IP",
  visibility: "public",
  versions: [],
};
const HOSTING_V1 = {
  id: "hosting_ip_v1",
  summary: "Networks of hosting providers with their use and risk, a new build every day (example data)",
  formats: ["csvgz", "mmdb"] as ("csvgz" | "mmdb")[],
  rows: null,
  columns: NETWORK_COLUMNS,
  sampleRows: 100,
};
/** The demo customer has no licence for it, so that a refusal can be seen. */
const RELAY_V1 = {
  id: "relay_ip_v1",
  summary: "Addresses of private relays (example data in documentation networks)",
  formats: ["csvgz", "mmdb"] as ("csvgz" | "mmdb")[],
  rows: null,
  columns: NETWORK_COLUMNS.slice(0, 1),
  sampleRows: 5,
};

/** Adds what a service has after a while: daily builds, more customers, a month of history, a request for access and a webhook that fails. */
export async function addLife(publisher: Publisher, say: (line: string) => void): Promise<void> {
  const at = async (daysAgo: number): Promise<Operation> => {
    const operation = await publisher.operation();
    return { ...operation, now: new Date(operation.now.getTime() - daysAgo * DAY_MS) };
  };
  await addFamily(await at(30), HOSTING);
  await addVersion(await at(30), HOSTING_V1);
  await addFamily(await at(30), { base: "relay_ip", name: "Relay IP", visibility: "public" });
  await addVersion(await at(30), RELAY_V1);
  await publishRows(publisher, RELAY_V1, exitRows());
  await addCustomers(at);
  await addFailingWebhook(await at(8));
  await addAccessRequest(await at(1));
  const days = networksByDay(DAYS_WITH_BUILDS);
  for (const [i, rows] of days.entries()) {
    const daysAgo = days.length - 1 - i;
    await publishRows({ ...publisher, operation: () => at(daysAgo) }, HOSTING_V1, rows);
    say(`published ${HOSTING_V1.id}, day ${i + 1} of ${days.length}\n`);
  }
  const attempts = await addHistory(await at(0));
  say(`added ${MORE_ORGANIZATIONS.length} more customers and ${attempts} downloads\n`);
}

async function addCustomers(at: (daysAgo: number) => Promise<Operation>): Promise<void> {
  for (const organization of MORE_ORGANIZATIONS) {
    const { id } = await addOrganization(await at(60), organization.name);
    await addLicences(await at(0), organization);
    await addKeys(await at(45), id, organization.keys);
  }
  for (const { name } of DEMO_ORGANIZATIONS) {
    const { id } = await requireOrganization((await at(0)).store, name);
    await addKeys(await at(45), id, ["production"]);
  }
  const [customer] = DEMO_ORGANIZATIONS;
  const licence = { base: "hosting_ip", redistribution: "internal", startsInDays: -30, endsInDays: null } as const;
  await addLicences(await at(0), { ...customer, licences: [licence] });
}

/** Their secrets are never shown, so they cannot be used. */
async function addKeys(operation: Operation, organizationId: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await createKey(operation, { organizationId, name, scopes: ["db.download"], cidrs: [], expires: null });
  }
}

function addLicences(operation: Operation, { name, licences }: Pick<DemoOrganization, "name" | "licences">) {
  return grantDemoLicences(async () => operation, name, licences);
}

async function addAccessRequest(operation: Operation): Promise<void> {
  const { id: organizationId } = await requireOrganization(operation.store, "Example Games");
  const person = { email: "customer@games.example", name: "Example Games" };
  const message =
    "Our matchmaking servers should recognize players behind hosting networks. Can we evaluate it for a month?";
  await createRequest(operation, { organizationId, base: HOSTING.base, person, message });
}

/** Names in .example never resolve, so every delivery fails. */
async function addFailingWebhook(operation: Operation): Promise<void> {
  const [customer] = DEMO_ORGANIZATIONS;
  const webhook = await createWebhook(operation, (tables) => requireOrganization(tables, customer.name), {
    url: "https://hooks.demo.example/dbdepot",
    description: "Reload the proxies (this host does not exist)",
    eventTypes: ["build.published"],
  });
  const { store, now } = operation;
  const event = await store.events.latest();
  for (let attempt = 1; event && attempt <= 3; attempt++) {
    const created = new Date(now.getTime() + attempt * 60_000);
    await store.webhooks.addDelivery({
      id: newId(created),
      webhookId: webhook.id,
      eventId: event.id,
      eventType: "build.published",
      attempt,
      trigger: "event",
      outcome: "failed",
      httpStatus: null,
      error: "the host name does not exist",
      durationMs: 12 * attempt,
      request: null,
      response: null,
      created,
    });
  }
}
