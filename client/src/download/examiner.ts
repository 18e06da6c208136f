import { createHash } from "node:crypto";
import { MmdbShape } from "@dbdepot/mmdb/shape";
import type { Format } from "../wire.ts";
import { GzipTest } from "./gzip-test.ts";

export interface Findings {
  sha256: string;
  /** Why it could not be used, although it may be what the vendor published. */
  faults: string[];
}

/** Looks at all bytes of a file, one piece after the other, as they arrive. */
export class Examiner {
  readonly #hash = createHash("sha256");
  readonly #shape: GzipTest | MmdbShape;

  constructor(format: Format) {
    this.#shape = format === "mmdb" ? new MmdbShape() : new GzipTest();
  }

  /** Once it is done with a piece, its memory may hold another. */
  take(bytes: Buffer): void | Promise<void> {
    this.#hash.update(bytes);
    return this.#shape.take(bytes);
  }

  sha256SoFar(): string {
    return this.#hash.copy().digest("hex");
  }

  async end(): Promise<Findings> {
    const { faults } = await this.#shape.end();
    return { sha256: this.sha256SoFar(), faults };
  }
}
