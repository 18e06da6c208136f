/**
 * The files of a mirror, relative to its directory. A build has its own directory, and `signed.json` is replaced last,
 * so a reader never sees a manifest whose files are missing.
 */
import type { Format, Manifest } from "../api/wire.gen.ts";

export const INDEX = "dbdepot-mirror.json";
export const KEYS = "dbdepot-keys.json";

/** The newest manifest with its signature and, if the vendor issues them, its statement of freshness. */
export function signedPath(id: string): string {
  return `${id}/signed.json`;
}

/** The same manifest as a separate file, for minisign. The signature is next to it. */
export function manifestPath(id: string): string {
  return `${id}/manifest.json`;
}

/** The statement that the manifest is the newest one, as a separate file for minisign. The signature is next to it. */
export function freshnessPath(id: string): string {
  return `${id}/freshness.json`;
}

/** The endorsement of the key that signed the statement, for minisign too. */
export function freshnessKeyPath(id: string): string {
  return `${id}/freshness-key.json`;
}

/** A manifest with its signature, by its position in the chain. */
export function chainPath(id: string, sequence: number): string {
  return `${id}/chain/${sequence}.json`;
}

export function buildPath(id: string, buildId: string): string {
  return `${id}/${buildId}`;
}

export function metadataPath(id: string, buildId: string): string {
  return `${buildPath(id, buildId)}/metadata.json`;
}

/** Lists the patches to the files of a build. */
export function patchIndexPath(id: string, buildId: string): string {
  return `${buildPath(id, buildId)}/patches.json`;
}

/** The patch to a file of a build from the file with this digest. */
export function patchPath(id: string, buildId: string, format: Format, from: string): string {
  return `${buildPath(id, buildId)}/${format}-${from}.patch`;
}

export type FileKind = keyof Manifest["files"];

export function filePath(id: string, buildId: string, kind: FileKind): string {
  const { format, isSample } = partsOf(kind);
  const extension = format === "mmdb" ? ".mmdb" : ".csv.gz";
  return `${buildPath(id, buildId)}/${id}${isSample ? ".sample" : ""}${extension}`;
}

export function partsOf(kind: FileKind): { format: Format; isSample: boolean } {
  return { format: kind.endsWith("mmdb") ? "mmdb" : "csvgz", isSample: kind.startsWith("sample_") };
}
