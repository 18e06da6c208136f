import { hash } from "node:crypto";
import { fileName } from "@dbdepot/contract/shared/formats";
import type { Database } from "@dbdepot/contract/v2/catalogue";
import type { LatestMarker } from "@dbdepot/contract/v2/destinations";
import type { FreshnessText } from "@dbdepot/contract/v2/freshness-proof";
import { newId } from "../../platform/primitives/ids.ts";
import type { Build } from "../builds/build.ts";
import { databaseToWire } from "../licences/database-wire.ts";
import type { ChainEntry } from "../manifests/manifest.ts";
import { signingKeysToWire } from "../manifests/wire.ts";
import type { OfferedPatch } from "../patches/patch.ts";
import type { DeliveredFile, Destination } from "./destination.ts";
import type { DeliveryRegister, Wanted } from "./wanted.ts";

/** The paths of the mirror's layout, which `dbdepot sync --from` reads, see docs/customers/mirror.md. */
export const INDEX_PATH = "dbdepot-mirror.json";
export const KEYS_PATH = "dbdepot-keys.json";
export const latestPath = (id: string) => `${id}/latest.json`;
export const chainPath = (id: string, sequence: number) => `${id}/chain/${sequence}.json`;

/** The files of a build that are delivered. */
export function plannedFiles({ formats, version: { id } }: Wanted, build: Build, now: Date): DeliveredFile[] {
  const isCounted = false;
  const isWritten = false;
  const files = formats.flatMap((kind): DeliveredFile[] => {
    const file = build.files[kind];
    if (!file) return [];
    const path = `${id}/${build.id}/${fileName(id, kind)}`;
    const { sizeBytes, checksums } = file;
    return [{ kind, path, sizeBytes, sha256: checksums.sha256, attemptId: newId(now), isCounted, isWritten }];
  });
  const metadata: DeliveredFile = {
    kind: "metadata",
    path: `${id}/${build.id}/metadata.json`,
    sizeBytes: build.metadata.length,
    sha256: hash("sha256", build.metadata),
    attemptId: null,
    isCounted,
    isWritten,
  };
  return [...files, metadata];
}

/** What is written after the files: a reader who finds one of these finds everything that it names. */
export function manifestFiles(
  id: string,
  { body, signature }: ChainEntry,
  freshness: FreshnessText | undefined,
): [path: string, text: string][] {
  return [
    ...signedFiles(`${id}/manifest.json`, body, signature),
    ...(freshness ? signedFiles(`${id}/freshness.json`, freshness.statement, freshness.signature) : []),
    ...(freshness
      ? signedFiles(`${id}/freshness-key.json`, freshness.endorsement.statement, freshness.endorsement.signature)
      : []),
    [`${id}/signed.json`, signedText({ body, signature }, freshness)],
  ];
}

function signedFiles(path: string, text: string, signature: string): [path: string, text: string][] {
  return [
    [path, text],
    [`${path}.minisig`, signature],
  ];
}

export function signedText(
  { body, signature }: Pick<ChainEntry, "body" | "signature">,
  freshness?: FreshnessText,
): string {
  return `${JSON.stringify({ manifest: body, signature, ...(freshness && { freshness }) })}\n`;
}

export function patchFile(
  build: Build,
  { format, baseSha256, file: { sizeBytes, sha256 } }: OfferedPatch,
): DeliveredFile {
  return besideBuild(build, `${format}-${baseSha256}.patch`, sizeBytes, sha256);
}

/** The list of patches is written even if it is empty, because a storage may deny access to what does not exist. */
export function patchList(build: Build, patches: readonly OfferedPatch[]): { file: DeliveredFile; content: Buffer } {
  const list = patches.map(({ format, baseSha256: from, file: { sha256, sizeBytes } }) => {
    return { format, from, sha256, size_bytes: sizeBytes };
  });
  const content = Buffer.from(jsonText(list));
  return { file: besideBuild(build, "patches.json", content.length, hash("sha256", content)), content };
}

function besideBuild({ id, versionId }: Build, name: string, sizeBytes: number, sha256: string): DeliveredFile {
  const path = `${versionId}/${id}/${name}`;
  return { kind: "patch", path, sizeBytes, sha256, attemptId: null, isCounted: false, isWritten: false };
}

export function keysText({ signingKeys }: DeliveryRegister): string {
  return jsonText(signingKeysToWire(signingKeys));
}

/** The catalogue of the bucket: the databases that are or will be complete in it. */
export function indexText(
  register: DeliveryRegister,
  { organizationId }: Destination,
  delivered: readonly Wanted[],
  now: Date,
): string {
  const bases = [...new Set(delivered.map(({ family }) => family.base))];
  const databases = bases.flatMap((base): Database[] => {
    const ofFamily = delivered.filter(({ family }) => family.base === base);
    const [first] = ofFamily;
    if (!first) return [];
    const versions = ofFamily.map(({ version, formats }) => ({ ...version, formats: [...formats] }));
    const licences = register.licences(organizationId, base);
    const acceptedTerms = register.acceptedTerms(organizationId);
    // Samples are not delivered.
    const buildOf = () => undefined;
    return [databaseToWire({ family: first.family, versions, licences, acceptedTerms, buildOf }, now)];
  });
  return jsonText({ databases });
}

/** The marker for a database of which no build may be used any more. */
export function withdrawnMarkerText(id: string): string {
  const none = { build_id: null, published: null, updated: null, entries: null, sequence: null, files: [] };
  return jsonText({ format: 1, id, ...none } satisfies LatestMarker);
}

/** The marker of completeness. It is written last. */
export function markerText({ version: { id }, manifest }: Wanted, build?: Build, files: DeliveredFile[] = []): string {
  const marker: LatestMarker = {
    format: 1,
    id,
    build_id: build?.id ?? null,
    published: build?.published?.toISOString() ?? null,
    updated: build?.updated ?? null,
    entries: build?.entries ?? null,
    sequence: manifest?.sequence ?? null,
    files: files.map(({ path, kind, sizeBytes, sha256 }) => ({ path, kind, size_bytes: sizeBytes, sha256 })),
  };
  return jsonText(marker);
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
