import { createHash } from "node:crypto";
import { runCommand, type ServerData } from "../bench/src/server.ts";
import { type Exported, exported } from "../server/test/routes/operator/exported.ts";
import type { Api } from "./api.ts";
import type { KnownVersion } from "./ledger.ts";

const SCOPES = ["operator.read", "operator.write", "builds.publish"];
const VERSIONS = ["vpn_ip_v1", "hosting_ip_v1"];
/** Publishers take turns with them. */
const BUILDS_PER_VERSION = 4;

export const ORGANIZATION = "Acme";

/** Prepared files of a version, with the SHA-256 of each. */
export interface PreparedBuild extends Exported {
  digests: Record<string, string>;
}

export interface Installation {
  operatorKey: string;
  customerKey: string;
  versions: KnownVersion[];
  builds: Map<string, PreparedBuild[]>;
}

/** Creates an operator key on the empty database, before the service starts. */
export async function createOperatorKey(data: ServerData): Promise<string> {
  const args = ["keys", "create", "--name", "chaos", "--scopes", SCOPES.join(",")];
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
    const base = id.replace(/_v1$/, "");
    await operator.json("/api/operator/families", { body: { base, name: base } });
    await operator.json("/api/operator/versions", { body: { id, summary: base, formats: ["csvgz", "mmdb"] } });
    const licence = { org: ORGANIZATION, base, redistribution: "internal" };
    await operator.json("/api/operator/licences", { body: licence });
    const prepared = await Promise.all(Array.from({ length: BUILDS_PER_VERSION }, (_, i) => prepare(id, 3 + i)));
    builds.set(id, prepared);
    const [first] = prepared as [PreparedBuild];
    const staged = await stage(operator, id, first);
    await publish(operator, staged);
    versions.push({ id, current: staged, unanswered: [], digests: new Map([[staged, first.digests]]) });
  }
  return { operatorKey, customerKey, versions, builds };
}

/** Uploads a build and returns its id. */
async function stage(operator: Api, versionId: string, { document, files }: Exported): Promise<string> {
  const { id } = await operator.json<{ id: string }>(`/api/operator/builds?version=${versionId}`, { body: document });
  for (const [format, body] of Object.entries(files)) {
    await operator.json(`/api/operator/builds/${id}/files/${format}`, { method: "PUT", body });
  }
  return id;
}

async function publish(operator: Api, buildId: string): Promise<void> {
  await operator.json(`/api/operator/builds/${buildId}/publish`, { body: { force: true, keep: 3 } });
}

async function prepare(id: string, rows: number): Promise<PreparedBuild> {
  const made = await exported(id, { rows });
  const digests = Object.entries(made.files).map(([format, file]) => [format, sha256(file)]);
  return { ...made, digests: Object.fromEntries(digests) };
}

export function sha256(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
