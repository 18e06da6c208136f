import { createKey } from "../../server/src/keys/keys.ts";
import { call } from "../../server/test/customer.ts";
import { type Depot, ORGANIZATION } from "./depot.ts";
import { addExampleBuilds } from "./example-builds.ts";

/** What the pages show: a key, a few downloads, refused ones among them, and people. Returns the session cookies. */
export async function addExampleData({ running, url, invite, signedIn }: Depot) {
  const { operator, service } = running;
  const organizations = await service.services.store.organizations.list({ limit: 10 });
  const organizationId = organizations.find(({ name }) => name === ORGANIZATION)?.id ?? "";
  const { plain } = await createKey(operator.operation(), {
    organizationId,
    name: "nightly job",
    scopes: ["db.download"],
    cidrs: [],
    expires: null,
  });
  await operator.settle();
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
  await addExampleBuilds(running);
  const admin = await signedIn("ada@example.com", "admin", ORGANIZATION);
  await invite("grace@example.com", "viewer", ORGANIZATION);
  return { admin, operator: await signedIn("olivia@example.net", "operator"), visitor: undefined };
}
