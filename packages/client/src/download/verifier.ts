import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { MmdbStructureCheck } from "@dbdepot/formats/mmdb/structure-check";
import type { Format } from "../api/wire.gen.ts";
import { GzipCheck } from "./gzip-check.ts";

const CHUNK_BYTES = 1024 * 1024;

/** Returns the digest of a file on disk and the faults in its structure. */
export async function verifyFile(path: string, format: Format): Promise<{ sha256: string; faults: string[] }> {
  const verifier = new Verifier(format);
  for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES })) await verifier.update(bytes);
  return { sha256: verifier.sha256(), faults: await verifier.faults() };
}

/** Verifies a file chunk by chunk as it arrives. */
export class Verifier {
  readonly #hash = createHash("sha256");
  readonly #check: GzipCheck | MmdbStructureCheck;

  constructor(format: Format) {
    this.#check = format === "mmdb" ? new MmdbStructureCheck() : new GzipCheck();
  }

  /** The memory may be reused once this resolves. */
  async update(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    await this.#check.update(bytes);
  }

  /** The digest of everything received so far. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }

  /** Returns why the complete file is unusable, even if its digest is right. */
  async faults(): Promise<string[]> {
    return (await this.#check.end()).faults;
  }
}
