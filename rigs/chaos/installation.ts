import { setTimeout as delay } from "node:timers/promises";
import { runCommand, type ServerData } from "../harness/server.ts";
import type { Api } from "./api.ts";
import { addDatabase, type PreparedBuild, prepare } from "./builds.ts";
import type { KnownVersion } from "./ledger.ts";

const SCOPES = ["operator.read", "operator.write", "builds.publish"];
const VERSIONS = ["vpn_ip_v1", "hosting_ip_v1"];
/** Publishers alternate between these builds. */
const BUILDS_PER_VERSION = 4;
/** A process applies changes of other processes within a second. */
const REFRESH_MS = 2000;

export const ORGANIZATION = "Acme";

export interface Installation {
  operatorKey: string;
  customerKey: string;
  versions: KnownVersion[];
  builds: Map<string, PreparedBuild[]>;
}

/** Creates an operator key on the empty database, before the service starts. */
export async function createOperatorKey(data: ServerData): Promise<string> {
  const args = ["keys", "create", "--name", "operator", "--scopes", SCOPES.join(",")];
  return (await runCommand<{ key: string }>(data, ...args)).key;
}

/** Adds a customer and two databases, each with a build. */
export async function install(operator: Api, operatorKey: string): Promise<Installation> {
  await operator.json("/api/operator/organizations", { body: { name: ORGANIZATION } });
  const { key: customerKey } = await operator.json<{ key: string }>("/api/operator/keys", {
    body: { name: "load", org: ORGANIZATION, allowed_scopes: ["db.download", "apikeys.manage"] },
  });
  const versions: KnownVersion[] = [];
  const builds = new Map<string, PreparedBuild[]>();
  for (const id of VERSIONS) {
    const prepared = await Promise.all(Array.from({ length: BUILDS_PER_VERSION }, (_, i) => prepare(id, 3 + i)));
    builds.set(id, prepared);
    const [first] = prepared as [PreparedBuild];
    const buildId = await addDatabase(operator, id, first);
    versions.push({ id, current: buildId, unanswered: [], digests: new Map([[buildId, first.digests]]) });
    const licence = { org: ORGANIZATION, base: id.replace(/_v1$/, ""), redistribution: "internal" };
    await operator.json("/api/operator/licences", { body: licence });
  }
  await delay(REFRESH_MS);
  return { operatorKey, customerKey, versions, builds };
}
