import type { DemoLink } from "./accounts.ts";
import type { DemoKeys } from "./keys.ts";

/** The text the demo prints once it is running: addresses, keys, and commands to paste into a shell. */
export function welcome(
  addresses: { apiUrl: string; objectsUrl: string | undefined },
  keys: DemoKeys,
  links: readonly DemoLink[],
): string {
  const { apiUrl, objectsUrl } = addresses;
  const [licensed] = keys.customers;
  const unlicensed = keys.customers.find(({ standing }) => standing === "unlicensed");
  const rows = [...keys.customers.map(({ standing, key }) => [standing, key]), ["v1", keys.legacy]];
  const curl = 'curl -fsS -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY"';
  const url = "$DBDEPOT_CLIENT_URL/api/v2/database";
  return `
The dbdepot demo is running, with sample customers and data.

  API        ${apiUrl}
  Reference  ${apiUrl}/docs
  Files      ${objectsUrl ?? "served by object storage"}

Console (each link signs you in once):

${links.map(({ person, link }) => `  ${person.padEnd(10)}  ${link}\n`).join("")}
Keys (new ones at every start):

${rows.map(([name = "", key]) => `  ${name.padEnd(10)}  ${key}\n`).join("")}
Try it in another terminal:

  export DBDEPOT_CLIENT_URL="${apiUrl}"
  export DBDEPOT_CLIENT_KEY="${licensed?.key}"

  # List the catalogue with your licence standing
  ${curl} "${url}/list"

  # Download a database and show its first lines
  ${curl} -L -o bogon_ip_v2.csv.gz "${url}/download?id=bogon_ip_v2&format=csvgz"
  zcat bogon_ip_v2.csv.gz | head -n 5

  # Compare its checksum
  sha256sum bogon_ip_v2.csv.gz
  ${curl} "${url}/checksum?id=bogon_ip_v2&format=csvgz"

  # Check for a new build
  ${curl} "${url}/metadata?id=bogon_ip_v2"

  # Download a sample, which needs no licence
  curl -fsSL -H "Authorization: Bearer ${unlicensed?.key}" "${url}/download?id=vpn_ip_v1&format=csvgz&sample=true" | zcat

  # Download an open database, which needs no licence either
  curl -fsSL -H "Authorization: Bearer ${unlicensed?.key}" "${url}/download?id=bogon_asn_v1&format=csvgz" | zcat

  # Show your download history, refused attempts included
  ${curl} "${url}/downloads?limit=10"

Press Ctrl+C to stop.
`;
}
