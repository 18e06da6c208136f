import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { MmdbShape } from "@dbdepot/mmdb/shape";
import type { Format } from "../wire.ts";
import { GzipCheck } from "./gzip-check.ts";

const CHUNK_BYTES = 1024 * 1024;

/** Reads a file on disk: its digest, and what is wrong with its structure. */
export async function verifyFile(path: string, format: Format): Promise<{ sha256: string; faults: string[] }> {
  const verifier = new Verifier(format);
  for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES })) await verifier.update(bytes);
  return { sha256: verifier.sha256(), faults: await verifier.faults() };
}

/** Verifies a file piece by piece as it arrives. */
export class Verifier {
  readonly #hash = createHash("sha256");
  readonly #format: GzipCheck | MmdbShape;

  constructor(format: Format) {
    this.#format = format === "mmdb" ? new MmdbShape() : new GzipCheck();
  }

  /** The memory may be reused once this resolves. */
  async update(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    await this.#format.take(bytes);
  }

  /** The digest of everything so far. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }

  /** Returns why the complete file cannot be used, even if its digest is right. */
  async faults(): Promise<string[]> {
    return (await this.#format.end()).faults;
  }
}
