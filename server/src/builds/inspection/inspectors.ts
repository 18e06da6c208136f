import { createHash } from "node:crypto";
import type { Checksums, Digest } from "@dbdepot/contract/checksums";
import type { Format } from "@dbdepot/contract/formats";
import type { FileFindings } from "./findings.ts";
import { GzippedCsv } from "./gzipped-csv.ts";
import { MmdbShape } from "./mmdb-shape.ts";

/** Looks at all bytes of a file, one piece after the other. */
export interface Inspector<T> {
  /** Once it is done with a piece, its memory holds another. */
  take(bytes: Buffer): void | Promise<void>;
  end(): T | Promise<T>;
}

export type InspectorName = Digest | Format;
/** By the inspectors' names: digests, and what the format's own inspector found. */
export type Results = Checksums & Partial<Record<Format, FileFindings>>;

export function createInspector(name: InspectorName): Inspector<string | FileFindings> {
  if (name === "csvgz") return new GzippedCsv();
  return name === "mmdb" ? new MmdbShape() : digestInspector(name);
}

function digestInspector(name: Digest): Inspector<string> {
  const hash = createHash(name);
  return {
    take: (bytes) => void hash.update(bytes),
    end: () => hash.digest("hex"),
  };
}
