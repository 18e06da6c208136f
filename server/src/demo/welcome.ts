import type { DemoKeys } from "./keys.ts";

/** What the demo prints: its address, its keys, and commands to paste. */
export function welcome(addresses: { apiUrl: string; objectsUrl: string | undefined }, keys: DemoKeys): string {
  const { apiUrl, objectsUrl } = addresses;
  const [licensed] = keys.customers;
  const v2 = `${apiUrl}/api/v2/database`;
  const bearer = `-H "Authorization: Bearer ${licensed?.key}"`;
  return `
This is the demo of dbdepot: its customers, and most of its data, are made up. "dbdepot-server serve" makes nothing up.

  API       ${apiUrl}
  reading   ${apiUrl}/docs
  files     ${objectsUrl ?? "by link, from the object storage"}

Keys, for this start only:

${keys.customers.map(({ standing, key }) => `  ${standing.padEnd(10)}  ${key}\n`).join("")}  ${"v1".padEnd(10)}  ${keys.legacy}

Paste these:

  # What is there, and how do I stand with it?
  curl -s ${bearer} ${v2}/list

  # Download a database, and read it
  curl -sL -o bogon_ip_v2.csv.gz ${bearer} "${v2}/download?id=bogon_ip_v2&format=csvgz" && zcat bogon_ip_v2.csv.gz

  # Is it whole? Compare with: sha256sum bogon_ip_v2.csv.gz
  curl -s ${bearer} "${v2}/checksum?id=bogon_ip_v2&format=csvgz"

  # Is there a new build?
  curl -s ${bearer} "${v2}/metadata?id=bogon_ip_v2"

  # What have we downloaded, and what was refused?
  curl -s ${bearer} "${v2}/downloads?limit=10"

Press Ctrl+C to stop.
`;
}
