import { createHash } from "node:crypto";
import { MmdbShape } from "@dbdepot/mmdb/shape";
import type { Format } from "../wire.ts";
import { GzipCheck } from "./gzip-check.ts";

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
