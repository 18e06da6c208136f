import { call } from "../../../rigs/harness/service/customer.ts";
import { createKey } from "../../server/src/domain/keys/keys.ts";
import { createLegacyKey } from "../../server/src/domain/legacy-keys/legacy-keys.ts";
import { grantLicence } from "../../server/src/domain/licences/licences.ts";
import { updateOrganization } from "../../server/src/domain/organizations/organizations.ts";
import { createRequest } from "../../server/src/domain/requests/requests.ts";
import { addTerms } from "../../server/src/domain/terms/add.ts";
import { updateUsage } from "../../server/src/domain/usage/update.ts";
import { type Depot, demoStage, ORGANIZATION, startDepotOn } from "./depot.ts";
import { addExampleBuilds } from "./example-builds.ts";
import { addExampleDestinations, IDENTITY } from "./example-destination.ts";
import { addExampleWebhook } from "./example-webhook.ts";
import { seededStage } from "./seeded-stage.ts";

/** Licences of an organization that evaluates, in days from now. */
const TERMS = [
  { base: "pilot_ip", redistribution: "internal", starts: -420, ends: -55 },
  { base: "tor_ip", redistribution: "evaluation", starts: -60, ends: -30 },
  { base: "tor_ip", redistribution: "internal", starts: 12, ends: 377, terms: "data-licence" },
  { base: "bogon_ip", redistribution: "redistribute", starts: -200, ends: null, renews: 165, notice: 75 },
];

/** Session cookies of people of each kind. */
type Cookies = Awaited<ReturnType<typeof addExampleData>>;

/** A depot that already has the example data. */
export async function startExampleDepot(settings?: Record<string, string>): Promise<Depot & { cookies: Cookies }> {
  const { stage, result } = await seededStage(await demoStage(), "examples", async (demo) => {
    const depot = await startDepotOn(demo);
    const cookies = await addExampleData(depot);
    await depot.dispose();
    return cookies;
  });
  return { ...(await startDepotOn(stage, { ...IDENTITY, ...settings })), cookies: result };
}

/** Adds what the pages show: a key, people, and a few downloads, some of them refused. Returns the session cookies. */
export async function addExampleData({ running, url, invite, signedIn }: Depot) {
  const { operator, service } = running;
  const organizations = await service.services.store.organizations.list();
  const organizationId = organizations.find(({ name }) => name === ORGANIZATION)?.id ?? "";
  const { plain } = await createKey(operator.operation(), {
    organizationId,
    name: "nightly job",
    scopes: ["db.download"],
    cidrs: [],
    expires: null,
  });
  const legacy = { name: "old appliance", databaseIds: ["bogon_ip_v2", "vpn_ip_v1"], organization: ORGANIZATION };
  const { uuid } = await createLegacyKey(operator.operation(), legacy);
  await operator.settle();
  await call(`${url}/api/v1/database/download?id=bogon_ip_v2&format=mmdb&apikey=${uuid}`);
  const headers = { authorization: `Bearer ${plain.reveal()}`, "user-agent": "curl/8.14.1" };
  const requests = [
    "bogon_ip_v2&format=csvgz",
    "bogon_ip_v2&format=xml",
    "vpn_ip_v2&format=mmdb",
    "typo_v1&format=mmdb",
  ];
  for (const query of [...requests, ...requests, "vpn_ip_v1&format=mmdb"]) {
    await call(`${url}/api/v2/database/download?id=${query}`, { headers });
  }
  // If the service has just counted, another update is due after a minute.
  const { usage } = service.services.store;
  const clock = () => new Date(running.clock.now().getTime() + 2 * 60_000);
  await updateUsage({ usage, clock, by: "the test" });
  await addExampleBuilds(running);
  await addTerms(operator.operation(), {
    name: "data-licence",
    title: "Data licence agreement",
    text: "1. You may use the data inside your company.\n2. You may not pass it on.\n",
  });
  for (const { base, redistribution, starts, ends, renews, notice, terms } of TERMS) {
    const operation = operator.operation();
    const inDays = (days: number) => new Date(operation.now.getTime() + days * 86_400_000);
    await grantLicence(operation, {
      organization: "Demo Evaluation",
      base,
      redistribution,
      starts: inDays(starts),
      expires: ends === null ? null : inDays(ends),
      renewsAt: renews === undefined ? null : inDays(renews),
      noticeDueAt: notice === undefined ? null : inDays(notice),
      terms,
    });
  }
  const limits = { downloads_per_day: 20, bytes_per_month: 100_000, requests_per_minute: 600 };
  await updateOrganization(operator.operation(), organizationId, { limits });
  await addExampleWebhook(operator.operation(), organizationId);
  await addExampleDestinations(operator.operation(), organizationId);
  await createRequest(operator.operation(), {
    organizationId: organizations.find(({ name }) => name === "Demo Expired")?.id ?? "",
    base: "vpn_ip",
    person: { email: "licensing-and-procurement@subsidiary.example.info", name: "Eve" },
    message: "Our gateway needs it for another year.\nWe can sign this week.",
  });
  await operator.settle();
  const evaluator = await signedIn("edith@example.org", "viewer", "Demo Evaluation");
  const admin = await signedIn("ada@example.com", "admin", ORGANIZATION);
  await invite("grace@example.com", "viewer", ORGANIZATION);
  return { admin, evaluator, operator: await signedIn("olivia@example.net", "operator"), visitor: undefined };
}
