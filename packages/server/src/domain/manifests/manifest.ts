import { hash } from "node:crypto";
import type { ByFileKind } from "@dbdepot/contract/shared/formats";
import type { Checksums } from "@dbdepot/contract/v2/checksums";
import type { Manifest } from "@dbdepot/contract/v2/manifests";

/** One link of a version's chain of manifests. Rows are never changed or removed. */
export interface ChainEntry {
  versionId: string;
  /** Counts from 1 without gaps. */
  sequence: number;
  /** The build that became current; null if the last one was withdrawn. */
  buildId: string | null;
  /** The text that is signed, byte for byte. */
  body: string;
  /** The content of a `.minisig` file. */
  signature: string;
  keyId: string;
  created: Date;
}

/** The entry of the chain that is about a build. */
export type BuildSignature = Pick<ChainEntry, "sequence" | "keyId">;

/** The Parquet files of a build, as the manifest has them. */
export type SignedTables = NonNullable<Manifest["tables"]>;

/** The content of a manifest about a build. */
export interface SignedBuild {
  id: string;
  published: Date | null;
  metadata: Uint8Array;
  files: ByFileKind<{ sizeBytes: number; checksums: Checksums }>;
}

/** The text of the manifest that follows `previous` in the version's chain. */
export function nextManifest(
  versionId: string,
  build: SignedBuild | undefined,
  previous: ChainEntry | undefined,
  now: Date,
  tables?: SignedTables,
): Pick<ChainEntry, "versionId" | "sequence" | "buildId" | "body" | "created"> {
  const sequence = (previous?.sequence ?? 0) + 1;
  const manifest: Manifest = {
    format: 1,
    id: versionId,
    sequence,
    created: now.toISOString(),
    build_id: build?.id ?? null,
    published: build?.published?.toISOString() ?? null,
    metadata: build ? { size_bytes: build.metadata.length, sha256: hash("sha256", build.metadata) } : null,
    files: Object.fromEntries(
      Object.entries(build?.files ?? {}).map(([kind, { sizeBytes, checksums }]) => [
        kind,
        { size_bytes: sizeBytes, checksums },
      ]),
    ),
    ...(tables && { tables }),
    previous: previous ? hash("sha256", previous.body) : null,
  };
  const body = `${JSON.stringify(manifest, null, 2)}\n`;
  return { versionId, sequence, buildId: manifest.build_id, body, created: now };
}
