import { createHash } from "node:crypto";
import type { ByFileKind } from "@dbdepot/contract/shared/formats";
import { type Exported, exported } from "../../packages/server/test/routes/operator/exported.ts";
import type { Api } from "./api.ts";

/** The files of a build, with the SHA-256 of each. */
export interface PreparedBuild extends Exported {
  digests: Record<string, string>;
}

export async function prepare(versionId: string, rows: number): Promise<PreparedBuild> {
  const made = await exported(versionId, { rows });
  const digests = Object.entries(made.files).map(([format, file]) => [format, sha256(file)]);
  return { ...made, digests: Object.fromEntries(digests) };
}

/** Adds a family with one version and publishes its first build, whose id it returns. */
export async function addDatabase(operator: Api, versionId: string, build: PreparedBuild): Promise<string> {
  const base = versionId.replace(/_v1$/, "");
  await operator.json("/api/operator/families", { body: { base, name: base } });
  const version = { id: versionId, summary: base, formats: ["csvgz", "mmdb"] };
  await operator.json("/api/operator/versions", { body: version });
  return publish(operator, versionId, build);
}

/** Uploads and publishes a build, and returns its id. */
export async function publish(operator: Api, versionId: string, build: Exported): Promise<string> {
  const id = await stage(operator, versionId, build);
  await operator.json(`/api/operator/builds/${id}/publish`, { body: { force: true, keep: 3 } });
  return id;
}

/** Uploads a build, and returns its id. */
export async function stage(
  operator: Api,
  versionId: string,
  { document, files }: { document: Buffer; files: ByFileKind<Buffer> },
): Promise<string> {
  const url = "/api/operator/builds";
  const { id } = await operator.json<{ id: string }>(`${url}?version=${versionId}`, { body: document });
  for (const [format, body] of Object.entries(files)) {
    await operator.json(`${url}/${id}/files/${format}`, { method: "PUT", body });
  }
  return id;
}

export function sha256(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
