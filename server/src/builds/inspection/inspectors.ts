import { createHash } from "node:crypto";
import type { Checksums, Digest } from "@dbdepot/contract/checksums";
import type { Format } from "@dbdepot/contract/formats";
import { MmdbShape } from "@dbdepot/mmdb/shape";
import type { FileFindings } from "./findings.ts";
import { GzippedCsv } from "./gzipped-csv.ts";

/** Looks at all bytes of a file, one piece after the other. */
interface Inspector<T> {
  /** Once it is done with a piece, its memory holds another. */
  take(bytes: Buffer): void | Promise<void>;
  end(): T | Promise<T>;
}

export type InspectorName = Digest | Format;
/** By the inspectors' names: digests, and what the format's own inspector found. */
export type Results = Checksums & Record<Format, FileFindings>;

/** Some of those who look at a file, one after the other. */
export class Inspectors {
  readonly #team: { name: InspectorName; inspector: Inspector<unknown> }[];

  constructor(names: readonly InspectorName[]) {
    this.#team = names.map((name) => ({ name, inspector: createInspector(name) }));
  }

  async take(bytes: Buffer): Promise<void> {
    for (const { inspector } of this.#team) await inspector.take(bytes);
  }

  async end(): Promise<Partial<Results>> {
    const results: [InspectorName, unknown][] = [];
    for (const { name, inspector } of this.#team) results.push([name, await inspector.end()]);
    return Object.fromEntries(results);
  }
}

function createInspector(name: InspectorName): Inspector<string | FileFindings> {
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
